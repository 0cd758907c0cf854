/* SPDX-License-Identifier: ISC */
/*
 * totals.h - PERF_SAMPLE_READ values after samples were dropped.
 *
 * They are running totals (total.h).  So that each kept sample keeps its own period under perf, what the dropped
 * ones added is taken off the later values.
 */
#ifndef PFILTER_TOTALS_H
#define PFILTER_TOTALS_H

#include "record/total.h"

struct totals {
	struct pp_totals totals;
	uint8_t		 copy[PP_RECORD_MAX];
};

/*
 * A sample with PERF_SAMPLE_READ is kept or dropped.  Returns its bytes to be written: its own, or a copy with other
 * values, valid until the next call; NULL if it is not sound (text in pp_err).
 */
const uint8_t *totals_sample(struct totals *, const struct pp_events *, const struct pp_event *,
    const struct pp_rec *, bool keep, struct pp_err *);

#endif
