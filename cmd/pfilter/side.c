/* SPDX-License-Identifier: ISC */
#include <stdlib.h>

#include "out/period.h"
#include "sink/sink.h"
#include "side.h"

/* The end of the chain of changes: counts, and writes unless --dry-run. */
struct end {
	struct out	 pub;
	struct side	*side;
};

static int
end_put(struct out *o, struct pp_source *in, const struct pp_rec *r, bool stable)
{
	struct side *s = ((struct end *)o)->side;

	s->records++;
	s->samples += r->type == PP_SAMPLE;
	if (s->holds && s->bound && r->type < PP_USER_TYPE_START) {
		s->holds = false;
		if (pp_let_go(s->sink) < 0)
			return -1;
	}
	return s->sink ? out_put(s->sink, in, r, stable) : 1;
}

int
side_let_go(struct side *s)
{
	s->bound = true;
	if (!s->holds || s->first)
		return 1;
	s->holds = false;
	return pp_let_go(s->sink);
}

static int
end_finish(struct out *o)
{
	struct side *s = ((struct end *)o)->side;

	free(o);
	return s->sink ? pp_flush(s->sink) : 1;
}

int
side_start(struct side *s, struct tool *t, const struct options *o, struct pp_state *state, bool rest)
{
	bool adds = options_add_period(o), scale = o->thin.scale && !rest && !adds;
	struct end *end;
	struct out *to;

	if (!o->sel.nothing) {
		s->totals = tool_alloc(1, sizeof *s->totals);
		s->totals->totals.max = PP_TOTALS_MAX;
	}
	if (o->sideband == SIDEBAND_NEEDED && (!(s->needed = needed_new(t->in, state, rest, &t->in_err)) ||
	    !(s->build_ids = build_ids_new(t->in->swap, &t->in_err))))
		return -1;
	if (!options_change(o) && !scale && !adds)
		return 1;
	end = tool_alloc(1, sizeof *end);
	*end = (struct end){ .pub.put = end_put, .pub.finish = end_finish, .side = s };
	to = &end->pub;
	if ((columns_any(&o->columns) && !(to = columns_new(t, &o->columns, t->in, to, &t->in_err))) ||
	    (drop_any(&o->drop) && !(to = drop_new(t, &o->drop, t->in, to, &t->in_err))) ||
	    (anon_any(&o->anon) && !(to = anon_new(t, &o->anon, t->in, to, &t->in_err))) ||
	    (adds && !(to = period_attr_new(t->in, to))) || (scale && !(to = thin_attr_new(&o->thin, t->in, to))))
		return pp_fail_memory(&t->in_err);
	s->first = to;
	return 1;
}

int
side_put_changed(struct side *s, struct pp_source *in, const struct pp_rec *r, bool stable)
{
	struct end end = { .side = s };

	return s->first ? s->first->put(s->first, in, r, stable) : end_put(&end.pub, in, r, stable);
}

struct naming {
	struct side	*side;
	struct pp_source *in;
};

static int
put_build_id(void *arg, const struct pp_rec *r)
{
	const struct naming *n = arg;

	return side_put(n->side, n->in, r, false);
}

int
side_put_named(struct side *s, struct pp_source *in, const struct pp_rec *r, bool all, bool stable)
{
	struct naming n = { s, in };
	int rc = all ? build_ids_all(s->build_ids, put_build_id, &n) : build_ids_pass(s->build_ids, r, put_build_id, &n);

	return rc > 0 ? side_put(s, in, r, stable) : rc < 0 ? -1 : 1;
}

int
side_put_sample(struct side *s, struct tool *t, const struct pp_event *ev, const struct pp_rec *r, bool keep, bool owed,
    bool stable)
{
	struct pp_rec copy = *r;

	if (s->totals && ev->attr.sample_type & PP_SAMPLE_READ) {
		if (!(copy.raw = totals_sample(s->totals, t->in->events, ev, r, keep || owed, &t->in_err)))
			return -1;
		stable = stable && copy.raw == r->raw;
	}
	return keep ? side_put(s, t->in, &copy, stable) : 1;
}

int
side_finish(struct side *s)
{
	int rc = s->first ? s->first->finish(s->first) : 1;

	if (s->totals)
		pp_totals_free(&s->totals->totals);
	free(s->totals);
	needed_free(s->needed);
	build_ids_free(s->build_ids);
	*s = (struct side){ .sink = s->sink, .records = s->records, .samples = s->samples };
	return rc;
}
