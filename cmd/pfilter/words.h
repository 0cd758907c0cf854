/* SPDX-License-Identifier: ISC */
/*
 * words.h - a set of strings, as the user lists them: "a,b,file://NAME".  Unlike tool_words(), which splits names of events,
 * it takes slashes and braces for what they are, as names of tasks and files may hold any number of them.
 */
#ifndef PFILTER_WORDS_H
#define PFILTER_WORDS_H

#include "tool/tool.h"

struct words {				/* begins zeroed */
	char	**v;
	size_t	 n, cap;
	bool	 sorted;
};

/* Add the words of the option just returned, separated by commas; in a file each line is one.  Wrong use exits 2. */
void	words_add(const struct tool *, struct words *, const char *text);
bool	words_have(struct words *, const char *);
/* Is every word of `a', which has some, in `b'? */
bool	words_within(const struct words *a, struct words *b);
void	words_free(struct words *);

#endif
