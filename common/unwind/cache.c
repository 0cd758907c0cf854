/* SPDX-License-Identifier: ISC */
/* cache.c - which row an address of a file has; equal rows are stored once */
#include <stdlib.h>
#include <string.h>

#include "in.h"
#include "set.h"

enum { ROWS_MEMORY = 32 << 20 };	/* bytes of all rows: more than UNWIND_CACHE different ones of compilers take */

bool
unwind_cache_open(struct unwind_cache *c)
{
	c->mul = pp_seed() | 1;
	c->set = calloc(UNWIND_CACHE / UNWIND_WAYS, sizeof *c->set);
	c->rows = calloc(UNWIND_ROWS, sizeof *c->rows);
	return c->set && c->rows;
}

void
unwind_cache_close(struct unwind_cache *c)
{
	for (size_t i = 0; c->rows && i < UNWIND_ROWS; i++)
		for (struct unwind_row *r = c->rows[i], *next; r; r = next) {
			next = r->next;
			free(r);
		}
	free(c->rows);
	free(c->set);
}

/* ---- rows ---------------------------------------------------------------------------------------------- */

#define ROW_HEAD offsetof(struct unwind_row, size)

static size_t
row_memory(const struct unwind_row *r)
{
	return ROW_HEAD + r->size;
}

struct unwind_row *
unwind_row_new(unsigned rules, size_t bytes)
{
	size_t size = sizeof(struct unwind_row) + rules * sizeof(struct unwind_rule) + bytes;
	struct unwind_row *r = calloc(1, size);

	if (r)
		r->size = (uint32_t)(size - ROW_HEAD);
	return r;
}

static uint64_t
row_hash(const struct unwind_cache *c, const struct unwind_row *r)
{
	const uint8_t *p = (const uint8_t *)&r->size;
	uint64_t h = c->mul, word;
	size_t n = r->size;

	for (; n >= sizeof word; p += sizeof word, n -= sizeof word) {
		memcpy(&word, p, sizeof word);
		h = (h ^ word) * c->mul;
		h ^= h >> 32;
	}
	for (; n--; p++)
		h = (h ^ *p) * c->mul;
	return h ^ h >> 32;
}

static struct unwind_row **
row_list(const struct unwind_cache *c, const struct unwind_row *r)
{
	return &c->rows[r->hash % UNWIND_ROWS];
}

/* The row that is equal to that one, which is freed if it is another. */
static struct unwind_row *
row_once(struct unwind_cache *c, struct unwind_row *r)
{
	struct unwind_row **list;

	r->hash = row_hash(c, r);
	list = row_list(c, r);
	for (struct unwind_row *o = *list; o; o = o->next)
		if (o->hash == r->hash && o->size == r->size && !memcmp(&o->size, &r->size, r->size)) {
			free(r);
			return o;
		}
	r->next = *list;
	*list = r;
	c->memory += row_memory(r);
	return r;
}

static void
row_release(struct unwind_cache *c, struct unwind_row *r)
{
	struct unwind_row **at;

	if (!r || --r->refs)
		return;
	for (at = row_list(c, r); *at != r; at = &(*at)->next)
		;
	*at = r->next;
	c->memory -= row_memory(r);
	free(r);
}

/* ---- addresses ----------------------------------------------------------------------------------------- */

static void
clear(struct unwind_cache *c)
{
	for (size_t i = 0; i < UNWIND_CACHE / UNWIND_WAYS; i++)
		for (unsigned k = 0; k < UNWIND_WAYS; k++)
			row_release(c, c->set[i].row[k]);
	memset(c->set, 0, UNWIND_CACHE / UNWIND_WAYS * sizeof *c->set);
}

/* The way to take: a free one, else the next that was not found since the clock's hand was there. */
static unsigned
choose(struct unwind_set *s)
{
	for (unsigned i = 0; i < UNWIND_WAYS; i++)
		if (!s->key[i])
			return i;
	while (s->used >> s->hand & 1) {
		s->used &= (uint8_t)~(1 << s->hand);
		s->hand = (uint8_t)((s->hand + 1) % UNWIND_WAYS);
	}
	return s->hand;
}

const struct unwind_row *
unwind_cache_put(struct unwind_cache *c, uint64_t key, struct unwind_row *row, bool *evicted)
{
	struct unwind_set *s = unwind_cache_set(c, key);
	unsigned way;

	if (c->memory > ROWS_MEMORY)
		clear(c);
	if (row) {
		row = row_once(c, row);
		row->refs++;
	}
	way = choose(s);
	if ((*evicted = s->key[way])) {
		row_release(c, s->row[way]);
		s->hand = (uint8_t)((way + 1) % UNWIND_WAYS);
	}
	s->key[way] = key;
	s->row[way] = row;
	return row;
}
