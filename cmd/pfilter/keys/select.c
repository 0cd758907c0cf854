/* SPDX-License-Identifier: ISC */
/*
 * select.c - selection by keys in the record.
 *
 * Keys apply only to samples and to records that belong to one task, CPU or event in the same way.  Side-band is kept for all
 * tasks, since the names and maps of a sample may come from records of its ancestors or of the kernel.
 */
#include <stdlib.h>
#include <string.h>

#include "field/event_match.h"
#include "payload_field.h"
#include "record/feature.h"
#include "record/raw.h"
#include "select.h"
#include "set.h"

/* The keys that apply to the types of a class; none apply to other classes. */
static const uint8_t keys_of[PP_CLASSES] = {
	[PP_CLASS_SAMPLE] = BY_TASK | BY_CPU | BY_TIME | BY_EVENT,
	[PP_CLASS_COUNT] = BY_TASK | BY_EVENT,
	[PP_CLASS_SWITCH] = BY_TASK | BY_CPU | BY_TIME,
	[PP_CLASS_THROTTLE] = BY_CPU | BY_TIME | BY_EVENT,	/* whoever runs then, it is all tasks that lose samples */
	[PP_CLASS_DEFERRED] = BY_TASK,	/* is written later than its sample, maybe on another CPU */
};

/* ---- options ------------------------------------------------------------------------------------- */

struct event_words {
	const struct tool *t;
	struct names *names;
	const char *modifiers;			/* of the enclosing group */
};

static void
select_add_name(void *arg, const char *word)
{
	struct event_words *w = arg;
	struct names *names = w->names;
	const char *end = strrchr(word, '}');
	char *text;

	if (*word == '{' && end) {		/* members of a group: modifiers behind the group apply to each, as in perf */
		text = tool_alloc((size_t)(end - word), 1);
		memcpy(text, word + 1, (size_t)(end - word) - 1);
		tool_words(w->t, text, select_add_name, &(struct event_words){ w->t, names, end + 1 + (end[1] == ':') });
		free(text);
		return;
	}
	text = tool_alloc(strlen(word) + strlen(w->modifiers) + 2, 1);
	strcpy(text, word);
	if (strpbrk(w->modifiers, "ukhGH"))	/* other modifiers only affect recording */
		sprintf(text, "%s:%s", word, w->modifiers);
	names->v = tool_need(array_more(names->v, names->n, 1, sizeof *names->v));
	names->v[names->n++] = (struct event_pattern){ text, false };
}

void
select_events(struct tool *t, void *names)
{
	tool_words(t, t->optarg, select_add_name, &(struct event_words){ t, names, "" });
}

void
select_events_free(struct names *names)
{
	while (names->n)
		free(names->v[--names->n].text);
	free(names->v);
}

struct type_words {
	const struct tool *t;
	bool	*type;
	bool	 out;			/* --exclude-type */
};

static void
select_add_type(void *arg, const char *word)
{
	struct type_words *w = arg;
	int64_t n = pp_type_number(word);

	if (n < 0)
		tool_wrong(w->t, "%s '%s': no such record type; expected names such as SAMPLE or SWITCH, or numbers",
		    w->t->optname, word);
	if (n >= PP_USER_TYPE_START)
		tool_wrong(w->t, "%s '%s': types of 64 and up are always kept; expected types of the kernel%s", w->t->optname, word,
		    w->out ? " (see --drop-type)" : "");
	if (w->out && pp_type_is((uint32_t)n, SELECT_SIDEBAND | PP_CLASSES_LOSS))
		tool_wrong(w->t, "%s '%s': is neither SAMPLE nor selected like samples; use --drop-type", w->t->optname, word);
	w->type[n] = true;
}

void
select_types(struct tool *t, void *selection)
{
	struct selection *s = selection;
	bool out = t->optvalue, **type = out ? &s->no_type : &s->type;

	if (!*type)
		*type = tool_alloc(PP_USER_TYPE_START, sizeof **type);
	tool_words(t, t->optarg, select_add_type, &(struct type_words){ t, *type, out });
}

