/* SPDX-License-Identifier: ISC */
/* unique.c - find duplicates: records with the same time and the same bytes */
#include <stdlib.h>
#include <string.h>

#include "unique.h"
#include "record/wide.h"
#include "set.h"

enum { SLOTS = 1 << 14 };	/* chains of a hash table at first; later as many as records have had one time */

struct entry { uint32_t next, off, size, hash; };

struct unique {
	uint64_t	 time;
	uint8_t		*data;
	size_t		 used, space;
	struct entry	*e;		/* from 1; 0: none */
	uint32_t	 n, cap;
	uint64_t	 key[2];	/* random: a recording cannot cause collisions */
	uint32_t	*head, mask;	/* chains; their number less 1 */
};

struct unique *
unique_new(size_t memory)
{
	struct unique *u = calloc(1, sizeof *u);

	if (!u)
		return NULL;
	u->space = memory > UINT32_MAX ? UINT32_MAX : memory;
	u->cap = (uint32_t)(u->space / 64 + 2);
	u->n = 1;
	u->key[0] = pp_seed();
	u->key[1] = pp_seed() | 1;
	/* Pages of both take memory only when they are used. */
	u->mask = SLOTS - 1;
	if (!(u->data = malloc(u->space)) || !(u->e = malloc(u->cap * sizeof *u->e)) || !(u->head = calloc(SLOTS, sizeof *u->head))) {
		unique_free(u);
		return NULL;
	}
	return u;
}

void
unique_free(struct unique *u)
{
	if (!u)
		return;
	free(u->data);
	free(u->e);
	free(u->head);
	free(u);
}

/* Both halves of the product depend on the key in all bits. */
static uint64_t
mix(const struct unique *u, uint64_t h, uint64_t v)
{
	struct wide x = wide_mul(h ^ v, u->key[1]);

	return x.lo ^ x.hi;
}

static uint32_t
hash_of(const struct unique *u, const uint8_t *p, size_t n)
{
	uint64_t h = u->key[0] ^ n, v;

	for (; n >= sizeof v; p += sizeof v, n -= sizeof v) {
		memcpy(&v, p, sizeof v);
		h = mix(u, h, v);
	}
	while (n--)
		h = mix(u, h, *p++);
	return (uint32_t)(h >> 32);
}

static void
put(struct unique *u, uint32_t i)
{
	uint32_t *at = &u->head[u->e[i].hash & u->mask];

	u->e[i].next = *at;
	*at = i;
}

/* Twice as many chains.  Without memory for them they become longer. */
static void
more_chains(struct unique *u)
{
	uint32_t *head = calloc(2 * ((size_t)u->mask + 1), sizeof *head);

	if (!head)
		return;
	free(u->head);
	u->head = head;
	u->mask = 2 * u->mask + 1;
	for (uint32_t i = 1; i < u->n; i++)
		put(u, i);
}

bool
unique_add(struct unique *u, uint64_t time, const uint8_t *p, size_t n)
{
	uint32_t hash = hash_of(u, p, n);

	if (time != u->time) {
		/* Most times have one record: clear only the used slots. */
		for (uint32_t i = 1; i < u->n; i++)
			u->head[u->e[i].hash & u->mask] = 0;
		u->time = time;
		u->n = 1;
		u->used = 0;
	}
	for (uint32_t i = u->head[hash & u->mask]; i; i = u->e[i].next)
		if (u->e[i].hash == hash && u->e[i].size == n && !memcmp(u->data + u->e[i].off, p, n))
			return false;
	if (n > u->space - u->used || u->n == u->cap)
		return true;
	if (u->n > u->mask)
		more_chains(u);
	memcpy(u->data + u->used, p, n);
	u->e[u->n] = (struct entry){ 0, (uint32_t)u->used, (uint32_t)n, hash };
	put(u, u->n++);
	u->used += n;
	return true;
}
