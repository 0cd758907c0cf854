/* SPDX-License-Identifier: ISC */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "set.h"
#include "table.h"

void
pp_table_init(struct table *t)
{
	*t = (struct table){ .mul = pp_seed() | 1 };
}

void
pp_table_free(struct table *t, bool all)
{
	struct link *l;

	for (size_t i = 0; all && t->bits && i < (size_t)1 << t->bits; i++)
		while ((l = t->slot[i])) {
			t->slot[i] = l->next;
			free(l);
		}
	free(t->slot);
}

static struct link **
slot_of(const struct table *t, uint64_t key)
{
	return &t->slot[key * t->mul >> (64 - t->bits)];
}

struct link *
pp_table_first(const struct table *t, uint64_t key)
{
	struct link *l = t->bits ? *slot_of(t, key) : NULL;

	while (l && l->key != key)
		l = l->next;
	return l;
}

struct link *
pp_table_next(struct link *l)
{
	uint64_t key = l->key;

	do
		l = l->next;
	while (l && l->key != key);
	return l;
}

int
pp_table_add(struct table *t, struct link *new, uint64_t key)
{
	struct table big = *t;
	struct link *l;

	if (!t->bits || t->n >> t->bits) {
		big.bits = t->bits ? t->bits + 1 : 6;
		if (!(big.slot = calloc((size_t)1 << big.bits, sizeof *big.slot)))
			return -1;
		for (size_t i = 0; t->bits && i < (size_t)1 << t->bits; i++)
			while ((l = t->slot[i])) {
				t->slot[i] = l->next;
				l->next = *slot_of(&big, l->key);
				*slot_of(&big, l->key) = l;
			}
		free(t->slot);
		*t = big;
	}
	new->key = key;
	new->next = *slot_of(t, key);
	*slot_of(t, key) = new;
	t->n++;
	return 1;
}

void
pp_table_remove(struct table *t, struct link *old)
{
	struct link **l = slot_of(t, old->key);

	while (*l != old)
		l = &(*l)->next;
	*l = old->next;
	t->n--;
}

/*
 * Four bytes at a time: input enters the low bits, and is multiplied into bits that later input cannot reach without knowing
 * the key.
 */
uint64_t
pp_table_hash(const struct table *t, uint64_t h, const uint8_t *p, size_t n)
{
	uint32_t x;

	for (; n >= sizeof x; n -= sizeof x, p += sizeof x) {
		memcpy(&x, p, sizeof x);
		h = ((h ^ x) + (h >> 29)) * t->mul;
	}
	for (; n; n--)
		h = ((h ^ *p++) + (h >> 29)) * t->mul;
	return h;
}
