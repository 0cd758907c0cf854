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

#include "perfpipe.h"

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
/* The total of an id (and thread, or 0); NULL: `max' are there, or no memory.  Valid until the next call. */
struct pp_total *pp_total_get(struct pp_totals *, uint64_t id, uint32_t tid);
void	pp_totals_free(struct pp_totals *);

#endif
