/* SPDX-License-Identifier: ISC */
/* init.c - see marks.h: --finished-init */
#include <stdlib.h>

#include "marks.h"
#include "record/raw.h"

struct init {
	struct out	 pub;
	struct tool	*t;
	bool		 done;		/* the stream has its FINISHED_INIT */
};

/* The synthesised records have no time: FINISHED_INIT precedes the first record with one. */
static int
init_place(struct init *s, struct pp_source *in, const struct pp_rec *r)
{
	const struct pp_event *ev;
	uint8_t b[PP_HEADER_SIZE];
	struct pp_rec mark;
	uint64_t time;

	if (r->type == PP_FINISHED_INIT)
		s->done = true;
	if (r->type >= PP_USER_TYPE_START)
		return 1;
	if (!(ev = pp_event_find(in->events, r, &s->t->in_err)))
		return pp_reject(in, r);
	if (r->type != PP_SAMPLE && !pp_time(ev, r, in->swap, &time))
		return 1;
	s->done = true;
	pp_raw_head(b, PP_FINISHED_INIT, 0, sizeof b, in->swap);
	mark = pp_rec_at(b, in->swap);
	return s->pub.next->put(s->pub.next, in, &mark, false);
}

static int
put(struct out *o, struct pp_source *in, const struct pp_rec *r, bool stable)
{
	struct init *s = (struct init *)o;

	if (!s->done && init_place(s, in, r) < 0)
		return -1;
	o->idle = s->done;
	return o->next->put(o->next, in, r, stable);
}

struct out *
init_new(struct tool *t, struct out *next)
{
	struct init *s = tool_alloc(1, sizeof *s);

	*s = (struct init){ .pub = { .put = put, .finish = out_finish, .next = next }, .t = t };
	return &s->pub;
}
