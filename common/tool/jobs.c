/* SPDX-License-Identifier: ISC */
/* jobs.c - see jobs.h: the processes, what they say, and how they end; jobs_join.c puts their outputs together */
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "jobs.h"
#include "jobs_in.h"
#include "option.h"
#include "sink/sink.h"
#include "sink/tmpfile.h"

/* ---- the option ------------------------------------------------------------------------------------ */

static uint64_t
jobs_processors(void)
{
	cpu_set_t set;
	int n = sched_getaffinity(0, sizeof set, &set) < 0 ? 1 : CPU_COUNT(&set);

	return n > TOOL_JOBS_MAX ? TOOL_JOBS_MAX : (uint64_t)n;
}

void
tool_option_jobs(struct tool *t, void *unused)
{
	(void)unused;
	t->jobs.n = strcmp(t->optarg, "auto") ? tool_number(t, t->optarg, 0, TOOL_JOBS_MAX) : 0;
	t->jobs.asked = t->jobs.n != 1;
	if (!t->jobs.n)
		t->jobs.n = jobs_processors();
}

/* ---- in the process of a piece ----------------------------------------------------------------------- */

void
jobs_create(struct tool *t, struct atomic *a, const char *path, struct pp_err *err)
{
	*a = (struct atomic){ .fd = fcntl(t->jobs.out, F_DUPFD_CLOEXEC, 0), .dir = -1, .direct = true, .path = path ? path : "<stdout>",
	    .err = err };
	*err = (struct pp_err){ .file = a->path };
	if (a->fd >= 0)
		return;
	pp_fail_system(err, NULL);
	tool_say(t, err);
	exit(1);
}

/* The offset of a record that other pieces may have made, too. */
static int
jobs_once(void *arg, uint64_t offset)
{
	const struct tool *t = arg;

	return pp_tmpfile_write(t->jobs.once, (const uint8_t *)&offset, sizeof offset);
}

void
jobs_cut(const struct tool *t, struct pp_sink *k)
{
	t->jobs.slot->swap = t->in->swap;
	pp_cut(k, t->piece.marks, t->piece.k > 1, jobs_once, (void *)(uintptr_t)t);
}

void
jobs_progress(const struct tool *t, uint64_t done, uint64_t total)
{
	t->jobs.slot->done = done;
	t->jobs.slot->total = total;
}

void
jobs_summed(const struct tool *t)
{
	if (!t->jobs.sums)
		return;
	t->jobs.slot->sum = t->piece.total;
	t->jobs.slot->whole = true;
	exit(0);
}

void
jobs_whole(const struct tool *t)
{
	t->jobs.slot->whole = true;
}

bool
tool_jobs_says(const struct tool *t, const char *text)
{
	if (!t->jobs.slot)
		return false;
	snprintf(t->jobs.slot->says, sizeof t->jobs.slot->says, "%s", text);
	return true;
}

/* ---- processes --------------------------------------------------------------------------------------- */

static _Noreturn void
jobs_failed(const struct tool *t, const char *doing)
{
	struct pp_err e = { .file = "--jobs" };

	pp_fail_system(&e, doing);
	tool_say(t, &e);
	exit(1);
}

/* Begin with an empty file. */
static void
jobs_empty(const struct tool *t, int fd)
{
	if (ftruncate(fd, 0) < 0 || lseek(fd, 0, SEEK_SET) < 0)
		jobs_failed(t, "temporary file");
}

/* What the process of a piece has; i SUMS: the one that adds up the samples of all. */
static void
jobs_enter(struct jobs *j, unsigned i)
{
	struct tool *t = j->t;

	t->jobs.sums = i == SUMS;
	t->jobs.slot = i == SUMS ? &j->shared[j->n] : &j->shared[i];
	i = i == SUMS ? 0 : i;		/* which writes nothing */
	t->jobs.out = j->part[i].out;
	t->jobs.once = j->part[i].once;
	t->piece.k = i + 1;
	t->piece.n = j->n;
	t->files = NULL;
	/* a temporary file of its own, and none of the others' */
	pp_spare_free(t->spare);
	if (!(t->spare = pp_spare_new()))
		tool_no_memory();
	for (unsigned k = 0; k < j->n; k++) {
		close(j->part[k].says);
		if (k == i)
			continue;
		close(j->part[k].out);
		close(j->part[k].once);
	}
}

