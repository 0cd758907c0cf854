/* SPDX-License-Identifier: ISC */
/* summary.h - what pstat always counts (count.h), summed up after the whole input was read, as tables of the report. */
#ifndef PSTAT_SUMMARY_H
#define PSTAT_SUMMARY_H

#include "count.h"
#include "report/report.h"

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

/* Add the tables to the report.  The summary and the counts must stay until it is written. */
void	summary_add(struct summary *, struct counts *, struct report *);
/* Sum up, at the end of the input. */
void	summary_make(struct summary *);
void	summary_free(struct summary *);

#endif
