/* SPDX-License-Identifier: ISC */
/*
 * live.h - figures while the input is read, and the input itself: --interval, --live, --tee.
 *
 *	live.c		when something is written; signals
 *	interval.c	what each interval has
 *	line.c		--interval: a line of it
 *	draw.c		--live: a screen of the last minute
 *	tee.c		--tee
 */
#ifndef PSTAT_LIVE_H
#define PSTAT_LIVE_H

#include "count/count.h"
#include "report/report.h"

struct live;
struct live_asked {
	uint64_t every;			/* --interval, ns; 0: not given */
	bool	 screen, tee;		/* --live, --tee */
	bool	 json;			/* lines of --interval are objects */
	bool	 check;			/* --check */
};
/* NULL: nothing was asked for.  Exits 2 if it cannot be. */
struct live *live_new(struct tool *, struct counts *, const struct live_asked *);
/* After tool_check(): take over signals, and standard output.  Are the figures for standard error? */
bool	live_prepare(struct live *);
/* The input is open, and its first bytes are not read yet; f: where lines go. */
void	live_open(struct live *, FILE *f);
/* After count_init(). */
void	live_begin(struct live *);
/* The input was counted: what is left of the last interval. */
void	live_end(struct live *);
/* The report was written: if the stream was damaged, copy the rest of it. */
void	live_rest(struct live *);
/* Set the tool's `failed' if something was not written. */
void	live_close(struct live *);
/* After all else: if a signal has ended the reading, end by it. */
void	live_leave(void);
/* A report_form: that of --json on one line, as it comes after others. */
report_form	live_json;

#endif
