/* SPDX-License-Identifier: ISC */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "spool.h"
#include "tmpfile.h"

int
write_at(int fd, const void *p, size_t n, uint64_t off, struct pp_err *err)
{
	return pp_tmpfile_write_at(fd, p, n, off) < 0 ? pp_fail_system(err, "write") : 1;
}

/* ---- spools ---------------------------------------------------------------------------------------- */

static int
spool_open(struct spool *s, struct pp_err *err)
{
	s->fd = pp_tmpfile_at(s->dir);
	return s->fd < 0 ? pp_tmpfile_fail(err, "open", strerror(errno)) : 1;
}

void
spool_init(struct spool *s, int dir)
{
	s->fd = -1;
	s->dir = dir;
	s->len = s->used = 0;
}

static int
spool_out(struct spool *s, struct pp_err *err)
{
	size_t n = s->used;

	s->used = 0;
	return !n ? 1 : s->fd < 0 && spool_open(s, err) < 0 ? -1 : write_at(s->fd, s->buf, n, s->len - n, err);
}

int
spool_put(struct spool *s, const void *p, size_t n, struct pp_err *err)
{
	if (n > sizeof s->buf - s->used && spool_out(s, err) < 0)
		return -1;
	if (n > sizeof s->buf) {
		if ((s->fd < 0 && spool_open(s, err) < 0) || write_at(s->fd, p, n, s->len, err) < 0)
			return -1;
	} else {
		memcpy(s->buf + s->used, p, n);
		s->used += n;
	}
	s->len += n;
	return 1;
}

int
spool_copy(struct spool *s, uint64_t from, uint64_t n, int fd, uint64_t to, struct pp_err *err)
{
	if (spool_out(s, err) < 0)
		return -1;
	while (n) {
		ssize_t got = pread(s->fd, s->buf, n < sizeof s->buf ? (size_t)n : sizeof s->buf, (off_t)from);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return pp_tmpfile_fail(err, "read", got ? strerror(errno) : "cut short");
		if (write_at(fd, s->buf, (size_t)got, to, err) < 0)
			return -1;
		from += (uint64_t)got;
		to += (uint64_t)got;
		n -= (uint64_t)got;
	}
	return 1;
}

void
spool_close(struct spool *s)
{
	if (s->fd >= 0)
		close(s->fd);
	s->fd = -1;
}

/* ---- tails ----------------------------------------------------------------------------------------- */

int
tail_flush(struct tail *t, struct pp_err *err)
{
	size_t n = t->used;

	t->used = 0;
	return write_at(t->fd, t->buf, n, t->at - n, err);
}

int
tail_put(struct tail *t, const void *p, size_t n, struct pp_err *err)
{
	const uint8_t *from = p;

	while (n) {
		size_t take;

		if (t->used == sizeof t->buf && tail_flush(t, err) < 0)
			return -1;
		take = n < sizeof t->buf - t->used ? n : sizeof t->buf - t->used;
		if (from) {
			memcpy(t->buf + t->used, from, take);
			from += take;
		} else
			memset(t->buf + t->used, 0, take);
		t->used += take;
		t->at += take;
		n -= take;
	}
	return 1;
}
