/* SPDX-License-Identifier: ISC */
#include <stdlib.h>
#include <string.h>

#include "state/block.h"

enum { SPARES = 4 };			/* are kept in any case */

void
pp_blocks_idle(struct pp_blocks *b, struct pp_block *k)
{
	if (k == b->reading || k == b->filling)
		return;
	k->next = b->idle;
	b->idle = k;
}

/* The block is neither read into nor filled any more. */
static void
leave(struct pp_blocks *b, struct pp_block *k)
{
	if (!k)
		return;
	b->tails += PP_BLOCK_SIZE - k->used;
	if (!k->live)
		pp_blocks_idle(b, k);
}

/* Space for one more element in `all'.  1, or -1: no memory. */
static int
more_places(struct pp_blocks *b)
{
	size_t cap = b->cap ? 2 * b->cap : 64;
	struct pp_block **all;

	if (b->n < b->cap)
		return 1;
	if (b->first > b->cap / 2) {
		b->n -= b->first;
		memmove(b->all, b->all + b->first, b->n * sizeof *b->all);
		b->base += b->first;
		b->first = 0;
		return 1;
	}
	if (!(all = reallocarray(b->all, cap, sizeof *all)))
		return -1;
	b->all = all;
	b->cap = cap;
	return 1;
}

static struct pp_block *
new_block(struct pp_blocks *b)
{
	struct pp_block *k;

	if (more_places(b) < 0)
		return NULL;
	if ((k = b->spare)) {
		b->spare = k->next;
		b->nspare--;
	} else if ((k = malloc(sizeof *k)))
		b->mem += sizeof *k;
	else
		return NULL;
	k->live = k->used = 0;
	k->number = b->base + b->n;
	return b->all[b->n++] = k;
}

/* A new block in the place of that one, which is left. */
static struct pp_block *
replace(struct pp_blocks *b, struct pp_block **at)
{
	struct pp_block *was = *at, *k = new_block(b);

	if (!k)
		return NULL;
	*at = k;
	leave(b, was);
	return k;
}

struct pp_block *
pp_blocks_buffer(struct pp_blocks *b)
{
	return replace(b, &b->reading);
}

struct pp_block *
pp_blocks_fill(struct pp_blocks *b)
{
	return replace(b, &b->filling);
}

int
pp_blocks_copy(struct pp_blocks *b, const void *p, size_t n, uint64_t *place)
{
	uint8_t *to = pp_blocks_space(b, n, place);

	if (!to)
		return -1;
	memcpy(to, p, n);
	return 1;
}

static void
give_back(struct pp_blocks *b, struct pp_block *k)
{
	b->all[k->number - b->base] = NULL;
	b->tails -= PP_BLOCK_SIZE - k->used;
	k->next = b->spare;
	b->spare = k;
	b->nspare++;
}

static void
free_spares(struct pp_blocks *b, size_t keep)
{
	for (; b->nspare > keep; b->nspare--, b->mem -= sizeof *b->spare) {
		struct pp_block *k = b->spare;

		b->spare = k->next;
		free(k);
	}
}

/*
 * A round takes the place of the one before the last.  So as many blocks as are in use are kept: to get new pages from the system costs
 * more than to read into them.
 */
void
pp_blocks_reclaim(struct pp_blocks *b)
{
	struct pp_block *filling = b->filling;
	size_t in_use;

	if (filling && !filling->live) {
		b->filling = NULL;
		leave(b, filling);
	}
	while (b->idle) {
		struct pp_block *k = b->idle;

		b->idle = k->next;
		give_back(b, k);
	}
	while (b->first < b->n && !b->all[b->first])
		b->first++;
	in_use = b->mem / sizeof *b->spare - b->nspare;
	free_spares(b, in_use > SPARES ? in_use : SPARES);
}

void
pp_blocks_shrink(struct pp_blocks *b)
{
	free_spares(b, 0);
}

void
pp_blocks_free(struct pp_blocks *b)
{
	for (size_t i = b->first; i < b->n; i++)
		free(b->all[i]);
	pp_blocks_shrink(b);
	free(b->all);
	*b = (struct pp_blocks){ .n = 0 };
}

size_t
pp_blocks_held(const struct pp_blocks *b)
{
	size_t unused = b->tails + pp_blocks_spare(b);

	if (b->reading)
		unused += PP_BLOCK_SIZE - b->reading->used;
	if (b->filling)
		unused += PP_BLOCK_SIZE - b->filling->used;
	return b->mem - unused;
}
