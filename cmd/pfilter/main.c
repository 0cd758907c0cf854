/* SPDX-License-Identifier: ISC */
/*
 * pfilter - selects samples of a recording, with the records that readers need for them.
 *
 *	source  ->  [hold for time order]  ->  verdict  ->  kept records, and with -U rejected ones
 *
 *	options			the command line
 *	survey			a first pass over the input, for --time
 *	filter			the main loop
 *	decide			the verdict on one record:
 *	  window/		  by what is near in time
 *	  keys/			  by keys in the record
 *	  history/		  by keys that depend on history, with the state of tasks (state/state.h); payload_task: by tasks in payloads
 *	  expr/			  by --filter
 *	  thin/			  --every, --sample, --max-rate, --max-samples
 *	history/needed, out/front	records that --sideband=needed synthesises in front of a record
 *	side			one of the two outputs; with out/totals, for READ values, and the changes of records (sink/out.h):
 *	  thin/attr, anon/, drop/
 *	nothing			the message that no sample is kept
 *	out/tee			a payload that both outputs get
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "anon/dict.h"
#include "filter.h"
#include "nothing.h"
#include "prune.h"
#include "sink/sink.h"
#include "sink/tmpfile.h"
#include "stats.h"
#include "survey.h"
#include "tool/jobs.h"

enum { MEMORY = 256 << 20 };

struct job {
	struct tool	 t;
	struct options	 o;
	struct filter	 f;
	struct atomic	 rest;		/* -U */
	struct pp_err	 rest_err;
};

static bool
is_stdout(const char *path)
{
	return !path || !strcmp(path, "-");
}

/* Errors of -U that can be found before the input is read. */
static void
check_rest(const struct job *j)
{
	const char *rest = j->o.rejected;

	if (j->o.dry_run || !rest)
		return;
	if (is_stdout(rest) && isatty(STDOUT_FILENO))
		tool_wrong(&j->t, "--rejected: the output is binary and standard output is a terminal");
	if (is_stdout(rest) && j->t.as_file)
		tool_wrong(&j->t, "--rejected: --format=file needs a file that can seek");
	tool_refuse_file(&j->t, rest);
}

static void
open_outputs(struct job *j)
{
	struct tool *t = &j->t;
	const char *rest = j->o.rejected;

	if (j->o.dry_run)
		return;
	tool_create(t, &t->file, t->out_name, &t->out_err);
	if (!rest)
		return;
	if (!(j->f.tee = tee_new())) {
		pp_fail(&j->rest_err, "needs a temporary file: %s: %s", pp_tmpdir(NULL), strerror(errno));
		j->rest_err.file = "--rejected";
		tool_say(t, &j->rest_err);
		exit(1);
	}
	tool_create(t, &j->rest, rest, &j->rest_err);
	if (atomic_same(&j->rest, &t->file))
		tool_wrong(t, "--rejected '%s': is also the output", rest);
}

static void
begin_outputs(struct job *j)
{
	struct tool *t = &j->t;

	if (j->o.dry_run)
		return;
	t->out = tool_sink(t, &t->file, t->in);
	if (j->o.rejected)
		j->f.side[1].sink = tool_sink(t, &j->rest, t->in);
}

/* Find the times of the first and last sample, if the input can be read twice. */
static void
survey(struct job *j)
{
	struct times *times = &j->o.sel.times;
	struct survey s;

	survey_times(&j->t, times->needs_last, &s);
	j->f.decide.about.start = s.first;
	if (s.first && times->needs_first)
		times_ends(times, &j->t, s.first, s.last);
}

static void
stats(const struct job *j)
{
	struct stats s = { &j->f.decide, j->f.others, j->f.side, j->f.nsides, filter_early(&j->f), j->o.dry_run };

	stats_print(&s, j->o.stats == STATS_JSON, stderr);
}

/* --explain without an input. */
static int
explain(struct job *j)
{
	expr_explain(j->o.expr, filter_waits(&j->o, 0), stdout);
	options_free(&j->o);
	return fclose(stdout) ? 1 : 0;
}

/* The pieces are done. */
static int
finish_jobs(struct job *j)
{
	anon_dict_free(j->o.anon.dict);
	options_free(&j->o);
	return tool_jobs_join(&j->t);
}

int
main(int argc, char **argv)
{
	static struct job j = { .f = { .t = &j.t, .o = &j.o }, .t = { .name = "pfilter",
	    .purpose = "Select samples of a perf recording." },
	    .o.memory = MEMORY };
	char nothing[2048] = "";
	int status;
	struct prune *prune;
	bool surveys;

	options_parse(&j.o, &j.t, argc, argv);
	if (j.o.undo)
		return anon_undo(&j.t, j.o.undo);
	if (j.o.explain && !j.t.in_name && isatty(STDIN_FILENO))
		return explain(&j);
	if (tool_jobs(&j.t, TOOL_JOBS_STREAM))
		return finish_jobs(&j);
	tool_check(&j.t);
	check_rest(&j);
	prune = prune_new(&j.t, &j.f);
	tool_open_input(&j.t, 0);
	open_outputs(&j);
	surveys = j.o.sel.times.needs_first || expr_needs_start(j.o.expr) || windows_need_start(j.o.windows);
	if (surveys || prune_needs_pass(prune))
		tool_allow(&j.t, j.t.in_name, "r");
	tool_lock(&j.t);
	if (surveys)
		survey(&j);
	prune_pass(prune);
	tool_begin_input(&j.t);
	begin_outputs(&j);
	if (filter_start(&j.f, &j.rest) > 0)
		filter_run(&j.f);
	pp_finish(j.f.side[1].sink);	/* a failure is kept in rest_err */
	anon_dict_finish(j.o.anon.dict);
	if (!j.o.sel.nothing && nothing_kept(&j.f.decide))
		nothing_cause(&j.f.decide, nothing, sizeof nothing);
	status = tool_close(&j.t) | (j.rest_err.what[0] != 0);
	expr_end(j.o.expr);
	windows_end(j.o.windows, &j.t);
	if (j.o.functions && !j.f.decide.kernel_seen)
		tool_warn(&j.t, "--kallsyms: the recording has no map of the kernel that shows whether these are the symbols of its kernel");
	if (!status && *nothing && !tool_jobs_says(&j.t, nothing))
		tool_warn(&j.t, "%s", nothing);
	status |= j.o.fail_if_empty && nothing_kept(&j.f.decide);
	if (j.o.stats)
		stats(&j);
	filter_free(&j.f);
	prune_free(prune);
	anon_dict_free(j.o.anon.dict);
	options_free(&j.o);
	return status;
}