/* Convert --exclude-type to --type of all other types. */
static void
select_ready_types(struct selection *s)
{
	if (!s->no_type)
		return;
	if (!s->type) {
		s->type = tool_alloc(PP_USER_TYPE_START, sizeof *s->type);
		for (uint32_t i = 0; i < PP_USER_TYPE_START; i++)
			s->type[i] = !s->no_sideband || !pp_type_is(i, SELECT_SIDEBAND);
	}
	for (int i = 0; i < PP_USER_TYPE_START; i++)
		s->type[i] &= !s->no_type[i];
}

/* Prepare the lists of a key and its opposite for look-ups. */
static void
select_ready_lists(const struct tool *t, struct tool_list *yes, struct tool_list *no, const char *name)
{
	tool_list_ready(yes);
	tool_list_ready(no);
	if (yes->n && tool_list_within(yes, no))
		tool_wrong(t, "--%s and --exclude-%s: nothing remains selected", name, name);
}

void
select_ready(const struct tool *t, struct selection *s)
{
	select_ready_lists(t, &s->pid, &s->no_pid, "pid");
	select_ready_lists(t, &s->tid, &s->no_tid, "tid");
	select_ready_lists(t, &s->cpu, &s->no_cpu, "cpu");
	select_ready_types(s);
	times_settle(&s->times, t);
	s->keys = (s->pid.n || s->no_pid.n ? BY_PID : 0) | (s->tid.n || s->no_tid.n ? BY_TID : 0) |
	    (s->cpu.n || s->no_cpu.n ? BY_CPU : 0) | (s->times.n ? BY_TIME : 0) |
	    (s->event.n || s->no_event.n ? BY_EVENT : 0);
	if (s->keys & (BY_CPU | BY_TIME))
		s->seen = tool_alloc(1, sizeof *s->seen);
	s->nothing = !s->keys && !s->type && !s->no_sideband && !s->invert && !s->decided_elsewhere;
}

void
select_free(struct selection *s)
{
	struct tool_list *lists[] = { &s->pid, &s->tid, &s->cpu, &s->no_pid, &s->no_tid, &s->no_cpu };

	for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
		tool_list_free(lists[i]);
	select_events_free(&s->event);
	select_events_free(&s->no_event);
	free(s->times.r);
	free(s->seen);
	free(s->type);
	free(s->no_type);
	free(s->event_state);
}

/* ---- events -------------------------------------------------------------------------------------- */

bool
select_any_names(const struct names *names, const struct pp_event *ev)
{
	for (size_t i = 0; i < names->n; i++)
		if (event_matches(names->v[i].text, ev, true, names->v[i].loose))
			return true;
	return false;
}

bool
select_names(const struct selection *s, const struct pp_event *ev)
{
	return (!s->event.n || select_any_names(&s->event, ev)) && !select_any_names(&s->no_event, ev);
}

bool
select_has_event(const struct pp_events *e, const char *pattern)
{
	for (unsigned i = 0; i < e->n; i++)
		if (!e->ev[i]->name_from)
			return false;
	return event_first(e, pattern) < e->n;
}

bool
select_has_names(const struct pp_events *e, const struct names *names)
{
	for (size_t i = 0; i < names->n; i++)
		if (!select_has_event(e, names->v[i].text))
			return false;
	return true;
}

void
select_check_names(const struct tool *t, const struct names *names, const char *option)
{
	for (size_t i = 0; i < names->n; i++) {
		names->v[i].loose = event_match_loosely(names->v[i].text, t->in->events, true);
		event_find(t, t->in->events, names->v[i].text, option);
	}
}

bool
select_feature(struct selection *s, const struct tool *t, const struct pp_rec *r)
{
	struct pp_err err = { 0 };
	struct pp_feature f;
	uint64_t a, b;

	if (s->nothing || pp_feature_of(&f, r, t->in->swap, 0, &err) < 0)
		return true;
	if (f.number == PP_FEAT_CLOCK_DATA && s->times.needs_wall && pp_feature_num(&f, "wall_clock", &a, &err) > 0 &&
	    pp_feature_num(&f, "clock", &b, &err) > 0)
		times_wall(&s->times, t, a, b);
	if (!times_feature(&f, &a, &b))
		return true;
	if (s->times.needs_first)
		times_ends(&s->times, t, a, b);
	return false;
}

