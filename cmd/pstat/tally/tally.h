/* SPDX-License-Identifier: ISC */
/*
 * tally.h - adds a sample to the row of its keys, if these are numbers at fixed offsets: for most samples of most streams, so
 * count.c does it without a call.
 */
#ifndef PSTAT_SORT_TALLY_H
#define PSTAT_SORT_TALLY_H

#include "perfpipe_inline.h"
#include "report/plus.h"
#include "rows.h"

/* The 32 bits at that offset as a signed number, shifted and masked.  mask 0: it is `is'. */
struct tally_key { uint16_t off; uint8_t shift; uint64_t mask, is; };
struct tally {				/* of an event */
	struct rows	*rows;
	/* It takes more than tally_sample() to add a sample: this.  1, or -1: no memory.  NULL: it does not. */
	int		(*slow)(const struct tally *, const struct pp_rec *, uint64_t time, uint64_t period);
	struct sort	*sort;
	struct history	*history;
	unsigned	 event;
	uint16_t	 pid_at, ip_at;	/* of a sample that waits; ip_at 0: no key needs its ip */
	unsigned	 ip_key[2];	/* the keys that are its ip until then; one, twice */
	unsigned	 nkeys;
	struct tally_key key[ROWS_KEYS];
};

/* The key of that number. */
static inline uint64_t
tally_key(const struct tally *t, unsigned i, const struct pp_rec *r, bool swap)
{
	const struct tally_key *k = &t->key[i];

	return ((uint64_t)((int64_t)(int32_t)pp_get_u32(r->raw + k->off, swap) >> k->shift) & k->mask) + k->is;
}

/* The row of the sample; n: t->nkeys, as a constant. */
__attribute__((always_inline)) static inline struct row *
tally_row(const struct tally *t, const struct pp_rec *r, bool swap, unsigned n)
{
	uint64_t key[ROWS_KEYS] = { 0 };

	for (unsigned i = 0; i < n; i++)
		key[i] = tally_key(t, i, r, swap);
	return rows_get_few(t->rows, key, n);
}

/* time 0: none */
static inline void
tally_add(struct counted *n, uint64_t bytes, uint64_t time, uint64_t period)
{
	n->records++;
	n->samples++;
	n->bytes += bytes;
	plus(&n->period, period);
	if (!time)
		return;
	if (time < n->first)
		n->first = time;
	if (time > n->last)
		n->last = time;
}

__attribute__((always_inline)) static inline void
tally_sample(const struct tally *t, const struct pp_rec *r, bool swap, uint64_t time, uint64_t period)
{
	struct row *row = t->nkeys == 1 ? tally_row(t, r, swap, 1) : t->nkeys == 2 ? tally_row(t, r, swap, 2) :
	    tally_row(t, r, swap, 3);

	tally_add(&row->n, r->size, time, period);
}

#endif
