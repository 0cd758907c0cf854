/* SPDX-License-Identifier: ISC */
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "picture/in.h"

static char *
option_made(const char *fmt, va_list ap)
{
	char *text;

	if (vasprintf(&text, fmt, ap) < 0)
		tool_no_memory();
	return text;
}

char *
option_text(const char *fmt, ...)
{
	va_list ap;
	char *text;

	va_start(ap, fmt);
	text = option_made(fmt, ap);
	va_end(ap);
	return text;
}

void
option_add(char **text, const char *fmt, ...)
{
	char *more, *before = *text;
	va_list ap;

	va_start(ap, fmt);
	more = option_made(fmt, ap);
	va_end(ap);
	*text = option_text("%s%s", before ? before : "", more);
	free(more);
	free(before);
}

char *
option_quote(const char *text)
{
	static const char plain[] = "%+-./0123456789:=@ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz";
	char *to = tool_alloc(4 * strlen(text) + 4, 1), *p = to;
	bool odd = false;

	if (*text && !text[strspn(text, plain)])
		return strcpy(to, text);
	for (const char *s = text; *s; s++)
		odd |= (unsigned char)*s < ' ' || (unsigned char)*s >= 0x7f;
	p = stpcpy(p, odd ? "$'" : "'");
	for (const char *s = text; *s; s++)
		if (odd && ((unsigned char)*s < ' ' || (unsigned char)*s >= 0x7f))
			p += sprintf(p, "\\x%02x", (unsigned char)*s);
		else if (odd && (*s == '\'' || *s == '\\'))
			p += sprintf(p, "\\%c", *s);
		else if (*s == '\'')
			p = stpcpy(p, "'\\''");
		else
			*p++ = *s;
	*p++ = '\'';
	*p = 0;
	return to;
}

/* The word, so that pfilter takes it for no pattern; a file's may begin with a bracket.  The caller frees it. */
static char *
option_literal(const char *text, bool file)
{
	char *to = tool_alloc(2 * strlen(text) + 1, 1), *p = to;
	bool pattern = strpbrk(text + (file && *text == '['), "*?[");

	for (const char *s = text; *s; s++) {
		if (pattern && strchr("*?[\\", *s))
			*p++ = '\\';
		*p++ = *s;
	}
	*p = 0;
	return to;
}

/*
 * An option whose argument is a list of words, of which this is one; or the same by --filter.  option NULL: only that says
 * exactly this.
 */
static char *
option_word(const char *option, const char *field, const char *text)
{
	char *quoted, *made;

	if (option && *text && !strpbrk(text, ",{}") && strncmp(text, "file://", 7)) {
		char *literal = option_literal(text, !strcmp(field, "dso"));

		quoted = option_quote(literal);
		made = option_text("%s %s", option, quoted);
		free(literal);
	} else {
		char mark = strchr(text, '"') ? '\'' : '"', *filter;

		if (strchr(text, mark) || strchr(text, '\\'))
			return NULL;
		filter = option_text("%s == %c%s%c", field, mark, text, mark);
		quoted = option_quote(filter);
		made = option_text("--filter %s", quoted);
		free(filter);
	}
	free(quoted);
	return made;
}

/* By its name, if pfilter takes no other event for it. */
static char *
option_event(const struct pp_events *e, uint64_t index)
{
	const char *name = e->ev[index]->name;
	size_t n = strlen(name);
	bool clear = *name && !strpbrk(name, "*?[\\");

	for (unsigned i = 0; i < e->n; i++)
		clear &= i == index || strncmp(e->ev[i]->name, name, n) != 0;
	return clear ? option_word("--event", "event", name) : option_text("--filter 'event.index == %" PRIu64 "'", index);
}

/* Does --dsos take no other file for that name? */
static bool
option_alone(const char *dso)
{
	return strcmp(dso, "//anon") && strncmp(dso, "/tmp/perf-", 10) && strcmp(dso, "[kernel]");
}

char *
option_of(const struct pp_events *e, const char *key, const struct cell *c, uint64_t value)
{
	if (!c->known)
		return NULL;
	switch (sort_option(key)) {
	case NO_OPTION:
		return NULL;
	case BY_TASK:
		return option_text("--%s %" PRId32, key, (int32_t)c->num);
	case BY_CPU:
		return option_text("--cpu %" PRIu64, c->num);
	case BY_EVENT:
		return option_event(e, value);
	case BY_MODE:
		return option_text("--filter 'cpumode == %s'", c->text);
	case BY_COMM:
		return option_word("--comms", "comm", c->text);
	case BY_DSO:
		return option_word(option_alone(c->text) ? "--dsos" : NULL, "dso", c->text);
	case BY_CGROUP:		/* --cgroup takes those below it, too */
		return option_word(NULL, "cgroup.name", c->text);
	}
	return NULL;
}

char *
option_narrow(const struct pictures *p, char *option, bool without_idle)
{
	char *events = NULL, *quoted;

	if (without_idle && p->idle)
		option_add(&option, "%s--exclude-tid 0", option ? " " : "");
	for (unsigned i = 0; i < p->nevents; i++)
		option_add(&events, "%s%s", events ? "," : "", p->event[i]);
	if (events) {
		quoted = option_quote(events);
		option_add(&option, "%s--event %s", option ? " " : "", quoted);
		free(quoted);
		free(events);
	}
	if (p->mode >= 0)
		option_add(&option, "%s--filter 'cpumode == %s'", option ? " " : "", p->mode_name);
	return option;
}
