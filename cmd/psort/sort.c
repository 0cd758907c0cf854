/* SPDX-License-Identifier: ISC */
/* sort.c - put the records of a stream in time order: when to release them */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "state/round.h"
#include "emit.h"

enum { CHECK_EVERY = 16 << 10 };	/* bytes of input between two checks of the memory in use */

struct sorter {
	struct emit	 e;
	struct tool	*t;
	const struct sort_how *how;
	uint8_t		 marker[PP_RECORD_MAX];	/* the last FINISHED_ROUND, if those of the input are kept */
	size_t		 marker_size;		/* 0: none */
	bool		 keep;			/* keep the FINISHED_ROUNDs of the input */
	uint64_t	 newest, prev;		/* times: the largest; of the record before */
	uint64_t	 released;		/* SORT_WINDOW: time up to which records are released */
	size_t		 unchecked;		/* bytes since the last check of the memory in use */
	struct disorder	*disorder;		/* NULL: do not count */
	struct emit_counts n;
};

/* ---- release --------------------------------------------------------------------------------------- */

static int
put_marker(struct sorter *s)
{
	size_t n = s->marker_size;

	if (!n)
		return 1;
	s->marker_size = 0;
	emit_marked(&s->e);
	return pp_put_copy(s->t->out, s->marker, n);
}

/*
 * A FINISHED_ROUND releases the records before the previous one.  The previous one is written after them, so a stream that
 * is in order does not change.
 */
static int
finish_round(struct sorter *s)
{
	uint64_t limit = pp_round_limit(s->e.round);

	if (pp_round_finished(s->e.round) < 0 || emit_released(&s->e, limit) < 0)
		return -1;
	return put_marker(s);
}

static int
finished_round(struct sorter *s, const struct pp_rec *r)
{
	s->n.rounds++;
	s->n.idle_rounds += !s->n.timed;
	if (s->how->mode != SORT_ROUNDS && !s->keep)
		return 1;
	if (s->how->mode != SORT_ROUNDS) {
		emit_marked(&s->e);
		return pp_put(s->t->out, s->t->in, r);
	}
	if (finish_round(s) < 0)
		return -1;
	if (s->keep) {
		memcpy(s->marker, r->raw, r->size);
		s->marker_size = r->size;
	}
	return 1;
}

static int
slide_window(struct sorter *s)
{
	uint64_t window = s->how->window, limit;

	if (s->newest <= window || (limit = s->newest - window - 1) < s->released ||
	    limit - s->released < window / WINDOW_STEPS)
		return 1;
	s->released = limit + 1;
	return pp_round_release(s->e.round, limit) < 0 ? -1 : emit_released(&s->e, limit);
}

static int
finish(struct sorter *s)
{
	return finish_round(s) < 0 || pp_round_release(s->e.round, UINT64_MAX) < 0 ? -1 : emit_released(&s->e, UINT64_MAX);
}

/* ---- input ----------------------------------------------------------------------------------------- */

/* A record was queued. */
static inline int
added(struct sorter *s, const struct pp_rec *r, uint64_t time)
{
	if (time > s->newest) {
		s->newest = time;
		if (s->how->mode == SORT_WINDOW && slide_window(s) < 0)
			return -1;
	}
	/* A small record can hold a whole buffer in memory. */
	if ((s->unchecked += r->size) < CHECK_EVERY && !s->e.grew)
		return 1;
	s->unchecked = 0;
	s->e.grew = false;
	return emit_bound(&s->e);
}

static inline int
add(struct sorter *s, const struct pp_rec *r, uint64_t time)
{
	return emit_add(&s->e, time, r->raw, r->size) < 0 ? -1 : added(s, r, time);
}

static int
add_stamped(struct sorter *s, const struct pp_event *ev, const struct pp_rec *r, uint64_t time)
{
	uint8_t *copy;

	return emit_add_stamped(&s->e, ev, r, time, &copy) < 0 ? -1 : added(s, r, time);
}

