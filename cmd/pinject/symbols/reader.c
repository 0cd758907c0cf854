/* SPDX-License-Identifier: ISC */
/* reader.c - see maker.h: the process that reads no file itself, and those that it makes, one for each */
#include <sys/resource.h>
#include <sys/wait.h>

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "lookup/second.h"
#include "protocol.h"

static void
send_answer(int to, struct answer *a, const char *why)
{
	strncpy(a->why, why, sizeof a->why - 1);
	syscall(SYS_sendto, to, a, sizeof *a, MSG_NOSIGNAL, NULL, 0);
}

/* ---- for one file --------------------------------------------------------------------------------------- */

static bool
has_id(const struct elfsym *f, const struct build_id *id)
{
	return f->id.len == id->len && !memcmp(f->id.b, id->b, id->len);
}

static void
read_file(int to, const struct task *k, const int *fds, uint64_t *hits)
{
	struct symbol_hits hit = { hits, k->hits };
	struct answer a = { .number = k->number };
	const char *why, *debug_why = "";
	struct elfsym f;
	uint8_t *p;
	size_t n;

	if (elfsym_read(&f, fds[0], &why))
		why = f.damage ? f.damage : has_id(&f, &k->id) ? NULL : "has been written to meanwhile";
	if (why) {
		send_answer(to, &a, why);
		return;
	}
	if (k->debug && !elfsym_add_debug(&f, fds[1], &why))
		debug_why = why;
	p = symbol_file_make(&f, k->grade == STORE_HITS ? &hit : NULL, store_mark[k->grade], &n);
	memcpy(a.debuglink, f.debuglink, sizeof a.debuglink);
	if (n > FILE_MAX) {
		send_answer(to, &a, "it has too many symbols");
		return;
	}
	a.size = n;
	send_answer(to, &a, debug_why);
	for (size_t at = 0, step; at < n; at += step) {
		step = n - at < PIECE ? n - at : PIECE;
		if (syscall(SYS_sendto, to, p + at, step, MSG_NOSIGNAL, NULL, 0) < 0)
			_exit(2);
	}
}

/* Do it in a process of its own.  Returns how that ended, as waitpid(2) says. */
static int
read_apart(int to, const struct task *k, const int *fds, uint64_t *hits)
{
	pid_t pid = fork();
	int status = 2 << 8;

	if (!pid) {
		alarm(READ_SECONDS);
		read_file(to, k, fds, hits);
		_exit(0);
	}
	if (pid > 0)
		while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
			;
	return status;
}

/* ---- for all -------------------------------------------------------------------------------------------- */

static uint64_t *
receive_hits(int from, uint64_t n)
{
	uint64_t *hits = n <= HITS_MAX ? calloc(n + 1, sizeof *hits) : NULL;
	size_t at = 0;
	ssize_t got;

	while (hits && at < n * sizeof *hits && (got = read(from, (uint8_t *)hits + at, n * sizeof *hits - at)) > 0)
		at += (size_t)got;
	if (hits && at == n * sizeof *hits)
		return hits;
	free(hits);
	return NULL;
}

/* The sanitizers' own tables are larger. */
static void
limit_memory(void)
{
#ifndef CONFINE_SANITIZED
	struct rlimit limit = { MEMORY, MEMORY }, none = { 0, 0 };

	setrlimit(RLIMIT_AS, &limit);
	setrlimit(RLIMIT_CORE, &none);
#endif
}

void
read_serve(struct tool *t, int fd, const void *unused)
{
	struct answer ended;
	int fds[SECOND_FDS], status;
	struct task k;
	uint64_t *hits;

	(void)unused;
	limit_memory();
	second_lock(t, fd, CONFINE_PARSE);
	while (second_receive(fd, &k, sizeof k, fds) == sizeof k) {
		ended = (struct answer){ .number = k.number };
		hits = receive_hits(fd, k.hits);
		if (!hits || fds[0] < 0 || (k.debug && fds[1] < 0)) {
			send_answer(fd, &ended, hits ? strerror(EMFILE) : strerror(ENOMEM));
		} else if ((status = read_apart(fd, &k, fds, hits))) {
			bool late = WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM;
			bool memory = WIFEXITED(status) && WEXITSTATUS(status) == 1;	/* tool_alloc() */

			send_answer(fd, &ended, late ? MAKER_LATE : memory ? strerror(ENOMEM) :
			    "the process that read its symbols has failed");
		}
		for (int i = 0; i < SECOND_FDS; i++)
			if (fds[i] >= 0)
				close(fds[i]);
		free(hits);
	}
	_exit(0);
}
