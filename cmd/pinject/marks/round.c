/* SPDX-License-Identifier: ISC */
/*
 * round.c - see marks.h: --finished-round
 *
 * A marker, FINISHED_ROUND, follows the record that moves the newest time on by TIME since the marker before it.  That is true
 * by the rule of perf (perf-pipe(5), Order) if no record is more than TIME behind a newer one that precedes it:
 *
 *	marker k	releases what is not newer than N, the newest time at marker k-1
 *	marker k	comes when the newest time is N + TIME or later, so each record behind it has the time N or later
 *
 * A smaller bound than TIME would not do: the record in front of marker k may have the time N + TIME, and one behind it N.
 *
 * A stream that has markers is not changed, or (`replace') they are left out and ours are put.  Markers may come late: perf
 * record writes the first one when it has read all its buffers.  So records are held until the first marker, up to HOLD bytes.  If it
 * comes after that, ours stop there, and it is left out.  It would be the only one that is not true: by the rule it releases
 * nothing, but behind one of ours it would.  The marker after it releases what is not newer than our last one, and all behind
 * that marker is as new as what precedes the marker that was left out.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "hold.h"
#include "marks.h"
#include "record/raw.h"

enum { HOLD = 16 << 20 };

struct round {
	struct out	 pub;
	struct tool	*t;
	bool		 replace;
	enum { ROUND_UNKNOWN,		/* whether the stream has markers; records are held from the first one with a time on */
		ROUND_OURS, ROUND_LAST,	/* ours are put; they end, and the stream's begin with the next one */
		ROUND_THEIRS } state;
	uint64_t	 step;		/* TIME */
	uint64_t	 newest, due;	/* times: of the newest record; from which on the next marker follows.  newest 0: none yet */
	unsigned	 nevents;	/* the ATTRs by which the next two were found */
	uint16_t	 at, fixed;	/* of each SAMPLE: where its time is (0: it depends), and its least size */
	uint32_t	 quick;		/* SAMPLEs of that size have a time, and are looked at by put() alone */
	bool		 swap;
	bool		 timeless;	/* there are records of the kernel without a time */
	uint64_t	 put;		/* markers */
	uint64_t	 behind, most;	/* records that are more than TIME behind; by how much at most */
	struct hold	 hold;
};

/* Where is the time of a SAMPLE, if that is one place for all events? */
static void
round_learn(struct round *s)
{
	const struct pp_events *events = s->t->in->events;

	for (; s->nevents < events->n; s->nevents++) {
		const struct pp_plan *plan = &events->ev[s->nevents]->plan;

		if (!s->nevents)
			s->at = plan->time;
		else if (plan->time != s->at)
			s->at = 0;
		if (plan->fixed > s->fixed)
			s->fixed = plan->fixed;
	}
}

/* Is it a SAMPLE whose time is at s->at, whatever its event? */
static bool
round_is_regular(const struct round *s, const struct pp_rec *r)
{
	return r->type == PP_SAMPLE && s->at && r->size >= s->fixed;
}

/* 1 and the time of the record, 0 if it has none, or -1: it is not sound. */
static int
round_time(struct round *s, const struct pp_rec *r, uint64_t *time)
{
	const struct pp_source *in = s->t->in;
	const struct pp_event *ev;

	if (r->type >= PP_USER_TYPE_START) {
		if (in->events->n != s->nevents)
			round_learn(s);
		return 0;
	}
	if (round_is_regular(s, r)) {
		*time = pp_get_u64(r->raw + s->at, in->swap);
		if (*time && *time != UINT64_MAX)
			return 1;
	} else {
		if (!(ev = pp_event_find(in->events, r, &s->t->in_err)))
			return pp_reject(s->t->in, r);
		if (pp_time(ev, r, in->swap, time))
			return 1;
	}
	s->timeless = true;
	return 0;
}

static int
round_mark(struct round *s, struct pp_source *in)
{
	uint8_t b[PP_HEADER_SIZE];
	struct pp_rec mark;

	pp_raw_head(b, PP_FINISHED_ROUND, 0, sizeof b, in->swap);
	mark = pp_rec_at(b, in->swap);
	s->put++;
	s->due = s->newest > UINT64_MAX - s->step ? UINT64_MAX : s->newest + s->step;
	return s->pub.next->put(s->pub.next, in, &mark, false);
}

static void
round_behind(struct round *s, uint64_t by)
{
	s->behind++;
	if (by > s->most)
		s->most = by;
}

/* The stream has a marker of its own, and ours have begun. */
static int
round_theirs(struct round *s, struct pp_source *in, const struct pp_rec *r, bool stable)
{
	if (s->replace)
		return 1;
	if (s->state == ROUND_LAST) {
		s->state = ROUND_THEIRS;
		return s->pub.next->put(s->pub.next, in, r, stable);
	}
	if (s->put)
		tool_warn(s->t, "%s: byte %ju: the stream has FINISHED_ROUNDs from here on: this one is left out, and no more are "
		    "added", s->t->in_err.file, (uintmax_t)pp_offset(in, r));
	s->state = s->put ? ROUND_LAST : ROUND_THEIRS;
	return s->put ? 1 : s->pub.next->put(s->pub.next, in, r, stable);
}

