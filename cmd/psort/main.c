/* SPDX-License-Identifier: ISC */
/* psort - put the records of a stream in perf's time order, two rounds at a time */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "merge.h"
#include "sort.h"

enum { FULL = TOOL_LONG, WINDOW, LATE, UNTIMED, ROUNDS, COMPRESS_TEMP, STATS, MERGE, ALIGN, HOST_TAG, MERGE_ATTRS, REMAP_PIDS,
	TIME_OFFSET };
enum { MEMORY = 256 << 20, MEMORY_MIN = 1 << 20 };

static const struct tool_opt opts[] = {
	TOOL_HEAD("Sorting"),
	{ 'c', "check", NULL, "write no output; exit 1 at the first record out of order" },
	{ FULL, "full", NULL, "sort the whole recording, ignoring its rounds" },
	{ WINDOW, "window", "TIME", "write records older than the newest by TIME (10ms, 2s)" },
	{ LATE, "late", "WHAT", "late records: emit, drop, error or clamp" },
	{ UNTIMED, "untimed", "WHERE", "records without a time: inplace, first or stamp" },
	{ ROUNDS, "rounds", "WHAT", "FINISHED_ROUND records: emit new ones, keep or drop" },
	{ 'u', "unique", NULL, "drop records equal to one of the same time" },
	{ STATS, "stats", NULL, "print statistics: disorder, rounds, late, spilled" },
	TOOL_HEAD("Memory and temporary files"),
	{ 'S', "max-memory", "SIZE", "hold up to SIZE in memory, spill the rest (256M)" },
	{ 'T', "tmpdir", "DIR", "create the temporary file in DIR ($TMPDIR, or /tmp)" },
	{ COMPRESS_TEMP, "compress-temp", NULL, "compress the temporary file" },
	TOOL_HEAD("Merging"),
	{ MERGE, "merge", NULL, "merge all inputs into one stream" },
	{ ALIGN, "align", "none|wall|first", "adjust the clocks of the inputs" },
	{ HOST_TAG, "host-tag", "none|comm", "put the host name before each comm" },
	{ MERGE_ATTRS, "merge-attrs", NULL, "join equal events" },
	{ REMAP_PIDS, "remap-pids", "auto|never|OFFSET", "keep the pids of different hosts apart (auto)" },
	{ TIME_OFFSET, "time-offset", "TIME...", "add TIME to the times of the next input (1.5s; -10ms)" },
	TOOL_OPTS_MANIFEST("merge the parts that FILE lists"),
	TOOL_OPT_ALLOW(JOIN_ALLOW),
	TOOL_HEAD("Input, output and messages"),
	TOOL_OPTS_IN, TOOL_OPTS_OUT, TOOL_OPT_FORMAT, TOOL_OPTS_COMMON, TOOL_OPTS_END
};

static const char examples[] =
    "  $ perf record -a -g -o - -- sleep 2 | psort >sorted.data\n"
    "  $ psort --full -S 64M -o full.data all.data\n"
    "  $ psort --merge web1.data web2.data >merged.data\n";

struct options {
	struct sort_how	 how;
	bool		 check, full, window, compress;
	const char	*tmpdir;
	bool		 merges, joins;	/* --merge; an option that only goes with it */
	struct join_options join;
	struct join_offsets offsets;
};

/* Is the stream in time order?  Says where not. */
static int
check(struct tool *t)
{
	struct pp_rec r;
	uint64_t time, last = 0;

	while (pp_next(t->in, &r) > 0) {
		const struct pp_event *ev;

		if (r.type >= PP_USER_TYPE_START)
			continue;
		if (!(ev = pp_event_find(t->in->events, &r, &t->in_err)))
			return pp_reject(t->in, &r);
		if (!pp_time(ev, &r, t->in->swap, &time))
			continue;
		if (time < last) {
			pp_fail(&t->in_err, "out of order: time %" PRIu64 ".%09" PRIu64 " after %" PRIu64 ".%09" PRIu64,
			    time / 1000000000, time % 1000000000, last / 1000000000, last % 1000000000);
			return pp_reject(t->in, &r);
		}
		last = time;
	}
	return 1;
}

/* Which of the words is it? */
static int
one_of(const struct tool *t, const char *const *words, const char *all)
{
	for (int i = 0; words[i]; i++)
		if (*words[i] && !strcmp(t->optarg, words[i]))
			return i;
	tool_wrong(t, "%s '%s': expected one of %s", t->optname, t->optarg, all);
}

