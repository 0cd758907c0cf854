/* SPDX-License-Identifier: ISC */
/*
 * round_in.h - the queue of round.h; for round*.c only
 *
 *	round.c			entries and runs, and which of them a release takes
 *	round_sort.c		sorts these
 *	round_deliver.c		hands their records over
 */
#ifndef PP_ROUND_IN_H
#define PP_ROUND_IN_H

#include "state/block.h"
#include "state/round.h"

typedef struct pp_waiting entry;

struct pp_run { size_t at, end; };	/* entries whose times ascend */
_Static_assert(sizeof(struct pp_run) <= sizeof(entry), "entries have space for as many runs");

struct round {
	/* next: behind the last that waits, end: of e; newest: UINT64_MAX: the next one can't be added the short way */
	struct pp_round	 pub;
	pp_deliver	*deliver;
	pp_side		*side;			/* NULL: records are delivered one by one */
	bool		 twins;
	pp_many		*many;			/* NULL: none is set */
	void		*arg;
	struct pp_err	*err;
	struct pp_blocks blocks;

	entry		*e;		/* those in `run' wait */
	struct pp_run	*run;		/* in order of arrival; the last one ends at pub.next */
	size_t		 nruns, capruns;
	size_t		 gone;		/* entries from the first run to pub.next that do not wait any more */
	entry		*out[2];	/* working memory of a release */
	size_t		 outcap;
	uint64_t	 away;		/* records given to pp_round_spill(), not yet pp_round_spilled() */
	uint64_t	 next_flush;
	uint64_t	 saw;		/* the largest time of pp_round_saw() that a reader has not delivered; 0: none */
};

/*
 * Sort the n entries of some runs of e, stably, by their times, which are from min to max.  `out': space for n each; out[1] may be
 * where the runs are.  Returns the one that has the result.
 */
entry	*pp_round_sort(const entry *e, const struct pp_run *, size_t nruns, size_t n, uint64_t min, uint64_t max, entry *out[2]);
/* Deliver the records of n entries.  1; -1: that has failed. */
int	 pp_round_deliver(struct round *, const entry *, size_t n);

#endif
