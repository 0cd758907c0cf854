/* SPDX-License-Identifier: ISC */
/* in.h - the parts of count.c (samples, and the loop over all records) and count_other.c */
#ifndef PSTAT_COUNT_IN_H
#define PSTAT_COUNT_IN_H

#include "count.h"
#include "behind.h"

/* A record that perf puts into its queue. */
static inline void
count_time(struct order *o, uint64_t time)
{
	o->timed++;
	o->backward += time < o->prev;
	o->prev = time;
	if (time < o->first)
		o->first = time;
	if (time >= o->last)
		o->last = time;
	else if (o->last - time > o->depth)
		o->depth = o->last - time;
	if (time > o->queued)
		o->queued = time;
	if (time < o->flushed) {
		o->late++;
		if (o->flushed - time > o->late_depth)
			o->late_depth = o->flushed - time;
	}
}

/* The stream has a new event: grow the table, and clear the cache of ids. */
void	count_events(struct counts *);
/* Count a record that is no sample.  The bits of those in the lane that want it, or -1: it is damaged. */
int	count_other(struct counts *, const struct pp_rec *);
/* The stream ends. */
void	count_end(struct counts *);

#endif
