/* SPDX-License-Identifier: ISC */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "options.h"

enum { MEMORY_MIN = 1 << 20, NO_TASK = -1, FIRST_CPU = 0 };
enum {
	EVENT_NOT = TOOL_LONG, TIME_NOT, TYPE_NOT, PID_NOT, TID_NOT, CPU_NOT, COMM_NOT, DSO, DSO_NOT, CGROUP,
	CGROUP_NOT, CONTAINER, CONTAINER_NOT, POD, POD_NOT, INHERIT,
	PAYLOAD_TASK, TASK_FIELD, TIME, TYPE, FILTER, FILTER_FILE, EXPLAIN, SWITCH_ON, SWITCH_OFF,
	SHOW_ON_OFF, INVERT, MAX_SAMPLES, STOP, EVERY, SAMPLE, SEED, MAX_RATE, SCALE_PERIOD, SIDEBAND, ORDER, DROP_EVENT, DROP_UNUSED,
	DROP_TYPE, STRIP, STACK_SIZE, MAX_STACK, ANON, ANON_KEY, ANON_MAP, ANON_UNDO, STATS, FAIL_IF_EMPTY,
	AROUND, BEFORE, AFTER, AROUND_SAME, SPAN, LONGER, SHORTER, SPAN_WITH, KALLSYMS,
};

