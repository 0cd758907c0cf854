/* SPDX-License-Identifier: ISC */
#include <stdlib.h>
#include <string.h>

#include "live/ring.h"
#include "tool/tool.h"

struct ring_row *
ring_add(struct ring *g, uint64_t number, const uint64_t key[ROWS_KEYS])
{
	uint32_t *slot = ring_slot(g, number, key), *first = &g->first[number % RING_INTERVALS], i;
	struct ring_row *r;

	if ((i = g->spare))
		g->spare = g->row[i].in_open;
	else if (g->used < RING_ROWS)
		i = g->used++;
	else
		return NULL;
	r = &g->row[i];
	*r = (struct ring_row){ .number = number, .in_slot = *slot, .in_open = *first };
	memcpy(r->key, key, sizeof r->key);
	*slot = *first = i;
	return r;
}

struct ring_row *
ring_first(const struct ring *g, uint64_t number)
{
	uint32_t i = g->first[number % RING_INTERVALS];

	return i ? &g->row[i] : NULL;
}

struct ring_row *
ring_next(const struct ring *g, const struct ring_row *r)
{
	return r->in_open ? &g->row[r->in_open] : NULL;
}

/* Out of the list of its slot. */
static void
ring_unlist(struct ring *g, uint32_t i)
{
	uint32_t *at = ring_slot(g, g->row[i].number, g->row[i].key);

	while (*at != i)
		at = &g->row[*at].in_slot;
	*at = g->row[i].in_slot;
}

void
ring_drop(struct ring *g, uint64_t number)
{
	uint32_t *first = &g->first[number % RING_INTERVALS], next;

	for (uint32_t i = *first; i; i = next) {
		ring_unlist(g, i);
		next = g->row[i].in_open;
		if (g->hists)
			hists_drop(g->hists, g->row[i].hist);
		g->row[i].in_open = g->spare;
		g->spare = i;
	}
	*first = 0;
}

void
ring_move(struct ring *g, uint64_t from, uint64_t to)
{
	uint32_t first = g->first[from % RING_INTERVALS], *slot;

	for (uint32_t i = first; i; i = g->row[i].in_open) {
		ring_unlist(g, i);
		g->row[i].number = to;
		slot = ring_slot(g, to, g->row[i].key);
		g->row[i].in_slot = *slot;
		*slot = i;
	}
	g->first[from % RING_INTERVALS] = 0;
	g->first[to % RING_INTERVALS] = first;
}

void
ring_init(struct ring *g)
{
	g->used = 1;
	g->row = tool_alloc(RING_ROWS, sizeof *g->row);
	for (unsigned i = 0; i <= ROWS_KEYS; i++)
		g->mul[i] = pp_seed() | 1;
}

void
ring_free(struct ring *g)
{
	free(g->row);
	hists_free(g->hists);
}