/* Start the process of a piece.  true: this is it. */
static bool
jobs_start(struct jobs *j, unsigned i)
{
	struct part *p = &j->part[i == SUMS ? 0 : i];
	struct slot *slot = &j->shared[i == SUMS ? j->n : i];
	pid_t parent = getpid();

	*slot = (struct slot){ .done = 0 };
	jobs_empty(j->t, p->out);
	jobs_empty(j->t, p->says);
	jobs_empty(j->t, p->once);
	fflush(NULL);
	p->tries++;
	if ((p->pid = fork()) < 0)
		jobs_failed(j->t, "fork");
	if (p->pid)
		return false;
	/* it does not outlive us, by whatever we end */
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || getppid() != parent || dup2(p->says, STDERR_FILENO) < 0)
		_exit(1);
	sigprocmask(SIG_SETMASK, &j->before, NULL);
	jobs_enter(j, i);
	return true;
}

/* All from that one on are ended; those before it end by themselves. */
static void
jobs_end_from(struct jobs *j, unsigned from)
{
	for (unsigned i = j->n; i--;)
		if (j->part[i].pid > 0) {
			if (i >= from)
				kill(j->part[i].pid, SIGKILL);
			while (waitpid(j->part[i].pid, NULL, 0) < 0 && errno == EINTR)
				;
			j->part[i].pid = 0;
		}
}

/*
 * A piece has failed, and is not to be tried again: the exit status is 1, or 2 if that is what it says.  What is wrong in front of its
 * share it leaves to a piece before it to say.
 */
static _Noreturn void
jobs_give_up(struct jobs *j, unsigned i, int status)
{
	struct tool *t = j->t;
	bool silent = WIFEXITED(status) && lseek(j->part[i].says, 0, SEEK_END) <= 0;

	jobs_end_from(j, silent ? i : 0);
	tool_progress_end(t);
	for (unsigned k = silent ? 0 : i; k <= i; k++)
		jobs_print(j, k);
	if (WIFSIGNALED(status)) {
		struct pp_err e = { .file = t->in_name };

		pp_fail(&e, "the process for piece %u of %u was ended by signal %d (%s), twice", i + 1, j->n, WTERMSIG(status),
		    strsignal(WTERMSIG(status)));
		tool_say(t, &e);
	}
	tool_abandon(t);
	exit(WIFEXITED(status) && WEXITSTATUS(status) == 2 ? 2 : 1);
}

static void
jobs_show(struct jobs *j)
{
	double sum = 0;
	uint64_t total = 0;

	for (unsigned i = 0; i < j->n; i++) {
		const struct slot *s = &j->shared[i];
		/* it reads to its share, and that to its end */
		double of = s->whole ? 1 : s->total ? (double)s->done / (double)s->total * j->n - i : 0;

		sum += of < 0 ? 0 : of > 1 ? 1 : of;
		total = s->total > total ? s->total : total;
	}
	if (total)
		tool_progress(j->t, (uint64_t)(sum / j->n * (double)total), total);
}

/* The process of that number has ended.  Its piece; -1: it is none of ours. */
static int
jobs_ended(struct jobs *j, pid_t pid)
{
	for (unsigned i = 0; i < j->n; i++)
		if (j->part[i].pid == pid) {
			j->part[i].pid = 0;
			return (int)i;
		}
	return -1;
}

