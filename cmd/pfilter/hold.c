/* SPDX-License-Identifier: ISC */
/*
 * hold.c - see hold.h.
 *
 *	store	records that are not yet emitted, in order of arrival
 *	round	the numbers of those `ordered' that wait for their turn
 *	others	the numbers of the others
 *
 * After decisions the store is emitted up to the first record that still waits.
 */
#include <stdlib.h>
#include <string.h>

#include "hold.h"
#include "hold_store.h"
#include "record/raw.h"
#include "state/round.h"

enum { WAITS = -1, BAD = -2 };		/* verdicts of ours */
enum { EMIT_EVERY = 4096 };		/* decisions between two looks at what can be emitted */

struct mark {			/* an ordered record whose turn has come */
	uint64_t	 time, number;
};

struct numbers {
	uint64_t	*v;
	size_t		 n, cap;
};

struct hold {
	struct pp_source *in;
	struct hold_user user;
	struct pp_err	*err;
	struct store	 store;
	struct hold_place now;
	size_t		 memory;
	unsigned	 decided;	/* since the last look */
	const struct pp_rec *stands;	/* the record being put, as the source gave it */

	/* time order: perf-pipe(5) */
	struct pp_round	*round;
	struct numbers	 others;
	struct numbers	 own;		/* records of perf's own in the store, but for marks; some have left */
	uint64_t	 waits;		/* records in both */
	uint64_t	 max, limit;	/* latest time that was known; what the next FINISHED_ROUND releases */
	uint64_t	 min;		/* earliest time of all */
	uint64_t	 flushed;	/* all up to this time was decided */
	uint64_t	 early_limit;	/* the same, but before its turn; 0: nothing */
	uint64_t	 early;
	/* of one release: the ordered ones, and the others that they are between */
	struct mark	*marks;
	size_t		 nmarks, capmarks;
	struct numbers	 due, bucket, end;

	bool		 failed;	/* nothing can be emitted any more */
	bool		 bad;		/* a record was not sound: what arrived before it may still be emitted */
};

static struct pp_rec
record(const struct hold *h, const uint8_t *raw)
{
	bool swap = h->in->swap;

	return pp_rec_at(raw, swap);
}

static int
no_memory(struct hold *h)
{
	return pp_fail(h->err, "out of memory for records that wait for their turn");
}

/* ---- deciding and emitting ------------------------------------------------------------------------ */

/* What was found wrong with the record, and where that stands. */
static void
blame(struct hold *h, const struct pp_rec *r, uint64_t off)
{
	char cause[sizeof h->err->what];
	const char *name = pp_type_name(r->type);

	if (h->err->at || !h->err->what[0])
		return;
	memcpy(cause, h->err->what, sizeof cause);
	h->err->what[0] = 0;
	if (name)
		pp_fail(h->err, "%s: %s", name, cause);
	else
		pp_fail(h->err, "type %u: %s", (unsigned)r->type, cause);
	h->err->at = true;
	h->err->off = off;
}

/* Emit what is decided, up to the first that is not. */
static int
emit(struct hold *h)
{
	struct held *e;
	struct pp_rec r;

	h->decided = 0;
	for (; h->store.first < h->store.next && !h->failed; h->store.first++) {
		e = store_at(&h->store, h->store.first);
		if (e->verdict == 0)
			continue;
		if (e->verdict == WAITS)
			break;
		r = record(h, e->raw);
		if (e->verdict == BAD || h->user.emit(h->user.arg, &r, e->verdict, true) < 0) {
			blame(h, &r, e->off);
			h->failed = true;
		}
	}
	store_left(&h->store);
	return h->failed ? -1 : 1;
}

static void
decide(struct hold *h, struct held *e, uint64_t n)
{
	struct pp_rec r = record(h, e->raw);

	h->now.nr = n + 1;
	h->now.offset = e->off;
	e->verdict = h->user.decide(h->user.arg, h->in->events->ev[e->event], &r);
	if (e->verdict >= 0)
		return;
	blame(h, &r, e->off);
	e->verdict = BAD;
	h->bad = true;
}

/* What is kept elsewhere for decided records has grown large: decide those that they wait for. */
static int
relieve(struct hold *h)
{
	while (emit(h) > 0 && h->store.first < h->store.next && h->user.more(h->user.arg) > h->memory / 4) {
		decide(h, store_at(&h->store, h->store.first), h->store.first);
		h->early++;
		h->waits--;
	}
	return h->failed ? -1 : 1;
}

