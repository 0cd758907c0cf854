/* SPDX-License-Identifier: ISC */
/* psort - put the records of a stream in perf's time order, two rounds at a time */
#include <inttypes.h>
#include <string.h>

#include "tool.h"

static const struct tool_opt opts[] = {
	{ 'c', "check", NULL, "write nothing; exit 1 at the first record out of order" },
	TOOL_OPTS_COMMON, TOOL_OPT_OUT, TOOL_OPTS_END
};

enum { PENDING = 256 << 10 };	/* bytes that may wait to be written though they were released */

struct sorter {
	struct tool	*t;
	struct pp_round	*round;
	size_t		 pending;
	uint8_t		 marker[PP_RECORD_MAX];	/* the last FINISHED_ROUND */
	size_t		 marker_size;		/* 0: none yet */
};

static int
deliver(void *arg, uint64_t time, const uint8_t *p, size_t n)
{
	struct sorter *s = arg;

	(void)time;
	s->pending += n;
	return pp_put_stable(s->t->out, p, n);
}

/*
 * perf's two-round rule releases what was known at the marker before; so that one goes out behind it, and a
 * stream that is in order comes out as it was.
 */
static int
release(struct sorter *s)
{
	if (pp_round_finished(s->round) < 0 || pp_put_copy(s->t->out, s->marker, s->marker_size) < 0)
		return -1;
	s->marker_size = 0;
	if (s->pending < PENDING)
		return 1;
	if (pp_flush(s->t->out) < 0)
		return -1;
	pp_round_reclaim(s->round);
	s->pending = 0;
	return 1;
}

static int
finished_round(struct sorter *s, const struct pp_rec *r)
{
	if (release(s) < 0)
		return -1;
	memcpy(s->marker, r->raw, r->size);
	s->marker_size = r->size;
	return 1;
}

/* Records that perf does not queue (its own, and those without a time) pass at once, as perf delivers them. */
static void
sort(struct tool *t)
{
	static struct sorter s;
	struct pp_round *q = s.round = pp_round_new(deliver, &s, &t->in_err);
	bool swap = t->in->swap;
	struct pp_rec r;
	uint64_t time;
	int rc = q ? 1 : -1;

	s.t = t;
	while (rc > 0 && (rc = pp_next(t->in, &r)) > 0) {
		if (r.type < PP_USER_TYPE_START) {
			const struct pp_event *ev = pp_event_find(t->in->events, &r, &t->in_err);

			if (!ev)
				rc = pp_reject(t->in, &r);
			else if (pp_time(ev, &r, swap, &time))
				rc = pp_round_add(q, time, r.raw, r.size);
			else
				rc = pp_put(t->out, t->in, &r);
			continue;
		}
		rc = r.type == PP_FINISHED_ROUND ? finished_round(&s, &r) : pp_put(t->out, t->in, &r);
	}
	/* Also what came before a fault is in order, and complete. */
	if (q && release(&s) > 0)
		pp_round_final(q);
	pp_flush(t->out);		/* what was released lies in q */
	if (q && pp_round_late(q))
		tool_warn(t, "%s: %ju records came later than their round allows, and stand where they came",
		    t->in_err.file, (uintmax_t)pp_round_late(q));
	pp_round_free(q);
}

/* Is the stream in time order?  Says where not. */
static int
check(struct tool *t)
{
	struct pp_rec r;
	uint64_t time, last = 0;

	while (pp_next(t->in, &r) > 0) {
		const struct pp_event *ev;

		if (r.type >= PP_USER_TYPE_START)
			continue;
		if (!(ev = pp_event_find(t->in->events, &r, &t->in_err)))
			return pp_reject(t->in, &r);
		if (!pp_time(ev, &r, t->in->swap, &time))
			continue;
		if (time < last) {
			pp_fail(&t->in_err, "out of order: time %" PRIu64 ".%09" PRIu64 " after %" PRIu64 ".%09" PRIu64,
			    time / 1000000000, time % 1000000000, last / 1000000000, last % 1000000000);
			return pp_reject(t->in, &r);
		}
		last = time;
	}
	return 1;
}

int
main(int argc, char **argv)
{
	struct tool t = { .name = "psort", .purpose = "Put a perf stream in time order.", .opts = opts };
	bool only_check = false;
	int key;

	while ((key = tool_getopt(&t, argc, argv)) != -1)
		only_check |= key == 'c';
	t.no_output = only_check;
	tool_open(&t, 0);
	if (only_check)
		check(&t);
	else
		sort(&t);
	return tool_close(&t);
}
