/* SPDX-License-Identifier: ISC */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "record/meaning.h"
#include "record/raw.h"
#include "set.h"
#include "state/round.h"
#include "merge_order.h"

enum {
	DUE = 256 << 10,		/* bytes after which a release pays */
	DUE_PART = 16,			/* and this share of the queue, since a release examines all of it */
	HELD_MIN = 128 << 10, HELD_MAX = 4 << 20,
	CHECK_EVERY = 16 << 10,		/* bytes of input between two checks of the memory in use */
	TAG_SHIFT = 8,			/* types of records with a time are small: the number of the input is above them */
};

struct held {
	uint64_t	 after;		/* it is put after records of this time, before newer ones */
	uint64_t	 payload;	/* bytes that are still in the source */
	uint16_t	 size;
};

/* ---- records with a time ----------------------------------------------------------------------- */

static bool
order_swapped(const struct merge_order *m)
{
	return m->e.swap;
}

/* Queue the record, with the number of its input in its type. */
static int
order_queue(struct merge_order *m, unsigned i, const struct pp_event *ev, const struct pp_rec *r, uint64_t time, bool stamp)
{
	uint8_t *copy;

	if (stamp ? emit_add_stamped(&m->e, ev, r, time, &copy) < 0 : pp_round_add_copy(m->e.round, time, r->raw, r->size, &copy) < 0)
		return -1;
	pp_set_u32(copy, r->type | i << TAG_SHIFT, order_swapped(m));
	m->in[i].waiting++;
	m->added += r->size;
	if ((m->unchecked += r->size) < CHECK_EVERY)
		return 1;
	m->unchecked = 0;
	if (!emit_is_full(&m->e))
		return 1;
	return order_release(m) < 0 ? -1 : emit_bound(&m->e);
}

/* ---- records without a time -------------------------------------------------------------------- */

/* Copy the payload of the last record from its source, which ends if it fails.  1, or -1. */
static int
order_put_payload(struct merge_order *m, unsigned i, uint64_t left)
{
	struct pp_source *src = join_input(m->j, i);
	const uint8_t *p;
	size_t n;

	while (left && pp_payload(src, &p, &n) > 0) {
		if (pp_put_copy(m->t->out, p, n) < 0)
			return -1;
		left -= n;
	}
	if (!left)
		return 1;
	join_end(m->j, i);
	return emit_fill(&m->e, left);
}

static int
order_put_untimed(struct merge_order *m, unsigned i, const uint8_t *raw, const struct held *h)
{
	struct pp_rec r = { .raw = raw, .size = h->size, .payload = h->payload,
	    .type = PP_RAW_GET(raw, header, type, order_swapped(m)), .misc = PP_RAW_GET(raw, header, misc, order_swapped(m)) };

	int rc = 1;

	if (m->watches)
		join_watch(m->j, i, &r, 0);
	if (m->known && !r.payload && (rc = known_take(m->known, i, (uint8_t *)(uintptr_t)raw, 0)) <= 0)
		return rc < 0 ? -1 : 1;
	if (join_is_again(m->j, i, &r))
		return 1;
	/* A reader delivers this record at once: let it deliver those before, also of other inputs, first. */
	if ((m->e.fresh && emit_catch_up(&m->e) < 0) || pp_put_copy(m->t->out, raw, r.size) < 0)
		return -1;
	return order_put_payload(m, i, r.payload);
}

int
order_put_held(struct merge_order *m, unsigned i, uint64_t time)
{
	struct merge_input *in = &m->in[i];

	while (in->at < in->n) {
		struct held h;

		memcpy(&h, in->held + in->at, sizeof h);
		if (h.after >= time)
			return 1;
		in->at += sizeof h + h.size;
		if (order_put_untimed(m, i, in->held + in->at - h.size, &h) < 0)
			return -1;
	}
	in->at = in->n = 0;
	in->stalled = false;
	return 1;
}