/* Does --drop-event leave at least one selected event? */
static void
select_check_left(const struct selection *s, const struct tool *t, const struct names *drop)
{
	const struct pp_events *e = t->in->events;
	bool any = false;

	for (unsigned i = 0; i < e->n; i++) {
		if (!select_names(s, e->ev[i]))
			continue;
		if (!select_any_names(drop, e->ev[i]))
			return;
		any = true;
	}
	tool_wrong(t, "%s%s: nothing remains selected", s->event.n ? "--event" : "--exclude-event",
	    any ? " and --drop-event" : s->event.n ? " and --exclude-event" : "");
}

void
select_bind(struct selection *s, const struct tool *t, const struct names *drop)
{
	times_check(&s->times, t);
	select_check_names(t, &s->event, "--event");
	select_check_names(t, &s->no_event, "--exclude-event");
	select_check_names(t, drop, "--drop-event");
	if (s->keys & BY_EVENT && !s->invert)
		select_check_left(s, t, drop);
}

/* The first record of an event: does --event select it, and do its samples hold the fields of the keys? */
static void
select_learn_event(struct selection *s, const struct tool *t, const struct pp_event *ev)
{
	const struct pp_events *e = t->in->events;
	struct event_state *st;

	if (s->nstates < e->n) {
		s->event_state = tool_need(reallocarray(s->event_state, e->n, sizeof *st));
		while (s->nstates < e->n)
			s->event_state[s->nstates++] = (struct event_state){ .sample = NO_VERDICT };
	}
	st = &s->event_state[ev->index];
	st->known = true;
	st->selected = select_names(s, ev);
	st->is_switch = s->keys & BY_TASK && !s->tasks_elsewhere && payload_is_switch(ev);
	st->cpu_by_id = s->keys & BY_CPU && !ev->plan.cpu;
	if (s->keys & BY_TASK && !ev->plan.tid)
		st->lacks = "PERF_SAMPLE_TID: its samples have no task";
	else if (st->cpu_by_id && (!(ev->plan.identifier || ev->plan.id) || pp_cpu_of_id(e, ev->nids ? ev->ids[0] : 0) < 0))
		st->lacks = "PERF_SAMPLE_CPU (perf record --sample-cpu)";
	else if (s->keys & BY_TIME && !ev->plan.time)
		st->lacks = "PERF_SAMPLE_TIME (perf record -T)";
}

void
select_note_task(struct selection *s, const struct pp_rec *r, bool swap)
{
	uint32_t pid = PP_RAW_GET(r->raw, COMM, pid, swap);
	uint32_t tid = r->type == PP_FORK ? PP_RAW_GET(r->raw, FORK, tid, swap) : PP_RAW_GET(r->raw, COMM, tid, swap);

	s->task_seen = tool_list_has(&s->pid, (int32_t)pid) || tool_list_has(&s->tid, (int32_t)tid);
	if (tid != pid && tool_list_has(&s->pid, (int32_t)tid)) {
		s->is_thread = tid;
		s->is_thread_of = pid;
	}
}

int
select_not_cpu(const struct selection *s, int64_t cpu)
{
	if (cpu < SEEN_CPUS)
		s->seen->cpus[cpu / 64] |= UINT64_C(1) << cpu % 64;
	return NOT_CPU;
}

int
select_not_time(const struct selection *s, uint64_t time)
{
	if (time > s->seen->last)
		s->seen->last = time;
	if (time < s->seen->first || !s->seen->first)
		s->seen->first = time;
	return NOT_TIME;
}

/* ---- verdict ------------------------------------------------------------------------------------- */

/* The task of a record: from its body, otherwise from its trailer.  False: none. */
static bool
select_task_of(const struct pp_event *ev, const struct pp_rec *r, bool swap, uint32_t *pid, uint32_t *tid)
{
	const uint64_t both = PP_ROLE_BIT(PID) | PP_ROLE_BIT(TID);
	unsigned width, pid_at = 0, tid_at = 0;

	if (r->type != PP_SAMPLE && (pp_meaning(r->type)->roles & both) == both) {
		pid_at = pp_role_place(r->type, PP_ROLE_PID, &width);
		tid_at = pp_role_place(r->type, PP_ROLE_TID, &width);
	}
	if (!pid_at || !tid_at)
		return pp_pid_tid(ev, r, swap, pid, tid) > 0;
	*pid = pp_get_u32(r->raw + pid_at, swap);
	*tid = pp_get_u32(r->raw + tid_at, swap);
	return true;
}

