/* SPDX-License-Identifier: ISC */
/*
 * tool_index_out.c - the index of the output, made while that is written
 *
 * A process reads the output as it grows, while its bytes are still in memory, and writes the index: it sees what a reader will see, and
 * the records are checked as any reader checks them.  Each STEP bytes the sink tells it that there is more, and waits for it where it
 * falls behind.  Where it cannot - attrs came late, so that the head of a perf.data is another one at the end - the complete output is
 * read once more instead, which also has the message if that has no index.
 */
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "index/build.h"
#include "sink/sink.h"
#include "source/told.h"
#include "tool.h"

/* Bytes between two words to the process; words that it has not answered, at most; and what is told. */
enum { STEP = 1 << 20, BEHIND = 64, MORE = 'm', END = 'e', READ = 'r', DONE = 'd' };

/* ---- the file ---------------------------------------------------------------------------------------------- */

void
tool_index_refuse(const struct tool *t, const char *path)
{
	struct stat st;

	if (!lstat(path, &st) && !S_ISREG(st.st_mode))
		tool_wrong(t, "%s: is not a regular file", path);
}

int
tool_index_create(struct atomic *a, const char *path, bool force, struct pp_err *err)
{
	const char *slash = strrchr(path, '/');
	char *parent = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
	int dir = parent ? open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1, rc;

	free(parent);
	*err = (struct pp_err){ .file = path };
	if (dir < 0)
		return pp_fail_system(err, NULL);
	rc = atomic_open_at(a, dir, slash ? slash + 1 : path, path, err);
	a->force = force;
	close(dir);
	return rc;
}

/* ---- the process ------------------------------------------------------------------------------------------- */

struct reader {
	int		 from, to;
	int		 ended;		/* 1: the output is complete; -1: it will not be */
};

/* pp_told.wait */
static int
reader_wait(void *arg)
{
	struct reader *r = arg;
	char words[BEHIND + 1];
	ssize_t n;

	if (r->ended)
		return r->ended > 0 ? 0 : -1;
	while ((n = read(r->from, words, sizeof words)) < 0 && errno == EINTR)
		;
	if (n <= 0)
		r->ended = -1;
	else if (words[n - 1] == END)
		r->ended = 1;
	if (n > 0) {
		memset(words, READ, (size_t)n);
		if (write(r->to, words, (size_t)n) != n)
			r->ended = -1;
	}
	return r->ended > 0 ? 0 : r->ended < 0 ? -1 : 1;
}

/* What else is open is of no use there. */
static void
reader_close_others(const int *keep, size_t n)
{
	int top = 0;

	for (size_t i = 0; i < n; i++)
		top = keep[i] > top ? keep[i] : top;
	for (int fd = 0; fd < top; fd++) {
		bool kept = false;

		for (size_t i = 0; i < n; i++)
			kept |= fd == keep[i];
		if (!kept)
			close(fd);
	}
	syscall(SYS_close_range, top + 1, ~0u, 0);
}

static bool
reader_build(struct tool *t, int fd, struct reader *r)
{
	struct tool_index_out *x = &t->index_out;
	struct pp_told told = { reader_wait, r };
	struct ppi_build how = { .size = x->size, .every = x->every, .err = &x->err };
	struct pp_err in_err = { .what = "" };
	struct pp_source *in = pp_open_spare(fd, t->file.path, PP_OPEN_ANY_TRACING | PP_OPEN_FOLLOW | PP_OPEN_LATER, t->spare, &in_err);
	struct pp_sink *out = atomic_sink(&x->file);
	int rc = -1;

	if (!in || !out)
		return false;
	pp_follow_told(in, &told);
	if (pp_begin(in) > 0)
		rc = ppi_build(in, out, &how);
	if (pp_finish(out) < 0)
		rc = -1;
	/* A perf.data may be known to be complete before that is told. */
	while (rc > 0 && reader_wait(r) > 0)
		;
	return rc > 0 && r->ended > 0;
}

static _Noreturn void
reader_run(struct tool *t, pid_t parent, int fd, struct reader *r)
{
	struct confine c = { .off = t->confine.off };
	char text[100], done = DONE;
	int keep[] = { fd, r->from, r->to, t->index_out.file.fd };

	if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || getppid() != parent)
		_exit(1);
	atomic_disown();
	reader_close_others(keep, sizeof keep / sizeof *keep);
	if (confine_lock(&c, text, sizeof text) < 0)
		_exit(1);
	_exit(!reader_build(t, fd, r) || write(r->to, &done, 1) != 1);
}

/* Nothing more is said: if it was not told of the end, it fails. */
static void
index_out_hang_up(struct tool_index_out *x)
{
	if (x->to >= 0)
		close(x->to);
	if (x->heard >= 0)
		close(x->heard);
	x->to = x->heard = -1;
}

static void
index_out_let_go(struct tool_index_out *x)
{
	index_out_hang_up(x);
	if (x->from >= 0)
		close(x->from);
	x->from = -1;
}