static int
round_take(struct round *s, struct pp_source *in, const struct pp_rec *r, bool stable)
{
	uint64_t time;
	int rc;

	if (r->type == PP_FINISHED_ROUND)
		return round_theirs(s, in, r, stable);
	if ((rc = round_time(s, r, &time)) <= 0)
		return rc < 0 ? -1 : s->pub.next->put(s->pub.next, in, r, stable);
	if (time <= s->newest) {
		if (s->newest - time > s->step)
			round_behind(s, s->newest - time);
		return s->pub.next->put(s->pub.next, in, r, stable);
	}
	if (!s->newest)
		s->due = time > UINT64_MAX - s->step ? UINT64_MAX : time + s->step;
	s->newest = time;
	rc = s->pub.next->put(s->pub.next, in, r, stable);
	return rc < 0 || time < s->due || s->state != ROUND_OURS ? rc : round_mark(s, in);
}

/* hold_fn: with our markers; without. */
static int
round_held(void *arg, struct pp_source *in, const struct pp_rec *r)
{
	return round_take(arg, in, r, false);
}

static int
round_held_pass(void *arg, struct pp_source *in, const struct pp_rec *r)
{
	struct out *next = ((struct round *)arg)->pub.next;

	return next->put(next, in, r, false);
}

static int
round_release(struct round *s)
{
	return hold_release(&s->hold, s->t, s->state == ROUND_THEIRS ? round_held_pass : round_held, s);
}

/* Has the stream markers?  Hold the record until that is known. */
static int
round_wait(struct round *s, struct pp_source *in, const struct pp_rec *r, bool stable)
{
	uint64_t time;
	int rc;

	if (r->type == PP_FINISHED_ROUND) {
		s->state = ROUND_THEIRS;
		return round_release(s) < 0 ? -1 : s->pub.next->put(s->pub.next, in, r, stable);
	}
	if ((rc = round_time(s, r, &time)) < 0)
		return -1;
	if (!rc && !s->hold.n)
		return s->pub.next->put(s->pub.next, in, r, stable);
	if ((rc = hold_put(&s->hold, HOLD, in, r)) != 0)
		return rc;
	s->state = ROUND_OURS;
	return round_release(s) < 0 ? -1 : round_take(s, in, r, stable);
}

static __attribute__((noinline)) int
round_put_slow(struct round *s, struct pp_source *in, const struct pp_rec *r, bool stable)
{
	struct out *next = s->pub.next;
	int rc;

	if (s->state == ROUND_THEIRS)
		rc = next->put(next, in, r, stable);
	else
		rc = s->state == ROUND_UNKNOWN ? round_wait(s, in, r, stable) : round_take(s, in, r, stable);
	s->pub.idle = s->state == ROUND_THEIRS;
	s->quick = s->state == ROUND_OURS && s->at && s->newest ? s->fixed : PP_RECORD_MAX + 1;
	return rc;
}

/* Most SAMPLEs are neither so new that a marker follows nor too far behind, and are not slowed down. */
static int
put(struct out *o, struct pp_source *in, const struct pp_rec *r, bool stable)
{
	struct round *s = (struct round *)o;
	uint64_t time;

	if (r->type != PP_SAMPLE || r->size < s->quick)
		return round_put_slow(s, in, r, stable);
	time = pp_get_u64(r->raw + s->at, s->swap);
	if (time > s->newest ? time >= s->due : s->newest - time > s->step)
		return round_put_slow(s, in, r, stable);
	if (time > s->newest)
		s->newest = time;
	return o->next->put(o->next, in, r, stable);
}

enum { MS = 1000000 };			/* in ns */

static void
round_report(struct round *s)
{
	struct pp_err e = { .file = s->t->in_err.file };

	if (s->put)
		tool_note(s->t, "%" PRIu64 " FINISHED_ROUNDs added, one each %" PRIu64 ".%06" PRIu64 "ms", s->put, s->step / MS,
		    s->step % MS);
	else if (s->state == ROUND_THEIRS)
		tool_note(s->t, "no FINISHED_ROUND added: the stream has them");
	else if (!s->newest && s->timeless)
		tool_warn(s->t, "no FINISHED_ROUND added: no record has a time");
	if (!s->behind || !s->put)
		return;
	pp_fail(&e, "%" PRIu64 " record%s more than %" PRIu64 ".%06" PRIu64 "ms behind a newer one, and may be late; "
	    "--finished-round=%" PRIu64 ".%06" PRIu64 "ms would do", s->behind, s->behind == 1 ? " is" : "s are", s->step / MS,
	    s->step % MS, s->most / MS, s->most % MS);
	tool_say(s->t, &e);
	s->t->failed = true;
}

static int
finish(struct out *o)
{
	struct round *s = (struct round *)o;
	struct out *next = o->next;
	int rc = 1;

	if (s->state == ROUND_UNKNOWN) {
		s->state = ROUND_OURS;
		rc = round_release(s);
	}
	round_report(s);
	free(s->hold.p);
	free(s);
	return next->finish(next) < 0 ? -1 : rc;
}

struct out *
round_new(struct tool *t, uint64_t step, bool replace, struct out *next)
{
	struct round *s = tool_alloc(1, sizeof *s);

	*s = (struct round){ .pub = { .put = put, .finish = finish, .next = next }, .t = t, .step = step, .replace = replace,
	    .state = replace ? ROUND_OURS : ROUND_UNKNOWN, .swap = t->in->swap, .quick = PP_RECORD_MAX + 1 };
	return &s->pub;
}