static int
order_hold(struct merge_order *m, unsigned i, const struct pp_rec *r)
{
	struct merge_input *in = &m->in[i];
	struct held h = { in->bound, r->payload, r->size };
	size_t need = sizeof h + r->size;

	if (in->at > in->cap / 2) {
		in->n -= in->at;
		memmove(in->held, in->held + in->at, in->n);
		in->at = 0;
	}
	in->held = tool_need(buffer_more(in->held, &in->cap, in->n, need));
	memcpy(in->held + in->n, &h, sizeof h);
	memcpy(in->held + in->n + sizeof h, r->raw, r->size);
	in->n += need;
	/* The payload must be read before the next record; or `held' is full. */
	in->stalled |= r->payload || in->n - in->at > m->held_max;
	if (m->how->untimed == UNTIMED_FIRST)
		return order_put_held(m, i, UINT64_MAX);
	return 1;
}

/* ---- the order --------------------------------------------------------------------------------- */

/* The input has ended, and its records with a time are put. */
static int
order_put_last(struct merge_order *m, unsigned i)
{
	if (m->in[i].n && order_put_held(m, i, UINT64_MAX) < 0)
		return -1;
	if (m->watches)
		join_watch_end(m->j, i);
	if (m->known)
		known_end(m->known, i);
	return 1;
}

int
order_put_timed(struct merge_order *m, const struct tie *e, uint64_t time)
{
	struct merge_input *in = &m->in[e->in];
	struct pp_rec r = { .raw = e->p, .size = e->size, .type = PP_RAW_GET(e->p, header, type, order_swapped(m)),
	    .misc = PP_RAW_GET(e->p, header, misc, order_swapped(m)) };

	if (in->n && order_put_held(m, e->in, time) < 0)
		return -1;
	if (m->watches)
		join_watch(m->j, e->in, &r, time);
	if (!join_is_again(m->j, e->in, &r) && !e->again && !emit_is_twice(&m->e, time, e->p, e->size)) {
		int rc = m->known && known_wants(m->known, r.type) ? known_take(m->known, e->in, (uint8_t *)(uintptr_t)e->p, time) : 1;

		if (rc < 0 || (rc && emit_put(&m->e, e->p, e->size, e->stable) < 0))
			return -1;
	}
	return --in->waiting || !in->ended ? 1 : order_put_last(m, e->in);
}

/* Gets the records that the queue or the spill releases. */
static int
order_to_ties(void *arg, uint64_t time, const uint8_t *p, size_t n, bool stable)
{
	struct merge_order *m = arg;
	uint32_t type = pp_get_u32(p, order_swapped(m));
	struct tie e = { .p = p, .in = type >> TAG_SHIFT, .size = (uint16_t)n, .stable = stable };

	/* The bytes are a copy, and are released only once. */
	type &= (1 << TAG_SHIFT) - 1;
	pp_set_u32((uint8_t *)(uintptr_t)p, type, order_swapped(m));
	e.state = m->known && pp_type_is(type, PP_CLASSES_STATE);
	if (m->ties.n && time < m->ties.time)	/* late */
		return order_put_timed(m, &e, time);
	if (time > m->ties.time && order_put_ties(m) < 0)
		return -1;
	m->ties.time = time;
	return order_add_tie(m, &e);
}

/* The same for many.  Most are samples without another record of their time, which only have to be written. */
static int
order_many(void *arg, const struct pp_waiting *w, uint8_t *const *p, size_t n)
{
	struct merge_order *m = arg;
	bool plain = !m->watches && !m->how->unique && !(m->known && known_wants(m->known, PP_SAMPLE)), swap = order_swapped(m);
	struct iovec v[PP_ROUND_MANY];
	size_t nv = 0, bytes = 0;

	for (size_t i = 0; i < n; i++) {
		uint32_t type = pp_get_u32(p[i], swap);
		struct merge_input *in = &m->in[type >> TAG_SHIFT];

		if (m->ties.n && w[i].time > m->ties.time && order_put_ties(m) < 0)
			return -1;
		if (plain && type % (1 << TAG_SHIFT) == PP_SAMPLE && !m->ties.n && i + 1 < n && w[i + 1].time > w[i].time && !in->n &&
		    (in->waiting > 1 || !in->ended)) {
			pp_set_u32(p[i], PP_SAMPLE, swap);
			in->waiting--;
			v[nv++] = (struct iovec){ p[i], pp_waiting_size(&w[i]) };
			bytes += pp_waiting_size(&w[i]);
			continue;
		}
		if (emit_put_pieces(&m->e, v, nv, bytes) < 0 || order_to_ties(m, w[i].time, p[i], pp_waiting_size(&w[i]), true) < 0)
			return -1;
		nv = bytes = 0;
	}
	return emit_put_pieces(&m->e, v, nv, bytes);
}

