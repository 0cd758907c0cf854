/* SPDX-License-Identifier: ISC */
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../fuzz.h"
#include "run.h"

#if defined __SANITIZE_ADDRESS__
#define SANITIZED 1
#elif defined __has_feature
#if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

/*
 * Seconds of CPU for a recording of OUTPUT_LONG bytes, and where the compiler has put counters or checks into it; in all, for a process
 * that waits for ever.  Bytes that a run may write to a file.
 */
enum { CPU_MAX = 2, CPU_CHECKED = 20, TIME_MAX = 120, OUTPUT_MAX = 64 << 20, WORDS = 32, PIPE_MAX = 1 << 16 };

/* The Makefile says which there are: WHOLE_TOOLS is TOOL(pcat) TOOL(pfilter) ... */
#define TOOL(name) int name##_main(int, char **);
WHOLE_TOOLS
#undef TOOL
#define TOOL(name) { #name, name##_main },
static const struct { const char *name; int (*main)(int, char **); } tools[] = { WHOLE_TOOLS };
#undef TOOL

/* A fault ends the process by a signal: no status of a tool is one of a sanitizer.  What is leaked at the end is a matter of make asan. */
const char *__asan_default_options(void), *__ubsan_default_options(void);
const char *
__asan_default_options(void)
{
	return "abort_on_error=1:detect_leaks=0:handle_abort=0";
}
const char *
__ubsan_default_options(void)
{
	return "abort_on_error=1:print_stacktrace=1";
}

/* ---- coverage: libFuzzer counts in this process, the tools run in others ---------------------------------------- */

extern uint8_t __start___sancov_cntrs[] __attribute__((weak, visibility("hidden")));
extern uint8_t __stop___sancov_cntrs[] __attribute__((weak, visibility("hidden")));
static uint8_t *shared;

static size_t
counters(void)
{
	return __start___sancov_cntrs ? (size_t)(__stop___sancov_cntrs - __start___sancov_cntrs) : 0;
}

