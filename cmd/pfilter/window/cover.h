/* SPDX-License-Identifier: ISC */
/* cover.h - which times are in windows: ranges of time in ns, both ends included, for everything or for each CPU, tid or pid */
#ifndef PFILTER_COVER_H
#define PFILTER_COVER_H

#include "state/table.h"

struct ranges {			/* begins zeroed */
	struct range_of { uint64_t from, to; } *v;	/* ascending, apart from each other; those before `first' are forgotten */
	size_t		 first, n;
	unsigned	 open;		/* cover_open() without its cover_close(): the last range has no end */
};
struct cover {			/* begins zeroed */
	bool		 keyed;		/* there are ranges for each key; else `all', and keys are ignored */
	struct ranges	 all;
	struct table	 by;
	size_t		 kept;		/* number of keys after the last search for keys to forget */
	uint64_t	 since;		/* earlier times are forgotten */
};

void	cover_start(struct cover *, bool keyed);
/* Add a range.  Without memory, exits. */
void	cover_add(struct cover *, uint32_t key, uint64_t from, uint64_t to);
/* Add a range whose end is not known yet.  cover_close() ends it; ranges of one key that are open at the same time become one. */
void	cover_open(struct cover *, uint32_t key, uint64_t from);
void	cover_close(struct cover *, uint32_t key, uint64_t to);
bool	cover_has(const struct cover *, uint32_t key, uint64_t time);
/* Times before this one are not asked for any more. */
void	cover_forget(struct cover *, uint64_t since);
void	cover_free(struct cover *);

#endif
