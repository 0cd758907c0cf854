/* SPDX-License-Identifier: ISC */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "record/meaning.h"
#include "record/raw.h"
#include "source/formats.h"
#include "window/in.h"
#include "window/span.h"

struct windows {
	struct around	*around, **last_around;
	struct span	*span, **last_span;
	struct field_stream stream;	/* for keys of spans */
	struct pp_state	*state;		/* at the time of the record that is looked at; NULL: no expression needs it */
	struct pp_err	*err;
	struct look	 look;
	uint64_t	 newest;	/* time that was looked at */
	uint64_t	 late;		/* samples that open or end windows */
	bool		 only_marked;	/* a sample is kept if it has the mark */
	const struct span_measure *measure;
	struct lengths	 lengths;
	struct cut	 cut;
	uint64_t	 rejected;	/* samples that pp_arrival_forget() had, besides those of spans */
	struct table	 pids;		/* of window_learn_pid() */
};

/* ---- options ------------------------------------------------------------------------------------- */

/* The ends of windows are sums of times: these stay far below 2^64. */
static uint64_t
window_length(const struct tool *t, const char *text)
{
	uint64_t ns = tool_duration(t, text);

	if (ns > INT64_MAX)
		tool_wrong(t, "%s '%s': too long", t->optname, text);
	return ns;
}

/* An option of the --around in front of it. */
static void
window_add_to_around(const struct windows *w, const struct tool *t, enum window_option option, const char *text)
{
	struct around *a = w->around;

	if (!a)
		tool_wrong(t, "%s: needs an --around in front of it", t->optname);
	while (a->next)
		a = a->next;
	if (option == WINDOW_SAME) {
		a->same = CPU + (enum window_key)tool_word(t, text, WINDOW_SAME_WORDS);
		return;
	}
	*(option == WINDOW_BEFORE ? &a->before : &a->after) = window_length(t, text);
	a->has_length = true;
}

/* An option of the --span in front of it. */
static void
window_add_to_span(const struct windows *w, const struct tool *t, enum window_option option, const char *text)
{
	struct span *s = w->span;

	if (!s)
		tool_wrong(t, "%s: needs a --span in front of it", t->optname);
	while (s->next)
		s = s->next;
	if (option == WINDOW_WITH) {
		s->within = true;
		s->with = (const enum window_key[]){ TID, CPU, ALL }[tool_word(t, text, WINDOW_WITH_WORDS)];
	} else if (option == WINDOW_LONGER) {
		s->longer = window_length(t, text);
		s->has_longer = true;
	} else {
		s->shorter = window_length(t, text);
		s->has_shorter = true;
	}
}

void
windows_add(struct tool *t, void *windows)
{
	struct windows **to = windows, *w = *to;
	enum window_option option = (enum window_option)t->optvalue;
	const char *text = t->optarg;
	struct around *a;
	struct span *s;

	if (!w) {
		w = *to = tool_alloc(1, sizeof *w);
		w->last_around = &w->around;
		w->last_span = &w->span;
	}
	if (option == WINDOW_AROUND) {
		a = *w->last_around = tool_alloc(1, sizeof *a);
		w->last_around = &a->next;
		a->expr = expr_add(NULL, t, "--around", text);
	} else if (option == WINDOW_SPAN) {
		s = *w->last_span = tool_alloc(1, sizeof *s);
		w->last_span = &s->next;
		span_parse(s, t, text);
	} else if (option < WINDOW_SPAN)
		window_add_to_around(w, t, option, text);
	else
		window_add_to_span(w, t, option, text);
}

