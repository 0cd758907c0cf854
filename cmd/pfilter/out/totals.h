/* SPDX-License-Identifier: ISC */
/*
 * totals.h - correct PERF_SAMPLE_READ values after samples were dropped.
 *
 * The values are running totals (total.h), and perf computes the period of a sample as the difference from the sample before.
 * The amounts of dropped samples are subtracted from later values, so each kept sample keeps its period.
 */
#ifndef PFILTER_TOTALS_H
#define PFILTER_TOTALS_H

#include "record/total.h"

struct totals {
	struct pp_totals totals;
	uint8_t		 copy[PP_RECORD_MAX];
};

/*
 * Account for a sample with PERF_SAMPLE_READ, kept or dropped.  Returns the bytes to write: its own, or a copy with other values,
 * valid until the next call; NULL if the sample is invalid (text in pp_err).
 */
const uint8_t *totals_sample(struct totals *, const struct pp_events *, const struct pp_event *,
    const struct pp_rec *, bool keep, struct pp_err *);

#endif
