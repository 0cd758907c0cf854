/* SPDX-License-Identifier: ISC */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "options.h"

enum { MEMORY_MIN = 1 << 20, NO_TASK = -1, FIRST_CPU = 0, NOT = true };

static void
take_filter(struct tool *t, void *options)
{
	struct options *o = options;

	o->expr = expr_add(o->expr, t, t->optname, t->optarg);
}

static void
take_filter_file(struct tool *t, void *options)
{
	struct options *o = options;

	o->expr = expr_add_file(o->expr, t, t->optarg);
}

static void
take_task_field(struct tool *t, void *options)
{
	struct options *o = options;

	if (!o->payload)
		o->payload = payload_tasks_new();
	if (t->optarg)
		payload_tasks_add(o->payload, t, t->optarg);
}

#define BY_TASKS "pid,tid,exclude-pid,exclude-tid,comms,exclude-comms,cgroup,exclude-cgroup,container,exclude-container,pod,exclude-pod"
#define BY_OTHERS "cpu,exclude-cpu,event,exclude-event,time,exclude-time,dsos,exclude-dsos,filter,filter-file"

#define SPAN(name, begin, end, key, cancel) #name "|"
static const char span_words[] =
#include "window/span.def"
    ;

#define OPTIONS struct options
#define KEYS(name, arg, what, key, help) OPT_CALL_AS(0, name, arg, what, state_keys_add, keys, key, help)
#define WINDOW(name, arg, what, option, help) OPT_CALL_AS(0, name, arg, what, windows_add, windows, option, help)
static const struct tool_opt opts[] = {
	OPT_HEAD("Selection by fields"),
	OPT_NUMBERS('p', "pid", sel.pid, NO_TASK, "keep samples of these processes (1,2,10-20 or file://NAME)"),
	OPT_NUMBERS('t', "tid", sel.tid, NO_TASK, "keep samples of these threads"),
	OPT_NUMBERS('C', "cpu", sel.cpu, FIRST_CPU, "keep samples of these CPUs"),
	OPT_CALL_ON('e', "event", "LIST", OF_EVENTS, select_events, sel.event,
	    "keep samples of these events: names as for perf record -e, or patterns"),
	OPT_NUMBERS(0, "exclude-pid", sel.no_pid, NO_TASK, "drop samples of these processes"),
	OPT_NUMBERS(0, "exclude-tid", sel.no_tid, NO_TASK, "drop samples of these threads"),
	OPT_NUMBERS(0, "exclude-cpu", sel.no_cpu, FIRST_CPU, "drop samples of these CPUs"),
	OPT_CALL_ON(0, "exclude-event", "LIST", OF_EVENTS, select_events, sel.no_event, "drop samples of these events"),
	OPT_CALL_AS(0, "exclude-type", "LIST", NULL, select_types, sel, NOT,
	    "drop these types: samples, SWITCH and similar records"),
	OPT_FLAG(0, "invert", sel.invert, "reverse the selection"),
	OPT_NEEDS_SOME("invert", BY_TASKS "," BY_OTHERS, "an option that selects samples, such as --pid"),
	OPT_HEAD("Time"),
	OPT_CALL_ON(0, "time", "RANGES", NULL, times_add, sel.times,
	    "keep samples of START,STOP (seconds, or +1.5s from the first sample) or 10%/2"),
	OPT_CALL_AS(0, "exclude-time", "RANGES", NULL, times_add, sel.times, NOT, "drop samples of these times"),
	OPT_HEAD("Selection by state (holds records for time order)"),
	OPT_CALL_AS('c', "comms", "LIST", OF_COMMS, state_keys_add, keys, KEY_COMM,
	    "keep samples of threads with these names, or patterns ('ng*')"),
	KEYS("inherit", NULL, NULL, KEY_INHERIT, "with --pid, --comms: keep samples of descendants, too"),
	KEYS("dsos", "LIST", NULL, KEY_DSO, "keep samples in these files: paths, names in perf, or patterns"),
	KEYS("cgroup", "LIST", NULL, KEY_CGROUP, "keep samples of these cgroups and all below them, or patterns"),
	KEYS("container", "LIST", NULL, KEY_CONTAINER, "keep samples of these containers: ids of 12 or more digits, or names"),
	KEYS("pod", "LIST", NULL, KEY_POD, "keep samples of these pods of Kubernetes, by UID"),
	KEYS("exclude-comms", "LIST", OF_COMMS, KEY_NO_COMM, "drop samples of threads with these names"),
	KEYS("exclude-dsos", "LIST", NULL, KEY_NO_DSO, "drop samples in these files"),
	KEYS("exclude-cgroup", "LIST", NULL, KEY_NO_CGROUP, "drop samples of these cgroups"),
	KEYS("exclude-container", "LIST", NULL, KEY_NO_CONTAINER, "drop samples of these containers"),
	KEYS("exclude-pod", "LIST", NULL, KEY_NO_POD, "drop samples of these pods"),
	OPT_CALL(0, "payload-tasks", NULL, NULL, take_task_field,
	    "these, --pid and --tid: also samples that name such a task (sched_switch...)"),
	OPT_CALL(0, "task-field", "EVENT:FIELD[:tgid]...", NULL, take_task_field,
	    "with --payload-tasks: this field of payloads is a task"),
	KEYS("switch-on", "EVENT", OF_EVENTS, KEY_SWITCH_ON, "keep samples after a sample of this event"),
	KEYS("switch-off", "EVENT", OF_EVENTS, KEY_SWITCH_OFF, "drop samples from a sample of this event on"),
	KEYS("show-on-off-events", NULL, NULL, KEY_SHOW_ON_OFF, "keep the samples of these two events, too"),
	OPT_WORD(0, "order", "auto|input|time", order, ORDER_AUTO, "hold records for time order: if needed (auto), never, always"),
	OPT_SIZE('S', "max-memory", memory, MEMORY_MIN, SIZE_MAX / 2, "hold up to SIZE of records, tasks and maps (256M)"),
	OPT_NEEDS("inherit", "pid,comms"),
	OPT_NEEDS("task-field", "payload-tasks"),
	OPT_NEEDS_SOME("payload-tasks", BY_TASKS, "an option that selects tasks: --pid, --tid, --comms, --cgroup, or an opposite"),
	OPT_NEEDS("show-on-off-events", "switch-on,switch-off"),
	OPT_NOT_WITH("order=input", "payload-tasks,around,span", ", which needs time order"),
	OPT_HEAD("Selection by expression"),
	OPT_CALL(0, "filter", "EXPR", NULL, take_filter, "keep samples for which EXPR is true: 'period > 1000 && comm ~ \"ng*\"'"),
	OPT_CALL(0, "filter-file", "FILE...", OF_FILE, take_filter_file, "read the expression from FILE"),
	OPT_TEXT(0, "kallsyms", "FILE", kallsyms, OF_FILE,
	    "for FIELD.function in EVENT{...}: the symbols of the kernel that was recorded"),
	OPT_FLAG(0, "explain", explain, "print how --filter is parsed, and which fields need time order"),
	OPT_NEEDS("explain", "filter,filter-file"),
	OPT_HEAD("Selection by what is near (holds records for time order)"),
	WINDOW("around", "EXPR", NULL, WINDOW_AROUND, "keep what is near in time to samples for which EXPR is true"),
	WINDOW("before", "DURATION...", NULL, WINDOW_BEFORE, "with --around: from so long before them (0)"),
	WINDOW("after", "DURATION...", NULL, WINDOW_AFTER, "with --around: until so long after them (0)"),
	WINDOW("around-same", WINDOW_SAME_WORDS "...", WINDOW_SAME_WORDS, WINDOW_SAME,
	    "with --around: only of the same CPU, thread or process"),
	WINDOW("span", "SPAN...", span_words, WINDOW_SPAN, "keep both ends of spans: 'BEGIN; END; KEY', syscall, offcpu ..."),
	WINDOW("longer-than", "DURATION...", NULL, WINDOW_LONGER, "with --span: only spans that are longer"),
	WINDOW("shorter-than", "DURATION...", NULL, WINDOW_SHORTER, "with --span: and shorter"),
	WINDOW("span-with", WINDOW_WITH_WORDS "...", WINDOW_WITH_WORDS, WINDOW_WITH,
	    "with --span: and what lies between, of the same thread, CPU, or all"),
	OPT_FLAG(0, "span-period", measure.on, "with --span: keep the first sample, with the length of the span as its period"),
	OPT_FLAG(0, "span-end", measure.last, "with --span-period: the last sample instead"),
	OPT_FLAG(0, "span-task", measure.task, "with --span-period: as a sample of the thread that KEY is"),
	OPT_FLAG(0, "span-open", measure.open, "with --span-period: also spans that are open at the end"),
	OPT_FLAG(0, "span-sure", measure.sure, "with --span-period: no spans during which records were lost"),
	OPT_NEEDS("span-period", "span"),
	OPT_NEEDS("span-end,span-task,span-open,span-sure", "span-period"),
	OPT_NOT_WITH("span-open", "span-end", ""),
	OPT_NOT_WITH("span-period", "scale-period", "; scale the lengths by another pfilter"),
	OPT_HEAD("Thinning"),
	OPT_NUMBER(0, "every", "N", thin.every, 1, INT64_MAX, "keep one of N selected samples"),
	OPT_CALL_ON(0, "sample", "SHARE", NULL, thin_share, thin, "keep this share of them (0.1 or 10%), chosen by a hash"),
	OPT_NUMBER(0, "seed", "N", thin.seed, 0, INT64_MAX, "make --sample choose other samples (0)"),
	OPT_NUMBER(0, "max-rate", "N", thin.max_rate, 1, INT64_MAX, "keep at most N samples per second"),
	OPT_FLAG(0, "scale-period", thin.scale, "increase periods, so that they represent dropped samples"),
	OPT_NUMBER(0, "max-samples", "N", thin.max_samples, 0, INT64_MAX, "keep the first N samples of each event"),
	OPT_FLAG(0, "stop", thin.stop, "with --max-samples: stop reading then"),
	OPT_NEEDS("seed", "sample"),
	OPT_NEEDS("scale-period", "every,sample,max-rate"),
	OPT_NEEDS("stop", "max-samples"),
	OPT_NOT_WITH("stop", "rejected", ", which needs the whole input"),
	OPT_HEAD("Side-band and other records"),
	OPT_WORD(0, "sideband", "all|needed|none", sideband, SIDEBAND_ALL,
	    "keep side-band: all (default), what kept samples need, none"),
	OPT_CALL_ON(0, "type", "LIST", NULL, select_types, sel, "keep only these record types (SAMPLE,SWITCH), and side-band"),
	OPT_HEAD("Removing events, records and fields"),
	OPT_CALL_ON(0, "drop-event", "LIST", OF_EVENTS, select_events, drop.events,
	    "remove these events and everything that belongs to them"),
	OPT_CALL_ON(0, "drop-unused-events", NULL, NULL, drop_unused, drop, "remove events without kept samples"),
	OPT_CALL_ON(0, "drop-type", "LIST", NULL, drop_types, drop, "remove records of these types"),
	OPT_CALL_ON(0, "strip", "LIST", NULL, columns_strip, columns, "remove fields of samples (callchain,user-stack,raw...)"),
	OPT_NUMBER(0, "max-stack", "N", columns.max_stack, 1, PP_RECORD_MAX, "cut call chains to the innermost N entries"),
	OPT_CALL_ON(0, "stack-size", "N", NULL, columns_stack_size, columns, "cut copies of user stacks to N bytes"),
	OPT_HEAD("Anonymising"),
	OPT_CALL_ON(0, "anon", "LIST", ANON_WORDS, anon_list, anon, "write pseudonyms for " ANON_WORDS),
	OPT_TEXT(0, "anon-key", "FILE", anon.key_file, OF_FILE, "key for the same pseudonyms in every run"),
	OPT_TEXT(0, "anon-map", "FILE", anon.map_file, OF_FILE, "write the originals of pseudonyms to FILE"),
	OPT_TEXT(0, "anon-undo", "FILE", undo, OF_FILE, "replace pseudonyms in a text by their originals in FILE"),
	OPT_NEEDS("anon-key,anon-map", "anon"),
	OPT_NOT_WITH("anon-map", "dry-run", ""),
	OPT_HEAD("Input, output and messages"),
	TOOL_OPTS_IN, TOOL_OPTS_OUT, TOOL_OPT_FORMAT,
	OPT_TEXT('U', "rejected", "FILE", rejected, OF_FILE, "write rejected samples to FILE, with the side-band that they need"),
	OPT_FLAG('n', "dry-run", dry_run, "write no output"),
	OPT_WORD_ARG(0, "stats", "[=json]", "text|json", stats, STATS_TEXT,
	    "print counts of records: read, kept, dropped by each option"),
	OPT_FLAG(0, "fail-if-empty", fail_if_empty, "exit with status 1 if no sample is kept"),
	/* vital-types: --drop-type of types without which other records cannot be interpreted */
	TOOL_OPT_ALLOW("vital-types"),
	OPT_NEEDS("allow", "drop-type"),
	/* the verdict on a sample must not depend on others, nor what is written on their number */
	OPT_NOT_IN_PIECES("max-samples,max-rate,every,scale-period,switch-on,switch-off,around,span-open,span-sure,payload-tasks,drop-unused-events,"
	    "fail-if-empty,anon-map,anon-undo"),
	TOOL_OPT_JOBS("format=file,rejected,dry-run,stats,explain", ""),
	TOOL_OPTS_COMMON, TOOL_OPTS_END
};

