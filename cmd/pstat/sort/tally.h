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
	unsigned	 nkeys;
	struct tally_key key[ROWS_KEYS];
};

/* The row of the sample; n: t->nkeys, as a constant. */
__attribute__((always_inline)) static inline struct row *
tally_row(const struct tally *t, const struct pp_rec *r, bool swap, unsigned n)
{
	uint64_t key[ROWS_KEYS] = { 0 };

	for (unsigned i = 0; i < n; i++) {
		const struct tally_key *k = &t->key[i];

		key[i] = ((uint64_t)(pp_get_u32(r->raw + k->off, swap) >> k->shift & k->mask) ^ k->sign) - k->sign + k->is;
	}
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
