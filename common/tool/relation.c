/* SPDX-License-Identifier: ISC */
/* relation.c - which options go together: the rows OPT_NEEDS and the like of option.h */
#include <string.h>

#include "option.h"

/* Is the option on the command line, "NAME", or "NAME=VALUE" with that argument? */
static bool
is_given(const struct tool *t, const char *term, size_t n)
{
	const char *value = memchr(term, '=', n);
	size_t len = value ? (size_t)(value - term) : n;
	int row = tool_row(t, term, len);
	const char *arg = row < 0 ? NULL : t->given[row];

	return arg && (!value || (strlen(arg) == n - len - 1 && !memcmp(arg, value + 1, n - len - 1)));
}

/* The first of these that is given, of *n bytes; NULL: none is. */
static const char *
any_given(const struct tool *t, const char *terms, size_t *n)
{
	const char *term;

	while ((term = tool_next_word(&terms, n)))
		if (is_given(t, term, *n))
			return term;
	return NULL;
}

bool
tool_given(const struct tool *t, const char *terms)
{
	size_t n;

	return any_given(t, terms, &n);
}

static bool
names(const char *terms, const char *name)
{
	const char *term;
	size_t n;

	while ((term = tool_next_word(&terms, &n)))
		if (strlen(name) == n && !memcmp(name, term, n))
			return true;
	return false;
}

/* "--every, --sample or --max-rate" */
static const char *
listed(const char *terms, char *text, size_t size)
{
	const char *term, *before = "";
	size_t n, have = 0;

	while ((term = tool_next_word(&terms, &n)) && have < size) {
		have += (size_t)snprintf(text + have, size - have, "%s--%.*s", before, (int)n, term);
		before = *terms && strchr(terms + 1, ',') ? ", " : " or ";
	}
	return text;
}

static void
check(const struct tool *t, const struct tool_opt *r)
{
	size_t n, others;
	const char *it = any_given(t, r->name, &n), *other;
	char text[400];

	if (!it)
		return;
	switch (r->kind) {
	case TOOL_NEEDS:
		if (!any_given(t, r->arg, &others))
			tool_wrong(t, "--%.*s: needs %s", (int)n, it, r->help ? r->help : listed(r->arg, text, sizeof text));
		break;
	case TOOL_NOT_WITH:
		if ((other = any_given(t, r->arg, &others)))
			tool_wrong(t, "--%.*s: cannot be combined with --%.*s%s", (int)n, it, (int)others, other, r->help);
		break;
	case TOOL_ONLY_WITH:
		for (const struct tool_opt *o = t->opts; o->name; o++)
			if (t->given[o - t->opts] && !names(r->arg, o->name) && !names(r->name, o->name))
				tool_wrong(t, "--%s: cannot be combined with --%.*s", o->name, (int)n, it);
		break;
	default:
		tool_piece_refuse(t, "--%.*s", (int)n, it);
	}
}

void
tool_relations(const struct tool *t)
{
	for (const struct tool_opt *r = t->opts; r->name; r++)
		if (r->kind >= TOOL_NEEDS)
			check(t, r);
}
