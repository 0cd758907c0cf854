/* SPDX-License-Identifier: ISC */
/* near.h - the names in a recording that are most similar to the wanted ones, for "did you mean" messages; at most NEAR_MAX */
#ifndef PP_NEAR_H
#define PP_NEAR_H

#include "words.h"

enum { NEAR_MAX = 32 };

struct near {
	struct near_name {
		char	*text;
		unsigned apart;		/* least edit distance to a wanted name, at most NEAR_FAR */
	}	 v[NEAR_MAX];		/* by ascending distance */
	unsigned n;
	bool	 more;			/* there are more names than NEAR_MAX */
};

/* Add a name of the recording that matched no wanted name. */
void	near_note(struct near *, const struct words *wanted, const char *name);
/* Write to text: "near that: a, b"; or "there are a, b, ..." of all names if none is similar; or "". */
void	near_text(const struct near *, char *text, size_t size);
/* Is any of the names similar to a wanted one? */
bool	near_is_similar(const struct near *);
void	near_free(struct near *);

#endif
