/* SPDX-License-Identifier: ISC */
#include "totals.h"

struct change {
	struct totals	*t;
	bool		 keep;
	struct pp_err	*err;
};

static int
change(void *arg, uint64_t id, uint32_t tid, uint64_t *value)
{
	const struct change *c = arg;
	struct pp_total *x = pp_total_get(&c->t->totals, id, tid);
	uint64_t now;

	if (!x)
		return pp_fail(c->err, "READ values of more than %u counters do not fit in memory", c->t->totals.by.n);
	now = x->out + (*value - x->in);
	x->in = *value;
	if (c->keep)
		*value = x->out = now;
	return 1;
}

const uint8_t *
totals_sample(struct totals *t, const struct pp_events *events, const struct pp_event *ev, const struct pp_rec *r,
    bool keep, struct pp_err *err)
{
	struct change c = { t, keep, err };

	return pp_totals_sample(events, ev, r, t->copy, change, &c, err);
}
