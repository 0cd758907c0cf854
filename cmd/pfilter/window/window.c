/* SPDX-License-Identifier: ISC */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "record/meaning.h"
#include "window/in.h"

struct windows {
	struct around	*around, **last_around;
	struct pp_state	*state;		/* at the time of the record that is looked at; NULL: no expression needs it */
	struct pp_err	*err;
	struct look	 look;
	uint64_t	 decided;	/* no verdict on an older record is to come */
};

/* ---- options ------------------------------------------------------------------------------------- */

static enum window_key
window_key_named(const struct tool *t, const char *text)
{
	static const char *const names[] = { [CPU] = "cpu", [TID] = "tid", [PID] = "pid" };

	for (enum window_key k = CPU; k <= PID; k++)
		if (!strcmp(text, names[k]))
			return k;
	tool_wrong(t, "%s '%s': expected one of cpu, tid, pid", t->optname, text);
}

/* The ends of windows are sums of times: these stay far below 2^64. */
static uint64_t
window_length(const struct tool *t, const char *text)
{
	uint64_t ns = tool_duration(t, text);

	if (ns > INT64_MAX)
		tool_wrong(t, "%s '%s': too long", t->optname, text);
	return ns;
}

static struct around *
window_last_around(const struct windows *w, const struct tool *t)
{
	struct around *a = w->around;

	if (!a)
		tool_wrong(t, "%s: needs an --around in front of it", t->optname);
	while (a->next)
		a = a->next;
	return a;
}

struct windows *
windows_add(struct windows *w, const struct tool *t, enum window_option option, const char *text)
{
	struct around *a;

	if (!w) {
		w = tool_alloc(1, sizeof *w);
		w->last_around = &w->around;
	}
	if (option == WINDOW_AROUND) {
		a = *w->last_around = tool_alloc(1, sizeof *a);
		w->last_around = &a->next;
		a->expr = expr_add(NULL, t, "--around", text);
		return w;
	}
	a = window_last_around(w, t);
	switch (option) {
	case WINDOW_AROUND:	break;
	case WINDOW_BEFORE:	a->before = window_length(t, text); a->has_length = true; break;
	case WINDOW_AFTER:	a->after = window_length(t, text); a->has_length = true; break;
	case WINDOW_SAME:	a->same = window_key_named(t, text); break;
	}
	return w;
}

void
windows_ready(const struct windows *w, const struct tool *t)
{
	for (const struct around *a = w ? w->around : NULL; a; a = a->next)
		if (!a->has_length)
			tool_wrong(t, "--around: needs --before or --after, the length of the window");
}

static bool
windows_need(const struct windows *w, bool (*needs)(const struct expr *))
{
	for (const struct around *a = w ? w->around : NULL; a; a = a->next)
		if (needs(a->expr))
			return true;
	return false;
}

bool
windows_need_place(const struct windows *w)
{
	return windows_need(w, expr_needs_place);
}

bool
windows_need_start(const struct windows *w)
{
	return windows_need(w, expr_needs_start);
}

uint64_t
windows_ahead(const struct windows *w)
{
	uint64_t ahead = 0;

	for (const struct around *a = w->around; a; a = a->next)
		ahead = a->before > ahead ? a->before : ahead;
	return ahead;
}

void
windows_looks(const struct windows *w, bool *looks)
{
	bool state = windows_need(w, expr_needs_state);

	for (uint32_t type = 0; type < PP_USER_TYPE_START; type++)
		looks[type] = type == PP_SAMPLE || (state && pp_state_wants(type));
}

/* ---- the stream ---------------------------------------------------------------------------------- */

int
windows_start(struct windows *w, const struct pp_source *in, uint64_t start, struct pp_err *err)
{
	w->err = err;
	w->look.swap = in->swap;
	w->look.events = in->events;
	w->look.about.start = start;
	if (windows_need(w, expr_needs_state)) {
		if (!(w->state = pp_state_new(in->swap, err)))
			return -1;
		w->look.about.state = w->state;
	}
	for (struct around *a = w->around; a; a = a->next)
		if (cover_start(&a->cover, a->same != ALL, err) < 0)
			return -1;
	return 1;
}

void
windows_learn(struct windows *w, const struct pp_rec *r)
{
	for (struct around *a = w->around; a; a = a->next)
		expr_learn(a->expr, r, w->look.swap);
}

