/* SPDX-License-Identifier: ISC */
#include <sys/ioctl.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "check/check.h"
#include "merge/merge.h"
#include "privacy/privacy.h"
#include "sort/sort.h"
#include "summary.h"
#include "views/views.h"
#include "write/forms.h"

enum { OPT_CHECK = TOOL_LONG, OPT_STRICT, OPT_PRIVACY, OPT_EVENTS, OPT_HEADER, OPT_TASKS, OPT_MMAPS, OPT_BUILD_IDS, OPT_MERGE, OPT_TOP,
	OPT_QUANTUM, OPT_HIST, OPT_FORMAT, OPT_JSON, OPT_CSV, OPT_TABLE };

static const struct tool_opt opts[] = {
	TOOL_HEAD("What is reported"),
	{ 's', "sort", "KEYS", "count samples by comm, pid, tid, cpu, event, dso, cgroup, cpumode, type or time" },
	{ OPT_HIST, "hist", "FIELD", "percentiles of period, weight, interval, stack, chain, raw, size, round ..." },
	{ OPT_TOP, "top", "N", "of --sort show N rows (20 on the screen, else all), 0: all" },
	{ OPT_QUANTUM, "time-quantum", "DURATION", "the bins of --sort time: 1ms to 60m" },
	{ OPT_EVENTS, "events", NULL, "print the attributes of events, as perf evlist -v" },
	{ OPT_HEADER, "header", NULL, "print the header features, as perf report --header-only" },
	{ OPT_TASKS, "tasks", NULL, "print the tree of threads, as perf report --tasks" },
	{ OPT_MMAPS, "mmaps", NULL, "print the maps of each thread, as perf report --mmaps" },
	{ OPT_BUILD_IDS, "build-ids", NULL, "print the build-ids, as perf buildid-list" },
	{ OPT_CHECK, "check", "[LIST]", "print what readers stumble over; exit 1 if that is an error" },
	{ OPT_STRICT, "strict", NULL, "with --check: exit 1 if it is a warning, too" },
	{ OPT_PRIVACY, "privacy", NULL, "print what the recording gives away; with -v names, too" },
	TOOL_HEAD("Several reports"),
	{ OPT_MERGE, "merge", NULL, "add up reports of pstat --json: FILE..., or - with one after the other" },
	TOOL_HEAD("Form of the report"),
	{ OPT_FORMAT, "format", "FORM", "screen (default), json, csv, tsv or openmetrics" },
	{ OPT_JSON, "json", NULL, "--format=json: all tables as one object" },
	{ OPT_CSV, "csv", NULL, "--format=csv: the table named by --table" },
	{ OPT_TABLE, "table", "NAME", "the table that csv and tsv have: a member of the JSON" },
	TOOL_HEAD("Input"),
	TOOL_OPTS_IN,
	TOOL_HEAD("Output"),
	TOOL_OPTS_OUT,
	TOOL_HEAD("Messages, and the process"),
	TOOL_OPTS_COMMON, TOOL_OPTS_END
};

static const char examples[] =
    "  $ pstat all.data\n"
    "  $ perf record -a -o - -- sleep 2 | pstat\n"
    "  $ pstat --json -o counts.json all.data\n"
    "  $ pstat --csv --table pids all.data >pids.csv\n";

static const struct { const char *name; report_form *form; } forms[] = {
	{ "screen", screen }, { "json", json }, { "csv", csv }, { "tsv", tsv }, { "openmetrics", openmetrics },
};

/* The name, of the option that was just read; one form only. */
static report_form *
form_of(const struct tool *t, const char *name, report_form *before)
{
	for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
		if (!strcmp(forms[i].name, name)) {
			if (before && before != forms[i].form)
				tool_wrong(t, "%s: another form was given before", t->optname);
			return forms[i].form;
		}
	tool_wrong(t, "--format '%s': expected screen, json, csv, tsv or openmetrics", name);
}

