/* SPDX-License-Identifier: ISC */
#include <stdlib.h>

#include "filter.h"
#include "out/period.h"
#include "record/mark.h"
#include "sink/sink.h"
#include "source/leave_out.h"
#include "source/source.h"

/* ---- one record ---------------------------------------------------------------------------------- */

/* Update the state of tasks, even if the record itself is dropped: later verdicts depend on it.  1, or -1. */
static int
filter_learn(struct filter *f, const struct pp_event *ev, const struct pp_rec *r)
{
	if (!f->state || !pp_state_wants(r->type))
		return 1;
	if (f->o->keys)
		state_keys_comes(f->o->keys, f->state, ev, r);
	if (pp_state_feed(f->state, r, pp_has_trailer(ev, r) ? ev->plan.trailer : 0) < 0)
		return -1;
	if (f->o->tasks && f->arrival)
		pp_arrival_elsewhere(f->arrival, pp_state_memory(f->state));
	if (f->o->payload && r->type == PP_FORK)
		payload_tasks_fork(f->o->payload, r, false);
	if (f->o->keys && state_keys_feed(f->o->keys, f->state, r) < 0)
		return pp_fail_memory(&f->t->in_err);
	return 1;
}

/* Close the slot of records to write before this one, and store its number in the verdict.  1, or -1. */
static int
filter_close_front(struct filter *f, struct pp_verdict *v)
{
	int front = front_close(&f->front);

	if (front < 0)
		return pp_fail_memory(&f->t->in_err);
	v->front = (uint32_t)front;
	return 1;
}

/* The verdict on a side-band record that is kept: which sides need it. */
static int
filter_decide_sideband(struct filter *f, const struct pp_event *ev, const struct pp_rec *r, struct pp_verdict *v)
{
	int to = BOTH, needed;

	v->to = BOTH;
	if (!pp_state_wants(r->type))
		return 1;
	for (int i = 0; i < f->nsides; i++) {
		if (!f->side[i].needed || f->o->sel.has_aux)
			continue;
		front_side(&f->front, i);
		if ((needed = needed_sideband(f->side[i].needed, ev, r, front_put, &f->front)) < 0)
			return pp_fail_memory(&f->t->in_err);
		to &= ~(!needed << i);
	}
	v->to = (uint8_t)(f->nsides == 1 ? to & MAIN : to);
	if (filter_close_front(f, v) < 0 || filter_learn(f, ev, r) < 0)
		return -1;
	for (int i = 0; i < f->nsides; i++)
		if (f->side[i].needed)
			needed_learned(f->side[i].needed, r);
	if (!(to & MAIN)) {
		f->decide.records[KEPT]--;
		f->decide.records[NOT_SIDEBAND]++;
	}
	return 1;
}

/* The verdict on a record that belongs to both sides: side-band, and records that no option can reject. */
static int
filter_decide_shared(struct filter *f, const struct pp_event *ev, const struct pp_rec *r, int why, struct pp_verdict *v)
{
	if (why == KEPT && f->state)
		return filter_decide_sideband(f, ev, r, v);
	v->to = why == KEPT ? BOTH : why == NOT_SIDEBAND || f->nsides == 1 ? 0 : REST;
	return why == KEPT ? 1 : filter_learn(f, ev, r);
}

/* Put an older switch in front of a sample that needs it.  1, or -1. */
static int
filter_payload(struct filter *f, const struct pp_rec *r, bool kept)
{
	struct pp_rec older;

	if (f->o->sel.invert)
		return 1;
	if (payload_tasks_verdict(f->o->payload, r, kept, &older) < 0 || (older.raw && front_put(&f->front, &older) < 0))
		return pp_fail_memory(&f->t->in_err);
	return 1;
}

/* With --sideband=needed: write the names of the tasks that a kept sample's payload names.  1, or -1. */
static int
filter_needed_names(struct filter *f, int side, const struct pp_event *ev, const struct pp_rec *r, uint64_t since)
{
	size_t n;
	const struct payload_task *task = payload_tasks_named(f->o->payload, &n);

	for (size_t i = 0; i < n; i++)
		if (needed_name(f->side[side].needed, ev, r, task[i].tid, task[i].selected, since, front_put, &f->front) < 0)
			return -1;
	return 1;
}

/* --sideband=needed: what a kept sample needs, which is about to become one of another task if it has the length of a span.  1, or -1. */
static int
filter_needs(struct filter *f, int side, const struct pp_event *ev, const struct pp_rec *r, uint64_t since, const struct span_length *length)
{
	struct pp_rec as = *r;

	if (!f->side[side].needed || f->o->sel.has_aux)
		return 1;
	if (length && measured_sample(f->measured, ev, &as, length, f->t->in->swap, &f->t->in_err) < 0)
		return -1;
	front_side(&f->front, side);
	if (needed_sample(f->side[side].needed, ev, &as, since, front_put, &f->front) < 0 ||
	    (f->o->payload && r->type == PP_SAMPLE && filter_needed_names(f, side, ev, &as, since) < 0))
		return pp_fail_memory(&f->t->in_err);
	return 1;
}

