/* SPDX-License-Identifier: ISC */
/*
 * ere.c - extended regular expressions.
 *
 * regcomp(3) expands repetitions: x{5} to five copies, x+ to two, and groups with their content.  A few bytes can so need
 * gigabytes, which is computed before regcomp() is called.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "tree.h"

/* The end of a bracket expression. */
static const char *
past_bracket(const char *p)
{
	const char *from = p += p[1] == '^' ? 2 : 1, *end;

	for (; *p && (*p != ']' || p == from); p++)
		if (*p == '[' && p[1] && strchr(".:=", p[1])) {		/* [:alpha:] */
			char close[] = { p[1], ']', 0 };

			if ((end = strstr(p + 2, close)))
				p = end + 1;
		}
	return *p ? p + 1 : p;
}

/* Parse {m}, {m,}, {,n} or {m,n}: the number of copies; other text counts as one. */
static size_t
repeats(const char **p)
{
	char *end;
	unsigned long from = strtoul(*p + 1, &end, 10), to = from;

	if (!isdigit((unsigned char)(*p)[1]) && (*p)[1] != ',')
		return 1;
	if (*end == ',') {
		const char *second = end + 1;

		to = isdigit((unsigned char)*second) ? strtoul(second, &end, 10) : from + 1;
		end += end < second;
	}
	if (*end != '}')
		return 1;
	*p = end;
	return to > EXPR_REPEATS ? EXPR_REPEATS + 2 : to ? to : 1;
}

/* The growth of an ERE when it is expanded; exact only up to EXPR_REPEATS. */
static size_t
growth(const char *p)
{
	/* The size of each open group; `last': size of the operand of a repetition. */
	size_t *sum = tool_alloc(strlen(p) + 1, sizeof *sum), depth = 0, last = 0, grown = 0, n;

	sum[0] = 0;
	for (; *p && grown <= EXPR_REPEATS; p++) {
		if ((*p == '{' || *p == '+') && (n = *p == '+' ? 2 : repeats(&p)) > 1) {
			grown += (n - 1) * last;
			sum[depth] += (n - 1) * last;
			last *= n;
			continue;
		}
		if (*p == '(') {
			sum[++depth] = 1;
			continue;
		}
		if (*p == '*' || *p == '?') {
			sum[depth]++;
			last++;
			continue;
		}
		last = 1;
		if (*p == ')' && depth)
			last += sum[depth--];
		else if (*p == '[')
			p = past_bracket(p) - 1;
		else if (*p == '\\' && p[1])
			p++;
		sum[depth] += last;
	}
	free(sum);
	return grown;
}

void
make_ere(struct expr *e, struct node *n)
{
	char cause[128];
	int rc;

	if (strlen(n->str) > EXPR_NAME)
		lex_wrong(e->t, n->src, n->at, "an expression of more than %d bytes", EXPR_NAME);
	for (const char *p = n->str; *p; p++)
		if (*p == '\\' && *++p >= '1' && *p <= '9')
			lex_wrong(e->t, n->src, n->at, "back-references (\\1) are not supported");
		else if (!*p)
			break;
	if ((e->repeats += growth(n->str)) > EXPR_REPEATS)
		lex_wrong(e->t, n->src, n->at, "the expression is too long after its repetitions are expanded");
	n->ere = tool_alloc(1, sizeof *n->ere);
	if ((rc = regcomp(n->ere, n->str, REG_EXTENDED | REG_NOSUB))) {
		regerror(rc, n->ere, cause, sizeof cause);
		lex_wrong(e->t, n->src, n->at, "extended regular expression: %s", cause);
	}
}
