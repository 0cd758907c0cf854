/* SPDX-License-Identifier: ISC */
#include <stdlib.h>
#include <string.h>

#include "hold_store.h"

enum { BLOCK = 256 << 10, RING = 4096 };

struct block {
	struct block	*next;
	size_t		 used;
	uint64_t	 end;		/* number of the record behind its last one */
	uint64_t	 max;		/* latest time in it */
	uint8_t		 data[BLOCK];
};

size_t
store_growth(const struct store *s)
{
	return (s->cap ? 2 * s->cap : RING) * sizeof *s->ring;
}

int
store_grow(struct store *s)
{
	size_t cap = s->cap ? 2 * s->cap : RING;
	struct held *all = reallocarray(NULL, cap, sizeof *all);

	if (!all)
		return -1;
	for (uint64_t n = s->first; n < s->next; n++)
		all[n & (cap - 1)] = *store_at(s, n);
	free(s->ring);
	s->ring = all;
	s->cap = cap;
	return 1;
}

/* A block to be filled: used again, or new. */
static struct block *
block_get(struct store *s)
{
	struct block *b;

	if (!s->spare && s->written) {
		if (s->flush(s->arg) < 0)
			return NULL;
		s->spare = s->written;
		s->written = NULL;
	}
	if ((b = s->spare))
		s->spare = b->next;
	else if (!(b = malloc(sizeof *b)))
		return NULL;
	s->nblocks++;
	b->next = NULL;
	b->used = 0;
	b->max = 0;
	return b;
}

struct held *
store_put(struct store *s, const struct pp_rec *r, uint64_t time)
{
	struct block *b = s->newest;
	struct held *e;

	if (b && s->first == s->next)
		b->max = 0;
	if (!b || BLOCK - b->used < r->size) {
		if (!(b = block_get(s)))
			return NULL;
		*(s->newest ? &s->newest->next : &s->oldest) = b;
		s->newest = b;
	}
	e = store_at(s, s->next);
	e->raw = b->data + b->used;
	e->time = time;
	memcpy(b->data + b->used, r->raw, r->size);
	b->used += r->size;
	b->end = ++s->next;
	if (time > b->max)
		b->max = time;
	return e;
}

void
store_left(struct store *s)
{
	while (s->oldest != s->newest && s->oldest->end <= s->first) {
		struct block *b = s->oldest;

		s->oldest = b->next;
		s->nblocks--;
		b->next = s->written;
		s->written = b;
	}
}

uint64_t
store_latest(const struct store *s, size_t nblocks)
{
	uint64_t latest = 0;

	for (const struct block *b = s->oldest; b && nblocks--; b = b->next)
		latest = b->max > latest ? b->max : latest;
	return latest;
}

size_t
store_block_bytes(const struct store *s)
{
	return s->nblocks * sizeof *s->oldest;
}

size_t
store_memory(const struct store *s)
{
	return store_block_bytes(s) + s->cap * sizeof *s->ring;
}

static void
blocks_free(struct block *b)
{
	while (b) {
		struct block *next = b->next;

		free(b);
		b = next;
	}
}

void
store_free(struct store *s)
{
	blocks_free(s->oldest);
	blocks_free(s->written);
	blocks_free(s->spare);
	free(s->ring);
}