static const char examples[] =
    "  $ perf record -a -g -o - -- sleep 2 | pfilter --pid 42 --inherit | psort >out.data\n"
    "  $ pfilter --time +200ms,+700ms --cpu 1 all.data | perf report --stdio -i - | head\n"
    "  $ pfilter --filter 'period > 1000 and comm ~ \"gz*\"' -U rest.data -o gzip.data all.data\n";

bool
options_need_state(const struct options *o)
{
	return o->sideband == SIDEBAND_NEEDED || o->payload || state_keys_select(o->keys) || expr_needs_state(o->expr);
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

bool
options_add_period(const struct options *o)
{
	return o->measure.on || thin_adds_period(&o->thin);
}

bool
options_change(const struct options *o)
{
	return drop_any(&o->drop) || columns_any(&o->columns) || anon_any(&o->anon);
}

/* Does --drop-type contain all types of --type? */
static bool
types_gone(const struct options *o)
{
	for (uint32_t i = 0; o->sel.type && i < PP_USER_TYPE_START; i++)
		if (o->sel.type[i] && !tool_list_has(&o->drop.types, i))
			return false;
	return o->sel.type;
}

void
options_parse(struct options *o, struct tool *t, int argc, char **argv)
{
	struct selection *s = &o->sel;

	t->opts = opts;
	t->examples = examples;
	tool_options(t, o, argc, argv);
	if (tool_given(t, "anon") && !o->anon.key_file && t->piece.n)
		tool_piece_refuse(t, "--anon without --anon-key");
	if (expr_needs_place(o->expr))
		tool_piece_refuse(t, "nr and offset in --filter");
	s->no_sideband = o->sideband == SIDEBAND_NONE;
	o->thin.has_max_samples = tool_given(t, "max-samples");
	o->tasks = tool_given(t, "max-memory") ? o->memory / 2 : 0;
	tool_list_ready(&s->pid);
	if (o->keys)
		state_keys_ready(o->keys, t, &s->pid);
	if (o->explain && !t->out_name && isatty(STDOUT_FILENO)) {	/* the user wants the explanation, not the stream */
		if (o->anon.map_file)
			tool_wrong(t, "--anon-map: cannot be combined with --explain, which writes no stream to a terminal");
		o->dry_run = true;
	}
	o->anon.memory = o->memory;
	o->anon.tasks = o->tasks;
	anon_ready(t, &o->anon, &o->columns);
	tool_list_ready(&o->drop.types);
	drop_ready(t, &o->drop);
	if (types_gone(o))
		tool_wrong(t, "--type and --drop-type: nothing remains selected");
	windows_ready(o->windows, t, &o->measure);
	o->measure.forgets = o->measure.on && !o->measure.last && !o->rejected && !o->payload && windows_forget(o->windows);
	o->functions = expr_functions(o->expr, o->kallsyms, &o->kernel);
	o->functions |= windows_functions(o->windows, o->kallsyms, &o->kernel);
	if (o->kallsyms && !o->functions)
		tool_wrong(t, "--kallsyms: needs EVENT{FIELD.function == NAME} in an expression");
	s->decided_elsewhere = o->expr || o->payload || o->windows || o->keys || thin_any(&o->thin) || o->fail_if_empty;
	select_ready(t, s);
	s->tasks_elsewhere = o->payload;
	if (o->payload && o->keys)
		state_keys_tasks_elsewhere(o->keys);
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