const struct tool_opt options_table[] = {
	TOOL_HEAD("Selection by fields"),
	{ 'p', "pid", "LIST", "keep samples of these processes (1,2,10-20 or file://NAME)" },
	{ 't', "tid", "LIST", "keep samples of these threads" },
	{ 'C', "cpu", "LIST", "keep samples of these CPUs" },
	{ 'e', "event", "LIST", "keep samples of these events: names as for perf record -e, or patterns" },
	{ PID_NOT, "exclude-pid", "LIST", "drop samples of these processes" },
	{ TID_NOT, "exclude-tid", "LIST", "drop samples of these threads" },
	{ CPU_NOT, "exclude-cpu", "LIST", "drop samples of these CPUs" },
	{ EVENT_NOT, "exclude-event", "LIST", "drop samples of these events" },
	{ TYPE_NOT, "exclude-type", "LIST", "drop these types: samples, SWITCH and similar records" },
	{ INVERT, "invert", NULL, "reverse the selection" },
	TOOL_HEAD("Time"),
	{ TIME, "time", "RANGES", "keep samples of START,STOP (seconds, or +1.5s from the first sample) or 10%/2" },
	{ TIME_NOT, "exclude-time", "RANGES", "drop samples of these times" },
	TOOL_HEAD("Selection by state (holds records for time order)"),
	{ 'c', "comms", "LIST", "keep samples of threads with these names, or patterns ('ng*')" },
	{ INHERIT, "inherit", NULL, "with --pid, --comms: keep samples of descendants, too" },
	{ DSO, "dsos", "LIST", "keep samples in these files: paths, names in perf, or patterns" },
	{ CGROUP, "cgroup", "LIST", "keep samples of these cgroups and all below them, or patterns" },
	{ CONTAINER, "container", "LIST", "keep samples of these containers: ids of 12 or more digits, or names" },
	{ POD, "pod", "LIST", "keep samples of these pods of Kubernetes, by UID" },
	{ COMM_NOT, "exclude-comms", "LIST", "drop samples of threads with these names" },
	{ DSO_NOT, "exclude-dsos", "LIST", "drop samples in these files" },
	{ CGROUP_NOT, "exclude-cgroup", "LIST", "drop samples of these cgroups" },
	{ CONTAINER_NOT, "exclude-container", "LIST", "drop samples of these containers" },
	{ POD_NOT, "exclude-pod", "LIST", "drop samples of these pods" },
	{ PAYLOAD_TASK, "payload-tasks", NULL, "these, --pid and --tid: also samples that name such a task (sched_switch...)" },
	{ TASK_FIELD, "task-field", "EVENT:FIELD[:tgid]...", "with --payload-tasks: this field of payloads is a task" },
	{ SWITCH_ON, "switch-on", "EVENT", "keep samples after a sample of this event" },
	{ SWITCH_OFF, "switch-off", "EVENT", "drop samples from a sample of this event on" },
	{ SHOW_ON_OFF, "show-on-off-events", NULL, "keep the samples of these two events, too" },
	{ ORDER, "order", "auto|input|time", "hold records for time order: if needed (auto), never, always" },
	{ 'S', "max-memory", "SIZE", "hold up to SIZE of records, tasks and maps (256M)" },
	TOOL_HEAD("Selection by expression"),
	{ FILTER, "filter", "EXPR", "keep samples for which EXPR is true: 'period > 1000 && comm ~ \"ng*\"'" },
	{ FILTER_FILE, "filter-file", "FILE...", "read the expression from FILE" },
	{ KALLSYMS, "kallsyms", "FILE", "for FIELD.function in EVENT{...}: the symbols of the kernel that was recorded" },
	{ EXPLAIN, "explain", NULL, "print how --filter is parsed, and which fields need time order" },
	TOOL_HEAD("Selection by what is near (holds records for time order)"),
	{ AROUND, "around", "EXPR", "keep what is near in time to samples for which EXPR is true" },
	{ BEFORE, "before", "DURATION...", "with --around: from so long before them (0)" },
	{ AFTER, "after", "DURATION...", "with --around: until so long after them (0)" },
	{ AROUND_SAME, "around-same", "cpu|tid|pid...", "with --around: only of the same CPU, thread or process" },
	{ SPAN, "span", "SPAN...", "keep both ends of spans: 'BEGIN; END; KEY', syscall, offcpu ..." },
	{ LONGER, "longer-than", "DURATION...", "with --span: only spans that are longer" },
	{ SHORTER, "shorter-than", "DURATION...", "with --span: and shorter" },
	{ SPAN_WITH, "span-with", "same|cpu|all...", "with --span: and what lies between, of the same thread, CPU, or all" },
	TOOL_HEAD("Thinning"),
	{ EVERY, "every", "N", "keep one of N selected samples" },
	{ SAMPLE, "sample", "SHARE", "keep this share of them (0.1 or 10%), chosen by a hash" },
	{ SEED, "seed", "N", "make --sample choose other samples (0)" },
	{ MAX_RATE, "max-rate", "N", "keep at most N samples per second" },
	{ SCALE_PERIOD, "scale-period", NULL, "increase periods, so that they represent dropped samples" },
	{ MAX_SAMPLES, "max-samples", "N", "keep the first N samples of each event" },
	{ STOP, "stop", NULL, "with --max-samples: stop reading then" },
	TOOL_HEAD("Side-band and other records"),
	{ SIDEBAND, "sideband", "all|needed|none", "keep side-band: all (default), what kept samples need, none" },
	{ TYPE, "type", "LIST", "keep only these record types (SAMPLE,SWITCH), and side-band" },
	TOOL_HEAD("Removing events, records and fields"),
	{ DROP_EVENT, "drop-event", "LIST", "remove these events and everything that belongs to them" },
	{ DROP_UNUSED, "drop-unused-events", NULL, "remove events without kept samples" },
	{ DROP_TYPE, "drop-type", "LIST", "remove records of these types" },
	{ STRIP, "strip", "LIST", "remove fields of samples (callchain,user-stack,raw...)" },
	{ MAX_STACK, "max-stack", "N", "cut call chains to the innermost N entries" },
	{ STACK_SIZE, "stack-size", "N", "cut copies of user stacks to N bytes" },
	TOOL_HEAD("Anonymising"),
	{ ANON, "anon", "LIST", "write pseudonyms for host,cmdline,comm,path,pid,addr,build-id,event or all" },
	{ ANON_KEY, "anon-key", "FILE", "key for the same pseudonyms in every run" },
	{ ANON_MAP, "anon-map", "FILE", "write the originals of pseudonyms to FILE" },
	{ ANON_UNDO, "anon-undo", "FILE", "replace pseudonyms in a text by their originals in FILE" },
	TOOL_HEAD("Input, output and messages"),
	TOOL_OPTS_IN, TOOL_OPTS_OUT, TOOL_OPT_FORMAT,
	{ 'U', "rejected", "FILE", "write rejected samples to FILE, with the side-band that they need" },
	{ 'n', "dry-run", NULL, "write no output" },
	{ STATS, "stats", "[=json]", "print counts of records: read, kept, dropped by each option" },
	{ FAIL_IF_EMPTY, "fail-if-empty", NULL, "exit with status 1 if no sample is kept" },
	TOOL_OPT_ALLOW(OPTIONS_ALLOW),
	TOOL_OPTS_COMMON, TOOL_OPTS_END
};

