/* SPDX-License-Identifier: ISC */
/*
 * times.h - --time, --exclude-time: ranges of time; both ends are included, as in perf.
 *
 *	12.5,13  ,13  12.5,			seconds of the recording's clock, which perf script shows
 *	+1.5s,+200ms				since the first sample
 *	@2026-11-21T10:00:00Z,			wall clock, if the recording has it (CLOCK_DATA)
 *	10%/2  10%/2,10%/5  0%-10%,30%-40%	pieces of the time from the first to the last sample
 *
 * A new sort of end is a value of enum time_from, with its syntax in the parser and its conversion to FROM_ZERO in times.c.
 */
#ifndef PFILTER_TIMES_H
#define PFILTER_TIMES_H

#include "record/feature.h"
#include "tool/tool.h"

struct time_end {
	enum time_from { FROM_ZERO, FROM_FIRST, FROM_EPOCH, FROM_SHARE } from;
	uint64_t ns;
	double	 share;			/* FROM_SHARE: of the time from the first to the last sample */
};
struct times {				/* initially zero: any time */
	struct time_range { struct time_end start, stop; bool out; } *r;	/* out: --exclude-time */
	size_t	 n;
	/* what is needed to convert all ends to FROM_ZERO */
	bool	 needs_first, needs_last, needs_wall;
	bool	 ready;			/* nothing: ranges ascend, do not overlap, all FROM_ZERO */
};

/* Add the ranges of --time or (optvalue true) --exclude-time to a struct times; an error exits 2. */
void	times_add(struct tool *, void *times);
/* Is it the feature SAMPLE_TIME, with its times set?  In a pipe perf record leaves them 0. */
bool	times_feature(const struct pp_feature *, uint64_t *first, uint64_t *last);
/* After the last option. */
void	times_settle(struct times *, const struct tool *);
/* The times of the first sample and, if `needs_last', of the last one. */
void	times_ends(struct times *, const struct tool *, uint64_t first, uint64_t last);
/* The recording's clock was at `clock' ns when the wall clock was at `wall' ns. */
void	times_wall(struct times *, const struct tool *, uint64_t wall, uint64_t clock);
/* The head of the stream was read: missing times exit 2, except that of the first sample, which may still come. */
void	times_check(const struct times *, const struct tool *);
/* Is the time in one of the ranges?  Only if `ready'. */
bool	times_search(const struct times *, uint64_t time);
static inline bool
times_have(const struct times *s, uint64_t time)
{
	return s->n == 1 ? time >= s->r->start.ns && time <= s->r->stop.ns : times_search(s, time);
}

#endif