void
windows_ready(struct windows *w, const struct tool *t, const struct span_measure *measure)
{
	if (!w)
		return;
	w->measure = measure;
	w->cut = (struct cut){ .piece = t->piece.n > 1, .later = t->piece.k > 1 };
	if (w->span && !measure->on)
		tool_piece_refuse(t, "--span without --span-period");
	for (const struct around *a = w->around; a; a = a->next)
		if (!a->has_length)
			tool_wrong(t, "--around: needs --before or --after, the length of the window");
	for (struct span *s = w->span; s; s = s->next) {
		s->measure = measure;
		s->lengths = &w->lengths;
		s->cut = &w->cut;
		if (!s->has_longer && !measure->on)
			tool_wrong(t, "--span: needs --longer-than, or --span-period");
		if (s->has_shorter && s->shorter <= s->longer)
			tool_wrong(t, "--shorter-than: no span is longer than --longer-than and shorter than this");
	}
}

/* Does an expression, or a field in a KEY, need it? */
static bool
windows_need(const struct windows *w, bool (*needs)(const struct expr *), bool (*field_needs)(const struct field *))
{
	for (const struct around *a = w ? w->around : NULL; a; a = a->next)
		if (needs(a->expr))
			return true;
	for (const struct span *s = w ? w->span : NULL; s; s = s->next) {
		for (int part = 0; part < SPAN_PARTS; part++)
			if (needs(s->part[part]))
				return true;
		for (unsigned i = 0; i < s->nfields; i++)
			if (field_needs(s->field[i].f))
				return true;
	}
	return false;
}

bool
windows_functions(const struct windows *w, const char *path, struct kallsyms_text *text)
{
	bool any = false;

	for (const struct around *a = w ? w->around : NULL; a; a = a->next)
		any |= expr_functions(a->expr, path, text);
	for (const struct span *s = w ? w->span : NULL; s; s = s->next)
		for (int part = 0; part < SPAN_PARTS; part++)
			any |= expr_functions(s->part[part], path, text);
	return any;
}

bool
windows_need_start(const struct windows *w)
{
	return windows_need(w, expr_needs_start, field_needs_start);
}

uint64_t
windows_ahead(const struct windows *w)
{
	uint64_t ahead = 0;

	for (const struct around *a = w->around; a; a = a->next)
		ahead = a->before > ahead ? a->before : ahead;
	for (const struct span *s = w->span; s; s = s->next)
		ahead = span_ahead(s) > ahead ? span_ahead(s) : ahead;
	return ahead;
}

void
windows_looks(const struct windows *w, bool *looks)
{
	bool state = w->measure->task || windows_need(w, expr_needs_state, field_needs_state);

	for (uint32_t type = 0; type < PP_USER_TYPE_START; type++)
		looks[type] = type == PP_SAMPLE || w->span || (state && pp_state_wants(type));
}

/* ---- the stream ---------------------------------------------------------------------------------- */

int
windows_start(struct windows *w, const struct pp_source *in, uint64_t start, size_t tasks, struct pp_err *err)
{
	w->err = err;
	w->look.swap = in->swap;
	w->look.stream = &w->stream;
	w->stream.events = in->events;
	w->stream.swap = in->swap;
	w->look.about.start = start;
	w->only_marked = !w->around;
	for (const struct span *s = w->span; s; s = s->next)
		w->only_marked &= !s->within;
	lengths_start(&w->lengths);
	pp_table_init(&w->pids);
	w->look.pids = &w->pids;
	if (w->measure->task || windows_need(w, expr_needs_state, field_needs_state)) {
		if (!(w->state = pp_state_new(in->swap, err)))
			return -1;
		pp_state_limit(w->state, tasks);
		pp_state_free_files(w->state);
		w->look.about.state = w->state;
	}
	for (struct around *a = w->around; a; a = a->next)
		cover_start(&a->cover, a->same != ALL);
	for (struct span *s = w->span; s; s = s->next) {
		span_start(s);
		for (unsigned i = 0; i < s->nfields; i++)
			w->stream.wants_guests |= field_needs_guests(s->field[i].f);
	}
	return 1;
}

