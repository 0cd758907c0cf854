/* SPDX-License-Identifier: ISC */
/*
 * spool.c - inputs copied into a temporary file, because they cannot seek.
 *
 * Each input has a piece of a file.  The file is its own, or the spare one, which holds the pieces of several inputs behind each
 * other.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "bytes.h"
#include "sink/spool.h"
#include "sink/tmpfile.h"
#include "spare.h"

struct pp_spare {
	int		 fd, error;	/* -1: why there is none */
	uint64_t	 used;
};

struct piece {
	struct bytes	 pub;
	int		 fd;
	uint64_t	 from, size;
	struct pp_spare	*spare;		/* NULL: the file is its own */
};

/* ---- the spare file ------------------------------------------------------------------------------- */

struct pp_spare *
pp_spare_new(void)
{
	struct pp_spare *a = calloc(1, sizeof *a);

	if (!a)
		return NULL;
	a->fd = pp_tmpfile(NULL);
	a->error = errno;
	return a;
}

void
pp_spare_free(struct pp_spare *a)
{
	if (a && a->fd >= 0)
		close(a->fd);
	free(a);
}

/* ---- a piece as a layer --------------------------------------------------------------------------- */

static ssize_t
piece_read_at(struct bytes *b, uint64_t off, uint8_t *p, size_t n)
{
	const struct piece *s = (const struct piece *)b;
	ssize_t got;

	if (off >= s->size)
		return 0;
	n = n < s->size - off ? n : (size_t)(s->size - off);
	while ((got = pread(s->fd, p, n, (off_t)(s->from + off))) < 0 && errno == EINTR)
		;
	if (got < 0)
		b->err->fatal = true;
	return got < 0 ? pp_tmpfile_fail(bytes_at(b->err, off), "read", strerror(errno)) : got;
}

static ssize_t
piece_read(struct bytes *b, uint8_t *p, size_t n)
{
	ssize_t got = piece_read_at(b, b->taken, p, n);

	if (got > 0)
		b->taken += (uint64_t)got;
	return got;
}

static int64_t
piece_size(struct bytes *b)
{
	return (int64_t)((const struct piece *)b)->size;
}

static int
piece_poll_fd(const struct bytes *b)
{
	return ((const struct piece *)b)->fd;
}

/* The last piece of a spare file is cut off, so that the next one takes its place. */
static void
piece_close(struct bytes *b)
{
	struct piece *s = (struct piece *)b;

	if (s->spare && s->spare->used == s->from + s->size && ftruncate(s->fd, (off_t)s->from) == 0)
		s->spare->used = s->from;
	close(s->fd);
	free(s);
}

struct bytes *
spool_open(struct pp_spare *spare, struct bytes_err *err)
{
	static const struct bytes_layer layer = { piece_read, piece_read_at, piece_size, piece_poll_fd, piece_close };
	int fd = !spare ? pp_tmpfile(NULL) : spare->fd < 0 ? -1 : fcntl(spare->fd, F_DUPFD_CLOEXEC, 0);
	struct piece *s;
	char doing[160];

	if (fd < 0) {
		if (spare && spare->fd < 0)
			errno = spare->error;
		snprintf(doing, sizeof doing, "this kind of recording on a pipe needs a temporary file: %.80s", pp_tmpdir(NULL));
		pp_fail_system(bytes_at(err, 0), doing);
		return NULL;
	}
	if (!(s = calloc(1, sizeof *s))) {
		pp_fail_memory(&err->why);
		close(fd);
		return NULL;
	}
	*s = (struct piece){ .pub = { .layer = &layer, .err = err }, .fd = fd, .from = spare ? spare->used : 0, .spare = spare };
	return &s->pub;
}

int
spool_write(struct bytes *b, const uint8_t *p, size_t n)
{
	struct piece *s = (struct piece *)b;
	struct pp_err ignored = { .what = "" };

	if (write_at(s->fd, p, n, s->from + s->size, &ignored) < 0) {
		b->err->fatal = true;		/* no damage that --repair goes on after */
		return pp_tmpfile_fail(bytes_at(b->err, 0), "write", strerror(errno));
	}
	s->size += n;
	if (s->spare)
		s->spare->used = s->from + s->size;
	return 1;
}