/* The forms of one table need to know which. */
static void
check_table(const struct tool *t, report_form *form, const struct report *r)
{
	char names[REPORT_TABLES * 24] = "";
	size_t n = 0;

	if (form != csv && form != tsv) {
		if (r->name)
			tool_wrong(t, "--table: needs --format=csv or tsv");
		return;
	}
	if (r->name && report_part(r, r->name))
		return;
	for (unsigned i = 0; i < r->n; i++)
		n += (size_t)snprintf(names + n, sizeof names - n, "%s%s", i ? ", " : "", r->part[i].table->name);
	if (r->name)
		tool_wrong(t, "--table '%s': there are %s", r->name, names);
	tool_wrong(t, "--format=%s: needs --table, one of %s", form == csv ? "csv" : "tsv", names);
}

/* The output as a FILE.  NULL: failure, see out_err. */
static FILE *
output(struct tool *t)
{
	FILE *f;

	tool_create(t, &t->file, t->out_name, &t->out_err);
	f = fdopen(fcntl(t->file.fd, F_DUPFD_CLOEXEC, 0), "w");
	if (!f)			/* EINVAL: it is not open for writing */
		pp_fail(&t->out_err, "write: %s", strerror(errno == EINVAL ? EBADF : errno));
	return f;
}

static unsigned
columns(FILE *f)
{
	struct winsize w;

	return ioctl(fileno(f), TIOCGWINSZ, &w) < 0 ? 0 : w.ws_col;
}

/* Write the report and close its file; a failure is kept in out_err. */
static void
write_report(struct tool *t, FILE *f, const struct report *r, report_form *form)
{
	bool bad;

	errno = 0;
	if (form(f, r) < 0)
		pp_fail(&t->out_err, "out of memory");
	bad = fflush(f) || ferror(f);
	if (fclose(f) != 0 || bad)
		pp_fail(&t->out_err, "write: %s", strerror(errno ? errno : EIO));
}

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

/* --merge: the inputs are reports. */
static int
merge_reports(struct tool *t, struct counts *c, struct report *r, report_form *form)
{
	static char standard[] = "-";
	char *none[] = { standard }, **names = t->nnames ? t->names : none;
	struct merge *m;
	int status, rc = 1;
	FILE *f;

	tool_check(t);
	for (int i = 0; i < t->nnames; i++)
		tool_allow(t, t->names[i], "r");
	if (!(f = output(t)))
		return tool_close(t);
	r->width = columns(f);
	json_seed();
	tool_lock(t);
	m = merge_new(t, c);
	for (int i = 0; rc > 0 && i < (t->nnames ? t->nnames : 1); i++)
		rc = merge_read(m, names[i]);
	if (rc > 0) {
		merge_add(m, r);
		check_table(t, form, r);
		write_report(t, f, r, form);
	} else {		/* a part of the sums would be taken for all */
		fclose(f);
		tool_abandon(t);
	}
	status = tool_close(t);
	merge_free(m);
	return status;
}

