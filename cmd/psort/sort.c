/* SPDX-License-Identifier: ISC */
/*
 * sort.c - put the records of a stream in time order.
 *
 *	input -> queue (common/round.c) -> output
 *	            \-> spill (spill.c) ->/		when the queue is over its bound
 *
 * What is in the spill came before what is in the queue, so of the same time it goes first.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "disorder.h"
#include "sort.h"
#include "unique.h"

enum {
	PENDING = 256 << 10,	/* bytes that may wait to be written though they were released */
	CHECK_EVERY = 16 << 10,	/* bytes between two looks at the memory in use */
	MARK_EVERY = 1 << 20,	/* bytes between fresh FINISHED_ROUNDs of one long release */
	WINDOW_STEPS = 8	/* a window is released by so many parts: each release looks at all that waits */
};

struct sorter {
	struct tool	*t;
	const struct sort_how *how;
	struct pp_round	*round;
	struct spill	*spill;
	size_t		 limit;			/* bytes in the queue */
	size_t		 unchecked;		/* bytes since that was last compared */
	size_t		 pending;
	uint8_t		 marker[PP_RECORD_MAX];	/* the last FINISHED_ROUND, to be kept */
	size_t		 marker_size;		/* 0: none */
	bool		 fresh;			/* write fresh ones */
	bool		 keep;			/* keep those of the input */
	size_t		 unmarked;		/* bytes since the last fresh one */
	uint64_t	 newest, prev;		/* times: the largest; of the record before */
	uint64_t	 released;		/* SORT_WINDOW: up to here */
	struct unique	*unique;		/* NULL: keep duplicates */
	struct disorder	*disorder;		/* NULL: do not count */
	uint64_t	 timed, untimed, others, rounds, idle_rounds, late, duplicates;
	bool		 spill_failed;
};

/* ---- output -------------------------------------------------------------------------------------- */

static int
fresh_mark(struct sorter *s)
{
	uint8_t mark[PP_HEADER_SIZE] = { 0 };

	pp_set_u32(mark, PP_FINISHED_ROUND, s->t->in->swap);
	pp_set_u16(mark + 6, sizeof mark, s->t->in->swap);
	s->unmarked = 0;
	return pp_put_copy(s->t->out, mark, sizeof mark);
}

/* Is it wanted?  1, 0: a duplicate, -1. */
static int
emit(struct sorter *s, uint64_t time, const uint8_t *p, size_t n)
{
	if (s->unique && !unique_add(s->unique, time, p, n)) {
		s->duplicates++;
		return 0;
	}
	if (s->fresh && s->unmarked >= MARK_EVERY && fresh_mark(s) < 0)
		return -1;
	s->unmarked += n;
	return 1;
}

static int
deliver_spilled(void *arg, uint64_t time, const uint8_t *p, size_t n)
{
	struct sorter *s = arg;
	int rc = emit(s, time, p, n);

	if (rc > 0)
		rc = pp_put_copy(s->t->out, p, n);
	pp_round_spilled(s->round, time);
	return rc < 0 ? -1 : 1;
}

static int
deliver(void *arg, uint64_t time, const uint8_t *p, size_t n)
{
	struct sorter *s = arg;
	int rc;

	if (spill_waits(s->spill) && spill_upto(s->spill, time, deliver_spilled, s) < 0)
		return -1;
	if ((rc = emit(s, time, p, n)) <= 0)
		return rc < 0 ? -1 : 1;
	s->pending += n;
	return pp_put_stable(s->t->out, p, n);
}

/* As deliver(), while each record is wanted and none is in the spill. */
static int
deliver_side(void *arg, uint64_t last, const uint8_t *p, size_t n, size_t count)
{
	struct sorter *s = arg;

	(void)last;
	(void)count;
	if (s->fresh && s->unmarked >= MARK_EVERY && fresh_mark(s) < 0)
		return -1;
	s->unmarked += n;
	s->pending += n;
	return pp_put_stable(s->t->out, p, n);
}

/* ---- release --------------------------------------------------------------------------------------- */

/* After a release: what of it is in the spill, its mark, and the memory. */
static int
released(struct sorter *s, uint64_t limit)
{
	if (spill_waits(s->spill) && spill_upto(s->spill, limit, deliver_spilled, s) < 0)
		return -1;
	if (s->fresh && s->unmarked && fresh_mark(s) < 0)
		return -1;
	if (s->pending < PENDING)
		return 1;
	if (pp_flush(s->t->out) < 0)
		return -1;
	pp_round_reclaim(s->round);
	s->pending = 0;
	return 1;
}