/* pp_arrival_user.turn: makes the verdict on a record, in time order if verdicts depend on it. */
int
filter_turn(void *arg, const struct pp_turn *at, const struct pp_event *ev, const struct pp_rec *r, struct pp_verdict *v)
{
	struct filter *f = arg;
	struct span_length length;
	bool measured;
	int why, side;

	if (f->arrival) {
		f->decide.nr = at->nr + f->left_out;
		f->decide.offset = at->offset;
		f->decide.marked = at->marks & MARK_WINDOW;
		f->decide.gap = at->marks & MARK_GAP;
	}
	measured = f->measured && f->decide.marked && windows_length(f->o->windows, at->nr, &length);
	if ((why = decide(&f->decide, ev, r)) < 0 || (f->o->payload && r->type == PP_SAMPLE && filter_payload(f, r, why == KEPT) < 0))
		return -1;
	if (f->decide.shared)
		return filter_decide_shared(f, ev, r, why, v);
	v->to = why == KEPT ? MAIN : REST;
	v->owed = f->o->thin.scale && why != KEPT && decide_thinned((enum reason)why);
	/* The record is dropped and no total depends on it. */
	if (v->to == REST && f->nsides == 1 && !(r->type == PP_SAMPLE && f->events->reads)) {
		v->to = 0;
		v->owed = false;
		return 1;
	}
	side = v->to != MAIN;
	measured = measured && v->to == MAIN;
	if (side < f->nsides && filter_needs(f, side, ev, r, at->since, measured ? &length : NULL) < 0)
		return -1;
	if (measured)
		front_measure(&f->front, &length);
	if (f->o->thin.scale && v->to == MAIN)
		front_owe(&f->front, thin_owed(f->decide.thinner));
	return filter_close_front(f, v);
}

/* --span-period: what a kept sample becomes, and what is written in front of it.  1, or -1. */
static int
filter_measure(struct filter *f, const struct pp_event *ev, struct pp_rec *r, const struct front_more *more, bool *stable)
{
	const struct span_length *length = more->measured ? &more->length : NULL;
	struct pp_source *in = f->t->in;
	struct pp_rec unit;
	int rc = measured_note(f->measured, f->events, ev, r, length, &unit, &f->t->in_err);

	if (rc < 0 || (rc == 0 && side_put_other(&f->side[0], in, &unit, f->o->sel.has_aux, false) < 0))
		return -1;
	if (!length)
		return 1;
	*stable = false;
	return measured_sample(f->measured, ev, r, length, in->swap, &f->t->in_err);
}

/* Write a sample to its side; the totals of both sides account for it. */
static int
filter_emit_sample(struct filter *f, const struct pp_rec *r, const struct pp_verdict *v, const struct front_more *more, bool stable)
{
	struct pp_rec copy = *r;
	const struct pp_event *ev = pp_event_find(f->events, r, &f->t->in_err);

	if (!ev)
		return -1;
	if (f->o->thin.scale && v->to & MAIN) {
		copy.raw = thin_scale(f->decide.thinner, ev, r, more->owed);
		stable = stable && copy.raw == r->raw;
	}
	if (f->measured && v->to & MAIN && filter_measure(f, ev, &copy, more, &stable) < 0)
		return -1;
	if (side_put_sample(&f->side[0], f->t, ev, &copy, v->to & MAIN, v->owed, stable) < 0)
		return -1;
	return f->nsides == 1 ? 1 : side_put_sample(&f->side[1], f->t, ev, r, v->to & REST, false, stable);
}

/* pp_before_refill(): the sinks may still refer to the buffer of the source, which is about to be overwritten. */
int
filter_flush(void *arg)
{
	struct filter *f = arg;

	for (int i = 0; i < f->nsides; i++)
		if (f->side[i].sink && pp_flush(f->side[i].sink) < 0)
			return -1;
	return 1;
}

int
filter_before_refill(void *arg)
{
	struct filter *f = arg;
	uint64_t total, done = pp_progress(f->t->in, &total);

	tool_progress(f->t, done, total);
	return filter_flush(f);
}

/* tee_put(): write a record with payload to one side. */
static int
filter_put_again(void *arg, int which, struct pp_source *in, const struct pp_rec *r)
{
	struct filter *f = arg;
	int rc;

	pp_before_refill(in, filter_before_refill, f);
	rc = side_put(&f->side[which], in, r, false);
	return filter_flush(f) < 0 ? -1 : rc;
}

