/* SPDX-License-Identifier: ISC */
#include "index/use.h"
#include "keys/times.h"
#include "source/leave_out.h"
#include "survey.h"

static bool
by_feature(struct survey *s, const struct pp_source *in, const struct pp_rec *r)
{
	struct pp_err err = { 0 };
	struct pp_feature f;

	return pp_feature_of(&f, r, in->swap, 0, &err) >= 0 && times_feature(&f, &s->first, &s->last);
}

/* SAMPLEs have times between these; also pp_when_absent() */
static void
by_times(void *arg, uint64_t first, uint64_t last)
{
	struct survey *s = arg;

	if (!s->first || first < s->first)
		s->first = first;
	if (last > s->last)
		s->last = last;
}

static void
by_record(struct survey *s, const struct pp_source *in, const struct pp_rec *r)
{
	struct pp_err err = { 0 };
	const struct pp_event *ev;
	uint64_t time;

	if (r->type != PP_SAMPLE)
		return;
	s->bytes += r->size;
	if (!(ev = pp_event_find(in->events, r, &err)) || !pp_time(ev, r, in->swap, &time))
		return;
	by_times(s, time, time);
}

/* ppi_ask: no sample is wanted, only their times. */
static const struct ppi_cond *
survey_conds(void *arg, size_t *n)
{
	static const struct ppi_cond none = { .by = PPI_TIME };

	(void)arg;
	*n = 1;
	return &none;
}

void
survey_times(struct tool *t, bool last, struct survey *s)
{
	const struct ppi_ask ask = { .conds = survey_conds, .arg = s };
	const char *name = tool_twice(t);
	struct ppi_use *index;
	struct pp_source *in;
	bool known, reads;
	struct pp_chunk all;
	unsigned rounds = 0;
	struct pp_err err = { .what = "" };
	struct pp_rec r;
	int rc = 1;

	*s = (struct survey){ 0 };
	if (!name || !(in = tool_source_ahead(t, name, 0, &err)))
		return;
	index = tool_index_use(t, in, &ask);
	pp_when_absent(in, by_times, s);
	known = last && tool_index_sums(t, in, &all, &reads);
	/* After the second FINISHED_ROUND no record is older than those before the first. */
	while ((last || rounds < 2 || !s->first) && (rc = pp_next(in, &r)) > 0)
		if (r.type == PP_SAMPLE && known) {
			s->first = all.first;
			s->last = all.last;
			break;
		} else if (r.type == PP_HEADER_FEATURE && !s->bytes && by_feature(s, in, &r))
			break;
		else if (r.type == PP_FINISHED_ROUND)
			rounds++;
		else
			by_record(s, in, &r);
	if (rc <= 0 && !index)
		tool_piece_sum(t, s->bytes, in->events->reads);
	pp_close(in);
	ppi_use_free(index);
	tool_ahead(t, &err);
}