static void
counters_open(void)
{
	if (counters() && !shared) {
		shared = mmap(NULL, counters(), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
		MUST(shared != MAP_FAILED);
	}
}

static void
counters_add(void)
{
	for (size_t i = 0; i < counters(); i++) {
		unsigned sum = __start___sancov_cntrs[i] + shared[i];

		__start___sancov_cntrs[i] = (uint8_t)(sum > 255 ? 255 : sum);
	}
}

/* ---- the child ------------------------------------------------------------------------------------------------- */

/* Behind what the tool does at its end, and in place of what libFuzzer does at that of this process. */
static void
end(int status, void *arg)
{
	(void)arg;
	fflush(NULL);
	if (shared)
		memcpy(shared, __start___sancov_cntrs, counters());
	_exit(status);
}

static void
limit(int what, rlim_t n)
{
	setrlimit(what, &(struct rlimit){ n, n });
}

static _Noreturn void
child(int argc, char **argv, int in, int out, int err)
{
	static const int signals[] = { SIGABRT, SIGALRM, SIGBUS, SIGFPE, SIGILL, SIGINT, SIGPIPE, SIGTERM, SIGUSR1, SIGUSR2, SIGXCPU };

	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
		signal(signals[i], SIG_DFL);
	if (!SANITIZED)
		signal(SIGSEGV, SIG_DFL);
	signal(SIGXFSZ, SIG_IGN);
	MUST(dup2(in, 0) == 0 && dup2(out, 1) == 1 && dup2(err, 2) == 2);
	limit(RLIMIT_FSIZE, OUTPUT_MAX);
	limit(RLIMIT_CPU, SANITIZED || counters() ? CPU_CHECKED : CPU_MAX);
	limit(RLIMIT_CORE, 0);
	alarm(TIME_MAX);
	on_exit(end, NULL);
	for (size_t i = 0; i < sizeof tools / sizeof *tools; i++)
		if (!strcmp(tools[i].name, argv[0]))
			exit(tools[i].main(argc, argv));
	abort();
}

/* ---- the parent ------------------------------------------------------------------------------------------------ */

static int
memory(const struct bytes *b)
{
	int fd = memfd_create("whole", 0);

	MUST(fd >= 0);
	for (size_t at = 0; b && at < b->n;) {
		ssize_t n = write(fd, b->p + at, b->n - at);

		MUST(n > 0);
		at += (size_t)n;
	}
	if (b)
		MUST(lseek(fd, 0, SEEK_SET) == 0);
	return fd;
}

static int
piped(const struct bytes *b)
{
	int fd[2];

	if (b->n > PIPE_MAX)
		return memory(b);
	MUST(pipe2(fd, 0) == 0 && write(fd[1], b->p, b->n) == (ssize_t)b->n);
	close(fd[1]);
	return fd[0];
}

static struct bytes
written(int fd)
{
	struct bytes b = { (const uint8_t *)"", 0 };
	struct stat st;

	MUST(fstat(fd, &st) == 0);
	if (st.st_size) {
		b.n = (size_t)st.st_size;
		b.p = mmap(NULL, b.n, PROT_READ, MAP_SHARED, fd, 0);
		MUST(b.p != MAP_FAILED);
	}
	close(fd);
	return b;
}

void
broken(const struct ran *r, const char *law)
{
	dprintf(2, "%s: %s (status %d)\n", r->line, law, r->status);
	if (r->err.n)
		MUST(write(2, r->err.p, r->err.n) > 0);
	abort();
}

static void
check(struct ran *r, int status, const struct rusage *used, unsigned mib)
{
	char text[100];

	r->full = r->out.n >= OUTPUT_LONG || r->other.n >= OUTPUT_LONG;
	if (WIFSIGNALED(status)) {
		snprintf(text, sizeof text, "signal %d", WTERMSIG(status));
		broken(r, text);
	}
	r->status = WEXITSTATUS(status);
	if (r->status > 2)
		broken(r, "no such status");
	if (!SANITIZED && used->ru_maxrss > 1024L * mib) {
		snprintf(text, sizeof text, "%ld KiB of memory", used->ru_maxrss);
		broken(r, text);
	}
	if (r->status && !r->err.n && !r->out.n)
		broken(r, "fails, and says nothing");
}

void
run(struct ran *r, const char *line, const struct bytes *in, unsigned mib)
{
	char words[sizeof r->line], *argv[WORDS + 2], *save = NULL, names[WORDS][32];
	int argc = 0, opened[WORDS], nopened = 0, from = -1, out = memory(NULL), other = memory(NULL), err = memory(NULL), status;
	struct rusage used;
	pid_t pid;

	counters_open();
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	MUST((size_t)snprintf(r->line, sizeof r->line, "%s", line) < sizeof r->line);
	memcpy(words, r->line, sizeof words);
	for (char *w = strtok_r(words, " ", &save); w; w = strtok_r(NULL, " ", &save)) {
		char *at = strchr(w, '@');

		MUST(argc < WORDS);
		if (w[0] == '<') {
			from = piped(&in[w[1] - '0']);
			continue;
		}
		if (at && (at[1] == 'o' || (at[1] >= '0' && at[1] < '0' + INPUTS)) && !at[2]) {
			int fd = at[1] == 'o' ? other : memory(&in[at[1] - '0']);

			if (fd != other)
				opened[nopened++] = fd;
			snprintf(names[argc], sizeof names[argc], "%.*s/dev/fd/%d", (int)(at - w), w, fd);
			w = names[argc];
		}
		argv[argc++] = w;
		if (argc == 1)
			argv[argc++] = "--no-sandbox";
	}
	argv[argc] = NULL;
	if (from < 0)
		MUST((from = open("/dev/null", O_RDONLY)) >= 0);
	fflush(NULL);
	if (!(pid = fork()))
		child(argc, argv, from, out, err);
	MUST(pid > 0);
	while (wait4(pid, &status, 0, &used) < 0)
		MUST(errno == EINTR);		/* by libFuzzer's timer */
	/* what the tool has left is ours: see prctl() */
	while (waitpid(-1, NULL, WNOHANG) > 0)
		;
	close(from);
	while (nopened)
		close(opened[--nopened]);
	r->out = written(out);
	r->other = written(other);
	r->err = written(err);
	counters_add();
	check(r, status, &used, mib);
}

void
ran_free(struct ran *r)
{
	const struct bytes *all[] = { &r->out, &r->other, &r->err };

	for (int i = 0; i < 3; i++)
		if (all[i]->n)
			munmap((void *)all[i]->p, all[i]->n);
}
