/* SPDX-License-Identifier: ISC */
/*
 * pending.h - side-band that has come but is not yet in force: copies of records until their round is out, as perf
 * holds them back (perf-pipe(5)).  At the second marker from now no record can come any more that is older.
 */
#ifndef PCAT_PENDING_H
#define PCAT_PENDING_H

#include "perfpipe_inline.h"

struct pending_rec {
	uint64_t	 time, seq;
	uint16_t	 trailer;	/* bytes of it at the end */
	struct pp_rec	 r;		/* raw: the copy, freed with it */
};
struct pending {		/* empty: all zeros */
	struct pending_rec *p;
	size_t		 n, cap, bytes;
	uint64_t	 seq;
};

/* Queue a copy.  1, or -1: no memory. */
int	pending_add(struct pending *, uint64_t time, size_t trailer, const struct pp_rec *);
/*
 * Give out all up to that time, in the order of time and arrival, and drop them.  1, or -1 as soon as the function
 * returns that.
 */
int	pending_release(struct pending *, uint64_t until, int (*fn)(void *, const struct pp_rec *, size_t trailer),
	    void *arg);
/* The time below which about half of it lies. */
uint64_t pending_middle(struct pending *);
void	pending_free(struct pending *);

#endif
