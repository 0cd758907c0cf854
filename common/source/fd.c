/* SPDX-License-Identifier: ISC */
/* fd.c - the layers of a descriptor: a file, which can seek, or a pipe */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bytes.h"

enum { PIPE_SIZE = 1 << 20 };

struct fd {
	struct bytes	 pub;
	int		 fd;
};

static ssize_t
read_failed(struct bytes *b, uint64_t off)
{
	b->err->fatal = true;
	return pp_fail_system(bytes_at(b->err, off), "read");
}

/* A call has failed: may it be repeated?  Waits for data if there is none. */
static bool
try_again(int fd)
{
	if (errno == EAGAIN && poll(&(struct pollfd){ .fd = fd, .events = POLLIN }, 1, -1) >= 0)
		return true;
	return errno == EINTR;
}

static ssize_t
fd_read(struct bytes *b, uint8_t *p, size_t n)
{
	int fd = ((struct fd *)b)->fd;
	ssize_t got;

	while ((got = read(fd, p, n)) < 0 && try_again(fd))
		;
	if (got < 0)
		return read_failed(b, b->taken);
	b->taken += (uint64_t)got;
	return got;
}

static ssize_t
fd_read_at(struct bytes *b, uint64_t off, uint8_t *p, size_t n)
{
	int fd = ((struct fd *)b)->fd;
	ssize_t got;

	while ((got = pread(fd, p, n, (off_t)off)) < 0 && try_again(fd))
		;
	return got < 0 ? read_failed(b, off) : got;
}

static int64_t
fd_size(struct bytes *b)
{
	struct stat st;

	return fstat(((struct fd *)b)->fd, &st) < 0 ? pp_fail_system(bytes_at(b->err, 0), NULL) : st.st_size;
}

static int
fd_poll_fd(const struct bytes *b)
{
	return ((const struct fd *)b)->fd;
}

static void
fd_close(struct bytes *b)
{
	close(((struct fd *)b)->fd);
	free(b);
}

static const struct bytes_layer file_layer = { fd_read, fd_read_at, fd_size, fd_poll_fd, fd_close };
static const struct bytes_layer pipe_layer = { fd_read, NULL, NULL, fd_poll_fd, fd_close };

static struct bytes *
fd_new(int fd, const struct bytes_layer *layer, struct bytes_err *err)
{
	struct fd *f = calloc(1, sizeof *f);

	if (!f) {
		pp_fail_memory(&err->why);
		close(fd);
		return NULL;
	}
	f->pub.layer = layer;
	f->pub.err = err;
	f->fd = fd;
	return &f->pub;
}

struct bytes *
fd_open(int fd, const struct stat *st, struct bytes_err *err)
{
	if (S_ISREG(st->st_mode))
		posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL);
	else
		fcntl(fd, F_SETPIPE_SZ, PIPE_SIZE);
	return fd_new(fd, S_ISREG(st->st_mode) ? &file_layer : &pipe_layer, err);
}

int
fd_regular(const struct bytes *b)
{
	return b && b->layer == &file_layer ? ((const struct fd *)b)->fd : -1;
}