const char options_examples[] =
    "  $ perf record -a -g -o - -- sleep 2 | pfilter --pid 42 --inherit | psort >out.data\n"
    "  $ pfilter --time +200ms,+700ms --cpu 1 all.data | perf report --stdio -i - | head\n"
    "  $ pfilter --filter 'period > 1000 and comm ~ \"gz*\"' -U rest.data -o gzip.data all.data\n";

/* The index of the argument in `words'; `all' lists them for the message. */
static int
options_one_of(const struct tool *t, const char *const *words, const char *all)
{
	for (int i = 0; words[i]; i++)
		if (!strcmp(t->optarg, words[i]))
			return i;
	tool_wrong(t, "%s '%s': expected one of %s", t->optname, t->optarg, all);
}

static void
options_take_stats(const struct tool *t, struct options *o)
{
	const char *what = t->optarg ? t->optarg + (*t->optarg == '=') : "text";

	if (strcmp(what, "text") && strcmp(what, "json"))
		tool_wrong(t, "--stats '%s': expected text or json", what);
	o->stats = *what == 'j' ? STATS_JSON : STATS_TEXT;
}

static void
options_take_sideband(const struct tool *t, struct options *o)
{
	static const char *const words[] = { "all", "needed", "none", NULL };
	int which = options_one_of(t, words, "all, needed, none");

	o->needed = which == 1;
	o->sel.no_sideband = which == 2;
}

/* Parse a list of numbers of at least `min'. */
static void
options_take_numbers(const struct tool *t, struct tool_list *l, int min)
{
	size_t before = l->n;

	tool_list(t, l, t->optarg);
	for (size_t i = before; i < l->n; i++)
		if (l->r[i].lo < min)
			tool_wrong(t, "%s '%s': expected numbers of at least %d", t->optname, t->optarg, min);
}

static void
options_take_memory(const struct tool *t, struct options *o)
{
	uint64_t size = tool_size(t, t->optarg);

	if (size < MEMORY_MIN || size > SIZE_MAX / 2)
		tool_wrong(t, "%s '%s': expected at least 1M", t->optname, t->optarg);
	o->memory = (size_t)size;
	o->tasks = o->memory / 2;
}

static void
options_take_thin(const struct tool *t, struct thin *h, int key)
{
	switch (key) {
	case EVERY:		h->every = tool_number(t, t->optarg, 1, INT64_MAX); break;
	case SAMPLE:		thin_share(t, h, t->optarg); break;
	case SEED:
		h->seed = tool_number(t, t->optarg, 0, INT64_MAX);
		h->has_seed = true;
		break;
	case MAX_RATE:		h->max_rate = tool_number(t, t->optarg, 1, INT64_MAX); break;
	case SCALE_PERIOD:	h->scale = true; break;
	case MAX_SAMPLES:
		h->max_samples = tool_number(t, t->optarg, 0, INT64_MAX);
		h->has_max_samples = true;
		break;
	case STOP:		h->stop = true; break;
	}
}

