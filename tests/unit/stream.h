/* SPDX-License-Identifier: ISC */
/* stream.h - a source of bytes by hand */
#ifndef PP_TEST_STREAM_H
#define PP_TEST_STREAM_H

#include <sys/mman.h>

#include <unistd.h>

#include "bytes.h"

static struct bytes b;
static struct pp_err err;

/* Open the bytes, as a file or as a pipe, on which they must fit. */
static inline struct pp_source *
open_bytes(const void *p, size_t n, bool by_pipe, unsigned flags)
{
	struct pp_source *s;
	char path[64];
	int fd[2];

	if (by_pipe) {
		assert_int_equal(pipe(fd), 0);
		assert_int_equal(write(fd[1], p, n), n);
		close(fd[1]);
	} else {
		fd[0] = memfd_create("stream", 0);
		assert_int_equal(write(fd[0], p, n), n);
	}
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd[0]);
	s = pp_open(path, flags, &err);
	err.file = "stream";		/* path is gone soon */
	close(fd[0]);
	return s;
}

static inline void
header(void)
{
	b.n = 0;
	put(&b, UINT64_C(0x32454c4946524550), 8);
	put(&b, 16, 8);
}

#endif