void
windows_learn(struct windows *w, const struct pp_rec *r)
{
	for (struct around *a = w->around; a; a = a->next)
		expr_learn(a->expr, r, w->look.swap);
	if (w->span)
		field_stream_learn(&w->stream, r, w->look.swap);
	for (struct span *s = w->span; s; s = s->next) {
		for (int part = 0; part < SPAN_PARTS; part++)
			expr_learn(s->part[part], r, w->look.swap);
		if (r->type == PP_HEADER_FEATURE || pp_type_is(r->type, PP_CLASSES_HEAD) || r->type == PP_ID_INDEX)
			span_forget_places(s);
	}
}

bool
window_key_of(const struct look *l, enum window_key which, uint32_t *key)
{
	const struct pp_event *ev = l->about.ev;
	const struct pp_rec *r = l->about.r;
	uint16_t id = ev->plan.identifier ? ev->plan.identifier : ev->plan.id;
	uint32_t pid, tid;
	int64_t cpu;

	if (which == CPU) {
		if (pp_cpu(ev, r, l->swap, key))
			return true;
		cpu = r->type == PP_SAMPLE && id ? pp_cpu_of_id(l->stream->events, pp_get_u64(r->raw + id, l->swap)) : -1;
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

bool
windows_read_payloads(const struct windows *w)
{
	for (const struct around *a = w->around; a; a = a->next)
		if (expr_reads_payloads(a->expr))
			return true;
	for (const struct span *s = w->span; s; s = s->next) {
		for (int part = 0; part < SPAN_PARTS; part++)
			if (expr_reads_payloads(s->part[part]))
				return true;
		for (unsigned i = 0; i < s->nfields; i++)
			if (s->field[i].payload)
				return true;
	}
	return false;
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
	for (unsigned i = 0; i < e->n && w->measure->on; i++)
		if (e->ev[i]->attr.sample_type & PP_SAMPLE_READ)
			tool_wrong(t, "--span-period: event %s was recorded with counts of its group (PERF_SAMPLE_READ), of which perf makes "
			    "the periods", e->ev[i]->name);
	w->stream.tracing = pp_formats(t->in);
	field_stream_ready(&w->stream);
	for (struct span *s = w->span; s; s = s->next) {
		for (int part = 0; part < SPAN_PARTS; part++)
			expr_bind(s->part[part], t, t->in);
		span_bind(s, t, &w->stream);
		for (unsigned i = 0; i < e->n; i++)
			window_check_key(t, e, e->ev[i], s->with, s->with == ALL ? "--span" : "--span-with");
	}
}

/* Time passes, and records may be lost. */
static void
windows_look_spans(struct windows *w, struct pp_arrival *a, const struct pp_event *ev, const struct pp_rec *r, bool timed)
{
	uint32_t cpu = 0;
	bool lost = pp_type_is(r->type, PP_CLASSES_LOSS), of_cpu = lost && pp_cpu(ev, r, w->look.swap, &cpu);

	for (struct span *s = w->span; s; s = s->next) {
		if (timed)
			span_pass(s, a, w->look.time);
		if (lost)
			span_lost(s, of_cpu, cpu, timed ? w->look.time : s->last);
		if (timed && (r->type == PP_EXIT || r->type == PP_FORK))	/* they have the same fields */
			span_task_over(s, a, &w->look, PP_RAW_GET(r->raw, FORK, tid, w->look.swap));
	}
}

/* A sample begins, or ends, two spans: it has one PERIOD.  Always -1. */
static int
windows_two(const struct windows *w)
{
	return pp_fail(w->err, "it %s two spans, and its PERIOD can have the length of one: run pfilter with one --span at a time, and join what it writes by psort --merge",
	    w->measure->last ? "ends" : "begins");
}

int
windows_look(struct windows *w, struct pp_arrival *arrival, const struct pp_turn *at, const struct pp_event *ev,
    const struct pp_rec *r, uint64_t nr)
{
	struct look *l = &w->look;
	bool timed = pp_time(ev, r, l->swap, &l->time);
	int rc, matters = 0, measured = w->measure->last ? SPAN_ENDED : SPAN_BEGUN;

	if (w->state && pp_state_wants(r->type) && pp_state_feed(w->state, r, pp_has_trailer(ev, r) ? ev->plan.trailer : 0) < 0)
		return -1;
	l->late = timed && l->time < w->newest;
	if (timed && !l->late)
		w->newest = l->time;
	l->about.ev = ev;
	l->about.r = r;
	if (w->span)
		windows_look_spans(w, arrival, ev, r, timed);
	if (r->type != PP_SAMPLE || !timed)
		return 1;
	if (!l->about.start)
		l->about.start = l->time;
	if (w->measure->task)
		window_learn_pid(l);
	l->about.nr = nr;
	l->about.offset = at->offset;
	for (struct around *a = w->around; a; a = a->next) {
		if ((rc = around_look(a, l, w->err)) < 0)
			return -1;
		matters |= rc;
	}
	for (struct span *s = w->span; s; s = s->next) {
		if ((rc = span_look(s, arrival, l, at->nr, w->err)) < 0)
			return -1;
		if (w->measure->on && matters & rc & measured)
			return windows_two(w);
		matters |= rc;
	}
	w->late += l->late && matters;
	if (w->measure->forgets && !(matters & SPAN_BEGUN))
		w->rejected += pp_arrival_forget(arrival, at->nr);
	return 1;
}

bool
windows_forget(const struct windows *w)
{
	for (const struct span *s = w->span; s; s = s->next)
		if (s->within)
			return false;
	return !w->around;
}

uint64_t
windows_rejected(const struct windows *w)
{
	uint64_t n = w->rejected;

	for (const struct span *s = w->span; s; s = s->next)
		n += s->rejected;
	return n;
}

bool
windows_wait(const struct windows *w)
{
	bool within = false;

	for (const struct span *s = w->span; s; s = s->next)
		within |= s->within;
	return w->measure->on && w->span && (!w->measure->last || within);
}

uint64_t
windows_until(const struct windows *w)
{
	uint64_t until = UINT64_MAX;

	for (const struct span *s = w->span; s; s = s->next)
		until = span_until(s) < until ? span_until(s) : until;
	return until;
}

void
windows_passes(struct windows *w, struct pp_arrival *a, uint64_t time)
{
	for (struct span *s = w->span; s; s = s->next)
		span_passes(s, a, &w->look, time);
}

bool
windows_length(struct windows *w, uint64_t nr, struct span_length *length)
{
	return lengths_take(&w->lengths, nr, length);
}

void
windows_looked(struct windows *w, uint64_t decided)
{
	for (struct around *a = w->around; a; a = a->next)
		cover_forget(&a->cover, decided);
	for (struct span *s = w->span; s; s = s->next)
		cover_forget(&s->cover, decided);
}

int
windows_match(const struct windows *w, const struct pp_event *ev, const struct pp_rec *r, bool marked)
{
	struct look l;		/* without what only expressions need */
	int around = w->around ? NOT_AROUND : KEPT, span = w->span ? NOT_SPAN : KEPT, by;

	if (w->only_marked && r->type == PP_SAMPLE)
		return marked ? KEPT : NOT_SPAN;
	l.about.ev = ev;
	l.about.r = r;
	l.stream = &w->stream;
	l.swap = w->look.swap;
	if (!pp_time(ev, r, l.swap, &l.time))
		return r->type != PP_SAMPLE ? LACKS_FIELD : around != KEPT ? around : span;
	for (const struct around *a = w->around; a && around != KEPT; a = a->next)
		if ((by = around_match(a, &l)) != NOT_AROUND)
			around = by;
	if (around == NOT_AROUND)
		return around;
	for (const struct span *s = w->span; s && span != KEPT; s = s->next)
		if ((by = span_match(s, &l, marked)) != NOT_SPAN)
			span = by;
	return span != KEPT ? span : around;
}

void
windows_absent(struct windows *w, bool behind, uint64_t first, uint64_t last)
{
	cut_absent(&w->cut, behind, first, last);
}

bool
windows_finish(struct windows *w, const struct tool *t)
{
	uint64_t forgotten = 0, cut = 0;

	for (struct span *s = w->span; s; s = s->next) {
		span_finish(s);
		forgotten += s->n.forgotten;
		cut += s->n.cut + (w->cut.behind ? s->n.unended : 0);
	}
	if (w->cut.piece && cut)
		tool_warn(t, "%" PRIu64 " spans may reach beyond the piece, and are not measured", cut);
	if (w->late)
		tool_warn(t, "%" PRIu64 " samples of --around and --span came after newer ones had been decided: what is near them may lack, or "
		    "be too much; psort --full puts them into order", w->late);
	if (w->err && w->err->what[0])		/* the reading has ended; what was open was not given up for want of space */
		return true;
	if (forgotten && !w->measure->on)
		tool_warn(t, "%" PRIu64 " spans were given up: more than %d were open", forgotten, SPANS_OPEN);
	else if (forgotten)
		tool_warn(t, "%" PRIu64 " spans were given up while they were open, and are not measured: more than %d were open, or --max-memory is "
		    "too small for the records since their begin; --shorter-than gives up long ones, --span-end needs little memory", forgotten,
		    SPANS_OPEN);
	return !forgotten || !w->measure->on;
}

/* ---- messages ------------------------------------------------------------------------------------ */

void
windows_stats(const struct windows *w, bool json, FILE *f)
{
	const char *before = json ? ",\"spans\":[" : "";

	for (const struct span *s = w ? w->span : NULL; s; s = s->next) {
		fputs(json ? before : "pfilter: spans:", f);
		span_stats(s, json, f);
		before = ",";
	}
	if (json && w && w->span)
		fputs("]", f);
}

void
windows_why(const struct windows *w, enum reason why, char *text, size_t size)
{
	uint64_t n = 0, begun = 0, unbegun = 0;

	for (const struct around *a = w->around; a; a = a->next)
		n += a->n;
	for (const struct span *s = w->span; s; s = s->next) {
		begun += s->n.begun;
		unbegun += s->n.unbegun;
	}
	if (why == NOT_AROUND && n)
		snprintf(text, size, "none is in a window of --around, which are around %" PRIu64 " samples", n);
	else if (why == NOT_AROUND)
		snprintf(text, size, "--around is true for none");
	else if (begun && w->measure->on)
		snprintf(text, size, "none is of a span that ends, and is as long as --longer-than and --shorter-than say; %" PRIu64
		    " spans began", begun);
	else if (begun)
		snprintf(text, size, "none is of a span as long as --longer-than and --shorter-than say; %" PRIu64 " spans began", begun);
	else
		snprintf(text, size, "no --span began, and %" PRIu64 " samples would end one", unbegun);
}

void
windows_end(const struct windows *w, const struct tool *t)
{
	for (const struct around *a = w ? w->around : NULL; a; a = a->next)
		expr_end(a->expr);
	for (const struct span *s = w ? w->span : NULL; s; s = s->next) {
		for (int part = 0; part < SPAN_PARTS; part++)
			expr_end(s->part[part]);
		for (unsigned i = 0; i < s->nfields; i++)
			if (s->field[i].payload && field_payload_absent(s->field[i].payload))
				tool_warn(t, "--span: %" PRIu64 " payloads are too short for %s", field_payload_absent(s->field[i].payload),
				    s->field[i].f->name);
	}
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
	for (struct span *s = w->span, *next; s; s = next) {
		next = s->next;
		span_free(s);
	}
	lengths_free(&w->lengths);
	pp_table_free(&w->pids, true);
	field_stream_free(&w->stream);
	pp_state_free(w->state);
	free(w);
}
