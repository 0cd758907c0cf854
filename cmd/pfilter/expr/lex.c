/* SPDX-License-Identifier: ISC */
/* lex.c - tokens of an expression, and errors with a mark at their place */
#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "tree.h"
#include "record/wide.h"

enum { SHOWN = 72 };		/* bytes of the text in an error */

/* ---- errors -------------------------------------------------------------------------------------- */

/* Print as much of the line around `at' as fits, and a mark. */
static void
show(const struct expr_source *src, size_t at)
{
	size_t from = at, to = at, start;

	while (from && src->text[from - 1] != '\n')
		from--;
	while (to < src->n && src->text[to] != '\n')
		to++;
	start = at - from > SHOWN / 2 && to - from > SHOWN ? at - SHOWN / 2 : from;
	fprintf(stderr, "  %s", start > from ? "..." : "");
	for (size_t i = start; i < to && i < start + SHOWN; i++)	/* one column per byte */
		putc(src->text[i] == '\t' ? ' ' : isascii(src->text[i]) && isprint(src->text[i]) ? src->text[i] : '?',
		    stderr);
	fprintf(stderr, "%s\n  %*s^\n", to > start + SHOWN ? "..." : "", (int)(at - start + (start > from ? 3 : 0)), "");
}

void
lex_wrong(const struct tool *t, const struct expr_source *src, size_t at, const char *fmt, ...)
{
	char text[1024], *safe;
	size_t line = 1;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	for (size_t i = 0; i < at; i++)
		line += src->text[i] == '\n';
	safe = tool_vis(text, strlen(text));
	fflush(stdout);
	if (src->file) {
		char *name = tool_vis(src->name, strlen(src->name));

		fprintf(stderr, "%s: %s: line %zu: %s\n", t->name, name, line, safe);
		free(name);
	} else
		fprintf(stderr, "%s: %s: %s\n", t->name, src->name, safe);
	free(safe);
	show(src, at);
	exit(2);
}

/* ---- tokens -------------------------------------------------------------------------------------- */

static char
at(const struct lex *l, size_t i)
{
	return i < l->src->n ? l->src->text[i] : 0;
}

static bool
in_name(char c)
{
	return isascii(c) && (isalnum(c) || c == '_');
}

static void
skip_blanks(struct lex *l)
{
	for (; l->pos < l->src->n; l->pos++) {
		char c = at(l, l->pos);

		if (c == '#')
			while (l->pos < l->src->n && at(l, l->pos) != '\n')
				l->pos++;
		else if (!c || !strchr(" \t\n\r", c))
			return;
	}
}

static bool
unit_of(const char *s, size_t n, uint64_t *unit)
{
	static const struct { const char *name; uint64_t n; } units[] = {
		{ "ns", 1 }, { "us", 1000 }, { "ms", 1000000 }, { "s", 1000000000 }, { "m", UINT64_C(60000000000) },
		{ "h", UINT64_C(3600000000000) }, { "d", UINT64_C(86400000000000) },
		{ "K", 1 << 10 }, { "M", 1 << 20 }, { "G", 1 << 30 }, { "T", UINT64_C(1) << 40 },
	};

	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (strlen(units[i].name) == n && !memcmp(units[i].name, s, n)) {
			*unit = units[i].n;
			return true;
		}
	return false;
}

/* Parse decimal digits (a leading 0 has no meaning) of a number below 2^64. */
static uint64_t
digits(struct lex *l, unsigned base)
{
	uint64_t n = 0;

	for (; isascii(at(l, l->pos)) && (base == 16 ? isxdigit(at(l, l->pos)) : isdigit(at(l, l->pos))); l->pos++) {
		char c = at(l, l->pos);
		unsigned digit = (unsigned)(isdigit(c) ? c - '0' : tolower(c) - 'a' + 10);

		if (__builtin_mul_overflow(n, base, &n) || __builtin_add_overflow(n, digit, &n))
			lex_wrong(l->t, l->src, l->at, "a number of more than 64 bits");
	}
	return n;
}

/* Parse 12, 0x1f, 10ms, 4K; 1.5s is a whole number of nanoseconds. */
static void
number(struct lex *l)
{
	uint64_t whole, unit = 1, part = 0, scale = 1, rest;
	struct wide n;
	size_t from;
	bool point;

	if (at(l, l->pos) == '0' && (at(l, l->pos + 1) | 32) == 'x' && isascii(at(l, l->pos + 2)) &&
	    isxdigit(at(l, l->pos + 2))) {
		l->pos += 2;
		l->num = big_plain(digits(l, 16));
		if (in_name(at(l, l->pos)))
			lex_wrong(l->t, l->src, l->pos, "not a hexadecimal digit; hexadecimal numbers have no units");
		return;
	}
	whole = digits(l, 10);
	if ((point = at(l, l->pos) == '.' && isascii(at(l, l->pos + 1)) && isdigit(at(l, l->pos + 1)))) {
		from = ++l->pos;
		part = digits(l, 10);
		for (size_t i = from; i < l->pos; i++)
			if (__builtin_mul_overflow(scale, 10, &scale))
				lex_wrong(l->t, l->src, from, "too many digits");
	}
	for (from = l->pos; in_name(at(l, l->pos)); l->pos++)
		;
	if (l->pos > from && !unit_of(l->src->text + from, l->pos - from, &unit))
		lex_wrong(l->t, l->src, from, "no such unit; there are ns us ms s m h d for time and K M G T for size");
	big_mul(big_plain(whole), big_plain(unit), &l->num);		/* this cannot overflow */
	if (point) {
		if (from == l->pos)
			lex_wrong(l->t, l->src, l->at, "a number without a unit cannot have a fraction; 1.5s can");
		n = wide_mul(part, unit);	/* part is less than scale: the quotient is less than the unit */
		n.lo = wide_div(n, scale, &rest);
		if (rest)
			lex_wrong(l->t, l->src, l->at, "not a whole number of %s", unit < 1024 || unit % 1000 == 0 ?
			    "nanoseconds" : "bytes");
		big_add(l->num, big_plain(n.lo), &l->num);
	}
}

