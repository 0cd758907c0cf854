/* SPDX-License-Identifier: ISC */
/* second.c - see second.h */
#include <sys/time.h>

#include <err.h>
#include <errno.h>
#include <signal.h>
#include <string.h>

#include "second.h"

union control {			/* space for descriptors */
	struct cmsghdr	 head;
	char		 bytes[CMSG_SPACE(SECOND_FDS * sizeof(int))];
};

int
second_start(struct tool *t, const char *what, unsigned seconds, second_serve *serve, const void *arg)
{
	struct timeval limit = { .tv_sec = seconds };
	sigset_t interrupt, old;
	int fd[2];
	pid_t pid;

	/* Like the command, it goes on after Ctrl-C, until the input ends: a SIGINT waits until the second process ignores it. */
	sigemptyset(&interrupt);
	sigaddset(&interrupt, SIGINT);
	sigprocmask(SIG_BLOCK, &interrupt, &old);
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fd) < 0 || (pid = fork()) < 0)
		err(1, "%s", what);
	if (!pid) {
		signal(SIGINT, SIG_IGN);
		sigprocmask(SIG_SETMASK, &old, NULL);
		for (int i = 0; i < fd[1]; i++)
			close(i);
		syscall(SYS_close_range, fd[1] + 1, ~0u, 0);
		serve(t, fd[1], arg);
		_exit(1);
	}
	sigprocmask(SIG_SETMASK, &old, NULL);
	close(fd[1]);
	setsockopt(fd[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
	setsockopt(fd[0], SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
	return fd[0];
}

void
second_lock(const struct tool *t, int fd, unsigned rights)
{
	struct confine c = { .rights = rights, .peer = fd, .off = t->confine.off };
	char text[100];

	if (confine_lock(&c, text, sizeof text) < 0)
		_exit(1);
}

/* Calls by their number, as the filter of system calls knows them: some C libraries take another one. */
long
second_send(int to, const void *p, size_t n, const int *fds, unsigned nfds)
{
	union control control = { .bytes = "" };
	struct iovec v = { (void *)p, n };
	struct msghdr m = { .msg_iov = &v, .msg_iovlen = 1 };
	long sent;

	if (nfds) {
		control.head = (struct cmsghdr){ .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS,
		    .cmsg_len = CMSG_LEN(nfds * sizeof *fds) };
		memcpy(CMSG_DATA(&control.head), fds, nfds * sizeof *fds);
		m.msg_control = &control;
		m.msg_controllen = CMSG_SPACE(nfds * sizeof *fds);
	}
	while ((sent = syscall(SYS_sendmsg, to, &m, MSG_NOSIGNAL)) < 0 && errno == EINTR)
		;
	return sent;
}

long
second_receive(int from, void *p, size_t n, int fds[SECOND_FDS])
{
	union control control;
	struct iovec v = { p, n };
	struct msghdr m = { .msg_iov = &v, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control };
	const struct cmsghdr *c;
	long got;

	for (int i = 0; i < SECOND_FDS; i++)
		fds[i] = -1;
	while ((got = syscall(SYS_recvmsg, from, &m, MSG_CMSG_CLOEXEC)) < 0 && errno == EINTR)
		;
	c = got < 0 ? NULL : CMSG_FIRSTHDR(&m);
	if (c && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS && c->cmsg_len <= CMSG_LEN(SECOND_FDS * sizeof *fds))
		memcpy(fds, CMSG_DATA(c), c->cmsg_len - CMSG_LEN(0));
	return got;
}
