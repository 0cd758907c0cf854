/* SPDX-License-Identifier: ISC */
#include <string.h>

#include "pattern.h"

/* Match c with [a-z], [!x].  Returns the end of the bracket; NULL: it has no end, so is a plain character. */
static const char *
pattern_bracket(const char *p, unsigned char c, bool *yes)
{
	const char *from;
	bool negate = *++p == '!' || *p == '^', found = false;

	from = p += negate;
	for (; *p && (*p != ']' || p == from); p++) {
		unsigned char lo = (unsigned char)*p, hi = lo;

		if (p[1] == '-' && p[2] && p[2] != ']') {
			hi = (unsigned char)p[2];
			p += 2;
		}
		found |= c >= lo && c <= hi;
	}
	*yes = found != negate;
	return *p ? p + 1 : NULL;
}

/* Match c with the next element of the pattern.  Returns the end of the element if it matches, otherwise NULL. */
static const char *
pattern_one(const char *p, char c)
{
	const char *end;
	bool yes;

	if (*p == '?')
		return p + 1;
	if (*p == '[' && (end = pattern_bracket(p, (unsigned char)c, &yes)))
		return yes ? end : NULL;
	if (*p == '\\' && p[1])
		p++;
	return *p == c ? p + 1 : NULL;
}

/* Like fnmatch(3) without flags. */
bool
pattern_match(const char *p, const char *s)
{
	const char *rest = pattern_walk(p, s, strlen(s), pattern_one);

	return rest && !*rest;
}

void
pattern_letters(const char *p, char *to, size_t size)
{
	size_t n = 0;
	const char *end;
	bool yes;

	for (; *p && n + 1 < size; p++) {
		if (*p == '[' && (end = pattern_bracket(p, 0, &yes))) {
			p = end - 1;
			continue;
		}
		if (*p == '*' || *p == '?')
			continue;
		if (*p == '\\' && p[1])
			p++;
		to[n++] = *p;
	}
	to[n] = 0;
}
