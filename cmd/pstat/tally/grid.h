/* SPDX-License-Identifier: ISC */
/*
 * grid.h - counts by bin of time (spans.h) and key, in bounded memory.
 *
 * A row for each key has the counts of the bins, in parts of 64 bins, and only of those in which it has some.  When there is no
 * space for a row or a part, the rows with the fewest samples are added to the first row, which is of no key; or, if keys are
 * numbers of CPUs, two neighbours become one row.
 */
#ifndef PSTAT_GRID_H
#define PSTAT_GRID_H

#include "spans.h"
#include "set.h"

enum { GRID_PART = 64, GRID_SPANS = 4096, GRID_ROWS = 2048, GRID_PARTS = 12 << 10 };	/* rows, parts: at most */
#define GRID_UNKNOWN UINT64_MAX		/* the key of a sample that has none */

struct grid_row {
	uint64_t	 key, total;
	uint64_t	 first, last;	/* times */
	bool		 cut;		/* the key may have had a row before, which is lost */
	uint16_t	 part[GRID_SPANS / GRID_PART];	/* 0: all its counts are 0 */
};

struct grid {
	struct spans	*spans;
	uint64_t	 key;		/* of the last sample */
	uint32_t	 at;		/* its row */
	struct grid_row	*row;		/* row[0]: those that have no row of their own */
	unsigned	 n, max;
	struct set	 by;		/* numbers of rows, by key */
	uint32_t	*count;		/* parts; the first is not used */
	unsigned	 nparts, spare;	/* spare: 1 + the first one that is free again */
	bool		 numbers;	/* keys are numbers, of which neighbours may become one row */
	unsigned	 shift;		/* the key of a row is that of a sample without so many low bits */
	uint64_t	*gone;		/* bits by hash of the keys that had rows; NULL: none */
	unsigned	 dropped;	/* rows that were added to the first */
	bool		 over;		/* a count was larger than 32 bits */
};

/* max: rows.  The bins must be at most GRID_SPANS. */
void	grid_init(struct grid *, struct spans *, unsigned max, bool numbers);
void	grid_free(struct grid *);
void	grid_find(struct grid *, uint64_t key);
/* Count n samples of a row that has no part for the bin. */
void	grid_add_slow(struct grid *, unsigned bin, uint64_t n);
/* That count was larger than 32 bits, and is now 0. */
void	grid_full(struct grid *, uint32_t part, unsigned bin);
/* The counts of the row, by bin: `to' has space for all bins, and is added to. */
void	grid_counts(const struct grid *, const struct grid_row *, uint64_t *to);

/* Make the row of the key the one that is counted in. */
static inline void
grid_row(struct grid *g, uint64_t key)
{
	uint32_t i;

	if (g->numbers && key != GRID_UNKNOWN)
		key >>= g->shift;
	if (key == g->key)
		return;
	i = set_first(&g->by, set_hash(&g->by, key));
	if (g->row[i].key == key) {
		g->key = key;
		g->at = i;
	} else
		grid_find(g, key);
}

/* Count n samples of a key at that time, in the bin that it has. */
static inline void
grid_add(struct grid *g, uint64_t key, unsigned bin, uint64_t time, uint64_t n)
{
	struct grid_row *r;
	uint32_t part;

	grid_row(g, key);
	r = &g->row[g->at];
	r->total += n;
	if (time < r->first)
		r->first = time;
	if (time > r->last)
		r->last = time;
	if ((part = r->part[bin / GRID_PART])) {
		uint32_t *to = &g->count[part * GRID_PART + bin % GRID_PART];

		if (*to <= INT32_MAX && n <= INT32_MAX) {
			*to += (uint32_t)n;
			return;
		}
	}
	grid_add_slow(g, bin, n);
}

#endif
