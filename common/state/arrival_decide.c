/* SPDX-License-Identifier: ISC */
/* arrival_decide.c - decides on records in time order, and emits them in order of arrival */
#include <string.h>

#include "state/arrival_in.h"

enum { EMIT_EVERY = 4096 };		/* decisions between two attempts to emit */

/* Set the error of a malformed record, and its offset. */
static void
arrival_blame(struct pp_arrival *a, const struct pp_rec *r, uint64_t off)
{
	char cause[sizeof a->err->what];
	const char *name = pp_type_name(r->type);

	if (a->err->at || !a->err->what[0])
		return;
	memcpy(cause, a->err->what, sizeof cause);
	a->err->what[0] = 0;
	if (name)
		pp_fail(a->err, "%s: %s", name, cause);
	else
		pp_fail(a->err, "type %u: %s", (unsigned)r->type, cause);
	a->err->at = true;
	a->err->off = off;
}

/* Emit one record; what cannot be emitted is in a->failed. */
static void
arrival_emit_one(struct pp_arrival *a, const struct pp_held *e)
{
	struct pp_rec r = pp_rec_at(pp_ring_bytes(&a->ring, e), a->in->swap);

	/* only what is decided has a verdict */
	if (e->state == PP_UNSOUND || a->user.emit(a->user.arg, &r, &(struct pp_verdict){ e->front, e->to, e->owed }, true) < 0) {
		arrival_blame(a, &r, e->off);
		a->failed = true;
	}
	pp_ring_drop(&a->ring, e);
}

int
arrival_emit(struct pp_arrival *a)
{
	uint64_t n = a->ring.first;

	a->decided = 0;
	for (; n < a->ring.next && !a->failed; n++) {
		const struct pp_held *e = pp_ring_at(&a->ring, n);

		if (e->state <= PP_GUESSED)
			break;
		if (pp_held_goes(e))
			arrival_emit_one(a, e);
	}
	a->ring.first = n;
	return a->failed ? -1 : 1;
}

static void
arrival_malformed(struct pp_arrival *a, struct pp_held *e, const struct pp_rec *r)
{
	arrival_blame(a, r, e->off);
	e->state = PP_UNSOUND;
	a->bad = true;
}

void
arrival_turn_of(struct pp_arrival *a, struct pp_held *e, uint64_t n)
{
	struct pp_rec r = pp_rec_at(pp_ring_bytes(&a->ring, e), a->in->swap);
	struct pp_verdict v = { .to = 0 };

	a->at.nr = n + 1;
	a->at.offset = e->off;
	a->at.marks = (uint8_t)(e->marks / PP_MARKED);
	if (a->user.turn(a->user.arg, &a->at, a->in->events->ev[e->event], &r, &v) < 0) {
		arrival_malformed(a, e, &r);
		return;
	}
	e->state = PP_DECIDED;
	e->front = v.front;
	e->to = v.to;
	e->owed = v.owed;
	if (!pp_held_goes(e))
		pp_ring_drop(&a->ring, e);
}

/* Look at the record with that number, unless that was done. */
static void
arrival_look_at(struct pp_arrival *a, uint64_t n)
{
	struct pp_held *e = pp_ring_at(&a->ring, n);
	struct pp_rec r;

	if (n < a->ring.first || e->state != PP_WAITS || e->marks & PP_LOOKED)
		return;
	e->marks |= PP_LOOKED;
	r = pp_rec_at(pp_ring_bytes(&a->ring, e), a->in->swap);
	if (!a->user.looks[r.type])
		return;
	a->at.nr = n + 1;
	a->at.offset = e->off;
	if (a->user.look(a->user.arg, &a->at, a->in->events->ev[e->event], &r) < 0) {
		arrival_malformed(a, e, &r);
		a->waits--;
	}
}

