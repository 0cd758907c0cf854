/* SPDX-License-Identifier: ISC */
/*
 * rows.h - what is counted by keys: a bounded hash table.
 *
 * Beyond ROWS_MAX rows, those with the fewest samples are added to `other', and their keys begin anew if they come again; so
 * sums over all rows stay exact.
 */
#ifndef PSTAT_ROWS_H
#define PSTAT_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "set.h"

enum { ROWS_MAX = 64 << 10, ROWS_KEYS = 3 };
#define ROWS_UNKNOWN UINT64_MAX		/* the key of a record that has no such field */

struct counted {
	uint64_t records, samples, period, bytes;
	uint64_t first, last;		/* times, ns; first UINT64_MAX: none */
	uint64_t lost, lost_samples;
};
struct row {
	uint64_t	 key[ROWS_KEYS];
	struct counted	 n;
	uint32_t	 hist;		/* number of its histogram (hists.h); 0: none */
};

struct rows {
	struct row	*row;
	struct set	 by;		/* 1 + index of a row, by its keys */
	uint32_t	 n;
	uint64_t	 mul[ROWS_KEYS];	/* random: a stream cannot cause collisions */
	struct counted	 other;
	uint32_t	 other_hist;
	bool		 over;		/* rows were added to other */
	struct hists	*hists;		/* NULL: rows have none */
};

void	rows_init(struct rows *);
void	rows_free(struct rows *);
/* The row of these keys, made if absent; valid until the next call. */
struct row *rows_get_slow(struct rows *, uint64_t key0, uint64_t key1, uint64_t key2, uint64_t hash);
/* Add all rows but `n' of the most samples to other. */
void	rows_shrink(struct rows *, uint32_t n);
void	rows_sum(struct counted *, const struct counted *more);
/* Give each row's key so-and-so the value of fn; rows that get the same keys become one. */
void	rows_change(struct rows *, unsigned key, uint64_t (*fn)(void *arg, uint64_t), void *arg);

static inline uint64_t
rows_hash(const struct rows *t, const uint64_t key[ROWS_KEYS])
{
	return key[0] * t->mul[0] + key[1] * t->mul[1] + key[2] * t->mul[2];
}

/* rows_get() for keys that are 0 from the nth on. */
__attribute__((always_inline)) static inline struct row *
rows_get_few(struct rows *t, const uint64_t key[ROWS_KEYS], unsigned n)
{
	uint64_t h = rows_hash(t, key);
	uint32_t i = set_first(&t->by, h);
	struct row *r;

	if (i && (r = &t->row[i - 1])->key[0] == key[0] && (n < 2 || r->key[1] == key[1]) && (n < 3 || r->key[2] == key[2]))
		return r;
	return rows_get_slow(t, key[0], key[1], key[2], h);
}

static inline struct row *
rows_get(struct rows *t, const uint64_t key[ROWS_KEYS])
{
	return rows_get_few(t, key, ROWS_KEYS);
}

#endif
