/* SPDX-License-Identifier: ISC */
#include <stdlib.h>
#include <string.h>

#include "sample.h"
#include "event.h"
#include "set.h"
#include "total.h"

struct pp_total *
pp_total_get(struct pp_totals *t, uint64_t id, uint32_t tid)
{
	struct pp_total *x;
	uint64_t hash;
	uint32_t i;

	if (!t->mul) {
		set_init(&t->by);
		t->mul = pp_seed() | 1;
	}
	hash = set_hash(&t->by, id) + tid * t->mul;
	for (uint64_t at = 0; (i = set_next(&t->by, hash, &at));)
		if (t->total[i - 1].id == id && t->total[i - 1].tid == tid)
			return &t->total[i - 1];
	if (t->by.n == t->max || !(x = array_more(t->total, t->by.n, 1, sizeof *x)))
		return NULL;
	t->total = x;
	if (set_add(&t->by, hash, t->by.n + 1) < 0)
		return NULL;
	x += t->by.n - 1;
	*x = (struct pp_total){ .id = id, .tid = tid };
	return x;
}

void
pp_totals_free(struct pp_totals *t)
{
	set_free(&t->by);
	free(t->total);
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