/* Parse "..." or '...': a backslash escapes a quote or a backslash; before other characters it stays, for patterns. */
static void
string(struct lex *l, char quote)
{
	size_t n = 0, to = l->pos + 1;

	while (to < l->src->n && at(l, to) != quote)
		to += at(l, to) == '\\' && to + 1 < l->src->n ? 2 : 1;
	if (to >= l->src->n)
		lex_wrong(l->t, l->src, l->at, "the string has no end");
	l->str = tool_alloc(to - l->pos, 1);
	for (size_t i = l->pos + 1; i < to; i++) {
		if (at(l, i) == '\\' && (at(l, i + 1) == quote || at(l, i + 1) == '\\'))
			i++;
		l->str[n++] = at(l, i);
	}
	l->pos = to + 1;
	l->tok = TOK_STR;
}

static void
operator(struct lex *l)
{
	static const struct { const char *text; int tok; } ops[] = {	/* longest first */
		{ "!=~", TOK_NO_MATCH }, { "!=", TOK_NE }, { "!~", TOK_NO_GLOB }, { "==", TOK_EQ }, { "=~", TOK_MATCH },
		{ "<=", TOK_LE }, { ">=", TOK_GE }, { "&&", TOK_AND }, { "||", TOK_OR }, { "..", TOK_DOTS },
	};
	char c = at(l, l->pos);

	for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
		size_t n = strlen(ops[i].text);

		if (l->src->n - l->pos >= n && !memcmp(l->src->text + l->pos, ops[i].text, n)) {
			l->tok = ops[i].tok;
			l->pos += n;
			return;
		}
	}
	if (c == '=')
		lex_wrong(l->t, l->src, l->pos, "use == to compare");
	if (!c || !strchr("()[]!,~&|^+-*/%<>", c))
		lex_wrong(l->t, l->src, l->pos, "unexpected character");
	l->tok = c;
	l->pos++;
}

/* Parse a name.  A dot belongs to it if a letter follows (attr.type), but not in 1..2 or a..b. */
static void
name(struct lex *l)
{
	while (in_name(at(l, l->pos)) || (at(l, l->pos) == '.' && in_name(at(l, l->pos + 1)) &&
	    !(isascii(at(l, l->pos + 1)) && isdigit(at(l, l->pos + 1)))))
		l->pos++;
	l->tok = TOK_NAME;
}

/* Is it EVENT{ of a filter of the kernel?  The name may be a pattern. */
static bool
event(struct lex *l)
{
	size_t to = l->pos;

	while (in_name(at(l, to)) || (at(l, to) && strchr(":*?[]!^-.", at(l, to))))
		to++;
	if (to == l->pos || at(l, to) != '{')
		return false;
	l->pos = to + 1;
	l->tok = TOK_KERNEL;
	return true;
}

void
lex_next(struct lex *l)
{
	char c;

	free(l->str);
	l->str = NULL;
	skip_blanks(l);
	l->at = l->pos;
	c = at(l, l->pos);
	if (l->pos >= l->src->n)
		l->tok = TOK_END;
	else if (isascii(c) && isdigit(c)) {
		number(l);
		l->tok = TOK_NUM;
	} else if ((in_name(c) || c == '*' || c == '?' || c == '[') && event(l))
		;
	else if (in_name(c))
		name(l);
	else if (c == '"' || c == '\'')
		string(l, c);
	else
		operator(l);
	l->len = l->pos - l->at;
}

void
lex_path(struct lex *l, bool paths, bool paren)
{
	bool slash;
	char c;

	skip_blanks(l);
	if (!(slash = paths && at(l, l->pos) == '/')) {
		lex_next(l);
		/* perf accepts system.slice for /system.slice */
		if (!paths || l->tok != TOK_NAME || at(l, l->pos) == '(' || field_find(l->src->text + l->at, l->len))
			return;
		l->pos = l->at;
	}
	free(l->str);
	l->at = l->pos;
	while (l->pos < l->src->n && (c = at(l, l->pos)) && !strchr(" \t\n\r,", c) && !(paren && c == ')'))
		l->pos++;
	l->len = l->pos - l->at;
	l->str = tool_alloc(l->len + 2, 1);
	*l->str = '/';
	memcpy(l->str + !slash, l->src->text + l->at, l->len);
	l->tok = TOK_PATH;
}

bool
lex_is(const struct lex *l, const char *word)
{
	return l->tok == TOK_NAME && strlen(word) == l->len && !memcmp(word, l->src->text + l->at, l->len);
}

void
lex_free(struct lex *l)
{
	free(l->str);
	l->str = NULL;
}