/* Look at all records up to that time. */
static int
arrival_look(struct pp_arrival *a, uint64_t limit)
{
	const struct pp_waiting *w;
	size_t n;

	if (pp_round_take(a->ahead, limit, &w, &n) < 0)
		return -1;
	for (size_t i = 0; i < n; i++)
		arrival_look_at(a, w[i].place);
	return a->user.looked(a->user.arg, a->settled);
}

/* Bytes kept elsewhere for decided records exceed their share: decide on the records that these wait for. */
static int
arrival_relieve(struct pp_arrival *a)
{
	struct pp_held *e;
	struct pp_rec r;

	while (arrival_emit(a) > 0 && a->ring.first < a->ring.next && a->user.more(a->user.arg) > a->memory / 4) {
		if (a->ahead)
			arrival_look_at(a, a->ring.first);
		e = pp_ring_at(&a->ring, a->ring.first);
		if (e->state == PP_GUESSED)
			arrival_miss(a, e);
		if (e->state != PP_WAITS)
			continue;
		r = pp_rec_at(pp_ring_bytes(&a->ring, e), a->in->swap);
		arrival_changes(a, &r);
		arrival_turn_of(a, e, a->ring.first);
		a->early++;
		a->waits--;
	}
	return a->failed ? -1 : 1;
}

/* Prefetch a record that is decided on soon; it has left the first caches since it was read. */
static inline void
arrival_look_ahead(const struct pp_arrival *a, uint64_t n)
{
	const struct pp_held *e = pp_ring_at(&a->ring, n);

	if (n >= a->ring.first && e->state == PP_WAITS)
		__builtin_prefetch(pp_ring_bytes(&a->ring, e));
}

/* arrival_relieve() may have decided on a record before. */
int
arrival_turn(void *arg, const struct pp_waiting *w, size_t n, uint64_t since)
{
	enum { AHEAD = 6 };
	struct pp_arrival *a = arg;

	a->at.since = since;
	for (size_t i = 0; i < n; i++) {
		struct pp_held *e = pp_ring_at(&a->ring, w[i].place);

		if (i + AHEAD < n)
			arrival_look_ahead(a, w[i + AHEAD].place);
		if (w[i].place < a->ring.first || e->state != PP_WAITS)
			continue;
		a->waits--;
		a->too_short += w[i].time > a->whole;
		arrival_turn_of(a, e, w[i].place);
		if (++a->decided % 256)
			continue;
		if (a->user.more(a->user.arg) > a->memory / 2 && arrival_relieve(a) < 0)
			return -1;
		if (a->decided >= EMIT_EVERY && arrival_emit(a) < 0)
			return -1;
	}
	return 1;
}

int
arrival_settle_to(struct pp_arrival *a, uint64_t look, uint64_t limit)
{
	if (a->ahead && arrival_look(a, look) < 0)
		return -1;
	if (a->user.until)
		a->user.passes(a->user.arg, limit);
	a->settled = limit;
	if (pp_turns_begin(&a->turns, limit) < 0 || (a->user.guess && arrival_settle_guesses(a, limit) < 0))
		return -1;
	return pp_turns_end(&a->turns, limit) < 0 ? -1 : arrival_emit(a);
}

int
arrival_settle(struct pp_arrival *a, uint64_t limit)
{
	uint64_t wait = a->user.ahead, old;

	if (!a->ahead || limit == UINT64_MAX)
		return arrival_settle_to(a, limit, limit);
	old = limit > wait ? limit - wait : 0;
	if (a->user.until) {
		uint64_t until;

		if (arrival_look(a, limit) < 0)
			return -1;
		until = a->user.until(a->user.arg);
		old = until < old ? until : old;
		wait = limit - a->settled;	/* more than `ahead', if some of it is old */
	}
	/* A release goes through all that waits, which may be many rounds: do so less often. */
	if (old > a->settled && old - a->settled >= wait / 4)
		return arrival_settle_to(a, limit, old);
	return arrival_look(a, limit) < 0 ? -1 : arrival_emit(a);
}
