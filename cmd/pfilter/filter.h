/* SPDX-License-Identifier: ISC */
/*
 * filter.h - the main loop: reads records from the source, gets a verdict for each, and writes it to the sink of the kept
 * records, and with -U to the sink of the rejected ones.
 *
 * If verdicts depend on history, the arrival (state/timeline.h) holds records until the verdicts can be made in time order, and
 * writes them in the order in which they arrived.
 */
#ifndef PFILTER_FILTER_H
#define PFILTER_FILTER_H

#include "decide.h"
#include "out/front.h"
#include "out/measured.h"
#include "out/tee.h"
#include "side.h"
#include "state/timeline.h"

enum { MAIN = 1, REST = 2, BOTH = 3 };	/* pp_verdict.to: which sides get the record (front, owed: see front.h) */

struct filter {
	/* Set by the caller: */
	struct tool	*t;		/* input and output are open */
	struct options	*o;
	struct tee	*tee;		/* with -U; filter_free() frees it */
	struct side	 side[2];	/* [0] kept, [1] rejected (-U); the caller sets side[1].sink */
	struct decide	 decide;	/* about.start is set if the survey has found it */

	const struct pp_events *events;	/* of the input */
	int		 nsides;	/* 2 with -U, otherwise 1 */
	struct pp_arrival *arrival;	/* NULL: every verdict is made when the record is read */
	struct pp_state	*state;
	struct front	 front;
	struct measured	*measured;	/* --span-period; NULL: not given */
	uint8_t		*with_period;	/* buffer for samples that get a PERIOD field; NULL: none do */
	uint64_t	 others;	/* records of type 64 and up */
	uint64_t	 left_out;	/* of these, dropped ones: the arrival does not count them */
};

/* Are records held for time order?  `start': time of the first sample, 0: not known yet. */
bool	filter_waits(const struct options *, uint64_t start);
/* Allocate the state, the arrival and the changes of each side.  `rest': the output file of -U.  1, or -1 (in_err). */
int	filter_start(struct filter *, const struct atomic *rest);
/* Process the whole input.  A failure is recorded in the err of the input or of the output that failed. */
void	filter_run(struct filter *);
/* Number of records whose verdict was made early because --max-memory was reached. */
uint64_t filter_early(const struct filter *);
/* Number of records whose verdict was made for the same reason before all samples near them in time (window.h) had arrived. */
uint64_t filter_short(const struct filter *);
void	filter_free(struct filter *);

/* Of filter.c, for filter_start.c: pp_arrival_user.turn, .emit, .flush, and pp_before_refill(). */
int	filter_turn(void *filter, const struct pp_turn *, const struct pp_event *, const struct pp_rec *, struct pp_verdict *);
int	filter_emit(void *filter, const struct pp_rec *, const struct pp_verdict *, bool stable);
int	filter_flush(void *filter);
int	filter_before_refill(void *filter);

#endif
