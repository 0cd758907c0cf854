/* SPDX-License-Identifier: ISC */
/*
 * words.h - a set of strings from an option: "a,b,file://NAME".
 *
 * Names of tasks and files may contain slashes and braces, so words_add() does not interpret them, unlike tool_words(), which
 * splits names of events.
 */
#ifndef PFILTER_WORDS_H
#define PFILTER_WORDS_H

#include "tool/tool.h"

struct words {				/* initially zero */
	char	**v;
	size_t	 n, cap;
	bool	 sorted;
};

/* Add the words of the current option, separated by commas; in a file, one per line.  An error exits 2. */
void	words_add(const struct tool *, struct words *, const char *text);
bool	words_have(struct words *, const char *);
/* Is `a' not empty, and every word of `a' in `b'? */
bool	words_within(const struct words *a, struct words *b);
void	words_free(struct words *);

#endif