/* Wait for the n processes that run; each is started again once, as it may have been ended for want of memory.  true: this is one. */
static bool
jobs_wait(struct jobs *j, unsigned n, bool sums)
{
	const struct timespec tick = { .tv_nsec = 250 * 1000000 };
	sigset_t child;

	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	while (n) {
		int status, i;
		pid_t pid = waitpid(-1, &status, WNOHANG);
		const struct slot *slot;

		if (pid < 0 && errno != EINTR)
			jobs_failed(j->t, "wait");
		if (pid <= 0) {
			jobs_show(j);
			sigtimedwait(&child, NULL, &tick);
			continue;
		}
		if ((i = jobs_ended(j, pid)) < 0)
			continue;
		slot = &j->shared[sums ? j->n : (unsigned)i];
		if (WIFEXITED(status) && slot->whole && WEXITSTATUS(status) < 2) {
			j->t->failed |= WEXITSTATUS(status) != 0;
			n--;
		} else if ((WIFEXITED(status) && WEXITSTATUS(status) == 2) || j->part[i].tries > 1)
			jobs_give_up(j, (unsigned)i, status);
		else if (jobs_start(j, sums ? SUMS : (unsigned)i))
			return true;
	}
	return false;
}

/* ---- all ----------------------------------------------------------------------------------------------- */

static int
jobs_file(const struct tool *t, int dir)
{
	int fd = dir >= 0 ? pp_tmpfile_at(dir) : pp_tmpfile(NULL);

	if (fd < 0)
		jobs_failed(t, "temporary file");
	return fd;
}

static void
jobs_open(struct jobs *j, enum tool_jobs_write what)
{
	struct tool *t = j->t;
	bool named = t->in_name && strcmp(t->in_name, "-"), file;

	tool_check(t);
	if (named && access(t->in_name, F_OK) < 0) {
		t->in_err.file = t->in_name;
		pp_fail_system(&t->in_err, NULL);
		tool_say(t, &t->in_err);
		exit(1);
	}
	if (!named || !tool_twice(t))
		tool_wrong(t, "--jobs: needs the name of a file, or of a directory of perf record --threads: each process reads a piece of it");
	tool_refuse_names(t, t->out_name, (char *const *)&t->in_name, 1);
	if (what == TOOL_JOBS_STREAM)
		tool_create(t, &t->file, t->out_name, &t->out_err);
	file = what == TOOL_JOBS_STREAM && t->file.dir >= 0;
	j->n = (unsigned)t->jobs.n;
	j->part = tool_alloc(j->n, sizeof *j->part);
	j->shared = mmap(NULL, (j->n + 1) * sizeof *j->shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (j->shared == MAP_FAILED)
		tool_no_memory();
	for (unsigned i = 0; i < j->n; i++) {
		/* the first writes to the output itself */
		j->part[i].out = file && !i ? fcntl(t->file.fd, F_DUPFD_CLOEXEC, 0) : jobs_file(t, file ? t->file.dir : -1);
		j->part[i].says = jobs_file(t, -1);
		j->part[i].once = jobs_file(t, -1);
	}
}

bool
tool_jobs(struct tool *t, enum tool_jobs_write what)
{
	static struct jobs j;
	sigset_t child;

	if (t->jobs.n <= 1)
		return false;
	j.t = t;
	jobs_open(&j, what);
	signal(SIGCHLD, SIG_DFL);
	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	sigprocmask(SIG_BLOCK, &child, &j.before);
	tool_progress_begin(t);
	if (jobs_start(&j, SUMS) || jobs_wait(&j, 1, true))
		return false;
	t->piece.total = j.shared[j.n].sum;
	t->piece.summed = true;
	for (unsigned i = 0; i < j.n; i++) {
		j.part[i].tries = 0;
		if (jobs_start(&j, i))
			return false;
	}
	if (jobs_wait(&j, j.n, false))
		return false;
	sigprocmask(SIG_SETMASK, &j.before, NULL);
	tool_progress_end(t);
	for (unsigned i = 0; i < j.n; i++)
		jobs_print(&j, i);
	jobs_print_common(&j);
	t->jobs.all = &j;
	return true;
}
