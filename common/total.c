/* SPDX-License-Identifier: ISC */
#include <sys/random.h>

#include <stdlib.h>

#include "total.h"

static struct pp_total *
probe(const struct pp_totals *t, uint64_t id, uint32_t tid)
{
	size_t i = (id * t->mul[0] + tid * t->mul[1]) >> 32 & (t->size - 1);

	while (t->slot[i].used && (t->slot[i].id != id || t->slot[i].tid != tid))
		i = (i + 1) & (t->size - 1);
	return &t->slot[i];
}

static int
grow(struct pp_totals *t)
{
	struct pp_totals new = *t;

	new.size = t->size ? 2 * t->size : 64;
	/* Where ids fall is not for the stream to choose. */
	if (!new.mul[0] && getrandom(new.mul, sizeof new.mul, GRND_NONBLOCK) < 0)
		new.mul[1] = UINT64_C(0x9e3779b97f4a7c15);
	new.mul[0] |= 1;
	new.mul[1] |= 1;
	if (!(new.slot = calloc(new.size, sizeof *new.slot)))
		return -1;
	for (size_t i = 0; i < t->size; i++)
		if (t->slot[i].used)
			*probe(&new, t->slot[i].id, t->slot[i].tid) = t->slot[i];
	free(t->slot);
	*t = new;
	return 1;
}

struct pp_total *
pp_total_get(struct pp_totals *t, uint64_t id, uint32_t tid)
{
	struct pp_total *x;

	if (2 * t->used >= t->size && grow(t) < 0)
		return NULL;
	x = probe(t, id, tid);
	if (!x->used) {
		if (t->used == t->max)
			return NULL;
		*x = (struct pp_total){ .id = id, .tid = tid, .used = true };
		t->used++;
	}
	return x;
}

void
pp_totals_free(struct pp_totals *t)
{
	free(t->slot);
}
