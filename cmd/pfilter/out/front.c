/* SPDX-License-Identifier: ISC */
#include <stdlib.h>
#include <string.h>

#include "front.h"
#include "record/raw.h"
#include "set.h"

enum { FRONTS_MAX = 1 << 28 };	/* the number must fit into pp_verdict.front */

void
front_side(struct front *f, int side)
{
	if (side && !f->side)
		f->mid = f->len;
	f->side = side;
}

int
front_put(void *arg, const struct pp_rec *r)
{
	struct front *f = arg;

	uint8_t *p = buffer_more(f->p, &f->size, f->len, r->size);

	if (!p)
		return -1;
	f->p = p;
	memcpy(f->p + f->len, r->raw, r->size);
	f->len += r->size;
	return 1;
}

/* The number of a free slot; -1: no memory. */
static int
slot(struct front *f)
{
	struct front_slot *s;
	int i = f->free;

	if (i) {
		f->free = f->slot[i].next;
		return i;
	}
	if (f->n + 1 >= FRONTS_MAX || !(s = array_more(f->slot, (size_t)f->n + 1, 1, sizeof *s)))
		return -1;
	f->slot = s;
	return ++f->n;
}

int
front_close_slot(struct front *f)
{
	struct front_slot s = { .mid = f->side ? f->mid : f->len, .n = f->len, .more = f->more };
	int i;

	f->side = 0;
	if ((f->len && !(s.p = malloc(f->len))) || (i = slot(f)) < 0) {
		free(s.p);
		return -1;
	}
	if (f->len)
		memcpy(s.p, f->p, f->len);
	f->len = 0;
	f->more = (struct front_more){ .owed = 0 };
	f->held += s.n;
	f->slot[i] = s;
	return i;
}

bool
front_get(const struct front *f, int number, size_t *at, struct pp_rec *r, bool swap, int *side)
{
	const struct front_slot *s = &f->slot[number];
	const uint8_t *p;

	if (*at >= s->n)
		return false;
	p = s->p + *at;
	*r = pp_rec_at(p, swap);
	*at += r->size;
	*side = (size_t)(p - s->p) >= s->mid;
	return true;
}

void
front_free(struct front *f, int number)
{
	if (!number)
		return;
	free(f->slot[number].p);
	f->held -= f->slot[number].n;
	f->slot[number] = (struct front_slot){ .next = f->free };
	f->free = number;
}

void
front_end(struct front *f)
{
	for (int i = 1; i <= f->n; i++)
		free(f->slot[i].p);
	free(f->slot);
	free(f->p);
}
