/* SPDX-License-Identifier: ISC */
/*
 * merge.h - several reports as one: pstat --merge.
 *
 * Reports are read as JSON, and combined row by row as the columns of their tables say (enum column_adds), so all is
 * associative and commutative.  What only somebody knows who has seen both sides of a cut is listed in `approx'.
 *
 *	merge.c		tables and rows: what is combined with what
 *	read.c		JSON into rows
 *	diff.h		two reports beside each other
 *	run.h		what main.c calls
 */
#ifndef PSTAT_MERGE_H
#define PSTAT_MERGE_H

#include "count/count.h"
#include "report/report.h"

struct merge;

/* The counts are not used, but that tables are made for them. */
struct merge *merge_new(struct tool *, struct counts *);
/* Add all reports of a file ("-": standard input), one object after the other.  1, or -1: the tool's in_err says why. */
int	merge_read(struct merge *, const char *path);
/* The same of a descriptor, which it closes. */
int	merge_read_fd(struct merge *, int fd, const char *name);
/* Add the tables to the report. */
void	merge_add(struct merge *, struct report *);
void	merge_free(struct merge *);

#endif
