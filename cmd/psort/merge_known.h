/* SPDX-License-Identifier: ISC */
/*
 * merge_known.h - records of several inputs about the same tasks, maps and counters.
 *
 * Several inputs can have the same records about the state: a part of --switch-output begins with a snapshot, which the previous
 * part makes redundant; each piece (--piece) has all of them.  Such a record is left out
 *	without a time	if it does not change the state, or if another input has the same run of such records up to here, since
 *			the last record with a time
 *	with a time	if another input has the same record, byte for byte
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
