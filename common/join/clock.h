/* SPDX-License-Identifier: ISC */
/* clock.h - the clock of a recording's times, and the conversion of CPU cycles into them */
#ifndef CLOCK_H
#define CLOCK_H

#include "perfpipe_inline.h"

enum { CLOCK_PERF = -1, CLOCK_UNNAMED = -2, CLOCK_NONE = -3 };

/*
 * The clock of the times by the attrs: the clockid of perf record -k, CLOCK_PERF if it was not used, CLOCK_NONE if there are no
 * times.  (Of a recording whose attrs do not name the clock that was used, the features CLOCKID and CLOCK_DATA say more.)
 */
int64_t	clock_of_events(const struct pp_events *);
/* Its name, as in perf record -k. */
void	clock_name(char *to, size_t n, int64_t clock);

/* A TIME_CONV record: how a number of CPU cycles becomes a time of CLOCK_PERF. */
struct clock_cycles {		/* begins zeroed */
	bool		 known;
	bool		 short_counter;	/* the counter has only the bits of `mask' */
	uint8_t		 shift;
	uint64_t	 mult, zero, cycles, mask;
};

/* Take in a sound TIME_CONV record; one that says that cycles cannot be converted is ignored. */
void	clock_cycles_learn(struct clock_cycles *, const struct pp_rec *, bool swap);
/* As perf_event_mmap_page in <linux/perf_event.h> describes it. */
uint64_t clock_cycles_time(const struct clock_cycles *, uint64_t cycles);

#endif
