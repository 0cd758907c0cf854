/* SPDX-License-Identifier: ISC */
#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "live/tee.h"

enum { PIPE_SIZE = 1 << 20 };

struct tee {
	struct tool	*t;
	const volatile sig_atomic_t *stop;
	int		 fd;
	bool		 failed;
	struct pp_err	 err;
	struct pp_sink	*out;		/* of records; NULL: bytes are copied */
};

void
tee_refuse(const struct tool *t, int fd)
{
	struct stat a, b;

	if (fstat(fd, &a) == 0 && fstat(STDOUT_FILENO, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino && !S_ISCHR(a.st_mode))
		tool_wrong(t, "--tee: the report would be written into the stream: use -o FILE");
}

struct tee *
tee_new(struct tool *t, const volatile sig_atomic_t *stop)
{
	struct tee *e = tool_alloc(1, sizeof *e);

	if (isatty(STDOUT_FILENO))
		tool_wrong(t, "--tee: the stream is binary and standard output is a terminal");
	if (!t->out_name)
		tee_refuse(t, STDERR_FILENO);
	e->t = t;
	e->stop = stop;
	e->err.file = "<stdout>";
	if ((e->fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0)) < 0)
		e->failed = pp_fail(&e->err, "%s", strerror(errno)) < 0;
	fcntl(e->fd, F_SETPIPE_SZ, PIPE_SIZE);
	return e;
}

int
tee_bytes(void *tee, const uint8_t *p, size_t n)
{
	struct tee *e = tee;

	while (n && !e->failed) {
		ssize_t put = write(e->fd, p, n);

		if (put >= 0) {
			p += put;
			n -= (size_t)put;
		} else if (errno == EAGAIN && poll(&(struct pollfd){ .fd = e->fd, .events = POLLOUT }, 1, -1) >= 0) {
			e->failed = *e->stop;
		} else if (*e->stop)		/* a signal has ended it, and is the reason */
			e->failed = true;
		else if (errno != EINTR)
			e->failed = pp_fail(&e->err, "write: %s", strerror(errno)) < 0;
	}
	return e->failed ? -1 : 1;
}

/* a lane_fn */
static int
tee_record(void *tee, const struct pp_rec *r, bool sound)
{
	struct tee *e = tee;

	if (!sound || (r->type == PP_HEADER_FEATURE && r->payload))	/* that of a file is no record of a stream */
		return sound;
	/* a source that cannot go on says why at the next record */
	if (pp_put(e->out, e->t->in, r) < 0)
		e->failed = true;
	return 1;
}

void
tee_begin_records(struct tee *e, struct counts *c)
{
	e->out = pp_create_writer(&(struct pp_writer){ .write = tee_bytes, .arg = e }, &e->err);
	e->err.file = "<stdout>";
	if (!e->out || pp_start(e->out, e->t->in) < 0)
		e->failed = true;
	else
		lane_join(c, LANE_ALL, tee_record, e);
}

int
tee_flush(struct tee *e)
{
	return e->failed || (e->out && pp_flush(e->out) < 0) ? -1 : 1;
}

bool
tee_failed(const struct tee *e)
{
	return e->failed;
}

bool
tee_close(struct tee *e)
{
	bool whole;

	if (e->out && pp_finish(e->out) < 0)
		e->failed = true;
	if (e->fd >= 0 && close(e->fd) < 0 && errno != EINTR && !e->failed)
		e->failed = pp_fail(&e->err, "close: %s", strerror(errno)) < 0;
	whole = !e->failed;
	if (e->err.what[0])
		tool_say(e->t, &e->err);
	free(e);
	return whole;
}
