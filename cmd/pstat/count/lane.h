/* SPDX-License-Identifier: ISC */
/*
 * lane.h - the one way on which a record, after it was counted, comes to the parts that want it.
 *
 * A part joins the lane when it begins (part.h), and says what it wants.  What is counted of most samples of most streams needs
 * no call: rows by keys (tally/tally.h) and cells of pictures (tally/quick.h), of which an event can have one each.  Who counts
 * the samples of an event so takes its bit out of `wanted' of struct event_count, and does not see them any more.  The third such
 * is the order of all records by place (behind.h).
 */
#ifndef PSTAT_LANE_H
#define PSTAT_LANE_H

#include <stdbool.h>

#include "perfpipe.h"

/*
 * The record was counted.  !sound: it could not be, and the tool's in_err says why; if all return 0 then, that ends the reading.
 */
typedef int	lane_fn(void *arg, const struct pp_rec *, bool sound);

enum lane_wants {
	LANE_ALL,
	LANE_OTHERS,			/* no samples, but those that are not sound */
	/*
	 * The first LANE_FIRSTS samples of each of the first LANE_EVENTS events, the first LANE_FEW of each other event, so that many
	 * events do not make a glance a long look; the first LANE_FIRSTS other records of each type of the kernel and
	 * FINISHED_ROUNDs, all other records of perf's own, and the record that ends the reading as it could not be counted.  Later
	 * samples are not examined.
	 */
	LANE_FIRST,
};
enum { LANE_MAX = 31, LANE_FIRSTS = 64, LANE_EVENTS = 256, LANE_FEW = 4 };

struct lane {
	struct { lane_fn *fn; void *arg; } stop[LANE_MAX];
	unsigned	 n;
	uint32_t	 all, samples, first;	/* bits of those that want other records, samples, the first records */
};

struct counts;
/* Before count_all(), or while a record is shown: from the next one on.  The bit in the lane. */
uint32_t lane_join(struct counts *, enum lane_wants, lane_fn *, void *arg);
/* Show a record to those of these bits.  1: some of them has returned 1. */
int	lane_show(const struct lane *, uint32_t who, const struct pp_rec *, bool sound);

#endif
