/* SPDX-License-Identifier: ISC */
/*
 * report.h - the two forms of the report, written after the whole input was counted.
 *
 * They share no table: a new column or part is counted once (count.h, tasks.h), then written by screen.c and by json.c.  JSON is
 * never cut; its schema is in pstat(1).
 */
#ifndef PSTAT_REPORT_H
#define PSTAT_REPORT_H

#include <stdio.h>

#include "count.h"

struct report {
	struct counts	*c;
	struct task_row	*pid;		/* by descending samples */
	size_t		 npids;
	uint32_t	*comm;		/* indices of names, by descending samples */
	size_t		 ncomms;
	struct event_count sum;
	uint64_t	 read;		/* bytes of the input */
};

/* One screen: at most 100 columns and about 50 lines.  Always 1. */
int	screen(FILE *, const struct report *);
/* All counts, in the schema of pstat(1).  1, or -1: out of memory. */
int	json(FILE *, const struct report *);
/* Before tool_lock(): the library takes its random seed. */
void	json_seed(void);

#endif