/* Write what goes in front of a record, and get what else it stands for.  1, or -1. */
static int
filter_emit_front(struct filter *f, int front, struct front_more *more)
{
	struct pp_rec r;
	int side;

	for (size_t at = 0; front_get(&f->front, front, &at, &r, f->t->in->swap, &side); )
		if (side_put_other(&f->side[side], f->t->in, &r, f->o->sel.has_aux, false) < 0)
			return -1;
	*more = front_more(&f->front, front);
	front_free(&f->front, front);
	return 1;
}

/* pp_arrival_user.emit: write the records in front of this one, and this one. */
int
filter_emit(void *arg, const struct pp_rec *r, const struct pp_verdict *v, bool stable)
{
	struct filter *f = arg;
	static const struct front_more none;
	struct front_more more;
	int rc = 1;

	if (v->front && filter_emit_front(f, (int)v->front, &more) < 0)
		return -1;
	if (r->type == PP_SAMPLE && (f->events->reads || f->o->thin.scale || f->measured))
		return filter_emit_sample(f, r, v, v->front ? &more : &none, stable);
	if (r->payload && v->to == BOTH && f->tee)
		return tee_put(f->tee, f->t->in, r, f->nsides, filter_put_again, f, &f->t->in_err);
	for (int i = 0; rc > 0 && i < f->nsides; i++)
		if (v->to >> i & 1)
			rc = r->type == PP_SAMPLE ? side_put(&f->side[i], f->t->in, r, stable) :
			    side_put_other(&f->side[i], f->t->in, r, f->o->sel.has_aux, stable && r->type != PP_PIECE_MARK);
	return rc;
}

/* ---- the stream ---------------------------------------------------------------------------------- */

/* The recording has a hardware trace: keep all of it, or drop all of it. */
static void
filter_notice_trace(struct filter *f)
{
	const struct options *o = f->o;

	if (f->o->sel.has_aux || drop_trace(&o->drop) || o->columns.strip_aux)
		return;
	f->o->sel.has_aux = true;
	if (o->sel.keys || o->sel.decided_elsewhere)
		tool_warn(f->t, "samples are selected, but hardware trace cannot be cut: all of it is kept "
		    "(--drop-type aux,auxtrace,auxtrace_info removes it)");
}

/* Process a record of type 64 and up; false: drop it, since it would be wrong for the output. */
static bool
filter_notice(struct filter *f, const struct pp_rec *r)
{
	f->others++;
	if (f->decide.nr == f->decide.made + 1)
		f->decide.made += pp_made(f->t->in, r);
	if (r->type == PP_AUXTRACE_INFO)
		filter_notice_trace(f);
	if (f->o->expr)
		expr_learn(f->o->expr, r, f->t->in->swap);
	if (f->o->windows)
		windows_learn(f->o->windows, r);
	return r->type != PP_HEADER_FEATURE || select_feature(&f->o->sel, f->t, r);
}

/* An error that the source did not report has no offset yet: add that of the record. */
static int
filter_placed(struct filter *f, const struct pp_rec *r, int rc)
{
	return rc < 0 && f->t->in_err.what[0] && !f->t->in_err.at ? pp_reject(f->t->in, r) : rc;
}

/* A record that does not wait for its turn. */
static inline int
filter_at_once(struct filter *f, const struct pp_rec *r, bool stable)
{
	static const struct pp_turn now = { .since = UINT64_MAX };
	struct pp_verdict v = { .to = BOTH };
	const struct pp_event *ev;

	if (r->type < PP_USER_TYPE_START && (!(ev = pp_event_find(f->events, r, &f->t->in_err)) ||
	    filter_turn(f, &now, ev, r, &v) < 0))
		return -1;
	return v.to || v.front ? filter_emit(f, r, &v, stable) : 1;
}

/* A record for verdict and output, and the record of the source that it was made of, or is. */
static inline int
filter_new(struct filter *f, const struct pp_rec *r, const struct pp_rec *of)
{
	return f->arrival ? pp_arrival_put(f->arrival, r, of) : filter_at_once(f, r, r->raw == of->raw);
}

/* The same, with a PERIOD field if it is a sample that gets one. */
static int
filter_with_period(struct filter *f, const struct pp_rec *r)
{
	struct pp_rec new = *r;

	f->decide.offset = pp_offset(f->t->in, r);
	if (period_add(f->t->in, &new, f->with_period, &f->t->in_err) < 0)
		return -1;
	return filter_new(f, &new, r);
}

