/* SPDX-License-Identifier: ISC */
/* period.h - a PERIOD field for samples that have none: all of them have the period of their attr, and each is to have its own */
#ifndef PFILTER_PERIOD_H
#define PFILTER_PERIOD_H

#include "sink/out.h"

/* Do samples of that sample_type have only the period of their attr? */
static inline bool
period_by_attr(uint64_t sample_type)
{
	return !(sample_type & (PP_SAMPLE_PERIOD | PP_SAMPLE_READ));
}

/*
 * Called for each record of the input, before its verdict: gives a sample the field.  1, and *r may point into `buf'; -1: the record
 * becomes too large, or fits no event.
 */
int	period_add(struct pp_source *in, struct pp_rec *r, uint8_t buf[static PP_RECORD_MAX + 8], struct pp_err *);
/* A struct out that gives the attrs of these samples the bit PERF_SAMPLE_PERIOD.  NULL: no memory. */
struct out *period_attr_new(const struct pp_source *in, struct out *next);

#endif
