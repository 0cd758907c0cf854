/* SPDX-License-Identifier: ISC */
/*
 * merge_known.h - records of several inputs about the same tasks, maps and counters.
 *
 * A part of --switch-output begins with a snapshot, which is known already if the previous part is merged, too; a piece (--piece)
 * has all records about the state.  So one without a time is left out if it does not change the state, or if it continues a run
 * of such records that another input has, too, before the next one with a time; and one with a time if another input has the
 * same, byte for byte.
 *
 * Values of PERF_SAMPLE_READ are running totals (total.h) of each input.  If several inputs have the same counter, each value
 * becomes the sum of the increments of all inputs so far.  So each sample keeps the period that it has in its own input.
 */
#ifndef PSORT_MERGE_KNOWN_H
#define PSORT_MERGE_KNOWN_H

#include "state/state.h"
#include "record/total.h"

struct known {			/* the public part, for the inline function */
	const struct pp_events *events;	/* of the merge */
};

/* For n inputs; `events': those of the merge.  NULL: no memory.  All arguments must live as long. */
struct known	*known_new(unsigned n, const struct pp_events *events, struct pp_err *);
void	known_free(struct known *);
/*
 * Call it for each record without payload before it is put, with its time (0: none).  1: put it; 0: leave it out; -1: failure.
 * The values of a SAMPLE are changed in place.
 */
int	known_take(struct known *, unsigned input, uint8_t *raw, uint64_t time);
/* Is known_take() needed for records of that type? */
static inline bool
known_wants(const struct known *k, uint32_t type)
{
	return type != PP_SAMPLE || k->events->reads;
}
/* The input has ended. */
void	known_end(struct known *, unsigned input);

#endif
