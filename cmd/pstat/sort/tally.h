/* SPDX-License-Identifier: ISC */
/*
 * tally.h - adds a sample to the row of its keys, if these are numbers at fixed offsets: for most samples of most streams, so
 * count.c does it without a call.
 */
#ifndef PSTAT_SORT_TALLY_H
#define PSTAT_SORT_TALLY_H

#include "perfpipe_inline.h"
#include "sort/rows.h"

/* The 32 bits at that offset, shifted and masked; sign: their highest bit, or 0 if they have no sign.  mask 0: it is `is'. */
struct tally_key { uint16_t off; uint8_t shift; uint32_t mask, sign; uint64_t is; };
struct tally {				/* of an event */
	struct rows	*rows;
	struct history	*history;	/* the sample has to wait for its turn; NULL: it has not */
	uint16_t	 pid_at, ip_at;	/* of a sample that waits; ip_at 0: no key needs its ip */
	unsigned	 ip_key;	/* the key that is its ip until then */
	unsigned	 nkeys, event;
	struct tally_key key[ROWS_KEYS];
};

/* The key of that number. */
static inline uint64_t
tally_key(const struct tally *t, unsigned i, const struct pp_rec *r, bool swap)
{
	const struct tally_key *k = &t->key[i];

	return ((uint64_t)(pp_get_u32(r->raw + k->off, swap) >> k->shift & k->mask) ^ k->sign) - k->sign + k->is;
}

/* history.c: tally_sample() for one that waits.  1, or -1: no memory. */
int	history_sample(const struct tally *, const struct pp_rec *, uint64_t time, uint64_t period);

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
__attribute__((always_inline)) static inline void
tally_sample(const struct tally *t, const struct pp_rec *r, bool swap, uint64_t time, uint64_t period)
{
	struct counted *n = &(t->nkeys == 1 ? tally_row(t, r, swap, 1) : t->nkeys == 2 ? tally_row(t, r, swap, 2) :
	    tally_row(t, r, swap, 3))->n;

	n->records++;
	n->samples++;
	n->bytes += r->size;
	n->period += period;
	if (!time)
		return;
	if (time < n->first)
		n->first = time;
	if (time > n->last)
		n->last = time;
}

#endif
