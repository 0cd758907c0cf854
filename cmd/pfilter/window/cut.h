/* SPDX-License-Identifier: ISC */
/*
 * cut.h - spans of a piece (--piece): is all that happened between both ends of one in the piece?
 *
 * A piece has a share of the samples, and in the rounds around its ends those of other pieces have times between its own.  A span is
 * measured only if no sample of another piece is between its ends.  With CANCEL, where a second BEGIN changes nothing, an earlier piece may
 * also have begun the first span of a key: that is not measured until an END or CANCEL of the key was in the piece.
 */
#ifndef PFILTER_CUT_H
#define PFILTER_CUT_H

#include <stdbool.h>
#include <stdint.h>

#include "set.h"

struct cut {			/* of all spans; zero: there is no piece */
	bool		 piece, later;	/* there is one; it is not the first */
	bool		 before, behind;	/* samples in front of the piece, and behind it, were seen: */
	uint64_t	 newest, oldest;	/* ... the newest, and the oldest */
};
void	cut_absent(struct cut *, bool behind, uint64_t first, uint64_t last);
static inline bool
cut_has(const struct cut *c, uint64_t begin, uint64_t end)
{
	return (c->before && begin < c->newest) || (c->behind && end > c->oldest);
}

enum { CUT_KEYS = 1 << 20 };
struct cut_key { uint64_t key[2]; uint64_t minus; };
struct cut_keys {		/* whose state is known; over CUT_KEYS others are not */
	struct set	 by;
	struct cut_key	*key;
	uint32_t	 n;
};
/* Is the state of that key known?  know: from now on it is. */
bool	cut_known(struct cut_keys *, const struct cut_key *, bool know);
void	cut_free(struct cut_keys *);

#endif
