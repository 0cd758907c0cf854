/* SPDX-License-Identifier: ISC */
#include "decide.h"
#include "keys/payload_field.h"
#include "source/formats.h"

/*
 * Before the first record of the kernel all events are known: report a field in --filter that no event records before much is
 * written.
 */
static void
check_fields(struct decide *d)
{
	d->checked = true;
	expr_bind(d->o->expr, d->t, d->t->in);
	if (d->o->windows)
		windows_bind(d->o->windows, d->t);
	if (expr_reads_payloads(d->o->expr) || (d->o->windows && windows_read_payloads(d->o->windows)))
		field_formats_warn(&(struct field_stream){ .events = d->t->in->events, .tracing = pp_formats(d->t->in) }, d->t);
}

/* Before the first sample or record that keys apply to, all events and their names are known. */
static void
bind(struct decide *d)
{
	d->bound = true;
	select_bind(&d->o->sel, d->t, &d->o->drop.events);
	if (d->o->keys)
		state_keys_bind(d->o->keys, d->t, d->t->in);
	if (!d->checked)
		check_fields(d);
	if (d->o->payload)
		payload_tasks_bind(d->o->payload, d->t);
	if (d->o->explain)
		expr_explain(d->o->expr, d->held, stderr);
}

/* Do all names in options match already, so that bind() need not wait for the first sample? */
static bool
is_found(const struct decide *d)
{
	const struct selection *s = &d->o->sel;
	const struct pp_events *e = d->t->in->events;

	return e->n && !s->times.needs_first && !s->times.needs_last && !s->times.needs_wall && select_has_names(e, &s->event) &&
	    select_has_names(e, &s->no_event) && select_has_names(e, &d->o->drop.events) &&
	    (!d->o->keys || state_keys_found(d->o->keys, e));
}

void
decide_head(struct decide *d, const struct pp_rec *r)
{
	if (r->type == PP_SAMPLE || (r->type < PP_USER_TYPE_START && is_found(d)))
		bind(d);
}

void
decide_head_end(struct decide *d)
{
	const struct times *t = &d->o->sel.times;

	if (d->t->in->events->n && !t->needs_first && !t->needs_last && !t->needs_wall)
		bind(d);
}

/* Set `about', except for the record.  Not inlined: mostly the first record needs it, and decide_filter() is for each. */
static void __attribute__((noinline))
fill_about(struct decide *d, const struct pp_event *ev, const struct pp_rec *r)
{
	bool places = expr_needs_place(d->o->expr);
	uint64_t time;

	if (!d->bound)
		bind(d);
	if (!d->about.start && r->type == PP_SAMPLE && pp_time(ev, r, d->swap, &time))
		d->about.start = time;
	if (places) {
		d->about.nr = d->nr - d->made;
		d->about.offset = d->copied ? d->offset : pp_offset(d->t->in, r);
	}
	d->about_complete = !places && (d->about.start || !expr_needs_start(d->o->expr));
}

int
decide_filter(struct decide *d, const struct pp_event *ev, const struct pp_rec *r, int by_keys)
{
	enum expr_result result;

	if (!d->about_complete)
		fill_about(d, ev, r);
	d->about.ev = ev;
	d->about.r = r;
	if (expr_match(d->o->expr, &d->about, &result, &d->t->in_err) < 0)
		return -1;
	if (result == EXPR_NO)
		return NOT_FILTER;
	if (result == EXPR_YES)
		return by_keys;
	return r->type == PP_SAMPLE ? UNKNOWN_FILTER : LACKS_FIELD;
}

/* A key by history rejects a record: is it a sched_switch, and the key one of tasks? */
static void
note_switch(struct decide *d, const struct pp_event *ev, const struct pp_rec *r, int why)
{
	if (why != NOT_DSO && why > KEPT && r->type == PP_SAMPLE && payload_is_switch(ev))
		d->o->sel.switch_dropped = true;
}

/*
 * Does a sample, or a record that keys apply to, match?  KEPT, NOT_..., UNKNOWN_FILTER or LACKS_FIELD; -1: it is invalid.  A
 * sample for which --filter is unknown is not selected, with --invert neither.
 */
static int
match(struct decide *d, const struct pp_event *ev, const struct pp_rec *r)
{
	struct options *o = d->o;
	int why = select_match(&o->sel, d->t, ev, r), by_state = KEPT;

	if (why != KEPT && why != LACKS_FIELD)
		return why;
	if (state_keys_select(o->keys))
		by_state = state_keys_match(o->keys, d->state, ev, r, &d->t->in_err);
	if (by_state == KEPT && o->payload && r->type == PP_SAMPLE)
		by_state = payload_tasks_match(o->payload, &o->sel, o->keys, ev, r, d->gap && !o->sel.invert, &d->t->in_err);
	else if (by_state != KEPT && !o->sel.switch_dropped)
		note_switch(d, ev, r, by_state);
	if (by_state != KEPT && o->expr && o->payload && payload_tasks_waits(o->payload)) {
		if ((why = decide_filter(d, ev, r, KEPT)) < 0)
			return -1;
		if (why != KEPT)
			payload_tasks_rejected(o->payload);
	}
	if (by_state != KEPT)
		why = by_state;
	if (o->expr && (why == KEPT || why == LACKS_FIELD))
		why = decide_filter(d, ev, r, why);
	return why;
}

