/* SPDX-License-Identifier: ISC */
/* serve.c - see protocol.h: the process that looks files up */
#include <fcntl.h>
#include <string.h>

#include "place.h"
#include "protocol.h"

/* An id, and the descriptor of the file, which stays open if it is wanted.  1, 0 */
static int
serve_file(const struct place *p, bool want_fd, struct lookup_found *to)
{
	int fd = place_open(p, &to->why), rc;

	if (fd < 0)
		return 0;
	rc = buildid_fd(&to->id, fd, &to->why);
	if (rc > 0 && want_fd)
		to->fd = fd;
	else
		close(fd);
	return rc;
}

/* The module's file only if it is the loaded module: the id says so.  A compressed one has none. */
static void
serve_module_file(const struct place *p, struct lookup_found *to)
{
	struct lookup_found file = { .fd = -1 };

	if (p->dso.name[0] == '/' && serve_file(p, true, &file) > 0 && file.id.len == to->id.len &&
	    !memcmp(file.id.b, to->id.b, file.id.len))
		to->fd = file.fd;
	else if (file.fd >= 0)
		close(file.fd);
}

static int
serve_answer(const struct question *q, const struct place *p, struct lookup_found *to)
{
	int rc;

	switch ((enum lookup_kind)q->kind) {
	case LOOKUP_FILE:
		return serve_file(p, q->want_fd, to);
	case LOOKUP_KERNEL:
		return buildid_kernel(&to->id, &to->why);
	case LOOKUP_MODULE:
		if ((rc = buildid_module(&to->id, &p->dso, &to->why)) > 0 && q->want_fd)
			serve_module_file(p, to);
		return rc;
	case LOOKUP_VDSO:
		return buildid_vdso(&to->id, &to->why);
	case LOOKUP_JITDUMP:
		return (to->fd = place_open_jitdump(p, &to->why)) >= 0;
	case LOOKUP_PERF_MAP:
		return (to->fd = place_open_perf_map(p, &to->why)) >= 0;
	case LOOKUP_KALLSYMS:
		to->why = "/proc/kallsyms cannot be opened";
		return (to->fd = open("/proc/kallsyms", O_RDONLY | O_NONBLOCK | O_CLOEXEC)) >= 0;
	}
	to->why = "unknown question";
	return 0;
}

static long
serve_send(int to, struct answer *a, int fd)
{
	union answer_control control = { .bytes = "" };
	struct iovec v = { a, sizeof *a };
	struct msghdr m = { .msg_iov = &v, .msg_iovlen = 1 };

	if (fd >= 0) {
		control.head = (struct cmsghdr){ .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS,
		    .cmsg_len = CMSG_LEN(sizeof fd) };
		memcpy(CMSG_DATA(&control.head), &fd, sizeof fd);
		m.msg_control = &control;
		m.msg_controllen = sizeof control;
	}
	return syscall(SYS_sendmsg, to, &m, MSG_NOSIGNAL);
}

_Noreturn void
serve(int fd, const struct lookup_opt *opt)
{
	static struct question q;
	ssize_t n;

	while ((n = read(fd, &q, sizeof q)) > QUESTION_HEAD && !((char *)&q)[n - 1]) {
		struct place p = { .opt = opt, .pid = q.pid, .start = q.start, .end = q.end,
		    .dso = { .name = q.name, .len = (uint32_t)strlen(q.name), .maj = q.maj, .min = q.min, .ino = q.ino,
			.ino_generation = q.ino_generation } };
		struct lookup_found found = { .fd = -1, .why = "" };
		struct answer a = { .found = serve_answer(&q, &p, &found) > 0 };
		long sent;

		a.has_fd = found.fd >= 0;
		if (a.found) {
			a.len = (uint32_t)found.id.len;
			memcpy(a.id, found.id.b, sizeof a.id);
		}
		strncpy(a.why, found.why, sizeof a.why - 1);
		sent = serve_send(fd, &a, found.fd);
		if (found.fd >= 0)
			close(found.fd);
		if (sent < 0)
			break;
	}
	_exit(0);
}