int
main(int argc, char **argv)
{
	struct tool t = { .name = "pstat", .purpose = "Print the contents of a perf recording.", .opts = opts,
	    .examples = examples, .report = true, .many = true };
	report_form *form = NULL;
	struct report r = { .exact = true };
	struct counts *c = tool_alloc(1, sizeof *c);
	struct check *check = NULL;
	struct views *views = NULL;
	struct sort *sort = NULL;
	const char *keys = NULL, *hist = NULL, *quantum = NULL;
	int64_t top = -1;
	struct privacy *privacy = NULL;
	bool strict = false, merge = false, give = false;
	struct summary s;
	int key, status;
	FILE *f;

	while ((key = tool_getopt(&t, argc, argv)))
		switch (key) {
		case OPT_FORMAT:
			form = form_of(&t, t.optarg, form);
			break;
		case OPT_JSON:
			form = form_of(&t, "json", form);
			break;
		case OPT_CSV:
			form = form_of(&t, "csv", form);
			break;
		case OPT_TABLE:
			r.name = t.optarg;
			break;
		case 's':
			keys = t.optarg;
			break;
		case OPT_HIST:
			hist = t.optarg;
			break;
		case OPT_TOP:
			top = (int64_t)tool_number(&t, t.optarg, 0, UINT32_MAX);
			break;
		case OPT_QUANTUM:
			quantum = t.optarg;
			break;
		case OPT_MERGE:
			merge = true;
			break;
		case OPT_EVENTS:
			views = views_want(views, &t, c, VIEW_EVENTS);
			break;
		case OPT_HEADER:
			views = views_want(views, &t, c, VIEW_HEADER);
			break;
		case OPT_TASKS:
			views = views_want(views, &t, c, VIEW_TASKS);
			break;
		case OPT_MMAPS:
			views = views_want(views, &t, c, VIEW_MMAPS);
			break;
		case OPT_BUILD_IDS:
			views = views_want(views, &t, c, VIEW_BUILD_IDS);
			break;
		case OPT_CHECK:
			check = check_new(&t, c, t.optarg);
			break;
		case OPT_STRICT:
			strict = true;
			break;
		case OPT_PRIVACY:
			give = true;
			break;
		}
	if (strict && !check)
		tool_wrong(&t, "--strict is for --check");
	if (!form)
		form = screen;
	if (merge) {
		if (keys || hist || quantum || top >= 0 || views || check || give)
			tool_wrong(&t, "--merge: what is in the reports was chosen when they were made");
		status = merge_reports(&t, c, &r, form);
		free(c);
		return status;
	}
	if (t.nnames > 1)
		tool_wrong(&t, "one input only: '%s' and '%s'", t.names[0], t.names[1]);
	summary_add(&s, c, &r);
	if (keys || hist)
		sort = sort_new(&t, c, keys, hist);
	if (sort)
		sort_options(sort, quantum, top >= 0 ? (unsigned)top : form == screen ? 20 : 0);
	else if (quantum || top >= 0)
		tool_wrong(&t, "%s: is for --sort", quantum ? "--time-quantum" : "--top");
	if (sort)
		sort_add(sort, &r);
	if (views)
		views_add(views, &r);
	if (check)
		check_add(check, &r);
	if (give) {
		privacy = privacy_new(&t, c, t.verbose);
		privacy_add(privacy, &r);
	}
	check_table(&t, form, &r);
	if ((check || privacy || views) && form == screen)
		form = asked;
	tool_check(&t);
	if (tool_open_input(&t, views ? views_open_flags(views) : 0) < 0 && (form == screen || (form == asked && !check)))
		return tool_close(&t);
	if (!(f = output(&t)))
		return tool_close(&t);
	r.width = columns(f);
	if (form == json)
		json_seed();
	tool_lock(&t);
	if (t.in && tool_begin_input(&t) < 0) {
		pp_close(t.in);
		t.in = NULL;
	}
	if (!t.in && (form == screen || (form == asked && !check))) {		/* the message says all there is to say */
		tool_abandon(&t);
		return tool_close(&t);
	}
	count_init(c, &t);
	if (sort)
		sort_begin(sort);
	if (views)
		views_begin(views);
	if (check)
		check_begin(check);
	if (privacy)
		privacy_begin(privacy);
	if (t.in)
		count_all(c);
	summary_make(&s);
	if (sort)
		r.exact &= sort_end(sort, s.unit);
	if (views)
		r.exact &= views_end(views);
	if (check)
		check_end(check);
	if (privacy)
		privacy_end(privacy, &r);
	r.exact &= !report_clips(&r);
	write_report(&t, f, &r, form);
	views_free(views);
	summary_free(&s);
	sort_free(sort);
	count_free(c);
	free(c);
	status = tool_close(&t);
	if (check && check_failed(check, strict))
		status = 1;
	check_free(check);
	privacy_free(privacy);
	return status;
}
