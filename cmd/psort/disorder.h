/* SPDX-License-Identifier: ISC */
/* disorder.h - how far out of order records came */
#ifndef PSORT_DISORDER_H
#define PSORT_DISORDER_H

#include <stdbool.h>
#include <stdint.h>

enum { DISORDER_RING = 1 << 16 };
struct disorder {
	uint64_t	 records, back;		/* all; those that came behind a newer one */
	uint64_t	 depth_time;		/* the largest time between one and the newest before it, ns */
	uint64_t	 depth;			/* the largest number of records from the first newer one to it */
	bool		 more;			/* at least that: the first newer one is forgotten */
	/* the last records that were newer than all before them */
	uint64_t	 raised;
	struct { uint64_t time, number; } ring[DISORDER_RING];
};
/* The next timed record of the input. */
void	disorder_add(struct disorder *, uint64_t time);
/* What was counted of another input, too. */
void	disorder_merge(struct disorder *, const struct disorder *other);

#endif
