/* SPDX-License-Identifier: ISC */
/* pattern.h - shell patterns: * ? [a-z] [!a-z] \c, over the whole text; / and a leading dot are like other characters */
#ifndef PP_PATTERN_H
#define PP_PATTERN_H

#include <stdbool.h>
#include <stddef.h>

/* Does the text match?  In at most length times length steps. */
bool	pattern_match(const char *pattern, const char *text);
/* Match the element of a pattern at p, which is no `*', with a character.  The end of the element; NULL: no match. */
typedef const char *pattern_element(const char *p, char c);
/*
 * Match the pattern p with the n bytes at s.  The rest of the pattern after them, without leading `*'; NULL: no match.  After a
 * mismatch, only the last `*' is tried again.
 */
static inline const char *
pattern_walk(const char *p, const char *s, size_t n, pattern_element *one)
{
	const char *end = s + n, *star = NULL, *again = NULL, *next;

	while (s < end) {
		if (*p == '*') {
			star = ++p;
			again = s;
		} else if (*p && (next = one(p, *s))) {
			p = next;
			s++;
		} else if (star) {
			p = star;
			s = ++again;
		} else
			return NULL;
	}
	while (*p == '*')
		p++;
	return p;
}
/* Copy the pattern without * ? [...] and \, for a comparison with similar names; `to' has size bytes. */
void	pattern_letters(const char *pattern, char *to, size_t size);

#endif
