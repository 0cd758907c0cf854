/* SPDX-License-Identifier: ISC */
/* arrival.c - pp_arrival (timeline.h): records as they are put, and the limit of memory */
#include <stdlib.h>

#include "record/mark.h"
#include "set.h"
#include "state/arrival_in.h"

enum { LOOK_EVERY = 16 << 10 };		/* bytes between two checks of the memory in use */

/* Recycle the blocks without needed records; the sink may still refer to emitted ones, so flush first. */
static int
arrival_reclaim(struct pp_arrival *a)
{
	if (!a->ring.blocks.idle)
		return 1;
	if (a->user.flush(a->user.arg) < 0) {
		a->failed = true;		/* the sink has set the error */
		return -1;
	}
	pp_blocks_reclaim(&a->ring.blocks);
	return 1;
}

/* The function for pp_read_into(). */
static uint8_t *
arrival_next_buffer(void *arg)
{
	struct pp_arrival *a = arg;

	a->unlooked = LOOK_EVERY;
	return arrival_reclaim(a) < 0 ? NULL : pp_ring_buffer(&a->ring);
}

/* ---- the memory limit ------------------------------------------------------------------------------ */

static size_t
arrival_memory(const struct pp_arrival *a)
{
	return a->elsewhere + pp_ring_memory(&a->ring) + pp_turns_memory(&a->turns) + (a->ahead ? pp_round_memory(a->ahead) : 0) +
	    a->capmisses * sizeof *a->misses + a->own.cap + a->user.more(a->user.arg);
}

/* Records that wait for long are few, among many that were forgotten.  1, or -1: the sink has failed, or no memory. */
static int
arrival_compact(struct pp_arrival *a)
{
	a->compact = a->ring.next + (a->ring.next - a->ring.first) / 4;
	if (pp_ring_compact(&a->ring) < 0) {
		a->failed = true;
		return pp_fail_memory(a->err);
	}
	return arrival_reclaim(a);
}

/*
 * Would `more' bytes exceed the limit?  Arrays do not shrink, so a part of the memory is reserved for records; else each record
 * would be decided on at once.
 */
static bool
arrival_is_full(struct pp_arrival *a, size_t more)
{
	size_t held;

	a->unlooked = 0;
	if (arrival_memory(a) + more + pp_blocks_spare(&a->ring.blocks) > a->memory)
		pp_blocks_shrink(&a->ring.blocks);
	if (arrival_memory(a) + more <= a->memory || arrival_reclaim(a) < 0)
		return false;
	if (a->user.until && a->ring.next >= a->compact && (arrival_compact(a) < 0 || arrival_memory(a) + more <= a->memory))
		return false;
	held = pp_blocks_held(&a->ring.blocks);
	if (a->user.until)		/* most of those in the ring may have been forgotten */
		held += (a->ring.next - a->ring.first) * (sizeof(struct pp_held) + sizeof(struct pp_waiting));
	return arrival_memory(a) + more > a->memory && held > (a->memory - a->elsewhere) / 2;
}

void
pp_arrival_elsewhere(struct pp_arrival *a, size_t bytes)
{
	a->elsewhere = bytes < a->memory / 2 ? bytes : a->memory / 2;
}

/* At the limit: decide early on the third that arrived first. */
static int
arrival_settle_early(struct pp_arrival *a)
{
	uint64_t third = a->ring.first + (a->ring.next - a->ring.first + 2) / 3, guess = arrival_newest_guess(a, third);
	uint64_t limit = pp_turns_newest(&a->turns, third), look;
	int rc;

	look = limit = guess > limit ? guess : limit;
	if (a->ahead) {
		a->whole = a->max > a->user.ahead ? a->max - a->user.ahead : 0;
		look = limit > UINT64_MAX - 1 - a->user.ahead ? UINT64_MAX - 1 : limit + a->user.ahead;
		if (a->user.until && !a->limit && a->max > look)	/* a recording without rounds is in order, or else has none */
			look = a->max;
	}
	rc = arrival_settle_to(a, look, limit);
	a->whole = UINT64_MAX;
	if (rc < 0)
		return -1;
	a->early_limit = look > a->early_limit ? look : a->early_limit;
	return arrival_reclaim(a);
}

/* ---- records --------------------------------------------------------------------------------------- */

/* Make space for one more entry. */
static int
arrival_grow(struct pp_arrival *a)
{
	if (arrival_is_full(a, pp_ring_growth(&a->ring)) && arrival_settle_early(a) < 0)
		return -1;
	return !pp_ring_full(&a->ring) || pp_ring_grow(&a->ring) > 0 ? 1 : pp_fail_memory(a->err);
}

