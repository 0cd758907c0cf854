/* SPDX-License-Identifier: ISC */
/* tool_open.c - opens the input and the output of a tool, and shows progress */
#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "jobs.h"
#include "option.h"

/*
 * Ctrl-C reaches the whole pipeline.  perf record then flushes its last records, so a filter reads on to the
 * end of its input.  A second one ends the filter.
 */
static void
tool_first_interrupt(int sig)
{
	signal(sig, atomic_ended);
}

/* Is a line to be shown now?  *now is set then. */
static bool
tool_progress_at(const struct tool *t, struct timespec *now)
{
	if (!t->began.tv_sec)
		return false;
	clock_gettime(CLOCK_MONOTONIC, now);
	return now->tv_sec - t->shown.tv_sec >= 1;
}

bool
tool_progress_due(const struct tool *t)
{
	return tool_progress_at(t, &(struct timespec){ 0 });
}

void
tool_progress(struct tool *t, uint64_t done, uint64_t total)
{
	struct timespec now;
	double s;

	if (t->jobs.slot)
		jobs_progress(t, done, total);
	if (!tool_progress_at(t, &now))
		return;
	t->shown = now;
	s = (double)(now.tv_sec - t->began.tv_sec) + (double)(now.tv_nsec - t->began.tv_nsec) / 1e9;
	if (s < 1)
		return;
	fprintf(stderr, "\r%s: %.1f MB", t->name, (double)done / 1e6);
	if (total)
		fprintf(stderr, " of %.1f MB, %.0f%%", (double)total / 1e6, 100.0 * (double)done / (double)total);
	fprintf(stderr, ", %.0f MB/s\033[K", (double)done / 1e6 / s);
}

void
tool_progress_end(struct tool *t)
{
	if (t->shown.tv_sec && t->began.tv_sec)
		fputs("\r\033[K", stderr);
	t->began.tv_sec = 0;
}

static int
tool_before_refill(void *arg)
{
	struct tool *t = arg;
	uint64_t total, done = pp_progress(t->in, &total);

	if (t->out && pp_flush(t->out) < 0)
		return -1;
	tool_progress(t, done, total);
	return 1;
}

void
tool_refuse_input(const struct tool *t, const char *path)
{
	if (t->in && pp_is_file(t->in, path))
		tool_wrong(t, "%s: is also the input", path && strcmp(path, "-") ? path : "<stdout>");
}

static bool
tool_is_std(const char *name)
{
	return !name || !strcmp(name, "-");
}

void
tool_refuse_names(const struct tool *t, const char *path, char *const *names, int n)
{
	struct stat to, in;

	if (tool_is_std(path) || stat(path, &to) < 0)
		return;
	for (int i = 0; i < n; i++)
		if (!stat(names[i], &in) && in.st_dev == to.st_dev && in.st_ino == to.st_ino)
			tool_wrong(t, "%s: is also the input", path);
}

static bool
tool_has_output(const struct tool *t)
{
	return tool_row(t, "output", strlen("output")) >= 0 && !t->no_output;
}

void
tool_check(struct tool *t)
{
	bool std_in = !t->nnames && !t->manifest && tool_is_std(t->in_name);
	struct stat st;

	if (t->spare)			/* tool_jobs() has done it */
		return;

	for (int i = 0; i < t->nnames; i++)
		std_in |= tool_is_std(t->names[i]);
	tool_vis_begin();
	if (t->index.name && (std_in || t->nnames > 1 || t->manifest))
		tool_wrong(t, "--index-file: needs one recording, given by its name");
	if (std_in && isatty(STDIN_FILENO))
		tool_wrong(t, "standard input is a terminal: name a recording, or pipe one in (perf record -o - ... | %s)",
		    t->name);
	if (tool_has_output(t) && !t->report && !t->text && tool_is_std(t->out_name) && isatty(STDOUT_FILENO))
		tool_wrong(t, "the output is binary and standard output is a terminal: use -o FILE or a pipe");
	if (tool_has_output(t) && t->as_file && tool_is_std(t->out_name))
		tool_wrong(t, "--format=file: needs -o FILE");
	if (tool_has_output(t))
		tool_refuse_file(t, t->out_name);
	if (!(t->spare = pp_spare_new()))
		tool_no_memory();
	if (std_in && !fstat(STDIN_FILENO, &st) && S_ISFIFO(st.st_mode) && signal(SIGINT, tool_first_interrupt) == SIG_IGN)
		signal(SIGINT, SIG_IGN);
}