/* The turn of a record has come, unless relieve() was faster. */
static int
turn(struct hold *h, uint64_t n)
{
	struct held *e = store_at(&h->store, n);

	if (n < h->store.first || e->verdict != WAITS)
		return 1;
	h->waits--;
	decide(h, e, n);
	if (++h->decided % 256)
		return 1;
	if (h->user.more(h->user.arg) > h->memory / 2 && relieve(h) < 0)
		return -1;
	return h->decided < EMIT_EVERY || emit(h) > 0 ? 1 : -1;
}

/* ---- time order -------------------------------------------------------------------------------------- */

static int
room(struct hold *h, struct numbers *a, size_t n)
{
	size_t cap = a->cap ? a->cap : 1024;
	uint64_t *v;

	if (n <= a->cap)
		return 1;
	while (cap < n)
		cap *= 2;
	if (!(v = reallocarray(a->v, cap, sizeof *v)))
		return no_memory(h);
	a->v = v;
	a->cap = cap;
	return 1;
}

/* pp_deliver of the round: an ordered record is due.  If there are others, all these must be known first. */
static int
deliver(void *arg, uint64_t time, const uint8_t *p, size_t n)
{
	struct hold *h = arg;
	uint64_t number;

	memcpy(&number, p, n);
	if (!h->others.n) {
		h->now.since = time;
		return turn(h, number);
	}
	if (h->nmarks == h->capmarks) {
		size_t cap = h->capmarks ? 2 * h->capmarks : 256;
		struct mark *all = reallocarray(h->marks, cap, sizeof *all);

		if (!all)
			return no_memory(h);
		h->marks = all;
		h->capmarks = cap;
	}
	h->marks[h->nmarks++] = (struct mark){ time, number };
	return 1;
}

static bool
before(const struct mark *m, uint64_t time, uint64_t number)
{
	return m->time != time ? m->time < time : m->number < number;
}