/*
 * perf's two-round rule releases what was known at the marker before; so that one goes out behind it, and a
 * stream that is in order comes out as it was.
 */
static int
finish_round(struct sorter *s)
{
	uint64_t limit = pp_round_limit(s->round);

	if (pp_round_finished(s->round) < 0 || released(s, limit) < 0 ||
	    pp_put_copy(s->t->out, s->marker, s->marker_size) < 0)
		return -1;
	s->marker_size = 0;
	return 1;
}

static int
finished_round(struct sorter *s, const struct pp_rec *r)
{
	s->rounds++;
	s->idle_rounds += !s->timed;
	if (s->how->mode != SORT_ROUNDS)
		return s->keep ? pp_put(s->t->out, s->t->in, r) : 1;
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
	return pp_round_release(s->round, limit) < 0 ? -1 : released(s, limit);
}

static int
finish(struct sorter *s)
{
	return finish_round(s) < 0 || pp_round_release(s->round, UINT64_MAX) < 0 ? -1 : released(s, UINT64_MAX);
}

/* ---- input ----------------------------------------------------------------------------------------- */

static int
spill_queue(struct sorter *s)
{
	int rc;

	/* What was released and still waits to be written stands in the queue. */
	if (pp_flush(s->t->out) < 0)
		return -1;
	s->pending = 0;
	pp_round_reclaim(s->round);
	if (pp_round_memory(s->round) <= s->limit)
		return 1;
	pp_round_side_by_side(s->round, NULL);
	rc = spill_begin(s->spill);
	if (rc > 0) {
		rc = pp_round_spill(s->round, spill_put, s->spill);
		if (spill_end(s->spill) < 0)
			rc = -1;
	}
	s->spill_failed |= rc < 0;
	return rc;
}

/* The source reads into the queue's memory.  What was put is flushed by now (tool_open() sees to that). */
static uint8_t *
next_buffer(void *arg)
{
	struct sorter *s = arg;

	s->pending = 0;
	pp_round_reclaim(s->round);
	return pp_round_buffer(s->round);
}

/* The field that perf orders the record by; NULL: it has none. */
static uint8_t *
time_field(const struct pp_event *ev, const struct pp_rec *r, uint8_t *raw)
{
	if (r->type == PP_SAMPLE)
		return ev->plan.time ? raw + ev->plan.time : NULL;
	return ev->plan.t_time && pp_has_trailer(ev, r) ? raw + r->size - ev->plan.t_time : NULL;
}

static int
add(struct sorter *s, const struct pp_event *ev, const struct pp_rec *r, uint64_t time, bool change)
{
	uint8_t copy[PP_RECORD_MAX], *field;
	const uint8_t *p = r->raw;

	if (change) {
		memcpy(copy, p, r->size);
		if ((field = time_field(ev, r, copy)))
			pp_set_u64(field, time, s->t->in->swap);
		p = copy;
	}
	if (pp_round_add(s->round, time, p, r->size) < 0)
		return -1;
	if (time > s->newest)
		s->newest = time;
	if (s->how->mode == SORT_WINDOW && slide_window(s) < 0)
		return -1;
	if ((s->unchecked += r->size) < CHECK_EVERY)
		return 1;
	s->unchecked = 0;
	return pp_round_memory(s->round) > s->limit ? spill_queue(s) : 1;
}

static int
late(struct sorter *s, const struct pp_event *ev, const struct pp_rec *r, uint64_t time, uint64_t last)
{
	s->late++;
	switch (s->how->late) {
	case LATE_DROP:
		return 1;
	case LATE_CLAMP:
		return add(s, ev, r, last, true);
	case LATE_ERROR:
		pp_fail(&s->t->in_err, "late: time %" PRIu64 ".%09" PRIu64 " after %" PRIu64 ".%09" PRIu64 " was written",
		    time / 1000000000, time % 1000000000, last / 1000000000, last % 1000000000);
		return pp_reject(s->t->in, r);
	default:
		return add(s, ev, r, time, false);
	}
}

