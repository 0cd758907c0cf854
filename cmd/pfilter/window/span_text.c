/* SPDX-License-Identifier: ISC */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "window/span.h"

static const struct { const char *name, *begin, *end, *key; } rows[] = {
#define SPAN(name, begin, end, key) { #name, begin, end, key },
#include "window/span.def"
#undef SPAN
};
enum { ROWS = sizeof rows / sizeof *rows };

/* The first `;' outside of quotes. */
static const char *
span_semicolon(const char *p)
{
	char quote = 0;

	for (; *p; p++) {
		if (quote && *p == '\\' && p[1])
			p++;
		else if (quote)
			quote = *p == quote ? 0 : quote;
		else if (*p == '"' || *p == '\'')
			quote = *p;
		else if (*p == ';')
			return p;
	}
	return NULL;
}

static const char *
span_blank(const char *p)
{
	while (isspace((unsigned char)*p))
		p++;
	return p;
}

/* Parse "[N]", if there is one; *p moves behind it. */
static bool
span_index(const struct tool *t, const char **p, const char *text, uint32_t *index)
{
	const char *s = *p;
	uint64_t n = 0;

	if (*s != '[')
		return false;
	for (s++; isdigit((unsigned char)*s) && n <= UINT16_MAX; s++)
		n = 10 * n + (uint64_t)(*s - '0');
	if (s == *p + 1 || *s != ']' || n > UINT16_MAX)
		tool_wrong(t, "--span '%s': expected a number and ']' in KEY, at '%s'", text, *p);
	*index = (uint32_t)n;
	*p = s + 1;
	return true;
}

/* Parse the name of a field, one of ours or of a payload, as one that the last key can be; *p moves behind it and blanks. */
static void
span_field(struct span *s, const struct tool *t, int end, const char **p, const char *text)
{
	struct span_field *to = &s->field[s->nfields];
	size_t n = 0;
	uint32_t index;
	const struct field *f;
	const char *name = *p;
	bool indexed;

	while (isalnum((unsigned char)(*p)[n]) || (*p)[n] == '_' || (*p)[n] == '.')
		n++;
	if (!n)
		tool_wrong(t, "--span '%s': expected the name of a field in KEY, at '%s'", text, *p);
	*p += n;
	indexed = span_index(t, p, text, &index);
	if (indexed || !(f = field_find(name, n))) {
		f = to->payload = field_payload_new(name, n, indexed ? &index : NULL);
		to->payload->type = FIELD_INT;
	}
	if (f->type != FIELD_INT || field_refused(f))
		tool_wrong(t, "--span '%s': '%s' in KEY is not a number that a record holds", text, f->name);
	*p = span_blank(*p);
	*to = (struct span_field){ f, to->payload, (uint8_t)(s->nkeys - 1), (uint8_t)end };
	s->nfields++;
}

/* Parse "a" or "a | b". */
static void
span_ways(struct span *s, const struct tool *t, int end, const char **p, const char *text)
{
	for (int i = 0; i < SPAN_WAYS; i++) {
		span_field(s, t, end, p, text);
		if (**p != '|')
			return;
		*p = span_blank(*p + 1);
	}
	tool_wrong(t, "--span '%s': more than %d fields with '|' between in KEY", text, SPAN_WAYS);
}

/* Parse "tid, dev = dev2". */
static void
span_keys(struct span *s, const struct tool *t, const char *p, const char *text)
{
	for (p = span_blank(p);; p = span_blank(p + 1)) {
		unsigned first = s->nfields;

		if (s->nkeys == SPAN_KEYS)
			tool_wrong(t, "--span '%s': KEY has more than %d fields", text, SPAN_KEYS);
		s->nkeys++;
		span_ways(s, t, 0, &p, text);
		if (*p == '=') {
			p += 1 + (p[1] == '=');
			p = span_blank(p);
			span_ways(s, t, 1, &p, text);
		} else
			for (unsigned i = first, end = s->nfields; i < end; i++)
				s->field[s->nfields++] = (struct span_field){ s->field[i].f, NULL, s->field[i].key, 1 };
		if (!*p)
			return;
		if (*p != ',')
			tool_wrong(t, "--span '%s': expected ',' or '=' in KEY, at '%s'", text, p);
	}
}

static void
span_named(struct span *s, const struct tool *t, const char *name)
{
	char all[400] = "";

	for (int i = 0; i < ROWS; i++) {
		if (!strcmp(rows[i].name, name)) {
			s->end[0] = expr_add(NULL, t, "--span", rows[i].begin);
			s->end[1] = expr_add(NULL, t, "--span", rows[i].end);
			span_keys(s, t, rows[i].key, name);
			return;
		}
		snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", i ? ", " : "", rows[i].name);
	}
	tool_wrong(t, "--span '%s': expected 'BEGIN; END; KEY' or one of %s", name, all);
}

void
span_parse(struct span *s, const struct tool *t, const char *text)
{
	const char *p = text, *to;

	if (!span_semicolon(text)) {
		span_named(s, t, text);
		return;
	}
	for (int i = 0; i < 2; i++, p = to + 1) {
		char *part;

		if (!(to = span_semicolon(p)))
			tool_wrong(t, "--span '%s': expected 'BEGIN; END; KEY'", text);
		p = span_blank(p);
		part = strndup(p, (size_t)(to - p));
		if (!part)
			tool_no_memory();
		s->end[i] = expr_add(NULL, t, i ? "--span END" : "--span BEGIN", part);
		free(part);
	}
	span_keys(s, t, p, text);
}