/* The CPU of a record.  False: not known. */
static bool
select_cpu_of(const struct tool *t, const struct event_state *st, const struct pp_event *ev, const struct pp_rec *r, int64_t *cpu)
{
	uint16_t id = ev->plan.identifier ? ev->plan.identifier : ev->plan.id;
	uint32_t own;

	if (pp_cpu(ev, r, t->in->swap, &own)) {
		*cpu = own;
		return true;
	}
	if (!st->cpu_by_id || r->type != PP_SAMPLE || !id)
		return false;
	*cpu = pp_cpu_of_id(t->in->events, pp_get_u64(r->raw + id, t->in->swap));
	return *cpu >= 0;
}

bool
select_asks_task(uint32_t type)
{
	return keys_of[pp_type_class(type)] & BY_TASK;
}

/* Does the record match those `keys' that apply to its type? */
static int
select_by_keys(const struct selection *s, const struct tool *t, const struct pp_event *ev, const struct pp_rec *r, unsigned keys)
{
	const struct event_state *st = &s->event_state[ev->index];
	bool swap = t->in->swap, task, unknown;
	uint32_t pid, tid;
	uint64_t time;
	int64_t cpu;

	SELECT_TESTS(EVENT);
	if (keys & BY_EVENT && !st->selected)
		return NOT_EVENT;
	task = keys & BY_TASK && select_task_of(ev, r, swap, &pid, &tid);
	unknown = keys & BY_TASK && !task;
	if (task && !select_lists(&s->pid, &s->no_pid, (int32_t)pid))
		return NOT_PID;
	if (task && !select_lists(&s->tid, &s->no_tid, (int32_t)tid))
		return NOT_TID;
	if (keys & BY_CPU) {
		if (!select_cpu_of(t, st, ev, r, &cpu))
			unknown = true;
		else if (!select_lists(&s->cpu, &s->no_cpu, cpu))
			return select_not_cpu(s, cpu);
	}
	if (keys & BY_TIME) {
		if (!s->times.ready || !pp_time(ev, r, swap, &time))
			unknown = true;
		else if (!times_have(&s->times, time))
			return select_not_time(s, time);
	}
	return unknown || (keys != s->keys && r->type != PP_SAMPLE) ? LACKS_FIELD : KEPT;
}

/* The first sample: its time is the start of the ranges of --time +... */
static void
select_first_sample(struct selection *s, const struct tool *t, const struct pp_event *ev, const struct pp_rec *r)
{
	uint64_t time;

	if (pp_time(ev, r, t->in->swap, &time))
		times_ends(&s->times, t, time, time);
}

int
select_match(struct selection *s, struct tool *t, const struct pp_event *ev, const struct pp_rec *r)
{
	struct event_state *st;
	int why;

	if (!s->keys)
		return KEPT;
	if (ev->index >= s->nstates || !s->event_state[ev->index].known)
		select_learn_event(s, t, ev);
	st = &s->event_state[ev->index];
	if (r->type != PP_SAMPLE)
		return select_by_keys(s, t, ev, r, keys_of[pp_type_class(r->type)] & s->keys);
	if (st->lacks)
		return pp_fail(&t->in_err, "event %s was recorded without %s", ev->name, st->lacks);
	if (s->times.needs_first)
		select_first_sample(s, t, ev, r);
	why = select_by_keys(s, t, ev, r, s->tasks_elsewhere ? s->keys & ~(unsigned)BY_TASK : s->keys);
	s->switch_dropped |= st->is_switch && (why == NOT_PID || why == NOT_TID);
	if (!st->cpu_by_id && (!s->times.n || s->times.ready) && (!st->is_switch || s->switch_dropped))
		st->sample = st->selected ? KEPT : NOT_EVENT;
	return why;
}