/* Add an entry, with number a->ring.next - 1, and keep the bytes of the record.  NULL: failure. */
static inline struct pp_held *
arrival_append(struct pp_arrival *a, const struct pp_rec *r)
{
	struct pp_held *e;

	if (a->ring.next - a->ring.first >= a->ring.cap && arrival_grow(a) < 0)
		return NULL;
	e = pp_ring_at(&a->ring, a->ring.next);
	if (pp_blocks_keep(&a->ring.blocks, r->raw, r->size, &e->place) < 0) {
		pp_fail_memory(a->err);
		return NULL;
	}
	e->off = pp_offset(a->in, a->stands);
	a->ring.next++;
	a->unlooked += r->size;
	return e;
}

/* Emit the record in place, because nothing is held. */
static int
arrival_pass(struct pp_arrival *a, const struct pp_rec *r, const struct pp_verdict *v)
{
	a->ring.first = ++a->ring.next;
	if ((!v->to && !v->front) || a->user.emit(a->user.arg, r, v, true) > 0)
		return 1;
	a->failed = true;
	return -1;
}

/* By perf's rule: up to the latest time that was known at the previous round. */
static int
arrival_round(struct pp_arrival *a)
{
	if (!a->waits && !a->absent)
		return arrival_emit(a);
	if (arrival_settle(a, a->limit) < 0)
		return -1;
	if (a->absent <= a->limit)
		a->absent = 0;
	a->limit = a->max;
	return 1;
}

static int
arrival_emit_own(struct pp_arrival *a, const struct pp_rec *r)
{
	if (a->user.emit(a->user.arg, r, &a->user.own, true) > 0)
		return 1;
	a->failed = true;
	return -1;
}

/*
 * A payload has to be read now.  Its record has no time, and readers process it on arrival, so it may precede waiting records.
 * Earlier records of types 64 and up may describe it (AUXTRACE_INFO, HEADER_ATTR): these are emitted first.
 */
static int
arrival_overtake(struct pp_arrival *a, const struct pp_rec *r)
{
	if (a->ring.next - a->ring.first >= a->ring.cap && arrival_grow(a) < 0)
		return -1;
	*pp_ring_at(&a->ring, a->ring.next++) = (struct pp_held){ .state = PP_DECIDED };
	for (size_t i = 0; i < a->own.n; i++) {
		struct pp_rec earlier;
		struct pp_held *e;

		if (a->own.v[i] < a->ring.first)
			continue;
		e = pp_ring_at(&a->ring, a->own.v[i]);
		earlier = pp_rec_at(pp_ring_bytes(&a->ring, e), a->in->swap);
		*e = (struct pp_held){ .place = e->place, .state = PP_DECIDED };
		pp_ring_drop(&a->ring, e);
		if (arrival_emit_own(a, &earlier) < 0)
			return -1;
	}
	a->own.n = 0;
	return arrival_emit_own(a, r);
}

static int
arrival_put_own(struct pp_arrival *a, const struct pp_rec *r)
{
	struct numbers *own = &a->own;
	struct pp_held *e;
	uint64_t *v;

	if (a->ring.first == a->ring.next) {
		if (r->type == PP_FINISHED_ROUND && arrival_round(a) < 0)
			return -1;
		return arrival_pass(a, r, &a->user.own);
	}
	if (r->payload)
		return arrival_overtake(a, r);
	if (!(e = arrival_append(a, r)))
		return -1;
	e->state = PP_DECIDED;
	e->front = a->user.own.front;
	e->to = a->user.own.to;
	e->owed = a->user.own.owed;
	if (r->type == PP_FINISHED_ROUND)
		return arrival_round(a);
	if (r->type == PP_FINISHED_INIT || r->type == PP_PIECE_MARK)	/* its position has a meaning */
		return 1;
	if (own->n && own->v[own->n - 1] < a->ring.first)
		own->n = 0;
	if (!(v = buffer_more(own->v, &own->cap, own->n * sizeof *v, sizeof *v)))
		return pp_fail_memory(a->err);
	own->v = v;
	own->v[own->n++] = a->ring.next - 1;
	return 1;
}

/* A record that perf delivers at once. */
static int
arrival_put_untimed(struct pp_arrival *a, const struct pp_event *ev, const struct pp_rec *r)
{
	struct pp_verdict v = { .to = 0 };
	struct pp_held *e;

	a->at.since = UINT64_MAX;
	a->at.marks = 0;
	a->at.nr = a->ring.next + 1;
	a->at.offset = pp_offset(a->in, a->stands);
	if (a->ahead && a->user.looks[r->type] && a->user.look(a->user.arg, &a->at, ev, r) < 0)
		return -1;
	arrival_changes(a, r);
	if (a->ring.first == a->ring.next)
		return a->user.turn(a->user.arg, &a->at, ev, r, &v) < 0 ? -1 : arrival_pass(a, r, &v);
	if (!(e = arrival_append(a, r)))
		return -1;
	e->event = (uint16_t)ev->index;
	e->marks = 0;
	arrival_turn_of(a, e, a->ring.next - 1);
	return a->bad ? -1 : 1;
}