/* The bound of input i has grown, or it has ended: find the smallest bound, and the first input with it. */
static void
order_raised(struct merge_order *m, unsigned i)
{
	if (i != m->first)
		return;
	m->first = m->n;
	m->bound = UINT64_MAX;
	for (unsigned k = 0; k < m->n; k++)
		if (!m->in[k].ended && (m->first == m->n || m->in[k].bound < m->bound)) {
			m->first = k;
			m->bound = m->in[k].bound;
		}
}

int
order_release(struct merge_order *m)
{
	uint64_t bound = m->bound;
	unsigned first = m->first;

	m->added = 0;
	if (emit_release(&m->e, bound) < 0)
		return -1;
	if (m->ties.n && (m->ties.time < bound || first == m->n ? order_put_ties(m) :
	    order_put_first_ties(m, first, m->in[first].stalled)) < 0)
		return -1;
	if (order_keep_ties(m) < 0)
		return -1;
	/* All records before its held ones are put. */
	if (first < m->n && m->in[first].stalled && order_put_held(m, first, UINT64_MAX) < 0)
		return -1;
	return emit_reclaim(&m->e);
}

bool
order_is_due(const struct merge_order *m)
{
	if (m->first < m->n && m->in[m->first].stalled)
		return true;
	return m->added >= DUE && m->added >= (pp_round_memory(m->e.round) + m->ties.used) / DUE_PART;
}

int
order_mark(struct merge_order *m)
{
	return m->e.fresh && m->e.unmarked ? emit_mark(&m->e) : 1;
}

/* ---- input ------------------------------------------------------------------------------------- */

static int
order_finished_round(struct merge_order *m, unsigned i)
{
	struct merge_input *in = &m->in[i];

	in->count.rounds++;
	in->count.idle_rounds += !in->count.timed;
	if (m->how->mode == SORT_ROUNDS) {
		in->bound = in->next;
		in->next = in->max;
		order_raised(m, i);
	}
	return 1;
}

static void
order_slide_window(struct merge_order *m, unsigned i)
{
	struct merge_input *in = &m->in[i];
	uint64_t window = m->how->window;
	uint64_t limit = in->max > window ? in->max - window - 1 : 0;

	if (limit > in->bound && limit - in->bound >= window / WINDOW_STEPS) {
		in->bound = limit;
		order_raised(m, i);
	}
}

static int
order_late(struct merge_order *m, unsigned i, const struct pp_event *ev, const struct pp_rec *r, uint64_t time, uint64_t last)
{
	m->in[i].count.late++;
	switch (m->how->late) {
	case LATE_DROP:
		return 1;
	case LATE_CLAMP:
		return order_queue(m, i, ev, r, last, true);
	case LATE_ERROR:
		join_refuse(m->j, i, r, "late: time %" PRIu64 ".%09" PRIu64 " after %" PRIu64 ".%09" PRIu64 " was written",
		    time / 1000000000, time % 1000000000, last / 1000000000, last % 1000000000);
		return 0;
	case LATE_EMIT:
		break;
	}
	return order_queue(m, i, ev, r, time, false);
}