static void
option(struct tool *t, struct options *o, int key)
{
	static const char *const late[] = { "emit", "drop", "error", "clamp", NULL };
	static const char *const untimed[] = { "inplace", "first", "stamp", NULL };
	static const char *const marks[] = { "", "emit", "keep", "drop", NULL };
	uint64_t size;

	switch (key) {
	case 'c': o->check = true; break;
	case 'u': o->how.unique = true; break;
	case 'T': o->tmpdir = t->optarg; break;
	case 'S':
		if ((size = tool_size(t, t->optarg)) < MEMORY_MIN || size > SIZE_MAX / 2)
			tool_wrong(t, "%s '%s': expected at least 1M", t->optname, t->optarg);
		o->how.memory = (size_t)size;
		break;
	case FULL: o->full = true; break;
	case WINDOW:
		o->window = true;
		o->how.window = tool_duration(t, t->optarg);
		break;
	case LATE: o->how.late = (enum sort_late)one_of(t, late, "emit, drop, error, clamp"); break;
	case UNTIMED: o->how.untimed = (enum sort_untimed)one_of(t, untimed, "inplace, first, stamp"); break;
	case ROUNDS: o->how.marks = (enum sort_marks)one_of(t, marks, "emit, keep, drop"); break;
	case COMPRESS_TEMP: o->compress = true; break;
	case STATS: o->how.stats = true; break;
	case MERGE: o->merges = true; break;
	case ALIGN: join_opt_align(t, &o->join, t->optarg); o->joins = true; break;
	case HOST_TAG: join_opt_host_tag(t, &o->join, t->optarg); o->joins = true; break;
	case MERGE_ATTRS: o->join.merge_attrs = o->joins = true; break;
	case REMAP_PIDS: join_opt_pids(t, &o->join, t->optarg); o->joins = true; break;
	case TIME_OFFSET: join_opt_offset(t, &o->offsets); o->joins = true; break;
	}
}

/* What is written, and how, is no matter for --check. */
static void
check_alone(const struct tool *t)
{
	static const int goes[] = { 'c', 'i', 'q', 'v', 'f', 'S', 'T', TOOL_MAX_EXPAND };

	for (const struct tool_opt *o = t->opts; o->name; o++) {
		bool fits = !tool_given(t, o->key);

		for (size_t i = 0; i < sizeof goes / sizeof *goes; i++)
			fits |= o->key == goes[i];
		if (!fits)
			tool_wrong(t, "--%s: cannot be combined with --check", o->name);
	}
}

/* What depends on the records in front of one. */
static void
refuse_with_piece(const struct tool *t, const struct options *o)
{
	static const int not[] = { 'c', 'u', MERGE };

	tool_piece_refuses(t, not, sizeof not / sizeof *not);
	if (o->how.late != LATE_EMIT)
		tool_piece_refuse(t, "--late, but emit");
	if (o->how.untimed == UNTIMED_STAMP)
		tool_piece_refuse(t, "--untimed=stamp");
}

/* Sort, or merge; 0, or 1. */
static int
run(struct tool *t, struct options *o)
{
	struct pp_err spill_err;
	struct spill *spill = spill_new(o->tmpdir, o->how.memory / (o->how.unique ? 8 : 4), o->compress, &spill_err);
	int status;

	if (!spill)
		tool_no_memory();
	if (o->merges) {
		tool_check(t);
		status = merge_run(t, &o->join, &o->how, spill, &spill_err);
	} else {
		tool_open(t, 0);
		status = sort_stream(t, &o->how, spill, &spill_err);
		status |= tool_close(t);
	}
	spill_free(spill);
	return status;
}

static int
merge(struct tool *t, struct options *o)
{
	if (o->check)
		tool_wrong(t, "--check: cannot be combined with --merge; check its output, or each input");
	if (o->how.marks == MARKS_KEEP)
		tool_wrong(t, "--rounds=keep: cannot be combined with --merge; use emit or drop");
	join_opt_offsets(t, &o->join, &o->offsets);
	o->join.pieces = o->join.live = true;
	if (!t->manifest && tool_given(t, TOOL_ALLOW_MISSING))
		tool_wrong(t, "--allow-missing: needs --manifest");
	return run(t, o);
}

int
main(int argc, char **argv)
{
	struct tool t = { .name = "psort", .purpose = "Sort a perf stream by time, or merge several.", .opts = opts,
	    .examples = examples, .many = true, .allow = JOIN_ALLOW };
	static struct options o = { .how.memory = MEMORY };
	int key, status;

	while ((key = tool_getopt(&t, argc, argv)))
		option(&t, &o, key);
	refuse_with_piece(&t, &o);
	/* What has no time passes at once: that is before all others, if these wait for the end. */
	o.full |= o.how.untimed == UNTIMED_FIRST;
	if (o.full && o.window)
		tool_wrong(&t, "--window: cannot be combined with --full or --untimed=first");
	o.how.mode = o.window ? SORT_WINDOW : o.full ? SORT_FULL : SORT_ROUNDS;
	if (o.merges) {
		status = merge(&t, &o);
		free(t.names);
		free(o.offsets.ns);
		return status;
	}
	if (o.joins || t.allowed || t.manifest || tool_given(&t, TOOL_ALLOW_MISSING))
		tool_wrong(&t, "--align, --allow, --allow-missing, --host-tag, --manifest, --merge-attrs, --remap-pids and --time-offset: need --merge");
	if (t.nnames > 1)
		tool_wrong(&t, "one input only, without --merge: '%s' and '%s'", t.names[0], t.names[1]);
	free(t.names);
	t.names = NULL;
	t.nnames = 0;
	t.no_output = o.check;
	if (!o.check)
		return run(&t, &o);
	check_alone(&t);
	tool_open(&t, 0);
	check(&t);
	return tool_close(&t);
}
