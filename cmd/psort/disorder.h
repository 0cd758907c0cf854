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
	uint64_t	 deeper;		/* of `raised': those with more than `depth' records behind them */
	bool		 more;			/* depth is a lower bound: the first newer record was not in `ring' any more */
	uint64_t	 newest;
	/* the last records with a new largest time */
	uint64_t	 raised;
	struct { uint64_t time, number; } ring[DISORDER_RING];
};
void	disorder_raise(struct disorder *, uint64_t time);
void	disorder_back(struct disorder *, uint64_t time);
/* The next timed record of the input. */
static inline void
disorder_add(struct disorder *d, uint64_t time)
{
	d->records++;
	if (!d->raised || time > d->newest)
		disorder_raise(d, time);
	else if (time < d->newest)
		disorder_back(d, time);
}
/* Add the counts of another input. */
void	disorder_merge(struct disorder *, const struct disorder *other);

#endif
