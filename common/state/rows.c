/* SPDX-License-Identifier: ISC */
/* rows.c - see rows.h. */
#include <stdlib.h>
#include <string.h>

#include "rows.h"
#include "set.h"

enum { LINE = 64, WORD = sizeof(uint64_t) };	/* of the cache; a row of that size is one */

void
pp_rows_init(struct rows *r, size_t size, size_t second)
{
	*r = (struct rows){ .mul = pp_seed() | 1 };
	r->of[0] = (struct rows_of){ .words = (uint32_t)((size + WORD - 1) / WORD), .used = 1 };
	r->of[1].words = (uint32_t)((second + WORD - 1) / WORD);
}

void
pp_rows_free(struct rows *r)
{
	for (uint32_t i = 0; i < r->cap; i++)
		free(r->chunk[i]);
	free(r->chunk);
	free(r->slot);
}

static struct row *
row_at(const struct rows *r, uint32_t i)
{
	return rows_at(r, i);
}

static uint32_t *
slot_of(const struct rows *r, uint32_t key)
{
	return &r->slot[key * r->mul >> (64 - r->bits)];
}

static void
list(struct rows *r, uint32_t i)
{
	struct row *row = row_at(r, i);
	uint32_t *slot = slot_of(r, row->key);

	row->next = *slot;
	*slot = i;
}

/* Twice as many slots, if there are as many rows. */
static int
reserve_slot(struct rows *r)
{
	struct rows big = *r;

	if (r->bits && !(r->listed >> r->bits))
		return 1;
	big.bits = r->bits ? r->bits + 1 : 6;
	if (big.bits > 31 || !(big.slot = calloc((size_t)1 << big.bits, sizeof *big.slot)))
		return -1;
	for (size_t h = 0; r->bits && h < (size_t)1 << r->bits; h++)
		for (uint32_t i = r->slot[h], next; i; i = next) {
			next = row_at(r, i)->next;
			list(&big, i);
		}
	free(r->slot);
	*r = big;
	return 1;
}

/* One more chunk, if all rows of that size are in use. */
static int
reserve_row(struct rows *r, bool second)
{
	struct rows_of *of = &r->of[second];
	uint32_t at = 2 * of->chunks + second;
	uint64_t **chunk;

	if (of->unused || of->used < of->chunks * (ROWS_WORDS / of->words))
		return 1;
	if (at >= UINT32_MAX >> ROWS_SHIFT)
		return -1;
	if (at >= r->cap) {
		uint32_t cap = r->cap ? 2 * r->cap : 2;

		if (!(chunk = reallocarray(r->chunk, cap, sizeof *chunk)))
			return -1;
		memset(chunk + r->cap, 0, (cap - r->cap) * sizeof *chunk);
		r->chunk = chunk;
		r->cap = cap;
	}
	if (!(r->chunk[at] = aligned_alloc(LINE, ROWS_WORDS * WORD)))
		return -1;
	of->chunks++;
	return 1;
}

uint32_t
pp_rows_add(struct rows *r, uint32_t key, bool second)
{
	struct rows_of *of = &r->of[second];
	struct row *row;
	uint32_t i;

	if (reserve_slot(r) < 0 || reserve_row(r, second) < 0)
		return 0;
	i = of->unused ? of->unused : rows_number(r, of->used++, second);
	row = row_at(r, i);
	if (of->unused)
		of->unused = row->next;
	memset(row, 0, of->words * WORD);
	row->key = key;
	list(r, i);
	r->listed++;
	of->n++;
	return i;
}

void
pp_rows_unlist(struct rows *r, uint32_t i)
{
	struct row *row = row_at(r, i);
	uint32_t *at = slot_of(r, row->key);

	while (*at != i)
		at = &row_at(r, *at)->next;
	*at = row->next;
	r->listed--;
}

void
pp_rows_drop(struct rows *r, uint32_t i)
{
	struct rows_of *of = &r->of[rows_second(i)];

	row_at(r, i)->next = of->unused;
	of->unused = i;
	of->n--;
}

size_t
pp_rows_memory(const struct rows *r)
{
	return ((size_t)r->of[0].n * r->of[0].words + (size_t)r->of[1].n * r->of[1].words) * WORD + (r->bits ? sizeof *r->slot << r->bits : 0);
}
