/* SPDX-License-Identifier: ISC */
/*
 * times.h - --time, --exclude-time: ranges of the trace's clock, both ends included, as in perf.
 *
 *	12.5,13  ,13  12.5,			of the clock that perf script shows
 *	+1.5s,+200ms				from the first sample on
 *	@2026-11-21T10:00:00Z,			of the wall clock, if the recording has it (CLOCK_DATA)
 *	10%/2  10%/2,10%/5  0%-10%,30%-40%	of the time from the first to the last sample
 */
#ifndef PFILTER_TIMES_H
#define PFILTER_TIMES_H

#include "record/feature.h"
#include "tool/tool.h"

struct time_end {
	enum time_from { FROM_ZERO, FROM_FIRST, FROM_EPOCH, FROM_SHARE } from;
	uint64_t ns;
	double	 share;			/* of the time from first to last sample */
};
struct times {				/* begins zeroed: any time */
	struct time_range { struct time_end start, stop; bool out; } *r;	/* out: of --exclude-time */
	size_t	 n;
	/* what is missing to tell what the ranges are */
	bool	 needs_first, needs_last, needs_wall;
	bool	 ready;			/* nothing: they ascend, apart, all FROM_ZERO */
};

/* Add what --time says, or (out) --exclude-time; wrong use exits 2. */
void	times_add(const struct tool *, struct times *, const char *text, bool out);
/* Is it SAMPLE_TIME with the ends in it?  perf record leaves them 0 in a pipe. */
bool	times_feature(const struct pp_feature *, uint64_t *first, uint64_t *last);
/* All options have been seen. */
void	times_settle(struct times *, const struct tool *);
/* The first sample (and the last one, if `needs_last') is known; the clock showed `clock' ns when it was `wall'. */
void	times_ends(struct times *, const struct tool *, uint64_t first, uint64_t last);
void	times_wall(struct times *, const struct tool *, uint64_t wall, uint64_t clock);
/* All that can be known is: exits 2 if that is not enough, but for the first sample, which may come yet. */
void	times_check(const struct times *, const struct tool *);
/* Is it in one of the ranges?  They are ready. */
bool	times_search(const struct times *, uint64_t time);
static inline bool
times_have(const struct times *s, uint64_t time)
{
	return s->n == 1 ? time >= s->r->start.ns && time <= s->r->stop.ns : times_search(s, time);
}

#endif