static int
arrival_put_timed(struct pp_arrival *a, const struct pp_event *ev, const struct pp_rec *r, uint64_t time)
{
	struct pp_held *e = arrival_append(a, r);
	bool ordered = a->user.ordered[r->type];
	pp_guess guess = PP_NO_GUESS;

	if (!e)
		return -1;
	if (a->ahead && a->user.looks[r->type] && pp_round_add_number(a->ahead, time, a->ring.next - 1) < 0)
		return -1;
	if ((!a->waits++ && !a->absent) || time > a->max)
		a->max = time;
	a->early += time < a->early_limit;
	e->time = time;
	e->event = (uint16_t)ev->index;
	/* What comes too late has no guess: it is decided by the state as it is then, with what else comes late. */
	if (a->user.guess && !ordered && time >= a->turns.released)
		guess = a->user.guess(a->user.arg, ev, r);
	if (guess != PP_NO_GUESS) {
		e->keys = (uint32_t)guess;
		e->to = (uint8_t)(guess >> 32);
		e->state = PP_GUESSED;
		if (time < a->turns.fresh_min)
			a->turns.fresh_min = time;
	} else {
		e->marks = 0;
		e->state = PP_WAITS;
		if (pp_turns_add(&a->turns, time, a->ring.next - 1, ordered) < 0)
			return -1;
	}
	return a->unlooked >= LOOK_EVERY && arrival_is_full(a, 0) ? arrival_settle_early(a) : 1;
}

void
pp_arrival_absent(struct pp_arrival *a, uint64_t first, uint64_t last)
{
	if ((!a->waits && !a->absent) || last > a->max)
		a->max = last;
	if (last > a->absent)
		a->absent = last;
	if (first < a->turns.fresh_min)
		a->turns.fresh_min = first;
}

int
pp_arrival_put(struct pp_arrival *a, const struct pp_rec *r, const struct pp_rec *stands)
{
	const struct pp_event *ev;
	uint64_t time;

	if (a->failed || a->bad)
		return -1;
	a->stands = stands;
	if (r->type >= PP_USER_TYPE_START)
		return arrival_put_own(a, r);
	if (!(ev = pp_event_find(a->in->events, r, a->err)))
		return -1;
	if (!pp_time(ev, r, a->in->swap, &time))
		return arrival_put_untimed(a, ev, r);
	if (a->user.wanted && !a->user.wanted(a->user.arg, ev, r)) {
		pp_arrival_absent(a, time, time);
		return 1;
	}
	return arrival_put_timed(a, ev, r, time);
}

int
pp_arrival_finish(struct pp_arrival *a)
{
	bool good = !a->failed && arrival_settle(a, UINT64_MAX) > 0;

	arrival_miss_all(a);
	return good && !a->bad ? 1 : -1;
}

uint64_t
pp_arrival_early(const struct pp_arrival *a)
{
	return a->early;
}

uint64_t
pp_arrival_short(const struct pp_arrival *a)
{
	return a->too_short;
}

bool
pp_arrival_mark(struct pp_arrival *a, uint64_t nr, unsigned marks)
{
	struct pp_held *e;

	if (nr <= a->ring.first || nr > a->ring.next || (e = pp_ring_at(&a->ring, nr - 1))->state != PP_WAITS)
		return false;
	e->marks |= (marks & 3) * PP_MARKED;
	return true;
}

bool
pp_arrival_forget(struct pp_arrival *a, uint64_t nr)
{
	struct pp_held *e;

	if (nr <= a->ring.first || nr > a->ring.next || (e = pp_ring_at(&a->ring, nr - 1))->state != PP_WAITS)
		return false;
	e->state = PP_DECIDED;
	e->front = 0;
	e->to = 0;
	a->waits--;
	pp_ring_drop(&a->ring, e);
	return true;
}

struct pp_arrival *
pp_arrival_new(struct pp_source *in, const struct pp_arrival_user *user, size_t memory, struct pp_err *err)
{
	struct pp_arrival *a = calloc(1, sizeof *a);

	if (!a) {
		pp_fail_memory(err);
		return NULL;
	}
	a->in = in;
	a->user = *user;
	a->err = err;
	a->memory = memory;
	a->whole = UINT64_MAX;
	if (pp_turns_start(&a->turns, arrival_turn, a, err) < 0 || (user->look && !(a->ahead = pp_round_new(NULL, NULL, err)))) {
		pp_turns_free(&a->turns);
		free(a);
		return NULL;
	}
	pp_read_into(in, arrival_next_buffer, a);
	return a;
}

void
pp_arrival_free(struct pp_arrival *a)
{
	if (!a)
		return;
	pp_turns_free(&a->turns);
	pp_round_free(a->ahead);
	free(a->misses);
	pp_ring_free(&a->ring);
	free(a->own.v);
	free(a);
}
