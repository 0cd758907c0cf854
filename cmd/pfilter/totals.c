/* SPDX-License-Identifier: ISC */
#include <sys/random.h>

#include <stdlib.h>
#include <string.h>

#include "totals.h"

struct total {
	uint64_t id;
	uint32_t tid;
	bool	 used;
	uint64_t in, out;		/* the last value in the input, and in the output */
};

static struct total *
probe(const struct totals *t, uint64_t id, uint32_t tid)
{
	size_t i = (id * t->mul ^ (uint64_t)tid * (t->mul >> 7 | 1)) * t->mul >> 20 & (t->size - 1);

	while (t->slot[i].used && (t->slot[i].id != id || t->slot[i].tid != tid))
		i = (i + 1) & (t->size - 1);
	return &t->slot[i];
}

static struct total *
total_of(struct totals *t, uint64_t id, uint32_t tid)
{
	struct total *x;

	if (2 * t->used >= t->size) {
		struct totals old = { .slot = t->slot, .size = t->size };

		if (!t->mul && getrandom(&t->mul, sizeof t->mul, GRND_NONBLOCK) < 0)
			t->mul = UINT64_C(0x9e3779b97f4a7c15);
		t->mul |= 1;
		t->size = old.size ? 2 * old.size : 256;
		t->slot = tool_alloc(t->size, sizeof *t->slot);
		for (size_t i = 0; i < old.size; i++)
			if (old.slot[i].used)
				*probe(t, old.slot[i].id, old.slot[i].tid) = old.slot[i];
		free(old.slot);
	}
	x = probe(t, id, tid);
	if (!x->used) {
		*x = (struct total){ .id = id, .tid = tid, .used = true };
		t->used++;
	}
	return x;
}

const uint8_t *
totals_sample(struct totals *t, const struct pp_event *ev, const struct pp_rec *r, bool swap, bool keep,
    struct pp_err *err)
{
	struct pp_cur c = pp_cur(r->raw + ev->plan.fixed, r->size - ev->plan.fixed, swap);
	bool per_thread = ev->attr.flags >> PP_ATTR_INHERIT_BIT & 1 && ev->plan.tid;
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
		uint64_t value = pp_get_u64(p, swap), now;
		struct total *x = total_of(t, pp_get_u64(p + rd.id_at, swap),
		    per_thread ? pp_get_u32(r->raw + ev->plan.tid + 4, swap) : 0);

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

void
totals_free(struct totals *t)
{
	free(t->slot);
}
