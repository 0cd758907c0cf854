/* SPDX-License-Identifier: ISC */
/*
 * filter.h - the stream: from the source, by way of decisions, to what is kept, and with -U to the rest.
 *
 * Where a decision depends on history, records wait until it can be made in time order, and for those that arrived before
 * them (state/timeline.h).
 */
#ifndef PFILTER_FILTER_H
#define PFILTER_FILTER_H

#include "decide.h"
#include "front.h"
#include "side.h"
#include "state/timeline.h"
#include "tee.h"

struct filter {
	/* Given: */
	struct tool	*t;		/* its input and output are open */
	struct options	*o;
	struct tee	*tee;		/* with -U, filter_free() frees it */
	struct side	 side[2];	/* the sink of the second: that of -U */
	struct decide	 decide;	/* about.start: if the survey has found it */

	int		 nsides;	/* 2: -U */
	struct pp_arrival *arrival;	/* NULL: everything is decided at once */
	struct pp_state	*state;
	struct front	 front;
	uint8_t		*with_period;	/* where samples are put together that get one; NULL: none do */
	uint64_t	 others;	/* records of perf's own */
	uint64_t	 left_out;	/* of these, at the head: the arrival does not count them */
};

/* Do records wait for their turn?  `start': time of the first sample, 0: not known yet. */
bool	filter_waits(const struct options *, uint64_t start);
/* All that decisions and outputs need; `rest': the file of -U.  1, or -1 (in_err). */
int	filter_start(struct filter *, const struct atomic *rest);
/* Filter all; what fails says so in the err of input or output. */
void	filter_run(struct filter *);
/* Records that were decided on early for want of memory. */
uint64_t filter_early(const struct filter *);
void	filter_free(struct filter *);

#endif
