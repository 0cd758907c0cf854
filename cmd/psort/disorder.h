/* SPDX-License-Identifier: ISC */
/* disorder.h - measure how far records are out of time order */
#ifndef PSORT_DISORDER_H
#define PSORT_DISORDER_H

#include <stdbool.h>
#include <stdint.h>

enum { DISORDER_RING = 1 << 16 };
struct disorder {
	uint64_t	 records, back;		/* all; those after a newer one */
	uint64_t	 depth_time;		/* maximum difference to the newest time before, ns */
	uint64_t	 depth;			/* maximum number of records from the first newer one to it */
	bool		 more;			/* depth is a lower bound: the first newer record was not in `ring' any more */
	/* the last records with a new largest time */
	uint64_t	 raised;
	struct { uint64_t time, number; } ring[DISORDER_RING];
};
/* The next timed record of the input. */
void	disorder_add(struct disorder *, uint64_t time);
/* Add the counts of another input. */
void	disorder_merge(struct disorder *, const struct disorder *other);

#endif
