/* SPDX-License-Identifier: ISC */
/* psort - put the records of a stream in perf's time order, two rounds at a time */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "merge.h"
#include "sort.h"

enum { MEMORY = 256 << 20, MEMORY_MIN = 1 << 20 };

struct options {
	struct sort_how	 how;
	bool		 check, full, compress;
	const char	*tmpdir;
	bool		 merges;
	struct join_options join;
	struct join_offsets offsets;
};

#define OPTIONS struct options
static const struct tool_opt opts[] = {
	OPT_HEAD("Sorting"),
	OPT_FLAG('c', "check", check, "write no output; exit 1 at the first record out of order"),
	OPT_FLAG(0, "full", full, "sort the whole recording, ignoring its rounds"),
	OPT_DURATION(0, "window", "TIME", how.window, 0, "write records older than the newest by TIME (10ms, 2s)"),
	OPT_WORD(0, "late", LATE_WORDS, how.late, LATE_EMIT, "what becomes of late records"),
	OPT_WORD(0, "untimed", UNTIMED_WORDS, how.untimed, UNTIMED_INPLACE, "where records without a time go"),
	OPT_WORD(0, "rounds", MARKS_WORDS, how.marks, MARKS_EMIT, "FINISHED_ROUND records: emit new ones, keep or drop"),
	OPT_FLAG('u', "unique", how.unique, "drop records equal to one of the same time"),
	OPT_FLAG(0, "stats", how.stats, "print statistics: disorder, rounds, late, spilled"),
	OPT_NOT_WITH("window", "full,untimed=first", ""),
	OPT_NOT_IN_PIECES("check,unique,merge,late=drop,late=error,late=clamp,untimed=stamp"),
	OPT_HEAD("Memory and temporary files"),
	OPT_SIZE('S', "max-memory", how.memory, MEMORY_MIN, SIZE_MAX / 2, "hold up to SIZE in memory, spill the rest (256M)"),
	OPT_TEXT('T', "tmpdir", "DIR", tmpdir, OF_DIR, "create the temporary file in DIR ($TMPDIR, or /tmp)"),
	OPT_FLAG(0, "compress-temp", compress, "compress the temporary file"),
	OPT_HEAD("Merging"),
	OPT_FLAG(0, "merge", merges, "merge all inputs into one stream"),
	JOIN_OPTS(join, offsets),
	TOOL_OPTS_MANIFEST("merge the parts that FILE lists"),
	TOOL_OPT_ALLOW(JOIN_ALLOW),
	OPT_NOT_WITH("check", "merge", "; check its output, or each input"),
	OPT_NOT_WITH("rounds=keep", "merge", "; use emit or drop"),
	OPT_NEEDS(JOIN_OPT_NAMES ",manifest,allow-missing,allow", "merge"),
	/* what is written, and how, is no matter */
	OPT_ONLY_WITH("check", "input,quiet,verbose,force,max-memory,tmpdir,max-expand,no-sandbox"),
	OPT_HEAD("Input, output and messages"),
	TOOL_OPTS_IN, TOOL_OPTS_OUT, TOOL_OPT_FORMAT, TOOL_OPTS_COMMON, TOOL_OPTS_END
};

static const char examples[] =
    "  $ perf record -a -g -o - -- sleep 2 | psort >sorted.data\n"
    "  $ psort --full -S 64M -o full.data all.data\n"
    "  $ psort --merge web1.data web2.data >merged.data\n";

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
	join_opt_offsets(t, &o->join, &o->offsets);
	o->join.pieces = o->join.live = true;
	return run(t, o);
}

int
main(int argc, char **argv)
{
	static struct tool t = { .name = "psort", .purpose = "Sort a perf stream by time, or merge several.", .opts = opts,
	    .examples = examples, .many = true };
	static struct options o = { .how.memory = MEMORY };
	int status;

	tool_options(&t, &o, argc, argv);
	/* What has no time passes at once: that is before all others, if these wait for the end. */
	o.full |= o.how.untimed == UNTIMED_FIRST;
	o.how.mode = tool_given(&t, "window") ? SORT_WINDOW : o.full ? SORT_FULL : SORT_ROUNDS;
	if (o.how.marks == MARKS_AUTO)
		o.how.marks = o.how.mode == SORT_ROUNDS && !o.merges ? MARKS_KEEP : MARKS_EMIT;
	if (o.merges) {
		status = merge(&t, &o);
		free(t.names);
		free(o.offsets.ns);
		return status;
	}
	if (t.nnames > 1)
		tool_wrong(&t, "one input only, without --merge: '%s' and '%s'", t.names[0], t.names[1]);
	free(t.names);
	t.names = NULL;
	t.nnames = 0;
	t.no_output = o.check;
	if (!o.check)
		return run(&t, &o);
	tool_open(&t, 0);
	check(&t);
	return tool_close(&t);
}
