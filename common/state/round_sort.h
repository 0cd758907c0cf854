/* SPDX-License-Identifier: ISC */
/* round_sort.h - for round.c: sort what is released */
#ifndef PP_ROUND_SORT_H
#define PP_ROUND_SORT_H

#include "state/round.h"

struct pp_run { size_t at, end; };	/* entries whose times ascend */
_Static_assert(sizeof(struct pp_run) <= sizeof(struct pp_waiting), "entries have space for as many runs");

/*
 * Sort the n entries of some runs of e, stably, by their times, which are from min to max.  `out': space for n each; out[1] may be
 * where the runs are.  Returns the one that has the result.
 */
struct pp_waiting *pp_round_sort(const struct pp_waiting *e, const struct pp_run *run, size_t nruns, size_t n, uint64_t min,
	    uint64_t max, struct pp_waiting *out[2]);

#endif
