/* SPDX-License-Identifier: ISC */
/*
 * bins.h - bins of time.
 *
 * Their width is one of a list of which each divides the next, and they begin at multiples of it, so those of two recordings of
 * one clock add up.  Without a width of the user's, it is the smallest with which at most BINS_MAX bins have something in them:
 * that depends on the times alone, not on their order.
 */
#ifndef PSTAT_BINS_H
#define PSTAT_BINS_H

#include <stdbool.h>
#include <stdint.h>

#include "set.h"

enum { BINS_MAX = 4096 };

struct bins {
	uint64_t	 width;		/* ns */
	bool		 fixed;		/* by the user */
	uint64_t	 from;		/* start of the bin of the last time; 2^63, before the first, is that of none */
	uint64_t	*bin;		/* start / width; n, at most BINS_MAX + 1 */
	struct set	 by;
	unsigned	 n;
};

/* width 0: it is chosen. */
void	bins_init(struct bins *, uint64_t width);
void	bins_free(struct bins *);
/* Is that a width of the list? */
bool	bins_may_be(uint64_t width);
/* The width of the list after that one, or (0) the first; 0: there is none. */
uint64_t bins_wider(uint64_t width);
/* Add the bin of that time.  True: the bins are wider now. */
bool	bins_add_slow(struct bins *, uint64_t time);

/* The start of the bin; *wider: all bins are wider than before. */
static inline uint64_t
bins_of(struct bins *b, uint64_t time, bool *wider)
{
	*wider = time - b->from >= b->width && bins_add_slow(b, time);
	return b->from;
}

#endif
