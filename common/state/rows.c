/* SPDX-License-Identifier: ISC */
/* rows.c - see rows.h. */
#include <stdlib.h>
#include <string.h>

#include "rows.h"
#include "set.h"

void
pp_rows_init(struct rows *r, size_t size)
{
	*r = (struct rows){ .size = size, .used = 1, .mul = pp_seed() | 1 };
}

void
pp_rows_free(struct rows *r)
{
	for (uint32_t i = 0; i < r->cap >> ROWS_SHIFT; i++)
		free(r->chunk[i]);
	free(r->chunk);
	free(r->slot);
}

static struct row *
row_at(const struct rows *r, uint32_t i)
{
	return rows_at(r, i, r->size);
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

/* One more chunk, if all rows are in use. */
static int
reserve_row(struct rows *r)
{
	uint32_t n = r->cap >> ROWS_SHIFT;
	uint8_t **chunk;

	if (r->unused || r->used < r->cap)
		return 1;
	if (n == UINT32_MAX >> ROWS_SHIFT)
		return -1;
	if (!(n & (n - 1))) {			/* at 0, 1, 2, 4 ... */
		if (!(chunk = reallocarray(r->chunk, n ? 2 * (size_t)n : 1, sizeof *chunk)))
			return -1;
		r->chunk = chunk;
	}
	if (!(r->chunk[n] = malloc(r->size << ROWS_SHIFT)))
		return -1;
	r->cap += 1u << ROWS_SHIFT;
	return 1;
}

uint32_t
pp_rows_add(struct rows *r, uint32_t key)
{
	struct row *row;
	uint32_t i;

	if (reserve_slot(r) < 0 || reserve_row(r) < 0)
		return 0;
	i = r->unused ? r->unused : r->used++;
	row = row_at(r, i);
	if (r->unused)
		r->unused = row->next;
	memset(row, 0, r->size);
	row->key = key;
	list(r, i);
	r->listed++;
	r->n++;
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
	row_at(r, i)->next = r->unused;
	r->unused = i;
	r->n--;
}

size_t
pp_rows_memory(const struct rows *r)
{
	return r->n * r->size + (r->bits ? sizeof *r->slot << r->bits : 0);
}
