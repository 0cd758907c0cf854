/* SPDX-License-Identifier: ISC */
/* perf_line.h - matches lines of text with patterns */
#ifndef PERF_LINE_H
#define PERF_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct span { const char *p; size_t n; };	/* a part of the text */

/*
 * Match the line at *text, and go behind it.  A blank of the pattern is any number of blanks, %u, %d, %x numbers (uint64_t *), %f
 * digits of a part of a second, as ns (uint64_t *), %s all up to what follows it in the pattern (struct span *).  False: it does not
 * match, and *text is as it was.
 */
bool	perf_line(const char **text, const char *pattern, ...);
/* Match the number that text begins with, of kind 'u', 'd' or 'x', as in a pattern; returns what follows it.  NULL: there is none. */
const char *perf_number(const char *text, char kind, uint64_t *to);

#endif
