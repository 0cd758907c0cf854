/* SPDX-License-Identifier: ISC */
/* pattern.h - shell patterns: * ? [a-z] [!a-z] \c, over the whole text; / and a leading dot are like other characters */
#ifndef PFILTER_PATTERN_H
#define PFILTER_PATTERN_H

#include <stdbool.h>
#include <stddef.h>

/* Does the text match?  In at most length times length steps. */
bool	pattern_match(const char *pattern, const char *text);
/* Copy the pattern without * ? [...] and \, for a comparison with similar names; `to' has size bytes. */
void	pattern_letters(const char *pattern, char *to, size_t size);

#endif
