/* SPDX-License-Identifier: ISC */
/* lookup.c - see lookup.h.  Each question is one message, and so is its answer. */
#include <sys/socket.h>
#include <sys/syscall.h>

#include <err.h>
#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lookup.h"

enum { NAME_MAX_BYTES = 4096, WHY_MAX = 64 };

struct question {
	uint32_t	 kind, pid, maj, min;
	uint64_t	 ino;
	char		 name[NAME_MAX_BYTES];	/* with its NUL, which is the end of the message */
};
enum { QUESTION_HEAD = offsetof(struct question, name) };

struct answer {
	uint32_t	 len;			/* 0: there is no id */
	uint8_t		 id[BUILD_ID_MAX];
	char		 why[WHY_MAX];
};

/* A call by its number, as the filter of system calls knows it: some C libraries take another one. */
static ssize_t
send_message(int fd, const void *p, size_t n)
{
	return syscall(SYS_sendto, fd, p, n, MSG_NOSIGNAL, NULL, 0);
}

/* ---- the process that looks up -------------------------------------------------------------------- */

static void
answer(const struct question *q, struct answer *a)
{
	struct pp_dso dso = { .name = q->name, .len = (uint32_t)strlen(q->name), .maj = q->maj, .min = q->min, .ino = q->ino };
	struct build_id id = { 0 };
	const char *why = "";
	int rc = 0;

	switch ((enum lookup_kind)q->kind) {
	case LOOKUP_FILE:	rc = buildid_file(&id, &dso, q->pid, &why); break;
	case LOOKUP_KERNEL:	rc = buildid_kernel(&id, &why); break;
	case LOOKUP_MODULE:	rc = buildid_module(&id, &dso, &why); break;
	}
	*a = (struct answer){ .len = rc > 0 ? (uint32_t)id.len : 0 };
	memcpy(a->id, id.b, sizeof a->id);
	strncpy(a->why, why, sizeof a->why - 1);
}

static _Noreturn void
serve(int fd)
{
	static struct question q;
	struct answer a;
	ssize_t n;

	while ((n = read(fd, &q, sizeof q)) > QUESTION_HEAD && !((char *)&q)[n - 1]) {
		answer(&q, &a);
		if (send_message(fd, &a, sizeof a) < 0)
			break;
	}
	_exit(0);
}

/* Nothing of what the command has open is of use here.  Like the command, it goes on after Ctrl-C, until the input ends. */
static _Noreturn void
begin_serving(const struct tool *t, int fd)
{
	struct confine c = { .rights = CONFINE_SERVE, .peer = fd, .off = t->confine.off };
	char text[100];

	signal(SIGINT, SIG_IGN);
	for (int i = 0; i < fd; i++)
		close(i);
	syscall(SYS_close_range, fd + 1, ~0u, 0);
	if (confine_lock(&c, text, sizeof text) < 0)
		_exit(1);
	serve(fd);
}

/* ---- the process that asks ------------------------------------------------------------------------ */

void
lookup_start(struct lookup *l, struct tool *t)
{
	int fd[2];
	pid_t pid;

	uname(&l->us);
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fd) < 0 || (pid = fork()) < 0)
		err(1, "a process that looks files up");
	if (!pid) {
		close(fd[0]);
		begin_serving(t, fd[1]);
	}
	close(fd[1]);
	l->fd = fd[0];
	t->confine.rights |= CONFINE_ASK;
	t->confine.peer = l->fd;
}

static bool
ask(struct lookup *l, const struct question *q, size_t n, struct answer *a)
{
	ssize_t got;

	if (l->fd < 0 || send_message(l->fd, q, n) < 0)
		return false;
	while ((got = read(l->fd, a, sizeof *a)) < 0 && errno == EINTR)
		;
	return got == sizeof *a && a->len <= sizeof a->id && !a->why[WHY_MAX - 1];
}

int
lookup_id(struct lookup *l, enum lookup_kind kind, struct build_id *id, const struct pp_dso *dso, uint32_t pid, const char **why)
{
	static struct question q;
	static struct answer a;
	size_t n = strlen(dso->name) + 1;

	*why = "the name is too long";
	if (n > sizeof q.name)
		return 0;
	q = (struct question){ .kind = kind, .pid = pid, .maj = dso->maj, .min = dso->min, .ino = dso->ino };
	memcpy(q.name, dso->name, n);
	if (!ask(l, &q, QUESTION_HEAD + n, &a)) {
		lookup_end(l);
		*why = "the process that looks files up has ended";
		return 0;
	}
	*why = a.why;
	id->len = a.len;
	memcpy(id->b, a.id, sizeof id->b);
	return a.len > 0;
}

void
lookup_end(struct lookup *l)
{
	if (l->fd >= 0)
		close(l->fd);
	l->fd = -1;
}
