/* SPDX-License-Identifier: ISC */
/* options.c - pstat's command line: what there is, and what goes with what */
#include <string.h>

#include "options.h"
#include "picture/show.h"
#include "report/forms.h"
#include "report/output.h"
#include "sort/sort.h"

enum { OPT_CHECK = TOOL_LONG, OPT_STRICT, OPT_FOR, OPT_PRIVACY, OPT_EVENTS, OPT_HEADER, OPT_TASKS, OPT_MMAPS, OPT_BUILD_IDS, OPT_MERGE,
	OPT_DIFF, OPT_TOP, OPT_QUANTUM, OPT_HIST, OPT_PICTURE, OPT_CPUMODE, OPT_TERM, OPT_THEME, OPT_SCALE, OPT_REPORT,
	OPT_FORMAT, OPT_JSON, OPT_CSV, OPT_TABLE, OPT_INTERVAL, OPT_LIVE, OPT_TEE };

const struct tool_opt options_table[] = {
	TOOL_HEAD("What is reported"),
	{ 's', "sort", "KEYS", "by comm pid tid cpu event dso cgroup container pod cpumode type time raw.FIELD" },
	{ OPT_HIST, "hist", "FIELD", "percentiles of period, weight, interval, stack, chain, raw, size, round ..." },
	{ OPT_TOP, "top", "N", "of --sort show N rows (20 on the screen, else all), 0: all" },
	{ OPT_QUANTUM, "time-quantum", "DURATION", "the bins of --sort time and --picture: 1ms to 60m" },
	{ OPT_EVENTS, "events", NULL, "print the attributes of events, as perf evlist -v" },
	{ OPT_HEADER, "header", NULL, "print the header features, as perf report --header-only" },
	{ OPT_TASKS, "tasks", NULL, "print the tree of threads, as perf report --tasks" },
	{ OPT_MMAPS, "mmaps", NULL, "print the maps of each thread, as perf report --mmaps" },
	{ OPT_BUILD_IDS, "build-ids", NULL, "print the build-ids, as perf buildid-list" },
	{ OPT_CHECK, "check", "[=LIST]", "print what readers stumble over; exit 1 if that is an error" },
	{ OPT_STRICT, "strict", NULL, "with --check: exit 1 if it is a warning, too" },
	{ OPT_FOR, "for", "VERSION", "with --check: what perf 6.1, 6.12 or current misreads is an error" },
	{ OPT_PRIVACY, "privacy", NULL, "print what the recording gives away; with -v names, too" },
	TOOL_HEAD("Pictures"),
	{ OPT_PICTURE, "picture", "LIST", "draw rate, cpu, tasks, subsecond, disorder, hist:FIELD, fill: SVG, or text" },
	{ 'e', "event", "LIST", "of pictures: only samples of these events" },
	{ OPT_CPUMODE, "cpumode", "MODE", "of pictures: only samples in kernel, user ..." },
	{ OPT_TERM, "term", "[=ascii]", "pictures as text" },
	{ OPT_THEME, "theme", "light|dark", "colours of pictures (default: as the reader's system)" },
	{ OPT_SCALE, "scale", "linear|log|rank", "how colours follow from counts (linear, or rank if all are alike)" },
	{ OPT_REPORT, "report", "FILE.html", "write pictures, tables, and what --check and --privacy find as one page" },
	TOOL_HEAD("While the input is read"),
	{ OPT_INTERVAL, "interval", "DURATION", "print a line of each interval of the recording's time" },
	{ OPT_LIVE, "live", NULL, "show the last minute on the terminal" },
	{ OPT_TEE, "tee", NULL, "write the input to standard output, the report to standard error" },
	TOOL_HEAD("Several reports"),
	{ OPT_MERGE, "merge", NULL, "add up reports of pstat --json: FILE..., or - with one after the other" },
	{ OPT_DIFF, "diff", NULL, "compare two recordings or reports by comm, or the keys of --sort" },
	TOOL_HEAD("Form of the report"),
	{ OPT_FORMAT, "format", "FORM", "screen (default), json, csv, tsv or openmetrics" },
	{ OPT_JSON, "json", NULL, "--format=json: all tables as one object" },
	{ OPT_CSV, "csv", NULL, "--format=csv: the table named by --table" },
	{ OPT_TABLE, "table", "NAME", "the table that csv and tsv have: a member of the JSON" },
	TOOL_HEAD("Input"),
	TOOL_OPTS_IN, TOOL_OPTS_MANIFEST("read the parts that FILE lists, as one recording"),
	TOOL_HEAD("Output"),
	TOOL_OPTS_OUT,
	TOOL_HEAD("Messages, and the process"),
	TOOL_OPTS_COMMON, TOOL_OPTS_END
};

const char options_examples[] =
    "  $ pstat all.data\n"
    "  $ perf record -a -o - -- sleep 2 | pstat\n"
    "  $ perf record -a -o - -- sleep 2 | pstat --tee --interval 1s | pfilter --pid 42 >selected.data\n"
    "  $ pstat --json -o counts.json all.data\n"
    "  $ pstat --csv --table pids all.data >pids.csv\n"
    "  $ pstat --report all.html all.data\n";

/* A page has all that there is, of the whole recording; only how it is drawn can be chosen. */
static void
refuse_with_page(const struct tool *t, const struct asked *a)
{
	if (t->out_name)
		tool_wrong(t, "--report: has the name of the output; -o is for the others");
	if (a->form || a->table || a->keys || a->hist || a->top >= 0 || a->views || a->check || a->privacy || a->picture || a->events || a->cpumode ||
	    a->term || a->merge || a->diff || a->every || a->live || a->tee)
		tool_wrong(t, "--report: goes only with --time-quantum, --theme and --scale; the page has the rest");
}

