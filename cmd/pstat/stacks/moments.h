/* SPDX-License-Identifier: ISC */
/*
 * moments.h - when the samples of stacks were taken: how many of each node of a tree (stack/tree.h) in each bin of time
 *
 * Memory is bounded: when there are too many different pairs of bin and node, nodes become fewer, if the user's function makes
 * them so; if that is not enough, the bins become wider, by the list of spans.h.
 */
#ifndef PSTAT_MOMENTS_H
#define PSTAT_MOMENTS_H

#include "tally/spans.h"

#define MOMENT_NEVER	UINT32_MAX	/* the bin of samples without a time */
enum { MOMENTS = 1 << 22 };		/* pairs, at most: 48 MiB */

struct moment {
	uint32_t	 bin, node, n;
};
struct moments {
	struct spans	 spans;		/* its bins */
	struct moment	*moment;	/* as they came; after moments_sum() by bin, then by node */
	size_t		 n;
	size_t		 summed;	/* so many of the first are in order */
	size_t		 most;		/* pairs; MOMENTS */
	size_t		 limit;		/* when there are so many, they are to become fewer */
	/* Makes nodes fewer, and calls moments_move() for it; NULL: nobody does. */
	void		(*fewer)(void *arg);
	void		*fewer_arg;
};

/* width: of the first bins, ns; bins: at most.  Exits 1 without memory, as all of these. */
void	moments_init(struct moments *, uint64_t width, unsigned bins);
void	moments_free(struct moments *);
/* A sample of that node; time 0: it has none. */
void	moments_add(struct moments *, uint64_t time, uint32_t node);
/* tree_change */
void	moments_move(void *, const uint32_t *to, uint32_t n);
/* Make the moments of a bin and node one, and bring them into order. */
void	moments_sum(struct moments *);

#endif
