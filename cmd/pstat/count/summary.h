/* SPDX-License-Identifier: ISC */
/* summary.h - the part that is always there: what count.h has, summed up after the whole input was read, as tables. */
#ifndef PSTAT_SUMMARY_H
#define PSTAT_SUMMARY_H

#include "part.h"

struct summary {
	struct report	*r;
	struct counts	*c;
	struct task_row	*pid;		/* by descending samples */
	size_t		 npids;
	uint32_t	*comm;		/* indices of names, by descending samples */
	size_t		 ncomms;
	unsigned	*nth;		/* of each event: how many before it have the same name */
	struct event_count sum;
	bool		 unit;		/* all samples are of one event, so that sums of their periods mean something */
	struct files_hit hit;
	uint64_t	 read;		/* bytes of the input */
};
/* Of the parts behind it, at the end of the input: it is complete. */
static inline struct summary *
pass_summary(const struct pass *p)
{
	return p->part[PART_summary];
}

#endif
