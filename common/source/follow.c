/* SPDX-License-Identifier: ISC */
/*
 * follow.c - read a file while it is being written (PP_OPEN_FOLLOW).
 *
 * perf record -o FILE appends records, then the table of features and their sections, and at last puts the
 * size of the data into the header at the file's start.  So between table and header the data seems to go on.
 * But the table's first entry is an offset below 2^48, which read as a header is a record of size 0: there we
 * wait for the header.  A pipe stream saved in a file has no such end mark; it ends when nobody can write it.
 */
#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include "source.h"

enum { POLL_MS = 100, DATA_SECTION = 3 };

struct follow {
	const volatile sig_atomic_t *stop;
	bool	 file;			/* a perf.data, with a header to wait for */
	bool	 last;			/* no writer is left: look once more */
	bool	 over;			/* the end was not that of a finished file */
	bool	 done;			/* the header has come */
	bool	 tail;			/* and the features were made records */
};

/* Can any process write to the file?  Unless the system says no, yes. */
static bool
has_writer(int fd)
{
	/* A read lease is to be had only while there is none; if one comes just then, it is not to kill us. */
	fcntl(fd, F_SETSIG, SIGURG);
	if (fcntl(fd, F_SETLEASE, F_RDLCK) < 0)
		return true;
	fcntl(fd, F_SETLEASE, F_UNLCK);
	return false;
}

/* A moment for the writer.  False: there is nothing to wait for any more. */
static bool
pause_for_more(struct source *s)
{
	struct follow *f = s->follow;

	if (f->over || f->done || (f->stop && *f->stop)) {
		f->over = true;
		return false;
	}
	if (!has_writer(s->fd)) {
		f->over = f->last;
		f->last = true;		/* it may have written since we looked */
		return !f->over;
	}
	poll(NULL, 0, POLL_MS);
	return true;
}

int
follow_open(struct source *s)
{
	uint8_t head[8] = { 0 };

	if (!(s->follow = calloc(1, sizeof *s->follow)))
		return source_fail(s, 0, "out of memory");
	/* perf record leaves the header for last: it begins with zeros at first. */
	while ((pread(s->fd, head, sizeof head, 0) < (ssize_t)sizeof head || !head[0]) && pause_for_more(s))
		;
	s->follow->last = s->follow->over = false;
	s->total = 0;
	return 1;
}

void
follow_file(struct source *s)
{
	s->follow->file = true;
}

/* Has the header got its size of data?  Then that is where the data ends: 1, 0, -1. */
static int
finished(struct source *s)
{
	struct segment *g = &s->seg[DATA_SECTION];
	uint8_t p[8];
	uint64_t size;

	if (pread(s->fd, p, sizeof p, 48) != (ssize_t)sizeof p)
		return source_fail(s, 48, "the file shrank while it was read");
	if (!(size = pp_get_u64(p, s->pub.swap)))
		return 0;
	g->len = size;
	s->follow->done = true;
	if (s->cur == DATA_SECTION && s->cur_done > size)
		s->cur_done = size;
	return 1;
}

size_t
follow_clip(struct source *s, size_t have)
{
	uint64_t end = s->seg[0].len + s->seg[1].len + s->seg[2].len + s->seg[DATA_SECTION].len;

	if (!s->follow->done || s->follow->tail || s->base + have <= end)
		return have;
	return end > s->base ? (size_t)(end - s->base) : 0;
}

/* The header never came. */
static int
unfinished(struct source *s)
{
	if (s->follow->stop && *s->follow->stop)
		return 0;
	return source_fail(s, 48, "data size is still 0, and no process writes the file: the recorder was killed");
}

int
follow_wait(struct source *s)
{
	struct follow *f = s->follow;
	int rc;

	if (f->done || f->over)
		return 0;
	if (f->file && (rc = finished(s)) != 0)
		return rc;
	if (pause_for_more(s))
		return 1;
	return f->file ? unfinished(s) : 0;
}

int
follow_settle(struct source *s)
{
	int rc = 0;

	if (!s->follow->file || s->follow->done)
		return 0;
	while ((rc = finished(s)) == 0 && pause_for_more(s))
		;
	if (rc < 0)
		return -1;
	if (!rc && unfinished(s) < 0)
		return -1;
	s->pub.lim = s->oend = rc ? s->buf + follow_clip(s, (size_t)(s->oend - s->buf)) : s->pub.pos;
	if (s->pub.pos > s->oend)
		return source_fail(s, 48, "data size in the header is less than was read already");
	s->eof = s->pub.pos == s->oend;
	return s->eof;
}

int
follow_tail(struct source *s)
{
	struct follow *f = s->follow;

	if (!f->done || f->tail)
		return 0;
	f->tail = true;
	return source_file_tail(s) < 0 ? -1 : 2;
}

bool
follow_stopped(const struct source *s)
{
	return s->follow && s->follow->over && s->follow->stop && *s->follow->stop;
}

bool
follow_dry(const struct source *s)
{
	const struct segment *g = &s->seg[s->cur];
	struct stat st;

	return s->cur < s->nseg && !g->mem && fstat(s->fd, &st) == 0 &&
	    (uint64_t)st.st_size <= (g->len == UINT64_MAX ? s->nread : g->off + s->cur_done);
}

void
pp_follow(struct pp_source *pub, const volatile sig_atomic_t *stop)
{
	struct follow *f = ((struct source *)pub)->follow;

	if (f)
		f->stop = stop;
}