static void
options_take_payload(const struct tool *t, struct options *o, int key)
{
	if (!o->payload)
		o->payload = payload_tasks_new();
	if (key == TASK_FIELD)
		payload_tasks_add(o->payload, t, t->optarg);
	else
		o->payload_tasks = true;
}

/* Options about what happens to selected samples. */
static void
options_take_more(const struct tool *t, struct options *o, int key)
{
	static const char *const orders[] = { "auto", "input", "time", NULL };

	switch (key) {
	case SIDEBAND:		options_take_sideband(t, o); break;
	case ORDER:		o->order = options_one_of(t, orders, "auto, input, time"); break;
	case 'S':		options_take_memory(t, o); break;
	case 'U':		o->rejected = t->optarg; break;
	case DROP_EVENT:	drop_events(t, &o->drop, t->optarg); break;
	case DROP_UNUSED:	drop_unused(t, &o->drop); break;
	case DROP_TYPE:		drop_types(t, &o->drop, t->optarg); break;
	case STRIP:		columns_strip(t, &o->columns, t->optarg); break;
	case STACK_SIZE:	columns_stack_size(t, &o->columns, t->optarg); break;
	case MAX_STACK:		columns_max_stack(t, &o->columns, t->optarg); break;
	case ANON:		anon_list(t, &o->anon, t->optarg); break;
	case ANON_KEY:		o->anon.key_file = t->optarg; break;
	case ANON_MAP:		o->anon.map_file = t->optarg; break;
	case ANON_UNDO:		o->undo = t->optarg; break;
	case 'n':		o->dry_run = true; break;
	case STATS:		options_take_stats(t, o); break;
	case KALLSYMS:		o->kallsyms = t->optarg; break;
	case FAIL_IF_EMPTY:	o->fail_if_empty = true; break;
	default:		options_take_thin(t, &o->thin, key); break;
	}
}

