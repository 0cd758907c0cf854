/* SPDX-License-Identifier: ISC */
#include <stdlib.h>

#include "state/held.h"

enum {
	RING = 4096,			/* initial number of entries */
	SPARSE = PP_BLOCK_SIZE / 4,	/* buffers with fewer needed bytes are copied instead of kept */
};

static size_t
ring_more(const struct pp_ring *g)
{
	return g->cap ? 2 * g->cap : RING;
}

size_t
pp_ring_growth(const struct pp_ring *g)
{
	return ring_more(g) * sizeof *g->e;
}

int
pp_ring_grow(struct pp_ring *g)
{
	size_t cap = ring_more(g);
	struct pp_held *all = reallocarray(NULL, cap, sizeof *all);

	if (!all)
		return -1;
	for (uint64_t n = g->first; n < g->next; n++)
		all[n & (cap - 1)] = *pp_ring_at(g, n);
	free(g->e);
	g->e = all;
	g->cap = cap;
	return 1;
}

static bool
is_in(const struct pp_held *e, const struct pp_block *b)
{
	return pp_held_goes(e) && pp_place_number(e->place) == b->number;
}

/* The number of the first record with bytes in that block, if all of them have at most SPARSE bytes; else g->next. */
static uint64_t
first_of_few(const struct pp_ring *g, const struct pp_block *b)
{
	size_t found = 0, bytes = 0;
	uint64_t n = g->next;

	for (; n > g->first && found < b->live && bytes <= SPARSE; n--) {
		const struct pp_held *e = pp_ring_at(g, n - 1);

		if (!is_in(e, b))
			continue;
		found++;
		bytes += e->place & 0xffff;
	}
	return bytes <= SPARSE ? n : g->next;
}

static int
copy_few(struct pp_ring *g)
{
	struct pp_block *b = g->blocks.reading;

	if (!b || !b->live)
		return 1;
	for (uint64_t n = first_of_few(g, b); n < g->next; n++) {
		struct pp_held *e = pp_ring_at(g, n);

		if (!is_in(e, b))
			continue;
		if (pp_blocks_copy(&g->blocks, pp_block_at(b, e->place), e->place & 0xffff, &e->place) < 0)
			return -1;
		pp_block_drop(&g->blocks, b, 1);
	}
	return 1;
}

uint8_t *
pp_ring_buffer(struct pp_ring *g)
{
	struct pp_block *b;

	if (copy_few(g) < 0 || !(b = pp_blocks_buffer(&g->blocks)))
		return NULL;
	return b->data;
}

int
pp_ring_compact(struct pp_ring *g)
{
	size_t needed = 0;

	for (uint64_t n = g->first; n < g->next; n++) {
		const struct pp_held *e = pp_ring_at(g, n);

		needed += pp_held_goes(e) ? e->place & 0xffff : 0;
	}
	if (needed > pp_blocks_held(&g->blocks) / 2)
		return 0;
	for (uint64_t n = g->first; n < g->next; n++) {
		struct pp_held *e = pp_ring_at(g, n);
		uint64_t place;

		if (!pp_held_goes(e))
			continue;
		if (pp_blocks_copy(&g->blocks, pp_ring_bytes(g, e), e->place & 0xffff, &place) < 0)
			return -1;
		pp_ring_drop(g, e);
		e->place = place;
	}
	return 1;
}

size_t
pp_ring_memory(const struct pp_ring *g)
{
	return pp_blocks_held(&g->blocks) + g->cap * sizeof *g->e;
}

void
pp_ring_free(struct pp_ring *g)
{
	pp_blocks_free(&g->blocks);
	free(g->e);
}