int
order_take(struct merge_order *m, unsigned i, const struct pp_rec *r)
{
	struct merge_input *in = &m->in[i];
	uint64_t time, last = pp_round_last(m->e.round);
	const struct pp_event *ev;

	if (r->type == PP_FINISHED_ROUND)
		return order_finished_round(m, i);
	if (r->type >= PP_USER_TYPE_START) {
		in->count.others++;
		return order_hold(m, i, r);
	}
	if (!(ev = join_event(m->j, i, r)))
		return 0;
	if (!pp_time(ev, r, order_swapped(m), &time)) {
		in->count.untimed++;
		switch (m->how->untimed) {
		case UNTIMED_STAMP:
			if (in->prev)
				return order_queue(m, i, ev, r, in->prev > last ? in->prev : last, true);
			break;
		case UNTIMED_INPLACE: case UNTIMED_FIRST:
			break;
		}
		return order_hold(m, i, r);
	}
	in->count.timed++;
	in->prev = time;
	if (in->disorder)
		disorder_add(in->disorder, time);
	if (time > in->max)
		in->max = time;
	if (m->how->mode == SORT_WINDOW)
		order_slide_window(m, i);
	return time < last ? order_late(m, i, ev, r, time, last) : order_queue(m, i, ev, r, time, false);
}

int
order_end(struct merge_order *m, unsigned i)
{
	m->in[i].ended = true;
	order_raised(m, i);
	return m->in[i].waiting ? 1 : order_put_last(m, i);
}

int
order_finish(struct merge_order *m)
{
	for (unsigned i = 0; i < m->n; i++)
		if (!m->in[i].ended && order_end(m, i) < 0)
			return -1;
	return order_release(m) < 0 ? -1 : order_mark(m);
}

/* ---- the whole --------------------------------------------------------------------------------- */

int
order_open(struct merge_order *m, struct tool *t, struct join *j, const struct sort_how *how, struct spill *spill,
    struct pp_err *err)
{
	unsigned n = join_inputs(j);
	size_t part = how->memory / 16;

	*m = (struct merge_order){ .t = t, .j = j, .how = how, .n = n, .watches = join_watches(j) };
	m->in = tool_alloc(n, sizeof *m->in);
	for (unsigned i = 0; how->stats && i < n; i++)
		m->in[i].disorder = tool_alloc(1, sizeof *m->in[i].disorder);
	m->held_max = part / n < HELD_MIN ? HELD_MIN : part / n > HELD_MAX ? HELD_MAX : part / n;
	m->ties.cap = part / sizeof *m->ties.e;
	m->ties.e = tool_alloc(m->ties.cap, sizeof *m->ties.e);
	m->ties.order = tool_alloc(m->ties.cap, sizeof *m->ties.order);
	m->ties.space = part < PP_RECORD_MAX ? PP_RECORD_MAX : part;
	m->ties.copy = tool_alloc(m->ties.space, 1);
	if (emit_open(&m->e, t, how, spill, err) < 0)
		return -1;
	if (n > 1 && !(m->known = known_new(n, join_source(j)->events, err)))
		return pp_fail_memory(err);
	m->e.swap = join_source(j)->swap;
	m->e.limit -= 2 * part + m->ties.cap * sizeof *m->ties.order;
	m->e.to = order_to_ties;
	m->e.many = order_many;
	m->e.arg = m;
	emit_many(&m->e);
	return 1;
}

void
order_close(struct merge_order *m)
{
	for (unsigned i = 0; i < m->n; i++) {
		free(m->in[i].held);
		free(m->in[i].disorder);
	}
	free(m->in);
	free(m->ties.e);
	free(m->ties.order);
	free(m->ties.copy);
	known_free(m->known);
	emit_close(&m->e);
}

void
order_say(const struct merge_order *m)
{
	struct emit_counts all = { 0 };
	struct disorder *d = m->how->stats ? m->in[0].disorder : NULL;

	for (unsigned i = 0; i < m->n; i++) {
		const struct emit_counts *c = &m->in[i].count;

		emit_say(&m->e, join_name(m->j, i), c);
		all.timed += c->timed;
		all.untimed += c->untimed;
		all.others += c->others;
		all.rounds += c->rounds;
		all.idle_rounds += c->idle_rounds;
		all.late += c->late;
		if (i && d)
			disorder_merge(d, m->in[i].disorder);
	}
	if (d)
		emit_say_stats(&m->e, &all, d);
}