/* Process one record.  -1: the source, a change or a sink has failed, and has the error. */
static int
filter_record(struct filter *f, const struct pp_rec *r)
{
	f->decide.nr++;
	if (r->type >= PP_USER_TYPE_START && !filter_notice(f, r)) {
		f->left_out++;
		return 1;
	}
	return filter_placed(f, r, f->with_period ? filter_with_period(f, r) : filter_new(f, r, r));
}

/* Fast path for keys that need only the record: writes from the buffer of the source to the sink. */
static inline int
filter_record_plain(struct filter *f, struct pp_source *in, struct pp_sink *out, struct pp_err *err, const struct pp_rec *r)
{
	const struct pp_event *ev;
	int why;

	f->decide.nr++;
	if (r->type >= PP_USER_TYPE_START)
		return filter_notice(f, r) ? pp_put(out, in, r) : 1;
	if (!(ev = pp_event_find(in->events, r, err)) || (why = decide(&f->decide, ev, r)) < 0)
		return pp_reject(in, r);
	if (r->type == PP_SAMPLE && in->events->reads)
		return filter_placed(f, r, side_put_sample(&f->side[0], f->t, ev, r, why == KEPT, false, true));
	return why == KEPT ? pp_put(out, in, r) : 1;
}

/* The same for a record of the kernel that is held as it is. */
static inline int
filter_record_held(struct filter *f, const struct pp_rec *r)
{
	if (r->type >= PP_USER_TYPE_START)
		return filter_record(f, r);
	f->decide.nr++;
	return pp_arrival_put(f->arrival, r, r) > 0 ? 1 : filter_placed(f, r, -1);
}

/*
 * Process the head of the stream.  Output is held until names in options are found, so that an error in an option leaves no
 * partial output.  1, or -1.
 */
static int
filter_head(struct filter *f)
{
	struct tool *t = f->t;
	struct pp_rec r;
	int rc = 1, got = 1;

	while (rc > 0 && !f->decide.bound && !f->decide.full && (got = pp_next(t->in, &r)) > 0) {
		decide_head(&f->decide, &r);
		rc = filter_record(f, &r);
	}
	if (got == 0)
		decide_head_end(&f->decide);
	for (int i = 0; rc > 0 && i < f->nsides; i++)
		rc = side_let_go(&f->side[i]);
	return rc;
}

void
filter_run(struct filter *f)
{
	bool plain = !f->o->stats && !f->arrival && !f->state && !f->side[0].first && f->nsides == 1 && f->t->out && !f->o->thin.scale;
	struct tool *t = f->t;
	struct pp_source *in = t->in;
	struct pp_sink *out = t->out;
	struct pp_rec r;
	int rc = plain && f->o->sel.nothing ? side_let_go(&f->side[0]) : filter_head(f);

	if (plain && f->o->sel.nothing)
		while (rc > 0 && pp_next(in, &r) > 0)
			rc = pp_put(out, in, &r);
	else if (plain)
		while (rc > 0 && !f->decide.full && pp_next(in, &r) > 0)
			rc = filter_record_plain(f, in, out, &t->in_err, &r);
	else if (f->arrival && !f->with_period)
		while (rc > 0 && !f->decide.full && pp_next(in, &r) > 0)
			rc = filter_record_held(f, &r);
	else
		while (rc > 0 && !f->decide.full && pp_next(in, &r) > 0)
			rc = filter_record(f, &r);
	if (f->arrival)
		pp_arrival_finish(f->arrival);
	if (f->o->windows && !windows_finish(f->o->windows, t))
		t->failed = true;
	if (f->o->windows)
		f->decide.samples[NOT_SPAN] += windows_rejected(f->o->windows);
	if (t->verbose && !f->o->stats)
		windows_stats(f->o->windows, false, stderr);
	if (filter_early(f))
		tool_warn(t, "%llu records arrived after newer ones had to be decided early: --max-memory is too small for their "
		    "time order", (unsigned long long)filter_early(f));
	if (state_keys_pathless(f->o->keys))
		tool_warn(t, "%llu samples are of cgroups without a path: no CGROUP record has the id",
		    (unsigned long long)state_keys_pathless(f->o->keys));
	if (f->o->windows && filter_short(f))
		tool_warn(t, "%llu records had to be decided before all that is near them had arrived: --max-memory is too small for "
		    "the windows", (unsigned long long)filter_short(f));
	if (f->o->sel.switch_dropped && !f->measured)
		tool_warn(t, "samples of sched_switch were dropped by their task: perf sched will read this wrong; use --payload-tasks");
	if (f->o->payload)
		payload_tasks_end(f->o->payload, t);
	if (f->measured)
		measured_end(f->measured, t);
	for (int i = 0; i < f->nsides; i++)
		side_finish(&f->side[i]);
}
