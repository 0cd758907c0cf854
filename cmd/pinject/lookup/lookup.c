/* SPDX-License-Identifier: ISC */
/* lookup.c - see lookup.h: the process that reads the recording, and the start of the second one */
#include <err.h>
#include <errno.h>
#include <signal.h>
#include <string.h>

#include "protocol.h"

/* Nothing of what the command has open is of use here.  Like the command, it goes on after Ctrl-C, until the input ends. */
static _Noreturn void
begin_serving(const struct tool *t, int fd, const struct lookup_opt *opt)
{
	struct confine c = { .rights = CONFINE_SERVE, .peer = fd, .off = t->confine.off };
	char text[100];

	signal(SIGINT, SIG_IGN);
	for (int i = 0; i < fd; i++)
		close(i);
	syscall(SYS_close_range, fd + 1, ~0u, 0);
	if (confine_lock(&c, text, sizeof text) < 0)
		_exit(1);
	serve(fd, opt);
}

void
lookup_start(struct lookup *l, struct tool *t, const struct lookup_opt *opt)
{
	int fd[2];
	pid_t pid;

	l->opt = opt;
	uname(&l->us);
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fd) < 0 || (pid = fork()) < 0)
		err(1, "a process that looks files up");
	if (!pid) {
		close(fd[0]);
		begin_serving(t, fd[1], opt);
	}
	close(fd[1]);
	l->fd = fd[0];
	t->confine.rights |= CONFINE_ASK;
	t->confine.peer = l->fd;
}

/* The descriptor beside a message; -1: none. */
static int
descriptor(struct msghdr *m)
{
	const struct cmsghdr *c = CMSG_FIRSTHDR(m);
	int fd;

	if (!c || c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS || c->cmsg_len != CMSG_LEN(sizeof fd))
		return -1;
	memcpy(&fd, CMSG_DATA(c), sizeof fd);
	return fd;
}

/* Calls by their number, as the filter of system calls knows them: some C libraries take another one. */
static bool
ask(struct lookup *l, const struct question *q, size_t n, struct answer *a, int *fd)
{
	union answer_control control;
	struct iovec v = { a, sizeof *a };
	struct msghdr m = { .msg_iov = &v, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control };
	long got;

	if (l->fd < 0 || syscall(SYS_sendto, l->fd, q, n, MSG_NOSIGNAL, NULL, 0) < 0)
		return false;
	while ((got = syscall(SYS_recvmsg, l->fd, &m, MSG_CMSG_CLOEXEC)) < 0 && errno == EINTR)
		;
	if (got < 0)
		return false;
	*fd = descriptor(&m);
	if (got == sizeof *a && a->len <= sizeof a->id && !a->why[WHY_MAX - 1] && (*fd >= 0) == a->has_fd)
		return true;
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
	return false;
}

/* Fill in the question.  Returns its size; 0: the name is too long. */
static size_t
question_put(struct question *q, const struct lookup_for *f, bool want_fd)
{
	size_t n = f->dso ? f->dso->len : 0;

	if (n >= sizeof q->name)
		return 0;
	*q = (struct question){ .kind = f->kind, .pid = f->pid, .start = f->start, .end = f->end, .want_fd = want_fd };
	if (f->dso) {
		q->maj = f->dso->maj;
		q->min = f->dso->min;
		q->ino = f->dso->ino;
		q->ino_generation = f->dso->ino_generation;
		memcpy(q->name, f->dso->name, n);
	}
	q->name[n] = '\0';
	return QUESTION_HEAD + n + 1;
}

int
lookup_file(struct lookup *l, const struct lookup_for *f, bool want_fd, struct lookup_found *to)
{
	static struct question q;
	static struct answer a;
	size_t n = question_put(&q, f, want_fd);

	*to = (struct lookup_found){ .fd = -1, .why = "--kallsyms says that it is of another kernel" };
	if (l->other_kernel && *l->other_kernel && (f->kind == LOOKUP_KERNEL || f->kind == LOOKUP_MODULE))
		return 0;
	to->why = "the name is too long";
	if (!n)
		return 0;
	if (!ask(l, &q, n, &a, &to->fd)) {
		lookup_end(l);
		to->why = "the process that looks files up has ended";
		return 0;
	}
	to->why = a.why;
	to->id.len = a.len;
	memcpy(to->id.b, a.id, sizeof to->id.b);
	return a.found;
}

void
lookup_end(struct lookup *l)
{
	if (l->fd >= 0)
		close(l->fd);
	l->fd = -1;
}