/* Records that perf does not queue (its own, and those without a time) pass at once, as perf delivers them. */
static int
take(struct sorter *s, const struct pp_rec *r)
{
	struct tool *t = s->t;
	const struct pp_event *ev;
	uint64_t time, last = pp_round_last(s->round);

	if (r->type == PP_FINISHED_ROUND)
		return finished_round(s, r);
	if (r->type >= PP_USER_TYPE_START) {
		s->others++;
		return pp_put(t->out, t->in, r);
	}
	if (!(ev = pp_event_find(t->in->events, r, &t->in_err)))
		return pp_reject(t->in, r);
	if (!pp_time(ev, r, t->in->swap, &time)) {
		s->untimed++;
		if (s->how->untimed != UNTIMED_STAMP || !s->prev)
			return pp_put(t->out, t->in, r);
		return add(s, ev, r, s->prev > last ? s->prev : last, true);
	}
	s->timed++;
	s->prev = time;
	if (s->disorder)
		disorder_add(s->disorder, time);
	return time < last ? late(s, ev, r, time, last) : add(s, ev, r, time, false);
}

/* ---- what is said of it ---------------------------------------------------------------------------- */

static void
say_stats(const struct sorter *s)
{
	const struct disorder *d = s->disorder;
	uint64_t records, bytes, runs;

	spill_count(s->spill, &records, &bytes, &runs);
	fprintf(stderr, "psort: records: %" PRIu64 " with a time, %" PRIu64 " without, %" PRIu64 " of perf's own\n",
	    s->timed, s->untimed, s->others);
	fprintf(stderr, "psort: disorder: %" PRIu64 " came behind newer ones, %s%" PRIu64 " records and %" PRIu64
	    ".%09" PRIu64 " s at most\n", d->back, d->more ? "at least " : "", d->depth, d->depth_time / 1000000000,
	    d->depth_time % 1000000000);
	fprintf(stderr, "psort: rounds: %" PRIu64 ", %" PRIu64 " of them before the first time\n", s->rounds,
	    s->idle_rounds);
	fprintf(stderr, "psort: late: %" PRIu64 ", duplicates: %" PRIu64 "\n", s->late, s->duplicates);
	fprintf(stderr, "psort: spilled: %" PRIu64 " records, %" PRIu64 " bytes, %" PRIu64 " runs\n", records, bytes,
	    runs);
}

static void
say(const struct sorter *s)
{
	static const char *const became[] = {
		[LATE_EMIT] = "stand where they came", [LATE_DROP] = "were dropped",
		[LATE_ERROR] = "ended it", [LATE_CLAMP] = "got the time of what was written before them"
	};
	const char *than = s->how->mode == SORT_WINDOW ? "the window" : "their round";
	bool rounds = s->how->mode == SORT_ROUNDS;

	if (s->late && s->how->late != LATE_ERROR)
		tool_warn(s->t, "%s: %ju records came later than %s allows, and %s", s->t->in_err.file,
		    (uintmax_t)s->late, than, became[s->how->late]);
	if (rounds && s->timed && s->rounds == s->idle_rounds)
		tool_note(s->t, "%s: %s: all is sorted at its end", s->t->in_err.file, s->rounds ?
		    "its FINISHED_ROUNDs mean nothing, they stand before the first time" : "no FINISHED_ROUND");
	if (s->how->stats)
		say_stats(s);
}

int
sort_stream(struct tool *t, const struct sort_how *how, struct spill *spill, const struct pp_err *spill_err)
{
	static struct sorter s;
	struct pp_rec r;
	int rc = 1;

	s = (struct sorter){ .t = t, .how = how, .spill = spill };
	s.limit = how->memory - how->memory / 4;	/* the rest: merging, duplicates */
	s.fresh = how->marks == MARKS_EMIT || (how->marks == MARKS_AUTO && how->mode != SORT_ROUNDS);
	s.keep = how->marks == MARKS_KEEP || (how->marks == MARKS_AUTO && how->mode == SORT_ROUNDS);
	if (!(s.round = pp_round_new(deliver, &s, &t->in_err)) ||
	    (how->unique && !(s.unique = unique_new(how->memory / 8))) ||
	    (how->stats && !(s.disorder = calloc(1, sizeof *s.disorder)))) {
		pp_fail(&t->in_err, "out of memory");
		rc = -1;
	}
	if (rc > 0) {
		pp_read_into(t->in, next_buffer, &s);
		if (!how->unique)
			pp_round_side_by_side(s.round, deliver_side);
	}
	while (rc > 0 && (rc = pp_next(t->in, &r)) > 0)
		rc = take(&s, &r);
	/* Also what came before a fault is in order, and complete. */
	if (s.round)
		finish(&s);
	pp_flush(t->out);		/* what was released lies in the queue */
	say(&s);
	if (spill_err->what[0])
		tool_say(t, spill_err);
	pp_round_free(s.round);
	unique_free(s.unique);
	free(s.disorder);
	return spill_err->what[0] != 0;
}
