/* SPDX-License-Identifier: ISC */
/*
 * merge_known.h - records of several inputs about the same tasks, maps and counters.
 *
 * A part of --switch-output begins with the tasks and maps that were there; behind the part in front of it they are known.
 * So a record without a time is left out if it says only what is in force already, and a record with a time if another input has
 * the same, byte for byte.
 *
 * Values of PERF_SAMPLE_READ are running totals (total.h), in each input by itself.  Where inputs have the counter in common,
 * each value becomes the sum of what its input and the others have added so far: so each sample keeps the period that it
 * has in its own input.
 */
#ifndef PSORT_MERGE_KNOWN_H
#define PSORT_MERGE_KNOWN_H

#include "state/state.h"
#include "record/total.h"

struct known {			/* the part that the inline function needs */
	const struct pp_events *events;	/* of the merge */
};

/* Of n inputs; `events': of the merge, as records are put.  NULL: no memory.  All arguments must live as long. */
struct known	*known_new(unsigned n, const struct pp_events *events, struct pp_err *);
void	known_free(struct known *);
/*
 * Each record of the kernel that is about to be put, by its time (0: none).  1: put it, 0: leave it out, -1.  A SAMPLE is
 * changed where it stands.
 */
int	known_take(struct known *, unsigned input, uint8_t *raw, uint64_t time);
/* May that be needed for a record of that type? */
static inline bool
known_wants(const struct known *k, uint32_t type)
{
	return type != PP_SAMPLE || k->events->reads;
}
/* No more of that input will come. */
void	known_end(struct known *, unsigned input);

#endif
