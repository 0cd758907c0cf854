/* SPDX-License-Identifier: ISC */
/* near.h - of the names that a recording has, those most like what was asked for: a bounded number of them */
#ifndef PFILTER_NEAR_H
#define PFILTER_NEAR_H

#include "words.h"

enum { NEAR_MAX = 32 };

struct near {
	struct near_name {
		char	*text;
		unsigned apart;		/* the fewest characters to change, in no case more than NEAR_FAR */
	}	 v[NEAR_MAX];		/* the nearest first */
	unsigned n;
	bool	 more;			/* there are others */
};

/* A name of the recording, which was not asked for. */
void	near_note(struct near *, const struct words *wanted, const char *name);
/* "near that: a, b", "there are a, b, ..." of all if none is near, or "" into text. */
void	near_say(const struct near *, char *text, size_t size);
void	near_free(struct near *);

#endif
