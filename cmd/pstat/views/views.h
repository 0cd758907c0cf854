/* SPDX-License-Identifier: ISC */
/*
 * views.h - what perf's commands say of a file, said of any input: pstat --events, --header, --tasks, --mmaps, --build-ids.
 *
 * Each is a table of the report.  A view sees the records in the one pass of count.h, and holds what it shows, up to the limits
 * in in.h; what has no place makes the report inexact.
 */
#ifndef PSTAT_VIEWS_H
#define PSTAT_VIEWS_H

#include "count/count.h"
#include "report/report.h"

enum view {			/* in the order of the report */
	VIEW_EVENTS,			/* perf evlist -v */
	VIEW_PAYLOADS,			/* the fields of the tracepoints among them */
	VIEW_HEADER,			/* perf report --header-only */
	VIEW_TASKS,			/* perf report --tasks */
	VIEW_MMAPS,			/* perf report --mmaps */
	VIEW_BUILD_IDS,			/* perf buildid-list */
	VIEW_KINDS
};
struct views;

/* Before the input is read; `views' may be NULL: they are made.  Returns them. */
struct views *views_want(struct views *, struct tool *, struct counts *, enum view);
/* The flags of pp_open() that they need. */
unsigned views_open_flags(const struct views *);
/* Add their tables, which views_end() completes, to the report. */
void	views_add(const struct views *, struct report *);
/* After tool_begin_input() and count_init(): from here on they see the records that are counted. */
void	views_begin(struct views *);
/* The input has ended.  Was there place for everything? */
bool	views_end(struct views *);
/* Those of the report, for people. */
void	views_screen(FILE *, const struct report *);
void	views_free(struct views *);

#endif
