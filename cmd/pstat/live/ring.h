/* SPDX-License-Identifier: ISC */
/*
 * ring.h - samples by keys, in each of the intervals that are open: a bounded hash table, and a list of the rows of each interval.
 *
 * Intervals have numbers, of which any RING_INTERVALS that follow one another can be open.
 */
#ifndef PSTAT_LIVE_RING_H
#define PSTAT_LIVE_RING_H

#include "tally/hists.h"
#include "tally/rows.h"

enum {
	RING_INTERVALS = 1024,		/* a power of 2 */
	RING_ROWS = 64 << 10,		/* of all of them; a power of 2 */
};

struct ring_row {
	uint64_t key[ROWS_KEYS];
	uint64_t number;		/* of the interval */
	uint64_t samples, last;		/* time of the newest */
	uint64_t period;		/* sum of their periods; and */
	uint32_t hist;			/* ... the number of a histogram of these, if the ring has hists */
	uint32_t in_slot, in_open;	/* the next row of both lists; 0: none */
};
struct ring {
	struct ring_row	*row;		/* [0] is not used */
	uint32_t	 used, spare;	/* rows in use at some time; the first free one */
	uint32_t	 slot[RING_ROWS];
	uint32_t	 first[RING_INTERVALS];	/* of each interval; 0: none */
	struct hists	*hists;		/* NULL: rows have none */
	uint64_t	 mul[ROWS_KEYS + 1];	/* random: a stream cannot cause collisions */
};

void	ring_init(struct ring *);
void	ring_free(struct ring *);
/* A row that is not there yet. */
struct ring_row *ring_add(struct ring *, uint64_t number, const uint64_t key[ROWS_KEYS]);

static inline uint32_t *
ring_slot(struct ring *g, uint64_t number, const uint64_t key[ROWS_KEYS])
{
	uint64_t x = key[0] * g->mul[0] + key[1] * g->mul[1] + key[2] * g->mul[2] + number * g->mul[ROWS_KEYS];

	return &g->slot[(x ^ x >> 32) >> 16 & (RING_ROWS - 1)];
}

/* The row of the keys in the interval, made if absent; NULL: there are too many. */
static inline struct ring_row *
ring_row(struct ring *g, uint64_t number, const uint64_t key[ROWS_KEYS])
{
	struct ring_row *r;

	for (uint32_t i = *ring_slot(g, number, key); i; i = r->in_slot) {
		r = &g->row[i];
		if (r->key[0] == key[0] && r->number == number && r->key[1] == key[1] && r->key[2] == key[2])
			return r;
	}
	return ring_add(g, number, key);
}

/* The rows of an interval: the first, and the one behind it.  NULL: no more. */
struct ring_row *ring_first(const struct ring *, uint64_t number);
struct ring_row *ring_next(const struct ring *, const struct ring_row *);
/* The interval is closed. */
void	ring_drop(struct ring *, uint64_t number);
/* The rows of an interval are those of another one, which had none. */
void	ring_move(struct ring *, uint64_t from, uint64_t to);

#endif
