/* SPDX-License-Identifier: ISC */
/* out_file_copy.c - a data section that is copied as it is, by copy_file_range(2): where the file system can, its blocks are shared */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "out_file_in.h"

enum { STEP = 1 << 30, BUFFER = 256 << 10 };

struct copy {
	struct file	*f;
	int		 fd;
	bool		 by_hand;	/* copy_file_range(2) cannot: other file systems, an old kernel */
	uint8_t		*buf;
	uint64_t	 from, to;	/* offsets of the next byte */
};

/* Up to n bytes by read and write.  Their number; 0: the end; -1. */
static ssize_t
copy_by_hand(struct copy *c, uint64_t n)
{
	ssize_t got;

	if (!c->buf && !(c->buf = malloc(BUFFER)))
		return pp_fail_memory(c->f->err);
	while ((got = pread(c->fd, c->buf, n < BUFFER ? (size_t)n : BUFFER, (off_t)c->from)) < 0 && errno == EINTR)
		;
	if (got < 0)
		return pp_fail_system(c->f->err, "read the data section");
	return got && write_at(c->f->fd, c->buf, (size_t)got, c->to, c->f->err) < 0 ? -1 : got;
}

/* The same, by the kernel if it can. */
static ssize_t
copy_some(struct copy *c, uint64_t n)
{
	off_t from = (off_t)c->from, to = (off_t)c->to;
	ssize_t got = -1;

	/* No more than a clone takes at once in whole blocks. */
	if (!c->by_hand && (got = copy_file_range(c->fd, &from, c->f->fd, &to, n < STEP ? (size_t)n : STEP, 0)) >= 0)
		return got;
	if (!c->by_hand && (errno == ENOSPC || errno == EFBIG || errno == EDQUOT || errno == EIO))
		return pp_fail_system(c->f->err, "write");
	c->by_hand = true;
	return copy_by_hand(c, n);
}

int
out_file_copy(struct out *o, int fd, uint64_t off, uint64_t n, int (*tick)(void *, uint64_t), void *arg)
{
	struct file *f = (struct file *)o;
	struct copy c = { .f = f, .fd = fd, .from = off };
	/* Only whole blocks can be shared: what is in front of the first, and behind the last, goes by itself. */
	uint64_t front = -off % COPY_BLOCK, left, part;
	ssize_t got = 1;

	f->copied = true;
	f->phase = off % COPY_BLOCK;
	if (out_file_begin(f) < 0)
		return -1;
	c.to = f->data;
	f->size = n;
	for (left = n; left && got > 0; left -= (uint64_t)got) {
		part = left == n && front && front < n ? front : left > COPY_BLOCK ? left - left % COPY_BLOCK : left;
		if ((got = copy_some(&c, part)) <= 0)
			break;
		c.from += (uint64_t)got;
		c.to += (uint64_t)got;
		if (tick && tick(arg, n - left + (uint64_t)got) < 0)
			got = -1;
	}
	free(c.buf);
	if (!got)
		return pp_fail(f->err, "the input has become shorter: %ju bytes of its data section are missing", (uintmax_t)left);
	return got < 0 ? -1 : 1;
}