static void
tool_fault(void *arg, const struct pp_err *err)
{
	tool_say(arg, err);
}

struct pp_source *
tool_source(const struct tool *t, const char *path, unsigned flags, struct pp_err *err)
{
	bool std = tool_is_std(path);
	int fd = std ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0) : open(path, O_RDONLY | O_CLOEXEC);

	return pp_open_spare(fd, std ? "<stdin>" : path, flags | t->open_flags, t->spare, err);
}

void
tool_ahead(struct tool *t, const struct pp_err *err)
{
	if (!err->what[0] || err->code == PP_ERR_DATA)
		return;
	tool_say(t, err);
	tool_abandon(t);
	exit(1);
}

struct pp_source *
tool_source_ahead(struct tool *t, const char *path, unsigned flags, struct pp_err *err)
{
	struct pp_source *src = tool_source(t, path, flags, err);

	if (!src)
		tool_ahead(t, err);
	return src;
}

const char *
tool_file_twice(struct tool *t, const char *path)
{
	struct pp_err err = { .file = path };
	struct stat st;

	if (stat(path, &st) == 0)
		return S_ISREG(st.st_mode) || S_ISDIR(st.st_mode) ? path : NULL;
	if (errno != ENOENT) {
		pp_fail_system(&err, NULL);
		tool_ahead(t, &err);
	}
	return NULL;
}

const char *
tool_twice(struct tool *t)
{
	struct stat st;

	if (!tool_is_std(t->in_name))
		return tool_file_twice(t, t->in_name);
	/* Opening this name starts at the beginning of the file, whatever the offset of standard input. */
	return !fstat(STDIN_FILENO, &st) && S_ISREG(st.st_mode) && lseek(STDIN_FILENO, 0, SEEK_CUR) == 0 ? "/dev/stdin" : NULL;
}

/* The input cannot be read: exit, unless the command's report says so.  -1. */
static int
tool_no_input(const struct tool *t)
{
	if (t->report)
		return -1;
	tool_say(t, &t->in_err);
	exit(1);
}

int
tool_open_input(struct tool *t, unsigned flags)
{
	flags |= t->as_file || t->report ? PP_OPEN_ANY_TRACING : 0;
	t->in = tool_source(t, t->in_name, flags | PP_OPEN_LATER, &t->in_err);
	if (!t->in)
		return tool_no_input(t);
	tool_piece_open(t, flags | PP_OPEN_LATER);
	tool_index_open(t);
	return 1;
}

int
tool_begin_input(struct tool *t)
{
	if (pp_begin(t->in) < 0)
		return tool_no_input(t);
	if (t->on_fault)
		pp_on_fault(t->in, t->on_fault, t->on_fault_arg);
	else
		pp_on_fault(t->in, tool_fault, t);
	tool_note(t, "%s: %s", t->in_err.file, pp_container(t->in));
	if (pp_warning(t->in))
		tool_warn(t, "%s: %s", t->in_err.file, pp_warning(t->in));
	pp_before_refill(t->in, tool_before_refill, t);
	tool_index_begin(t);
	return tool_piece_begin(t);
}

void
tool_open_locked(struct tool *t, unsigned flags)
{
	tool_check(t);
	tool_open_input(t, flags);
	if (tool_has_output(t))
		tool_create(t, &t->file, t->out_name, &t->out_err);
	tool_lock(t);
}

void
tool_open_begin(struct tool *t)
{
	tool_begin_input(t);
	if (tool_has_output(t)) {
		t->out = tool_sink(t, &t->file, t->in);
		pp_before_refill(t->in, tool_before_refill, t);
	}
}

void
tool_open(struct tool *t, unsigned flags)
{
	tool_open_locked(t, flags);
	tool_open_begin(t);
}