static bool
wanted(void *arg, const struct pp_event *ev)
{
	return select_names(arg, ev);
}

int
decide_thin(struct decide *d, const struct pp_event *ev, const struct pp_rec *r)
{
	const struct thin *o = &d->o->thin;
	int why;

	if ((why = thin_sample(d->thinner, ev, r)) < 0)
		return pp_fail_memory(&d->t->in_err);
	if (why == OVER_MAX && o->stop)
		d->full = thin_full(d->thinner, wanted, &d->o->sel);
	return why;
}

/* The verdict on a sample, or a record that keys apply to. */
static int
decide_selected(struct decide *d, const struct pp_event *ev, const struct pp_rec *r)
{
	struct options *o = d->o;
	int window = KEPT, why;

	if (!d->bound)
		bind(d);
	if (o->windows && (window = windows_match(o->windows, ev, r, d->marked)) != KEPT && window != LACKS_FIELD)
		return window;
	if ((why = match(d, ev, r)) < 0)
		return why;
	if (why == KEPT && window == LACKS_FIELD)
		why = LACKS_FIELD;
	if (why == LACKS_FIELD) {
		why = KEPT;
		d->shared = r->type != PP_SAMPLE;
	} else if (o->sel.invert && why != UNKNOWN_FILTER)
		why = why == KEPT ? INVERTED : KEPT;
	if (why != KEPT || r->type != PP_SAMPLE)
		return why;
	if (o->keys && !state_keys_switched(o->keys, ev))
		return SWITCHED_OFF;
	return d->thinner ? decide_thin(d, ev, r) : KEPT;
}

/* The map of the kernel: is it that of --kallsyms?  1, or -1: it is not. */
static int
check_kernel(struct decide *d, const struct pp_rec *r)
{
	char why[KALLSYMS_WHY];

	if (!kallsyms_is_map(r))
		return 1;
	d->kernel_seen = true;
	if (!kallsyms_differs(&d->o->kernel, r, d->swap, why))
		return 1;
	return pp_fail(&d->t->in_err, "--kallsyms: %s", why);
}

int
decide_record(struct decide *d, const struct pp_event *ev, const struct pp_rec *r)
{
	struct selection *s = &d->o->sel;
	int why = KEPT;

	if (d->o->expr && !d->checked)
		check_fields(d);
	d->shared = true;
	if (d->o->functions && check_kernel(d, r) < 0)
		return -1;
	if (s->type && !s->type[r->type] && (s->no_sideband || !pp_type_is(r->type, SELECT_SIDEBAND | PP_CLASSES_LOSS)))
		why = NOT_TYPE;
	else if (r->type == PP_SAMPLE || pp_type_is(r->type, PP_CLASSES_LIKE_SAMPLES & ~(s->has_aux ? PP_CLASS_BIT(SWITCH) : 0))) {
		d->shared = false;
		why = decide_selected(d, ev, r);
	} else if (pp_type_is(r->type, SELECT_SIDEBAND)) {
		if ((r->type == PP_COMM || r->type == PP_FORK) && s->keys & BY_TASK && !s->task_seen)
			select_note_task(s, r, d->swap);
		why = s->no_sideband && !s->type ? NOT_SIDEBAND : KEPT;
	}
	if (why >= 0)
		(r->type == PP_SAMPLE ? d->samples : d->records)[why]++;
	return why;
}

bool
decide_guesses(const struct options *o)
{
	return state_keys_select(o->keys) && !state_keys_switches(o->keys) && !o->sel.type && !o->expr && !o->windows && !o->payload &&
	    !thin_any(&o->thin);
}

/* Is it selected by the keys in the record? */
bool
decide_selects(const struct decide *d, const struct pp_event *ev, const struct pp_rec *r)
{
	return select_sample(&d->o->sel, ev, r, d->swap) == KEPT;
}

int
decide_start(struct decide *d, struct tool *t, struct options *o, struct pp_state *state)
{
	d->t = t;
	d->o = o;
	d->swap = t->in->swap;
	d->state = state;
	d->about.state = state;
	d->quick = !o->sel.type && !o->payload && !expr_needs_state(o->expr) && !o->keys && !o->windows;
	if (thin_any(&o->thin) && !(d->thinner = thinner_new(&o->thin, t->in)))
		return pp_fail_memory(&t->in_err);
	if (o->payload)
		payload_tasks_start(o->payload, t->in, state, o->keys, o->sideband == SIDEBAND_NEEDED);
	if ((o->expr || o->windows || o->payload || anon_any(&o->anon)) && pp_keep_formats(t->in) < 0)
		return pp_fail_memory(&t->in_err);
	return 1;
}

void
decide_end(struct decide *d)
{
	thinner_free(d->thinner);
}