bool
window_key(const struct look *l, enum window_key which, uint32_t *key)
{
	const struct pp_event *ev = l->about.ev;
	const struct pp_rec *r = l->about.r;
	uint16_t id = ev->plan.identifier ? ev->plan.identifier : ev->plan.id;
	uint32_t pid, tid;
	int64_t cpu;

	if (which == ALL) {
		*key = 0;
		return true;
	}
	if (which == CPU) {
		if (pp_cpu(ev, r, l->swap, key))
			return true;
		cpu = r->type == PP_SAMPLE && id ? pp_cpu_of_id(l->events, pp_get_u64(r->raw + id, l->swap)) : -1;
		*key = (uint32_t)cpu;
		return cpu >= 0;
	}
	if (pp_pid_tid(ev, r, l->swap, &pid, &tid) <= 0)
		return false;
	*key = which == PID ? pid : tid;
	return true;
}

/* An event without the key that the option compares. */
static void
window_check_key(const struct tool *t, const struct pp_events *e, const struct pp_event *ev, enum window_key same, const char *option)
{
	if (!ev->plan.time)
		tool_wrong(t, "%s: event %s was recorded without PERF_SAMPLE_TIME (perf record -T)", option, ev->name);
	if (same == CPU && !ev->plan.cpu && (!(ev->plan.identifier || ev->plan.id) || pp_cpu_of_id(e, ev->nids ? ev->ids[0] : 0) < 0))
		tool_wrong(t, "%s cpu: event %s was recorded without PERF_SAMPLE_CPU (perf record --sample-cpu)", option, ev->name);
	if ((same == TID || same == PID) && !ev->plan.tid)
		tool_wrong(t, "%s: event %s was recorded without PERF_SAMPLE_TID: its samples have no task", option, ev->name);
}

void
windows_bind(struct windows *w, const struct tool *t)
{
	const struct pp_events *e = t->in->events;

	for (struct around *a = w->around; a; a = a->next) {
		expr_bind(a->expr, t, t->in);
		for (unsigned i = 0; i < e->n; i++)
			window_check_key(t, e, e->ev[i], a->same, a->same == ALL ? "--around" : "--around-same");
	}
}

int
windows_look(struct windows *w, const struct pp_event *ev, const struct pp_rec *r, uint64_t nr, uint64_t offset)
{
	struct look *l = &w->look;

	if (w->state && pp_state_wants(r->type) && pp_state_feed(w->state, r, pp_has_trailer(ev, r) ? ev->plan.trailer : 0) < 0)
		return -1;
	if (r->type != PP_SAMPLE || !pp_time(ev, r, l->swap, &l->time))
		return 1;
	if (!l->about.start)
		l->about.start = l->time;
	l->about.ev = ev;
	l->about.r = r;
	l->about.nr = nr;
	l->about.offset = offset;
	for (struct around *a = w->around; a; a = a->next)
		if (around_look(a, l, w->err) < 0)
			return -1;
	return 1;
}

void
windows_looked(struct windows *w, uint64_t limit)
{
	uint64_t ahead = windows_ahead(w);

	for (struct around *a = w->around; a; a = a->next)
		cover_forget(&a->cover, w->decided);
	if (limit != UINT64_MAX && limit > ahead && limit - ahead > w->decided)
		w->decided = limit - ahead;
}

int
windows_match(const struct windows *w, const struct pp_event *ev, const struct pp_rec *r)
{
	struct look l = { .about = { .ev = ev, .r = r }, .swap = w->look.swap, .events = w->look.events };
	int why = NOT_AROUND, by;

	if (!pp_time(ev, r, l.swap, &l.time))
		return r->type == PP_SAMPLE ? NOT_AROUND : LACKS_FIELD;
	for (const struct around *a = w->around; a; a = a->next) {
		if ((by = around_match(a, &l)) == KEPT)
			return KEPT;
		why = by == LACKS_FIELD ? by : why;
	}
	return why;
}

void
windows_why(const struct windows *w, enum reason why, char *text, size_t size)
{
	uint64_t n = 0;

	(void)why;
	for (const struct around *a = w->around; a; a = a->next)
		n += a->n;
	if (n)
		snprintf(text, size, "none is in a window of --around, which are around %" PRIu64 " samples", n);
	else
		snprintf(text, size, "--around is true for none");
}

void
windows_end(const struct windows *w)
{
	for (const struct around *a = w ? w->around : NULL; a; a = a->next)
		expr_end(a->expr);
}

void
windows_free(struct windows *w)
{
	if (!w)
		return;
	for (struct around *a = w->around, *next; a; a = next) {
		next = a->next;
		expr_free(a->expr);
		cover_free(&a->cover);
		free(a);
	}
	pp_state_free(w->state);
	free(w);
}
