/* SPDX-License-Identifier: ISC */
/*
 * totals.h - PERF_SAMPLE_READ values after samples were dropped.
 *
 * A READ value is a running total, and perf takes the difference to the last value that it has seen of that id
 * as the sample's period (deliver_sample_value).  So that each kept sample keeps its own period, what the dropped
 * ones added is taken off the later values.
 */
#ifndef PFILTER_TOTALS_H
#define PFILTER_TOTALS_H

#include "tool.h"

struct totals {
	struct total	*slot;		/* open addressing */
	size_t		 used, size;
	uint64_t	 mul;
	uint8_t		 copy[PP_RECORD_MAX];
};

/*
 * A sample with PERF_SAMPLE_READ is kept or dropped.  Returns its bytes to be written: its own, or a copy with other
 * values, valid until the next call; NULL if it is not sound (text in pp_err).
 */
const uint8_t *totals_sample(struct totals *, const struct pp_event *, const struct pp_rec *, bool swap, bool keep,
    struct pp_err *);
void	totals_free(struct totals *);

#endif
