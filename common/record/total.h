/* SPDX-License-Identifier: ISC */
/*
 * total.h - the last READ values of the counters of a stream
 *
 * PERF_SAMPLE_READ values are running totals.  perf uses as the period of a sample the difference from the last value of the
 * same id (deliver_sample_value).  An inherited event shares its ids between tasks, and each task has its own totals: there the
 * thread is part of the key.
 */
#ifndef PP_TOTAL_H
#define PP_TOTAL_H

#include "event.h"
#include "perfpipe_inline.h"
#include "set.h"

struct pp_total {
	uint64_t id;
	uint32_t tid;
	uint64_t in, out;		/* the last value read, and the value the caller made of it; both begin with 0 */
};
struct pp_totals {		/* begins zeroed except `max' */
	struct pp_total	*total;		/* by.n of them */
	struct set	 by;		/* by id and thread */
	uint64_t	 mul;		/* random, for the hash of the thread */
	size_t		 max;		/* the largest number of totals */
};

/* Does this event have a total for each thread? */
static inline bool
pp_total_per_thread(const struct pp_event *ev)
{
	return ev->attr.flags >> PP_ATTR_INHERIT_BIT & 1 && ev->plan.tid;
}
enum { PP_TOTALS_MAX = 1 << 20 };	/* for `max': counters of all threads */
/*
 * The total of an id and thread (0: one for all threads), made if absent.  NULL: there are `max', or no memory.  Valid until
 * the next call.
 */
struct pp_total *pp_total_get(struct pp_totals *, uint64_t id, uint32_t tid);
void	pp_totals_free(struct pp_totals *);

/* Change the value of a counter of a thread (0: all threads).  1, or -1. */
typedef int	pp_total_change(void *arg, uint64_t id, uint32_t tid, uint64_t *value);
/*
 * Call the function for each value of a sample from which perf computes a period; the event has PERF_SAMPLE_READ.  Returns the
 * bytes of the sample: the record's own, or `copy' if a value has changed.  copy has the size of the record, and may be the
 * record.  NULL: the sample is malformed (err has the reason), or the function returned -1.
 */
const uint8_t *pp_totals_sample(const struct pp_events *, const struct pp_event *, const struct pp_rec *,
	    uint8_t *copy, pp_total_change *, void *arg, struct pp_err *);

#endif
