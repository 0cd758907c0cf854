/* SPDX-License-Identifier: ISC */
#include <stdlib.h>

#include "part.h"

struct change {
	struct part	*p;
	struct part_reads *reads;
	struct pp_err	*err;
};

static int
change(void *arg, uint64_t id, uint32_t tid, uint64_t *value)
{
	const struct change *c = arg;
	struct pp_total *last = pp_total_get(&c->reads->last, id, tid), *base = pp_total_get(&c->p->base, id, tid);

	if (!last || !base)
		return pp_fail(c->err, "READ values of more than %u counters do not fit in memory", c->reads->last.by.n);
	if (!base->out)
		base->in = last->in;
	base->out = 1;
	last->in = *value;
	*value -= base->in;
	return 1;
}

int
part_put_read(struct part *p, struct part_reads *reads, const struct pp_events *events, const struct pp_event *ev,
    struct pp_source *in, const struct pp_rec *r, bool stable, struct pp_err *err)
{
	struct pp_err unsound = { .what = "" };
	struct change c = { p, reads, err };
	struct pp_rec copy = *r;

	reads->last.max = p->base.max = PP_TOTALS_MAX;
	copy.raw = pp_totals_sample(events, ev, r, reads->copy, change, &c, &unsound);
	if (err->what[0])
		return -1;
	if (!copy.raw)			/* readers skip it */
		copy.raw = r->raw;
	return p->out->put(p->out, in, &copy, stable && copy.raw == r->raw);
}

void
part_free(struct part *p)
{
	if (!p)
		return;
	pp_totals_free(&p->base);
	free(p);
}
