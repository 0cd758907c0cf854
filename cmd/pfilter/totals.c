/* SPDX-License-Identifier: ISC */
#include <string.h>

#include "totals.h"

const uint8_t *
totals_sample(struct totals *t, const struct pp_events *events, const struct pp_event *ev, const struct pp_rec *r,
    bool keep, struct pp_err *err)
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
	if (!rd.id_at)			/* perf can't tell either whose values they are */
		return out;
	for (uint64_t i = 0; i < rd.nr; i++) {
		const uint8_t *p = rd.values + i * rd.stride;
		uint64_t value = pp_get_u64(p, swap), id = pp_get_u64(p + rd.id_at, swap), now;
		struct pp_total *x;

		if (!pp_event_by_id(events, id))	/* perf ignores these */
			continue;
		if (!(x = pp_total_get(&t->totals, id, tid))) {
			pp_fail(err, "read values of more counters than there is memory for (%zu)", t->totals.used);
			return NULL;
		}
		now = x->out + (value - x->in);
		x->in = value;
		if (!keep)
			continue;
		x->out = now;
		if (now == value)
			continue;
		if (out == r->raw)
			out = memcpy(t->copy, r->raw, r->size);
		pp_set_u64(t->copy + (p - r->raw), now, swap);
	}
	return out;
}
