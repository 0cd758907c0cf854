/* SPDX-License-Identifier: ISC */
/*
 * when.h - converts a time of the recording to wall clock time, if the recording has no CLOCK_DATA: reads the recording's clock on
 * this machine, which is right if the recording was made here since the last boot
 *
 *	struct when w;
 *	when_start(&w);				while the process can still make perf events
 *	when_is(&w, clock_of_events(events));	as soon as the attrs are known
 *	wall = when_latest(&w, time);
 */
#ifndef WHEN_H
#define WHEN_H

#include <stdbool.h>
#include <stdint.h>

struct when_pair { uint64_t clock, wall, error; };	/* read at one moment, ns; the clock may be wrong by `error' */

struct when {
	struct when_pair perf;		/* the clock of recordings without -k, and the wall clock */
	struct when_pair ref;		/* of the recording's clock; clock 0: it cannot be read */
	int64_t		 clock;		/* which one: join/clock.h */
	uint64_t	 slept;		/* ns for which this machine was suspended; clocks that stop then do not show when that was */
};

void		 when_start(struct when *);
/* The clock of the recording.  false: it cannot be read. */
bool		 when_is(struct when *, int64_t clock);
/* Can it be a time of that clock on this machine, since it was started and up to now? */
bool		 when_can_be(const struct when *, uint64_t time);
/* The wall clock, ns, at that time of the recording's clock, or somewhat less.  0: unknown. */
uint64_t	 when_latest(const struct when *, uint64_t time);

#endif
