/* SPDX-License-Identifier: ISC */
#include <stdlib.h>

#include "reads.h"
#include "tool.h"

static struct read_total *
find(const struct reads *r, uint64_t id, uint32_t tid)
{
	uint64_t x = (id ^ (uint64_t)tid << 32) * r->key;
	size_t h = (x ^ x >> 32) * r->key >> 32 & (r->size - 1);

	while (r->slot[h].used && (r->slot[h].id != id || r->slot[h].tid != tid))
		h = (h + 1) & (r->size - 1);
	return &r->slot[h];
}

static void
grow(struct reads *r)
{
	struct read_total *old = r->slot;
	size_t n = r->size;

	r->size = n ? 2 * n : 64;
	r->slot = tool_alloc(r->size, sizeof *r->slot);
	for (size_t i = 0; i < n; i++)
		if (old[i].used)
			*find(r, old[i].id, old[i].tid) = old[i];
	free(old);
}

uint64_t
reads_period(struct reads *r, uint64_t id, uint32_t tid, uint64_t value)
{
	struct read_total *t;
	uint64_t period;

	if (2 * r->used >= r->size)
		grow(r);
	t = find(r, id, tid);
	if (!t->used) {
		if (r->used == READS_MAX) {
			r->over++;
			return 0;
		}
		*t = (struct read_total){ .id = id, .tid = tid, .used = true };
		r->used++;
	}
	period = value - t->value;
	t->value = value;
	return period;
}
