/* SPDX-License-Identifier: ISC */
#include <stdlib.h>
#include <string.h>

#include "sample.h"
#include "event.h"
#include "set.h"
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
	if (!new.mul[0]) {
		new.mul[0] = pp_seed() | 1;
		new.mul[1] = pp_seed() | 1;
	}
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

const uint8_t *
pp_totals_sample(const struct pp_events *events, const struct pp_event *ev, const struct pp_rec *r, uint8_t *copy,
    pp_total_change *change, void *arg, struct pp_err *err)
{
	bool swap = events->swap;
	struct pp_cur c = pp_cur(r->raw + ev->plan.fixed, r->size - ev->plan.fixed, swap);
	uint32_t tid = pp_total_per_thread(ev) ? pp_get_u32(r->raw + ev->plan.tid + 4, swap) : 0;
	const uint8_t *out = r->raw;
	struct pp_read rd;

	/* READ is the first field of variable size. */
	pp_read_get(&rd, &c, ev->attr.read_format);
	if (c.bad) {
		pp_fail(err, "read values lie past the end of %u bytes", r->size);
		return NULL;
	}
	if (!rd.id_at)			/* perf cannot attribute the values either */
		return out;
	for (uint64_t i = 0; i < rd.nr; i++) {
		const uint8_t *p = rd.values + i * rd.stride;
		uint64_t was = pp_get_u64(p, swap), value = was, id = pp_get_u64(p + rd.id_at, swap);

		if (!pp_event_by_id(events, id))	/* perf ignores these */
			continue;
		if (change(arg, id, tid, &value) < 0)
			return NULL;
		if (value == was)
			continue;
		if (out != copy) {
			memcpy(copy, r->raw, r->size);
			out = copy;
		}
		pp_set_u64(copy + (p - r->raw), value, swap);
	}
	return out;
}