void
options_take(struct tool *t, struct options *o, int key)
{
	struct selection *s = &o->sel;

	switch (key) {
	case 'p':		options_take_numbers(t, &s->pid, NO_TASK); break;
	case 't':		options_take_numbers(t, &s->tid, NO_TASK); break;
	case 'C':		options_take_numbers(t, &s->cpu, FIRST_CPU); break;
	case 'e':		select_events(t, &s->event, t->optarg); break;
	case PID_NOT:		options_take_numbers(t, &s->no_pid, NO_TASK); break;
	case TID_NOT:		options_take_numbers(t, &s->no_tid, NO_TASK); break;
	case CPU_NOT:		options_take_numbers(t, &s->no_cpu, FIRST_CPU); break;
	case EVENT_NOT:		select_events(t, &s->no_event, t->optarg); break;
	case TIME:		times_add(t, &s->times, t->optarg, false); break;
	case TIME_NOT:		times_add(t, &s->times, t->optarg, true); break;
	case TYPE:		select_types(t, s, t->optarg, false); break;
	case TYPE_NOT:		select_types(t, s, t->optarg, true); break;
	case INVERT:		s->invert = true; break;
	case 'c':		o->keys = state_keys_add(o->keys, t, KEY_COMM, t->optarg); break;
	case COMM_NOT:		o->keys = state_keys_add(o->keys, t, KEY_NO_COMM, t->optarg); break;
	case DSO:		o->keys = state_keys_add(o->keys, t, KEY_DSO, t->optarg); break;
	case DSO_NOT:		o->keys = state_keys_add(o->keys, t, KEY_NO_DSO, t->optarg); break;
	case CGROUP:		o->keys = state_keys_add(o->keys, t, KEY_CGROUP, t->optarg); break;
	case CGROUP_NOT:	o->keys = state_keys_add(o->keys, t, KEY_NO_CGROUP, t->optarg); break;
	case CONTAINER:		o->keys = state_keys_add(o->keys, t, KEY_CONTAINER, t->optarg); break;
	case POD:		o->keys = state_keys_add(o->keys, t, KEY_POD, t->optarg); break;
	case CONTAINER_NOT:	o->keys = state_keys_add(o->keys, t, KEY_NO_CONTAINER, t->optarg); break;
	case POD_NOT:		o->keys = state_keys_add(o->keys, t, KEY_NO_POD, t->optarg); break;
	case INHERIT:		o->keys = state_keys_add(o->keys, t, KEY_INHERIT, NULL); break;
	case SWITCH_ON:		o->keys = state_keys_add(o->keys, t, KEY_SWITCH_ON, t->optarg); break;
	case SWITCH_OFF:	o->keys = state_keys_add(o->keys, t, KEY_SWITCH_OFF, t->optarg); break;
	case SHOW_ON_OFF:	o->keys = state_keys_add(o->keys, t, KEY_SHOW_ON_OFF, NULL); break;
	case PAYLOAD_TASK:
	case TASK_FIELD:	options_take_payload(t, o, key); break;
	case FILTER:		o->expr = expr_add(o->expr, t, "--filter", t->optarg); break;
	case FILTER_FILE:	o->expr = expr_add_file(o->expr, t, t->optarg); break;
	case EXPLAIN:		o->explain = true; break;
	case AROUND:		o->windows = windows_add(o->windows, t, WINDOW_AROUND, t->optarg); break;
	case BEFORE:		o->windows = windows_add(o->windows, t, WINDOW_BEFORE, t->optarg); break;
	case AFTER:		o->windows = windows_add(o->windows, t, WINDOW_AFTER, t->optarg); break;
	case SPAN:		o->windows = windows_add(o->windows, t, WINDOW_SPAN, t->optarg); break;
	case LONGER:		o->windows = windows_add(o->windows, t, WINDOW_LONGER, t->optarg); break;
	case SHORTER:		o->windows = windows_add(o->windows, t, WINDOW_SHORTER, t->optarg); break;
	case SPAN_WITH:		o->windows = windows_add(o->windows, t, WINDOW_WITH, t->optarg); break;
	case AROUND_SAME:	o->windows = windows_add(o->windows, t, WINDOW_SAME, t->optarg); break;
	default:		options_take_more(t, o, key); break;
	}
}

bool
options_need_state(const struct options *o)
{
	return o->needed || o->payload || state_keys_select(o->keys) || expr_needs_state(o->expr);
}

bool
options_need_order(const struct options *o)
{
	return o->order == ORDER_TIME || o->windows || (o->order == ORDER_AUTO && (options_need_state(o) || o->keys || o->thin.max_rate ||
	    (o->sel.times.needs_first && !o->sel.times.needs_last)));
}

bool
options_need_turns(const struct options *o)
{
	return o->order == ORDER_TIME || o->payload || o->sel.times.needs_first || state_keys_switches(o->keys) || o->thin.every ||
	    o->thin.max_rate || o->thin.has_max_samples;
}

/* --payload-tasks, after the lists of --pid and the like are complete. */
static void
options_done_payload(const struct tool *t, struct options *o)
{
	const struct selection *s = &o->sel;

	if (!o->payload)
		return;
	if (!o->payload_tasks)
		tool_wrong(t, "--task-field: needs --payload-tasks");
	if (!(s->keys & BY_TASK) && !state_keys_by_task(o->keys) && !state_keys_by_cgroup(o->keys))
		tool_wrong(t, "--payload-tasks: needs an option that selects tasks: --pid, --tid, --comms, --cgroup, or an opposite");
	if (o->order == ORDER_INPUT)
		tool_wrong(t, "--order=input: --payload-tasks needs time order");
	o->sel.tasks_elsewhere = true;
	if (o->keys)
		state_keys_tasks_elsewhere(o->keys);
}

bool
options_change(const struct options *o)
{
	return drop_any(&o->drop) || columns_any(&o->columns) || anon_any(&o->anon);
}

