/* SPDX-License-Identifier: ISC */
/*
 * total.h - the last READ values of a stream's counters.
 *
 * PERF_SAMPLE_READ values are running totals; perf takes the difference to the last one that it saw of the same id
 * as the sample's period (deliver_sample_value).  An inherited event shares its ids between the tasks, and each
 * task has totals of its own: there the thread belongs to the key.
 */
#ifndef PP_TOTAL_H
#define PP_TOTAL_H

#include "event.h"
#include "perfpipe_inline.h"

struct pp_total {
	uint64_t id;
	uint32_t tid;
	bool	 used;
	uint64_t in, out;		/* last value read, and what the user made of it; both begin with 0 */
};
struct pp_totals {		/* begins zeroed, but for `max' */
	struct pp_total	*slot;
	size_t		 used, size, max;	/* max: most that are remembered */
	uint64_t	 mul[2];	/* random, for id and thread */
};

/* Does this event keep a total for each thread? */
static inline bool
pp_total_per_thread(const struct pp_event *ev)
{
	return ev->attr.flags >> PP_ATTR_INHERIT_BIT & 1 && ev->plan.tid;
}
enum { PP_TOTALS_MAX = 1 << 20 };	/* a bound for `max': counters, of all threads together */
/* The total of an id (and thread, or 0); NULL: `max' are there, or no memory.  Valid until the next call. */
struct pp_total *pp_total_get(struct pp_totals *, uint64_t id, uint32_t tid);
void	pp_totals_free(struct pp_totals *);

/* Change the value of a counter, of that thread (or 0).  1, or -1. */
typedef int	pp_total_change(void *arg, uint64_t id, uint32_t tid, uint64_t *value);
/*
 * Change each value of a sample of which perf makes a period; the event has PERF_SAMPLE_READ.  Returns the sample's
 * bytes: its own, or `copy' if a value became another.  copy has room for the record, and may be the record itself.
 * NULL: the sample is not sound (text in pp_err), or the function returned -1.
 */
const uint8_t *pp_totals_sample(const struct pp_events *, const struct pp_event *, const struct pp_rec *,
	    uint8_t *copy, pp_total_change *, void *arg, struct pp_err *);

#endif
