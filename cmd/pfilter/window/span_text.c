/* SPDX-License-Identifier: ISC */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "window/span.h"

static const struct { const char *name, *begin, *end, *key, *cancel; } rows[] = {
#define SPAN(name, begin, end, key, cancel) { #name, begin, end, key, cancel },
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
span_field(struct span *s, const struct tool *t, enum span_part part, const char **p, const char *text)
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
	*to = (struct span_field){ f, to->payload, (uint8_t)(s->nkeys - 1), (uint8_t)part };
	s->nfields++;
}

/* Parse "a" or "a | b". */
static void
span_ways(struct span *s, const struct tool *t, enum span_part part, const char **p, const char *text)
{
	for (int i = 0; i < SPAN_WAYS; i++) {
		span_field(s, t, part, p, text);
		if (**p != '|')
			return;
		*p = span_blank(*p + 1);
	}
	tool_wrong(t, "--span '%s': more than %d fields with '|' between in KEY", text, SPAN_WAYS);
}

/* A part that is not named for the last key has the fields of BEGIN, which begin at `first'. */
static void
span_same(struct span *s, unsigned first, unsigned end, enum span_part part)
{
	for (unsigned i = first; i < end; i++)
		s->field[s->nfields++] = (struct span_field){ s->field[i].f, NULL, s->field[i].key, (uint8_t)part };
}

/* Parse "tid, dev = dev2, raw.pid | prev_pid = next_pid = prev_pid". */
static void
span_keys(struct span *s, const struct tool *t, const char *p, const char *text)
{
	for (p = span_blank(p);; p = span_blank(p + 1)) {
		unsigned first = s->nfields, end;
		enum span_part part = SPAN_BEGIN;

		if (s->nkeys == SPAN_KEYS)
			tool_wrong(t, "--span '%s': KEY has more than %d fields", text, SPAN_KEYS);
		s->nkeys++;
		span_ways(s, t, part, &p, text);
		for (end = s->nfields; *p == '=' && part + 1 < (s->cancels ? SPAN_PARTS : SPAN_CANCEL);) {
			p = span_blank(p + 1 + (p[1] == '='));
			span_ways(s, t, ++part, &p, text);
		}
		while (++part < SPAN_PARTS)
			span_same(s, first, end, part);
		if (!*p || *p == ';')
			return;
		if (*p == '=')
			tool_wrong(t, "--span '%s': KEY has more names than there are expressions, at '%s'", text, p);
		if (*p != ',')
			tool_wrong(t, "--span '%s': expected ',' or '=' in KEY, at '%s'", text, p);
	}
}

static bool
span_is_blank(const char *text)
{
	return !text[strspn(text, " \t\n")];
}

/* CANCEL; NULL: there is none. */
static void
span_cancels(struct span *s, const struct tool *t, const char *text)
{
	s->cancels = text;
	if (text && !span_is_blank(text))
		s->part[SPAN_CANCEL] = expr_add(NULL, t, "--span CANCEL", text);
}

static void
span_named(struct span *s, const struct tool *t, const char *name)
{
	char all[400] = "";

	for (int i = 0; i < ROWS; i++) {
		if (!strcmp(rows[i].name, name)) {
			s->part[SPAN_BEGIN] = expr_add(NULL, t, "--span", rows[i].begin);
			s->part[SPAN_END] = expr_add(NULL, t, "--span", rows[i].end);
			span_cancels(s, t, rows[i].cancel);
			span_keys(s, t, rows[i].key, name);
			return;
		}
		snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", i ? ", " : "", rows[i].name);
	}
	tool_wrong(t, "--span '%s': expected 'BEGIN; END; KEY', 'BEGIN; END; KEY; CANCEL', or one of %s", name, all);
}

void
span_parse(struct span *s, const struct tool *t, const char *text)
{
	static const char *const names[] = { "--span BEGIN", "--span END" };
	const char *p = text, *to;

	if (!span_semicolon(text)) {
		span_named(s, t, text);
		return;
	}
	for (int i = 0; i < 2; i++, p = to + 1) {
		char *part;

		if (!(to = span_semicolon(p)))
			tool_wrong(t, "--span '%s': expected 'BEGIN; END; KEY' or 'BEGIN; END; KEY; CANCEL'", text);
		p = span_blank(p);
		part = strndup(p, (size_t)(to - p));
		if (!part)
			tool_no_memory();
		s->part[i] = expr_add(NULL, t, names[i], part);
		free(part);
	}
	to = span_semicolon(p);
	if (to && span_semicolon(to + 1))
		tool_wrong(t, "--span '%s': more than 'BEGIN; END; KEY; CANCEL'", text);
	span_cancels(s, t, to ? to + 1 : NULL);
	span_keys(s, t, p, text);
}