/* Does --drop-type contain all types of --type? */
static bool
options_types_gone(const struct options *o)
{
	for (uint32_t i = 0; o->sel.type && i < PP_USER_TYPE_START; i++)
		if (o->sel.type[i] && !tool_list_has(&o->drop.types, i))
			return false;
	return o->sel.type;
}

/* --piece: the verdict on a sample must not depend on others, nor what is written on their number. */
static void
options_done_piece(const struct tool *t, const struct options *o)
{
	static const int not[] = { MAX_SAMPLES, MAX_RATE, EVERY, SCALE_PERIOD, SWITCH_ON, SWITCH_OFF, AROUND, SPAN, PAYLOAD_TASK, DROP_UNUSED,
	    FAIL_IF_EMPTY, ANON_MAP, ANON_UNDO };

	tool_piece_refuses(t, not, sizeof not / sizeof *not);
	if (tool_given(t, ANON) && !o->anon.key_file)
		tool_piece_refuse(t, "--anon without --anon-key");
	if (expr_needs_place(o->expr))
		tool_piece_refuse(t, "nr and offset in --filter");
}

void
options_done(struct tool *t, struct options *o)
{
	const struct thin *h = &o->thin;

	options_done_piece(t, o);

	tool_list_ready(&o->sel.pid);
	if (o->keys)
		state_keys_ready(o->keys, t, &o->sel.pid);
	if (h->has_seed && !h->share)
		tool_wrong(t, "--seed: needs --sample");
	if (h->scale && !thin_scales(h))
		tool_wrong(t, "--scale-period: needs --every, --sample or --max-rate");
	if (h->stop && !h->has_max_samples)
		tool_wrong(t, "--stop: needs --max-samples");
	if (h->stop && o->rejected)
		tool_wrong(t, "--stop: cannot be combined with --rejected, which needs the whole input");
	if (tool_allows(t, "vital-types") && !o->drop.types.n)
		tool_wrong(t, "--allow vital-types: needs --drop-type");
	if (o->explain && !o->expr)
		tool_wrong(t, "--explain: needs --filter");
	if (o->explain && !t->out_name && isatty(STDOUT_FILENO))	/* the user wants the explanation, not the stream */
		o->dry_run = true;
	if (o->anon.key_file && !anon_any(&o->anon))
		tool_wrong(t, "--anon-key: needs --anon");
	if (o->anon.map_file && (!anon_any(&o->anon) || o->dry_run))
		tool_wrong(t, "--anon-map: needs --anon, and cannot be combined with --dry-run");
	o->anon.memory = o->memory;
	o->anon.tasks = o->tasks;
	anon_ready(t, &o->anon, &o->columns);
	tool_list_ready(&o->drop.types);
	drop_ready(t, &o->drop);
	if (options_types_gone(o))
		tool_wrong(t, "--type and --drop-type: nothing remains selected");
	windows_ready(o->windows, t);
	o->functions = expr_functions(o->expr, o->kallsyms, &o->kernel);
	o->functions |= windows_functions(o->windows, o->kallsyms, &o->kernel);
	if (o->kallsyms && !o->functions)
		tool_wrong(t, "--kallsyms: needs EVENT{FIELD.function == NAME} in an expression");
	if (o->windows && o->order == ORDER_INPUT)
		tool_wrong(t, "--order=input: --around and --span need time order");
	o->sel.decided_elsewhere = o->expr || o->payload || o->windows || o->keys || thin_any(h) || o->fail_if_empty;
	select_ready(t, &o->sel);
	options_done_payload(t, o);
	if (o->sel.invert && !o->sel.keys && !state_keys_select(o->keys) && !o->expr)
		tool_wrong(t, "--invert: needs an option that selects samples, such as --pid");
	t->no_output = o->dry_run;
}

void
options_free(struct options *o)
{
	select_free(&o->sel);
	state_keys_free(o->keys);
	expr_free(o->expr);
	windows_free(o->windows);
	payload_tasks_free(o->payload);
	drop_free(&o->drop);
}