/* How many marks are before that record.  Neighbours mostly have the same: `hint'. */
static size_t
marks_before(const struct hold *h, uint64_t time, uint64_t number, size_t hint)
{
	size_t lo = 0, hi = h->nmarks;

	if (hint && !before(&h->marks[hint - 1], time, number))
		hi = hint - 1;
	else if (hint == hi || !before(&h->marks[hint], time, number))
		return hint;
	else
		lo = hint + 1;
	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (before(&h->marks[mid], time, number))
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* These will be decided one after the other; they were put long enough ago to have left the first caches. */
static inline void
look_ahead(const struct hold *h, const uint64_t *numbers, size_t n)
{
	enum { AHEAD = 6 };

	if (n > AHEAD)
		__builtin_prefetch(store_at(&h->store, numbers[AHEAD])->raw);
}

/* Decide the others up to `limit', of which no mark is in front. */
static int
decide_plain(struct hold *h, uint64_t limit)
{
	struct numbers *others = &h->others;
	size_t keep = 0;

	h->now.since = h->flushed > h->min ? h->flushed : h->min;
	for (size_t i = 0; i < others->n; i++) {
		uint64_t number = others->v[i];

		look_ahead(h, others->v + i, others->n - i);
		if (number >= h->store.first && store_at(&h->store, number)->time > limit)
			others->v[keep++] = number;
		else if (turn(h, number) < 0)
			return -1;
	}
	others->n = keep;
	return 1;
}

/*
 * Decide the others up to `limit': sorted by the marks that they are in front of, within that by arrival.  The marks are
 * decided between them.
 */
static int
decide_others(struct hold *h, uint64_t limit)
{
	struct numbers *others = &h->others, *due = &h->due, *bucket = &h->bucket;
	size_t keep = 0, m = 0, n = others->n;
	uint64_t since = h->flushed > h->min ? h->flushed : h->min, *end;

	if (!h->nmarks)
		return decide_plain(h, limit);
	if (room(h, due, 2 * n) < 0 || room(h, bucket, n) < 0 || room(h, &h->end, h->nmarks + 2) < 0)
		return -1;
	end = memset(h->end.v, 0, (h->nmarks + 2) * sizeof *end);
	due->n = 0;
	for (size_t i = 0; i < n; i++) {
		uint64_t number = others->v[i], time = number < h->store.first ? 0 : store_at(&h->store, number)->time;

		if (time > limit) {
			others->v[keep++] = number;
			continue;
		}
		m = marks_before(h, time, number, m);
		end[m + 1]++;
		bucket->v[due->n] = m;
		due->v[due->n++] = number;
	}
	others->n = keep;
	for (size_t i = 1; i < h->nmarks + 2; i++)
		end[i] += end[i - 1];
	/* end[m] is still where the bucket begins; behind this loop it is where it ends. */
	for (size_t i = 0; i < due->n; i++)
		due->v[n + end[bucket->v[i]]++] = due->v[i];
	for (size_t i = 0, b = 0; b <= h->nmarks; b++) {
		h->now.since = since;
		for (; i < end[b]; i++) {
			look_ahead(h, due->v + n + i, due->n - i);
			if (turn(h, due->v[n + i]) < 0)
				return -1;
		}
		if (b == h->nmarks)
			break;
		since = h->marks[b].time > since ? h->marks[b].time : since;
		h->now.since = h->marks[b].time;
		if (turn(h, h->marks[b].number) < 0)
			return -1;
	}
	return 1;
}

/* Decide all up to that time. */
static int
settle(struct hold *h, uint64_t limit)
{
	h->nmarks = 0;
	if (pp_round_release(h->round, limit) < 0 || (h->others.n && decide_others(h, limit) < 0) || emit(h) < 0)
		return -1;
	pp_round_reclaim(h->round);
	h->flushed = limit > h->flushed ? limit : h->flushed;
	return 1;
}

/* Over the limit: decide as much as is at least as old as a third of the blocks. */
static int
settle_early(struct hold *h)
{
	uint64_t limit = store_latest(&h->store, (h->store.nblocks + 2) / 3);

	if (settle(h, limit) < 0)
		return -1;
	h->early_limit = limit > h->early_limit ? limit : h->early_limit;
	return 1;
}

/* ---- room ---------------------------------------------------------------------------------------- */

static size_t
memory_used(const struct hold *h)
{
	return store_memory(&h->store) + pp_round_memory(h->round) + h->capmarks * sizeof *h->marks +
	    (h->others.cap + h->own.cap + h->due.cap + h->bucket.cap + h->end.cap) * sizeof *h->others.v + h->user.more(h->user.arg);
}

/*
 * Would `more' bytes be too much?  Arrays stay as large as they once were, so records must be worth a part of it too, lest
 * everything be decided as it comes.
 */
static bool
too_much(const struct hold *h, size_t more)
{
	return h->store.nblocks > 2 && store_block_bytes(&h->store) > h->memory / 2 && memory_used(h) + more > h->memory;
}

/* Copy a record and give it a number, which is h->store.next - 1 then. */
static struct held *
append(struct hold *h, const struct pp_rec *r, uint64_t time)
{
	struct store *s = &h->store;
	struct held *e;

	if (store_full(s) && too_much(h, store_growth(s)) && settle_early(h) < 0)
		return NULL;
	if ((store_full(s) && store_grow(s) < 0) || !(e = store_put(s, r, time))) {
		if (!h->failed)
			no_memory(h);
		return NULL;
	}
	e->off = pp_offset(h->in, h->stands);
	return e;
}

/* ---- records --------------------------------------------------------------------------------------- */

/* Emit the record from where it is, when nothing is held. */
static int
pass(struct hold *h, const struct pp_rec *r, int verdict)
{
	h->store.first = ++h->store.next;
	if (verdict == 0 || h->user.emit(h->user.arg, r, verdict, true) > 0)
		return 1;
	h->failed = true;
	return -1;
}

/* By perf's rule: up to the latest time that was known at the one before. */
static int
finished_round(struct hold *h)
{
	if (!h->waits)
		return emit(h);
	if (settle(h, h->limit) < 0)
		return -1;
	h->limit = h->max;
	return 1;
}

static int
emit_own(struct hold *h, const struct pp_rec *r)
{
	if (h->user.emit(h->user.arg, r, HOLD_OWN, true) > 0)
		return 1;
	h->failed = true;
	return -1;
}

/*
 * A payload has to be fetched now.  Its record has no time, and a reader takes it in as it comes, so it may go out in front
 * of those that wait.  Records of perf's own that came before it may explain it (AUXTRACE_INFO, HEADER_ATTR): they go first.
 */
static int
overtake(struct hold *h, const struct pp_rec *r)
{
	struct held *e;
	struct pp_rec before;

	if (!(e = append(h, &(struct pp_rec){ .raw = r->raw }, 0)))
		return -1;
	e->verdict = 0;
	for (size_t i = 0; i < h->own.n; i++) {
		if (h->own.v[i] < h->store.first)
			continue;
		e = store_at(&h->store, h->own.v[i]);
		before = record(h, e->raw);
		e->verdict = 0;
		if (emit_own(h, &before) < 0)
			return -1;
	}
	h->own.n = 0;
	return emit_own(h, r);
}

static int
put_own(struct hold *h, const struct pp_rec *r)
{
	struct numbers *own = &h->own;
	struct held *e;

	if (h->store.first == h->store.next)
		return pass(h, r, HOLD_OWN);
	if (r->payload)
		return overtake(h, r);
	if (!(e = append(h, r, 0)))
		return -1;
	e->verdict = HOLD_OWN;
	if (r->type == PP_FINISHED_ROUND)
		return finished_round(h);
	if (r->type == PP_FINISHED_INIT)	/* its place means something, too */
		return 1;
	if (own->n && own->v[own->n - 1] < h->store.first)
		own->n = 0;
	if (room(h, own, own->n + 1) < 0)
		return -1;
	own->v[own->n++] = h->store.next - 1;
	return 1;
}

/* One that perf delivers at once. */
static int
put_untimed(struct hold *h, const struct pp_event *ev, const struct pp_rec *r)
{
	struct held *e;
	int verdict;

	h->now.since = UINT64_MAX;
	if (h->store.first == h->store.next) {
		h->now.nr = h->store.next + 1;
		h->now.offset = pp_offset(h->in, h->stands);
		verdict = h->user.decide(h->user.arg, ev, r);
		return verdict < 0 ? -1 : pass(h, r, verdict);
	}
	if (!(e = append(h, r, 0)))
		return -1;
	e->event = ev->index;
	decide(h, e, h->store.next - 1);
	return h->bad ? -1 : 1;
}

static int
put_timed(struct hold *h, const struct pp_event *ev, const struct pp_rec *r, uint64_t time)
{
	struct held *e = append(h, r, time);
	uint64_t number = h->store.next - 1;

	if (!e)
		return -1;
	e->event = ev->index;
	e->verdict = WAITS;
	if (!h->waits++ || time > h->max)
		h->max = time;
	h->early += time < h->early_limit;
	h->min = time < h->min ? time : h->min;
	/* One that is late has a place of its own, too. */
	if (h->user.ordered[r->type] || time < h->flushed) {
		if (pp_round_add(h->round, time, &number, sizeof number) < 0)
			return -1;
	} else {
		if (h->others.n == h->others.cap && room(h, &h->others, h->others.n + 1) < 0)
			return -1;
		h->others.v[h->others.n++] = number;
	}
	return number % 256 == 0 && too_much(h, 0) ? settle_early(h) : 1;
}

int
hold_put(struct hold *h, const struct pp_rec *r, const struct pp_rec *stands)
{
	const struct pp_event *ev;
	uint64_t time;

	if (h->failed || h->bad)
		return -1;
	h->stands = stands;
	if (r->type >= PP_USER_TYPE_START)
		return put_own(h, r);
	if (!(ev = pp_event_find(h->in->events, r, h->err)))
		return -1;
	if (!pp_time(ev, r, h->in->swap, &time))
		return put_untimed(h, ev, r);
	if (h->user.arrive(h->user.arg, ev, r) == 0)
		return 1;
	return put_timed(h, ev, r, time);
}

int
hold_finish(struct hold *h)
{
	return h->failed || settle(h, UINT64_MAX) < 0 || h->bad ? -1 : 1;
}

const struct hold_place *
hold_place(const struct hold *h)
{
	return &h->now;
}

uint64_t
hold_early(const struct hold *h)
{
	return h->early;
}

static int
flush(void *arg)
{
	struct hold *h = arg;

	if (h->user.flush(h->user.arg) > 0)
		return 1;
	h->failed = true;		/* the sink has said why */
	return -1;
}

struct hold *
hold_new(struct pp_source *in, const struct hold_user *user, size_t memory, struct pp_err *err)
{
	struct hold *h = calloc(1, sizeof *h);

	if (!h) {
		pp_fail(err, "out of memory");
		return NULL;
	}
	h->in = in;
	h->user = *user;
	h->err = err;
	h->memory = memory;
	h->store.flush = flush;
	h->store.arg = h;
	h->min = UINT64_MAX;
	if (!(h->round = pp_round_new(deliver, h, err))) {
		free(h);
		return NULL;
	}
	return h;
}

void
hold_free(struct hold *h)
{
	if (!h)
		return;
	pp_round_free(h->round);
	store_free(&h->store);
	free(h->others.v);
	free(h->own.v);
	free(h->due.v);
	free(h->bucket.v);
	free(h->end.v);
	free(h->marks);
	free(h);
}
