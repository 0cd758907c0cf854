/* SPDX-License-Identifier: ISC */
#include <stdlib.h>
#include <string.h>

#include "check/check.h"
#include "live/live.h"
#include "merge/run.h"
#include "report/output.h"
#include "page/page.h"
#include "joined.h"
#include "picture/show.h"
#include "privacy/privacy.h"
#include "sort/sort.h"
#include "count/summary.h"
#include "views/views.h"
#include "report/forms.h"

enum { OPT_CHECK = TOOL_LONG, OPT_STRICT, OPT_FOR, OPT_PRIVACY, OPT_EVENTS, OPT_HEADER, OPT_TASKS, OPT_MMAPS, OPT_BUILD_IDS, OPT_MERGE,
	OPT_DIFF, OPT_TOP, OPT_QUANTUM, OPT_HIST, OPT_PICTURE, OPT_CPUMODE, OPT_TERM, OPT_THEME, OPT_SCALE, OPT_REPORT,
	OPT_FORMAT, OPT_JSON, OPT_CSV, OPT_TABLE, OPT_INTERVAL, OPT_LIVE, OPT_TEE };

static const struct tool_opt opts[] = {
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

static const char examples[] =
    "  $ pstat all.data\n"
    "  $ perf record -a -o - -- sleep 2 | pstat\n"
    "  $ perf record -a -o - -- sleep 2 | pstat --tee --interval 1s | pfilter --pid 42 >selected.data\n"
    "  $ pstat --json -o counts.json all.data\n"
    "  $ pstat --csv --table pids all.data >pids.csv\n"
    "  $ pstat --report all.html all.data\n";

/* What --check and --privacy have found, on the screen. */
static int
asked(FILE *f, const struct report *r)
{
	const struct part *findings = report_part(r, "findings"), *given = report_part(r, "privacy");

	views_screen(f, r);
	if (findings)
		check_screen(f, findings->of);
	if (given)
		privacy_screen(f, given->of);
	return 1;
}

/* The same, and pictures; in an SVG there is nothing else. */
static struct show shown;
static int
drawn(FILE *f, const struct report *r)
{
	if (shown.term)
		asked(f, r);
	show(f, &shown, r->width);
	return 1;
}

struct pstat {				/* what was asked for */
	struct tool	 t;
	report_form	*form;
	const char	*check_for, *keys, *hist, *quantum, *events, *cpumode, *page_name;
	int64_t		 top;		/* -1: not given */
	bool		 strict, give, merge, diff;
	struct live_asked asked;
	/* what finds it out: NULL if it was not asked for */
	struct sort	*sort;
	struct pictures	*pictures;
	struct views	*views;
	struct check	*check;
	struct privacy	*privacy;
	struct live	*live;
	struct page	*page;
	struct joined	*joined;
	/* at a glance, for the screen without such options */
	struct check	*findings;
	struct privacy	*contains;
	struct counts	*c;
	struct summary	 s;
	struct report	 r;
};

/* A page has all that there is, of the whole recording; only how it is drawn can be chosen. */
static void
refuse_with_page(const struct pstat *p)
{
	if (p->t.out_name)
		tool_wrong(&p->t, "--report: has the name of the output; -o is for the others");
	if (p->form || p->r.name || p->keys || p->hist || p->top >= 0 || p->views || p->check || p->give || p->pictures || p->events || p->cpumode ||
	    shown.term || p->merge || p->diff || p->asked.every || p->asked.screen || p->asked.tee)
		tool_wrong(&p->t, "--report: goes only with --time-quantum, --theme and --scale; the page has the rest");
}

/* What is not a sum over samples, or has no --merge. */
static void
refuse_with_piece(const struct pstat *p)
{
	static const int not[] = { OPT_CHECK, OPT_PRIVACY, OPT_EVENTS, OPT_HEADER, OPT_TASKS, OPT_MMAPS, OPT_BUILD_IDS, OPT_PICTURE, OPT_REPORT,
	    OPT_INTERVAL, OPT_LIVE, OPT_TEE, OPT_MERGE, OPT_DIFF, OPT_TOP,
	    TOOL_MANIFEST };

	tool_piece_refuses(&p->t, not, sizeof not / sizeof *not);
	if (p->hist && sort_hist_is_between(p->hist))
		tool_piece_refuse(&p->t, "--hist %.*s", (int)strcspn(p->hist, ":"), p->hist);
	if (p->keys && strstr(p->keys, "raw."))
		tool_piece_refuse(&p->t, "--sort raw.FIELD");
}

static void
read_options(struct pstat *p, int argc, char **argv)
{
	int key;

	while ((key = tool_getopt(&p->t, argc, argv)))
		switch (key) {
		case OPT_FORMAT:
			p->form = output_form(&p->t, p->t.optarg, p->form);
			break;
		case OPT_JSON:
			p->form = output_form(&p->t, "json", p->form);
			break;
		case OPT_CSV:
			p->form = output_form(&p->t, "csv", p->form);
			break;
		case OPT_TABLE:
			p->r.name = p->t.optarg;
			break;
		case 's':
			p->keys = p->t.optarg;
			break;
		case OPT_HIST:
			p->hist = p->t.optarg;
			break;
		case OPT_TOP:
			p->top = (int64_t)tool_number(&p->t, p->t.optarg, 0, UINT32_MAX);
			break;
		case OPT_QUANTUM:
			p->quantum = p->t.optarg;
			break;
		case OPT_PICTURE:
			p->pictures = pictures_new(&p->t, p->c, p->t.optarg);
			break;
		case 'e':
			p->events = p->t.optarg;
			break;
		case OPT_CPUMODE:
			p->cpumode = p->t.optarg;
			break;
		case OPT_TERM:
			show_term(&shown, &p->t);
			break;
		case OPT_THEME:
			show_theme(&shown, &p->t);
			break;
		case OPT_SCALE:
			show_scale(&shown, &p->t);
			break;
		case OPT_INTERVAL:
			p->asked.every = tool_duration(&p->t, p->t.optarg);
			if (!p->asked.every)
				tool_wrong(&p->t, "--interval 0: at least 1ms");
			break;
		case OPT_LIVE:
			p->asked.screen = true;
			break;
		case OPT_TEE:
			p->asked.tee = true;
			break;
		case OPT_REPORT:
			p->page_name = p->t.optarg;
			break;
		case OPT_DIFF:
			p->diff = true;
			break;
		case OPT_MERGE:
			p->merge = true;
			break;
		case OPT_EVENTS:
			p->views = views_want(p->views, &p->t, p->c, VIEW_EVENTS);
			p->views = views_want(p->views, &p->t, p->c, VIEW_PAYLOADS);
			break;
		case OPT_HEADER:
			p->views = views_want(p->views, &p->t, p->c, VIEW_HEADER);
			break;
		case OPT_TASKS:
			p->views = views_want(p->views, &p->t, p->c, VIEW_TASKS);
			break;
		case OPT_MMAPS:
			p->views = views_want(p->views, &p->t, p->c, VIEW_MMAPS);
			break;
		case OPT_BUILD_IDS:
			p->views = views_want(p->views, &p->t, p->c, VIEW_BUILD_IDS);
			break;
		case OPT_CHECK:
			p->check = check_new(&p->t, p->c, p->t.optarg);
			break;
		case OPT_STRICT:
			p->strict = true;
			break;
		case OPT_FOR:
			p->check_for = p->t.optarg;
			break;
		case OPT_PRIVACY:
			p->give = true;
			break;
		}
	refuse_with_piece(p);
	if (p->strict && !p->check)
		tool_wrong(&p->t, "--strict: needs --check");
	if (p->check_for && !p->check)
		tool_wrong(&p->t, "--for: needs --check");
	if (p->check_for)
		check_for(p->check, p->check_for);
	if (p->page_name)
		refuse_with_page(p);
	else if (!p->pictures && (p->events || p->cpumode || shown.given))
		tool_wrong(&p->t, "--event, --cpumode, --term, --theme, --scale: need --picture");
	if (!p->form)
		p->form = screen;
	p->asked.json = p->form == json;
	p->asked.check = p->check != NULL;
	if (p->asked.every && p->form != screen && p->form != json)
		tool_wrong(&p->t, "--interval: goes only with the forms screen and json");
	if (p->asked.every && !p->asked.screen && p->pictures)
		tool_wrong(&p->t, "--interval: its lines would come before the picture");
	if (p->merge && (p->keys || p->hist || p->quantum || p->top >= 0 || p->views || p->check || p->give || p->pictures))
		tool_wrong(&p->t, "--merge: what is in the reports was chosen when they were made");
	if (p->diff && (p->merge || p->hist || p->quantum || p->views || p->check || p->give || p->pictures))
		tool_wrong(&p->t, "--diff: goes only with --sort and --top");
	if (p->diff && p->keys && strstr(p->keys, "raw."))
		tool_wrong(&p->t, "--diff: fields of payloads are no keys of it");
	if ((p->merge || p->diff) && (p->asked.every || p->asked.screen || p->asked.tee))
		tool_wrong(&p->t, "--interval, --live, --tee: are for one recording");
	if (p->t.manifest && (p->merge || p->diff))
		tool_wrong(&p->t, "--manifest: lists recordings, and cannot be combined with %s", p->merge ? "--merge" : "--diff");
	if (!p->t.manifest && tool_given(&p->t, TOOL_ALLOW_MISSING))
		tool_wrong(&p->t, "--allow-missing: needs --manifest");
	if (!p->merge && !p->diff && !p->t.manifest && p->t.nnames > 1)
		tool_wrong(&p->t, "one input only: '%s' and '%s'", p->t.names[0], p->t.names[1]);
}

/* What --picture goes with. */
static void
plan_pictures(struct pstat *p)
{
	const char *by = p->sort ? sort_first(p->sort) : NULL;

	shown.pictures = p->pictures;
	show_choose(&shown, &p->t);
	pictures_options(p->pictures, p->quantum, p->events, p->cpumode);
	if (by && pictures_sorted(p->pictures) && !strcmp(by, "time"))
		tool_wrong(&p->t, "--sort time: pictures have time already");
	if (p->form != screen) {
		if (shown.given)
			tool_wrong(&p->t, "--term, --theme, --scale: are for pictures that are drawn, not for tables");
		pictures_add(p->pictures, &p->r);
		return;
	}
	if (p->hist || p->top >= 0 || (p->keys && !pictures_sorted(p->pictures)))
		tool_wrong(&p->t, "%s: goes with --picture only for tables, as --json", p->hist ? "--hist" : p->top >= 0 ? "--top" :
		    "--sort without rate and tasks");
	if (!shown.term && (p->check || p->give || p->views))
		tool_wrong(&p->t, "--picture: there is nothing else in an SVG; --term has both");
}

/* --report */
static void
plan_page(struct pstat *p)
{
	p->t.out_name = p->page_name;
	p->pictures = pictures_new(&p->t, p->c, PAGE_PICTURES);
	pictures_options(p->pictures, p->quantum, NULL, NULL);
	p->check = check_new(&p->t, p->c, NULL);
	check_add(p->check, &p->r);
	p->privacy = privacy_new(&p->t, p->c, false);
	privacy_add(p->privacy, &p->r);
	p->page = page_new(&p->t, p->c, &p->s, p->pictures, &shown.draw);
	p->form = page;
}

/* Add what was asked for to the report. */
static void
plan(struct pstat *p)
{
	bool is_screen = p->form == screen;

	summary_add(&p->s, p->c, &p->r);
	if (p->page_name) {
		plan_page(p);
		return;
	}
	if (p->keys || p->hist) {
		p->sort = sort_new(&p->t, p->c, p->keys, p->hist);
		sort_options(p->sort, p->pictures && !sort_by_time(p->sort) ? NULL : p->quantum, p->top >= 0 ? (unsigned)p->top : is_screen ? 20 : 0);
		sort_add(p->sort, &p->r);
	} else if ((p->quantum && !p->pictures) || p->top >= 0)
		tool_wrong(&p->t, "%s: needs --sort", p->quantum ? "--time-quantum" : "--top");
	if (p->pictures)
		plan_pictures(p);
	if (p->views)
		views_add(p->views, &p->r);
	if (p->check)
		check_add(p->check, &p->r);
	if (p->give) {
		p->privacy = privacy_new(&p->t, p->c, p->t.verbose);
		privacy_add(p->privacy, &p->r);
	}
	p->live = live_new(&p->t, p->c, &p->asked);
	if (is_screen && !p->t.piece.n && !p->sort && !p->views && !p->check && !p->give && !p->pictures && !p->live) {
		check_add(p->findings = check_glance(&p->t, p->c), &p->r);
		privacy_add(p->contains = privacy_glance(&p->t, p->c), &p->r);
	}
	output_check_table(&p->t, p->form, &p->r);
	if (is_screen && p->pictures)
		p->form = drawn;
	else if (is_screen && (p->check || p->privacy || p->views))
		p->form = asked;
}

/* Without an input the message says all that a screen could, but for what --check says of that. */
static bool
needs_input(const struct pstat *p)
{
	return p->form == screen || p->page || ((p->form == asked || p->form == drawn) && !p->check);
}

/* Open the input and the output, which is returned.  NULL: there is nothing to write. */
static FILE *
begin(struct pstat *p)
{
	struct tool *t = &p->t;
	unsigned flags = (p->views ? views_open_flags(p->views) : 0) | (p->check ? PP_OPEN_ANY_SIZE : 0u);
	bool to_stderr;
	FILE *f;

	tool_check(t);
	to_stderr = p->live && live_prepare(p->live);
	if (t->manifest)
		p->joined = joined_open(t, flags);
	else if (tool_open_input(t, flags) < 0 && needs_input(p))
		return NULL;
	if (!(f = output_open(t, &p->r, to_stderr)))
		return NULL;
	tool_lock(t);
	if (p->joined)
		joined_start(p->joined);
	if (p->live && t->in)
		live_open(p->live, f);
	if (t->in && tool_begin_input(t) < 0) {
		pp_close(t->in);
		t->in = NULL;
	}
	if (t->in || !needs_input(p))
		return f;
	tool_abandon(t);
	return NULL;
}

static void
read_input(struct pstat *p)
{
	count_init(p->c, &p->t);
	if (p->live)
		live_begin(p->live);
	if (p->page)
		page_begin(p->page);
	if (p->sort)
		sort_begin(p->sort);
	if (p->pictures)
		pictures_begin(p->pictures, pictures_sorted(p->pictures) && p->keys ? p->sort : NULL);
	if (p->views)
		views_begin(p->views);
	if (p->check)
		check_begin(p->check);
	if (p->privacy)
		privacy_begin(p->privacy);
	if (p->findings) {
		check_begin(p->findings);
		privacy_begin(p->contains);
	}
	if (p->t.in)
		count_all(p->c);
	joined_end(p->joined);
	if (p->live)
		live_end(p->live);
	summary_make(&p->s);
	if (p->sort) {
		p->r.exact &= sort_end(p->sort, p->s.unit);
		sort_hit(p->sort, &p->s.hit);
	}
	if (p->pictures)
		p->r.exact &= pictures_end(p->pictures, &p->s);
	if (p->views)
		p->r.exact &= views_end(p->views);
	if (p->check)
		check_end(p->check);
	if (p->privacy)
		privacy_end(p->privacy, &p->r);
	if (p->findings)
		check_end(p->findings);
	if (p->page)
		p->r.exact &= page_end(p->page);
	p->r.exact &= !report_clips(&p->r);
}

static int
run(int argc, char **argv)
{
	struct pstat p = { .t = { .name = "pstat", .purpose = "Print the contents of a perf recording.", .opts = opts,
	    .examples = examples, .report = true, .many = true }, .top = -1, .c = tool_alloc(1, sizeof *p.c), .r.exact = true };
	int status;
	FILE *f;

	read_options(&p, argc, argv);
	if (p.merge || p.diff) {
		status = p.merge ? merge_run(&p.t, p.c, &p.r, p.form) : diff_run(&p.t, p.c, &p.r,
		    &(struct diff_options){ p.form, p.keys, p.top >= 0 ? (unsigned)p.top : 20, run });
		free(p.c);
		free(p.t.names);
		return status;
	}
	plan(&p);
	if ((f = begin(&p))) {
		read_input(&p);
		output_write(&p.t, f, &p.r, p.asked.every && p.form == json ? live_json : p.form);
		if (p.live)
			live_rest(p.live);
	}
	views_free(p.views);
	page_free(p.page);
	summary_free(&p.s);
	pictures_free(p.pictures);
	sort_free(p.sort);
	count_free(p.c);
	free(p.c);
	live_close(p.live);
	status = tool_close(&p.t);
	if (f && p.check && !p.page && check_failed(p.check, p.strict))
		status = 1;
	check_free(p.check);
	check_free(p.findings);
	privacy_free(p.privacy);
	privacy_free(p.contains);
	free(p.t.names);
	live_leave();
	return status;
}

int
main(int argc, char **argv)
{
	return run(argc, argv);
}