/* What is not a sum over samples, or has no --merge. */
static void
refuse_with_piece(const struct tool *t, const struct asked *a)
{
	static const int not[] = { OPT_CHECK, OPT_PRIVACY, OPT_EVENTS, OPT_HEADER, OPT_TASKS, OPT_MMAPS, OPT_BUILD_IDS, OPT_PICTURE, OPT_REPORT,
	    OPT_INTERVAL, OPT_LIVE, OPT_TEE, OPT_MERGE, OPT_DIFF, OPT_TOP,
	    TOOL_MANIFEST };

	tool_piece_refuses(t, not, sizeof not / sizeof *not);
	if (a->hist && sort_hist_is_between(a->hist))
		tool_piece_refuse(t, "--hist %.*s", (int)strcspn(a->hist, ":"), a->hist);
	if (a->keys && strstr(a->keys, "raw."))
		tool_piece_refuse(t, "--sort raw.FIELD");
}

void
read_options(struct tool *t, struct asked *a, int argc, char **argv)
{
	int key;

	while ((key = tool_getopt(t, argc, argv)))
		switch (key) {
		case OPT_FORMAT:
			a->form = output_form(t, t->optarg, a->form);
			break;
		case OPT_JSON:
			a->form = output_form(t, "json", a->form);
			break;
		case OPT_CSV:
			a->form = output_form(t, "csv", a->form);
			break;
		case OPT_TABLE:
			a->table = t->optarg;
			break;
		case 's':
			a->keys = t->optarg;
			break;
		case OPT_HIST:
			a->hist = t->optarg;
			break;
		case OPT_TOP:
			a->top = (int64_t)tool_number(t, t->optarg, 0, UINT32_MAX);
			break;
		case OPT_QUANTUM:
			a->quantum = t->optarg;
			break;
		case OPT_PICTURE:
			a->picture = t->optarg;
			break;
		case 'e':
			a->events = t->optarg;
			break;
		case OPT_CPUMODE:
			a->cpumode = t->optarg;
			break;
		case OPT_TERM:
			show_term(a, t);
			break;
		case OPT_THEME:
			show_theme(a, t);
			break;
		case OPT_SCALE:
			show_scale(a, t);
			break;
		case OPT_INTERVAL:
			a->every = tool_duration(t, t->optarg);
			if (!a->every)
				tool_wrong(t, "--interval 0: at least 1ms");
			break;
		case OPT_LIVE:
			a->live = true;
			break;
		case OPT_TEE:
			a->tee = true;
			break;
		case OPT_REPORT:
			a->page = t->optarg;
			break;
		case OPT_DIFF:
			a->diff = true;
			break;
		case OPT_MERGE:
			a->merge = true;
			break;
		case OPT_EVENTS:
			a->views |= 1u << VIEW_EVENTS | 1u << VIEW_PAYLOADS;
			break;
		case OPT_HEADER:
			a->views |= 1u << VIEW_HEADER;
			break;
		case OPT_TASKS:
			a->views |= 1u << VIEW_TASKS;
			break;
		case OPT_MMAPS:
			a->views |= 1u << VIEW_MMAPS;
			break;
		case OPT_BUILD_IDS:
			a->views |= 1u << VIEW_BUILD_IDS;
			break;
		case OPT_CHECK:
			a->check = true;
			a->check_list = t->optarg;
			break;
		case OPT_STRICT:
			a->strict = true;
			break;
		case OPT_FOR:
			a->check_for = t->optarg;
			break;
		case OPT_PRIVACY:
			a->privacy = true;
			break;
		}
	refuse_with_piece(t, a);
	if (a->strict && !a->check)
		tool_wrong(t, "--strict: needs --check");
	if (a->check_for && !a->check)
		tool_wrong(t, "--for: needs --check");
	if (a->page) {
		refuse_with_page(t, a);
		a->check = a->privacy = true;
		t->out_name = a->page;
	} else if (!a->picture && (a->events || a->cpumode || a->shown))
		tool_wrong(t, "--event, --cpumode, --term, --theme, --scale: need --picture");
	if (!a->form)
		a->form = screen;
	if (a->every && a->form != screen && a->form != json)
		tool_wrong(t, "--interval: goes only with the forms screen and json");
	if (a->every && !a->live && a->picture)
		tool_wrong(t, "--interval: its lines would come before the picture");
	if (a->merge && (a->keys || a->hist || a->quantum || a->top >= 0 || a->views || a->check || a->privacy || a->picture))
		tool_wrong(t, "--merge: what is in the reports was chosen when they were made");
	if (a->diff && (a->merge || a->hist || a->quantum || a->views || a->check || a->privacy || a->picture))
		tool_wrong(t, "--diff: goes only with --sort and --top");
	if (a->diff && a->keys && strstr(a->keys, "raw."))
		tool_wrong(t, "--diff: fields of payloads are no keys of it");
	if ((a->merge || a->diff) && (a->every || a->live || a->tee))
		tool_wrong(t, "--interval, --live, --tee: are for one recording");
	if (t->manifest && (a->merge || a->diff))
		tool_wrong(t, "--manifest: lists recordings, and cannot be combined with %s", a->merge ? "--merge" : "--diff");
	if (!t->manifest && tool_has_key(t, TOOL_ALLOW_MISSING))
		tool_wrong(t, "--allow-missing: needs --manifest");
	if (!a->merge && !a->diff && !t->manifest && t->nnames > 1)
		tool_wrong(t, "one input only: '%s' and '%s'", t->names[0], t->names[1]);
}