/* Start it.  Where that fails, there is none. */
static void
index_out_start(struct tool *t)
{
	struct tool_index_out *x = &t->index_out;
	int to[2] = { -1, -1 }, from[2] = { -1, -1 }, fd;
	pid_t parent = getpid(), pid = -1;
	sigset_t interrupt, old;
	char proc[32];

	snprintf(proc, sizeof proc, "/proc/self/fd/%d", t->file.fd);
	/* Like the command, it goes on after Ctrl-C, until the input ends: a SIGINT waits until it ignores it. */
	sigemptyset(&interrupt);
	sigaddset(&interrupt, SIGINT);
	sigprocmask(SIG_BLOCK, &interrupt, &old);
	if ((fd = open(proc, O_RDONLY | O_CLOEXEC)) >= 0 && pipe2(to, O_CLOEXEC) == 0 && pipe2(from, O_CLOEXEC) == 0)
		pid = fork();
	if (!pid) {
		signal(SIGINT, SIG_IGN);
		sigprocmask(SIG_SETMASK, &old, NULL);
		reader_run(t, parent, fd, &(struct reader){ to[0], from[1], 0 });
	}
	sigprocmask(SIG_SETMASK, &old, NULL);
	if (fd >= 0)
		close(fd);
	if (from[1] >= 0)
		close(from[1]);
	x->to = to[1];
	x->heard = to[0];		/* so that no write fails, whatever becomes of the process */
	x->from = from[0];
	if (pid < 0)
		index_out_let_go(x);
}

/* ---- the command ------------------------------------------------------------------------------------------- */

void
tool_index_out_open(struct tool *t)
{
	struct tool_index_out *x = &t->index_out;

	if (!x->asked)
		return;
	if (t->file.direct)
		tool_wrong(t, "--write-index: needs a regular file: -o FILE");
	x->path = tool_index_path(t->out_name);
	tool_index_refuse(t, x->path);
	tool_refuse_input(t, x->path);
	tool_refuse_names(t, x->path, t->names, t->nnames);
	tool_refuse_file(t, x->path);
	if (tool_index_create(&x->file, x->path, t->force, &x->err) < 0) {
		tool_say(t, &x->err);
		exit(1);
	}
	index_out_start(t);
}

/* The next answer; -1: the process has ended. */
static int
index_out_hear(struct tool_index_out *x)
{
	char word;
	ssize_t n;

	while ((n = read(x->from, &word, 1)) < 0 && errno == EINTR)
		;
	x->behind -= n > 0 && word == READ;
	return n > 0 ? word : -1;
}

void
tool_index_out_wrote(void *arg, uint64_t written)
{
	struct tool_index_out *x = arg;
	char more = MORE;

	if (x->to < 0 || written - x->told < STEP)
		return;
	x->told = written;
	x->behind++;
	if (write(x->to, &more, 1) != 1 || (x->behind >= BEHIND && index_out_hear(x) < 0))
		index_out_hang_up(x);
}

void
tool_index_out_sink(struct tool *t, struct pp_sink *k)
{
	if (t->index_out.asked && k)
		pp_on_write(k, tool_index_out_wrote, &t->index_out);
}

/* The output is complete: let the process finish.  false: it has not. */
static bool
index_out_end(struct tool_index_out *x)
{
	char end = END;
	int word = -1;

	if (x->to >= 0 && write(x->to, &end, 1) == 1)
		while ((word = index_out_hear(x)) == READ)
			;
	index_out_hang_up(x);
	return word == DONE;
}

/* After that: wait until the process is no more, as it writes the same file by the same offset.  false: nobody can say. */
static bool
index_out_has_ended(struct tool_index_out *x)
{
	char word;
	ssize_t n = 0;

	while (x->from >= 0 && ((n = read(x->from, &word, 1)) > 0 || (n < 0 && errno == EINTR)))
		;
	if (n < 0)
		pp_fail_system(&x->err, NULL);
	return !n;
}

/* Read the complete output, and write its index. */
static int
index_out_again(struct tool *t, struct pp_err *in_err)
{
	struct tool_index_out *x = &t->index_out;
	struct ppi_build how = { .size = x->size, .every = x->every, .err = &x->err };
	int rc = -1, fd = fcntl(t->file.fd, F_DUPFD_CLOEXEC, 0);
	struct pp_source *in;
	struct pp_sink *out;

	tool_note(t, "%s: the output is read once more", x->path);
	if (fd >= 0)
		lseek(fd, 0, SEEK_SET);
	in = pp_open_spare(fd, t->file.path, PP_OPEN_ANY_TRACING, t->spare, in_err);
	if (ftruncate(x->file.fd, 0) < 0 || lseek(x->file.fd, 0, SEEK_SET) < 0)
		pp_fail_system(&x->err, NULL);
	else if (in && (out = atomic_sink(&x->file))) {
		rc = ppi_build(in, out, &how);
		if (pp_finish(out) < 0)
			rc = -1;
	}
	pp_close(in);
	return rc;
}

int
tool_index_out_finish(struct tool *t)
{
	struct tool_index_out *x = &t->index_out;
	struct pp_err in_err = { .what = "" };
	int rc = 1;

	if (!x->asked || t->partial || t->in_err.what[0] || t->out_err.what[0])
		return 1;
	if (!index_out_end(x))
		rc = index_out_has_ended(x) ? index_out_again(t, &in_err) : -1;
	if (rc > 0 && (rc = atomic_commit(&x->file)) == 0)
		rc = pp_fail(&x->err, "exists; -f replaces it");
	if (x->err.what[0])
		tool_say(t, &x->err);
	else if (in_err.what[0])
		tool_say(t, &in_err);
	return rc;
}

void
tool_index_out_close(struct tool *t)
{
	struct tool_index_out *x = &t->index_out;

	if (!x->path)
		return;
	index_out_let_go(x);
	atomic_close(&x->file);
	free(x->path);
	x->path = NULL;
}
