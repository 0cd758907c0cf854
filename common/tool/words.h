/* SPDX-License-Identifier: ISC */
/*
 * words.h - a set of names and patterns from an option: "a,b*,file://NAME".
 *
 * Names of tasks and files may contain slashes and braces, so words_add() does not interpret them, unlike tool_words(), which
 * splits names of events.  A word with * ? or [ is a pattern (pattern.h), any other word is a name.
 */
#ifndef PP_WORDS_H
#define PP_WORDS_H

#include "tool.h"

enum words_kind {
	WORDS_NAMES,
	WORDS_FILES,			/* a [ at the start of a word is itself, as in "[vdso]" and "[ext*]" */
	WORDS_PATHS,			/* a name is a path, and also has all that is below it */
};
struct words {				/* initially zero, but for the kind */
	enum words_kind kind;
	char	**v;
	size_t	 n;
	size_t	 names;			/* if `sorted': names come first, ascending; the rest are patterns */
	bool	 sorted;
};

/* Add the words of the current option, separated by commas; in a file, one per line.  An error exits 2. */
void	words_add(const struct tool *, struct words *, const char *text);
bool	words_have(struct words *, const char *);
/* Is `a' not empty, and every word of `a' in `b'?  A pattern is in `b' only if that has the same pattern. */
bool	words_within(const struct words *a, struct words *b);
/*
 * The i-th word without what makes it a pattern, for a comparison with similar names; `to' has size bytes.  True if it is a
 * pattern.
 */
bool	words_letters(const struct words *, size_t i, char *to, size_t size);
void	words_free(struct words *);

#endif
