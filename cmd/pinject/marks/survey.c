/* SPDX-License-Identifier: ISC */
#include <stdlib.h>

#include "record/feature.h"
#include "survey.h"

static void
survey_time(struct survey *s, uint64_t *newest, bool sample, uint64_t time)
{
	if (time > *newest)
		*newest = time;
	else if (*newest - time > s->behind)
		s->behind = *newest - time;
	if (!sample)
		return;
	if (!s->first || time < s->first)
		s->first = time;
	if (time > s->last)
		s->last = time;
}

void
survey(struct tool *t, struct survey *s)
{
	struct pp_source *in;
	const struct pp_event *ev;
	uint64_t newest = 0, time;
	struct pp_rec r;
	int rc;

	*s = (struct survey){ 0 };
	if (!(in = tool_source(t, tool_twice(t), 0, &s->err))) {
		tool_say(t, &s->err);
		tool_abandon(t);
		exit(1);
	}
	while ((rc = pp_next(in, &r)) > 0) {
		s->rounds |= r.type == PP_FINISHED_ROUND;
		if (r.type >= PP_USER_TYPE_START)
			continue;
		if (!(ev = pp_event_find(in->events, &r, &s->err))) {
			pp_reject(in, &r);
			break;
		}
		if (pp_time(ev, &r, in->swap, &time))
			survey_time(s, &newest, r.type == PP_SAMPLE, time);
	}
	pp_close(in);
	if (rc < 0) {
		tool_ahead(t, &s->err);
		s->err.what[0] = 0;
	}
}

void
sample_time(struct tool *t, struct edit *edit, const struct survey *s)
{
	struct pp_feature_io io;
	struct pp_err err = { 0 };
	uint8_t buf[16];
	size_t n;

	if (s->err.what[0]) {
		tool_say(t, &s->err);
		t->failed = true;
		return;
	}
	if (!s->first) {
		tool_warn(t, "no SAMPLE_TIME: no sample has a time");
		return;
	}
	pp_feature_create(&io, PP_FEAT_SAMPLE_TIME, t->in->swap, 0, buf, sizeof buf, &err);
	if (pp_feature_put_num(&io, "first", s->first) > 0 && pp_feature_put_num(&io, "last", s->last) > 0 &&
	    pp_feature_finish(&io, &n) > 0)
		edit_set(edit, PP_FEAT_SAMPLE_TIME, buf, n);
}