static int
late(struct sorter *s, const struct pp_event *ev, const struct pp_rec *r, uint64_t time, uint64_t last)
{
	s->n.late++;
	switch (s->how->late) {
	case LATE_DROP:
		return 1;
	case LATE_CLAMP:
		return add_stamped(s, ev, r, last);
	case LATE_ERROR:
		pp_fail(&s->t->in_err, "late: time %" PRIu64 ".%09" PRIu64 " after %" PRIu64 ".%09" PRIu64 " was written",
		    time / 1000000000, time % 1000000000, last / 1000000000, last % 1000000000);
		return pp_reject(s->t->in, r);
	case LATE_EMIT:
		break;
	}
	return add(s, r, time);
}

/* Write a record that is not queued.  FINISHED_ROUNDs before it keep its place if a reader sorts again. */
static int
pass(struct sorter *s, const struct pp_rec *r)
{
	if (put_marker(s) < 0 || (s->how->marks != MARKS_DROP && emit_catch_up(&s->e) < 0))
		return -1;
	return r->payload ? emit_payload(&s->e, s->t->in, r) : pp_put(s->t->out, s->t->in, r);
}

/*
 * Does a record without a time overtake records that perf has delivered at that place, all before the round before the last?
 * So it is with --full in a recording that others are appended to, or of perf record --tail-synthesize.
 */
static bool
moves(const struct sorter *s, const struct pp_rec *r)
{
	return s->how->mode == SORT_FULL && s->how->untimed == UNTIMED_INPLACE && pp_state_wants(r->type) &&
	    s->n.rounds - s->n.idle_rounds >= MARKS_ALL;
}

/* Records that perf does not queue (its own, and those without a time) are written at once, as perf delivers them at once. */
static int
take(struct sorter *s, const struct pp_rec *r)
{
	struct tool *t = s->t;
	const struct pp_event *ev;
	uint64_t time, last = pp_round_last(s->e.round);

	if (r->type == PP_FINISHED_ROUND)
		return finished_round(s, r);
	if (r->type >= PP_USER_TYPE_START) {
		s->n.others++;
		return pass(s, r);
	}
	if (!(ev = pp_event_find(t->in->events, r, &t->in_err)))
		return pp_reject(t->in, r);
	if (!pp_time(ev, r, t->in->swap, &time)) {
		s->n.untimed++;
		s->n.moved += moves(s, r);
		switch (s->how->untimed) {
		case UNTIMED_STAMP:
			if (s->prev)
				return add_stamped(s, ev, r, s->prev > last ? s->prev : last);
			break;
		case UNTIMED_INPLACE: case UNTIMED_FIRST:	/* first: nothing is released before the end */
			break;
		}
		return pass(s, r);
	}
	s->n.timed++;
	s->prev = time;
	if (s->disorder)
		disorder_add(s->disorder, time);
	return time < last ? late(s, ev, r, time, last) : add(s, r, time);
}

/* ---- the whole -------------------------------------------------------------------------------------- */

int
sort_stream(struct tool *t, const struct sort_how *how, struct spill *spill, const struct pp_err *spill_err)
{
	static struct sorter s;
	struct pp_rec r;
	int rc;

	s = (struct sorter){ .t = t, .how = how };
	s.keep = how->marks == MARKS_KEEP;
	rc = emit_open(&s.e, t, how, spill, &t->in_err);
	s.e.swap = t->in->swap;
	if (how->stats && !(s.disorder = calloc(1, sizeof *s.disorder)))
		rc = pp_fail_memory(&t->in_err);
	if (rc > 0) {
		emit_side_by_side(&s.e);
		pp_read_into(t->in, emit_buffer, &s.e);
	}
	while (rc > 0 && (rc = pp_next(t->in, &r)) > 0)
		rc = take(&s, &r);
	/* Records before a fault are written, in order, too. */
	if (s.e.round)
		finish(&s);
	pp_flush(t->out);		/* it still refers to the queue's memory */
	emit_say(&s.e, t->in_err.file, &s.n);
	if (s.disorder)
		emit_say_stats(&s.e, &s.n, s.disorder);
	if (spill_err->what[0])
		tool_say(t, spill_err);
	emit_close(&s.e);
	free(s.disorder);
	t->unwritten = spill_err->what[0] != 0;
	return t->unwritten;
}
