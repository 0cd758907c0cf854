/* SPDX-License-Identifier: ISC */
/* asked.h - what was asked for: the options of pstat, as they were given. */
#ifndef PSTAT_ASKED_H
#define PSTAT_ASKED_H

#include "report/report.h"
#include "symbol/symbols.h"
#include "tool/tool.h"

enum view {				/* in the order of the report */
	VIEW_EVENTS,			/* perf evlist -v */
	VIEW_PAYLOADS,			/* the fields of the tracepoints among them */
	VIEW_HEADER,			/* perf report --header-only */
	VIEW_TASKS,			/* perf report --tasks */
	VIEW_MMAPS,			/* perf report --mmaps */
	VIEW_BUILD_IDS,			/* perf buildid-list */
	VIEW_KINDS
};

struct asked {				/* texts are arguments; NULL: not given */
	report_form	*form;
	const char	*table, *keys, *hist, *columns, *quantum, *picture, *events, *cpumode, *check_list, *check_for, *page;
	int64_t		 top;		/* -1: not given */
	uint64_t	 every;		/* --interval, ns; 0: not given */
	unsigned	 views;		/* bits by enum view */
	unsigned	 theme, scale;	/* as in struct draw (picture/draw.h) */
	bool		 term, ascii;	/* pictures as text; with no other characters */
	struct symbols_opt symbols;
	unsigned	 flame_by;	/* enum stacks_by (stacks/stacks.h) */
	uint32_t	 max_nodes;	/* 0: not given */
	bool		 folded, children, icicle, periods;
	bool		 check, strict, privacy, live, tee, merge, diff;
};

#endif
