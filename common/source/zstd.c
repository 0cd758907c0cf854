/* SPDX-License-Identifier: ISC */
/*
 * zstd.c - an input that is wrapped in zstd as a whole, as by zstd(1): one frame or several, also frames
 * to be skipped (as pzstd makes).  It is unwrapped as it is read, in the memory of one window, which zstd
 * limits to 128 MiB.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <zstd.h>

#include "source.h"

struct unwrap {
	ZSTD_DStream	*z;
	uint8_t		*buf;
	size_t		 cap;
	ZSTD_inBuffer	 in;
	uint64_t	 off;		/* of buf[0] in the input */
	size_t		 wants;		/* 0: between two frames */
	bool		 more;		/* zstd may have output left though its input is used up */
	uint64_t	 plain;		/* bytes that came out */
};

bool
source_is_zstd(const uint8_t p[static 16])
{
	static const uint8_t frame[4] = { 0x28, 0xb5, 0x2f, 0xfd }, skip[3] = { 0x2a, 0x4d, 0x18 };

	return !memcmp(p, frame, sizeof frame) || ((p[0] & 0xf0) == 0x50 && !memcmp(p + 1, skip, sizeof skip));
}

int
source_unwrap(struct source *s)
{
	struct unwrap *u = calloc(1, sizeof *u);

	s->unwrap = u;
	if (!u || !(u->z = ZSTD_createDStream()) || !(u->buf = malloc(s->cap)))
		return source_fail(s, 0, "out of memory");
	u->cap = s->cap;
	u->in = (ZSTD_inBuffer){ u->buf, (size_t)(s->oend - s->pub.pos), 0 };
	memcpy(u->buf, s->pub.pos, u->in.size);
	s->pub.pos = s->pub.lim = s->oend = s->buf;
	s->base = s->cur_done = 0;
	s->eof = false;
	return 1;
}

/* More input: 1, 0 at its end, -1. */
static int
refill(struct source *s)
{
	struct unwrap *u = s->unwrap;
	ssize_t got;

	while ((got = read(s->fd, u->buf, u->cap < PP_READ_SIZE ? u->cap : PP_READ_SIZE)) < 0 &&
	    (errno == EINTR || errno == EAGAIN))
		if (errno == EAGAIN)
			poll(&(struct pollfd){ .fd = s->fd, .events = POLLIN }, 1, -1);
	u->off += u->in.size;
	u->in.size = u->in.pos = 0;
	if (got < 0) {
		s->fatal = true;
		return source_fail(s, u->off, "read: %s", strerror(errno));
	}
	u->in.size = (size_t)got;
	s->nread += (uint64_t)got;
	return got > 0;
}

ssize_t
unwrap_read(struct source *s, uint8_t *p, size_t n)
{
	struct unwrap *u = s->unwrap;
	ZSTD_outBuffer out = { p, n, 0 };
	int rc;

	if (source_expanded(s, u->plain) < 0)
		return -1;
	while (!out.pos) {
		if (u->in.pos == u->in.size && !u->more) {
			if ((rc = refill(s)) < 0)
				return -1;
			if (!rc && u->wants)
				return source_fail(s, u->off, "zstd: the last frame is cut short");
			if (!rc)
				return 0;
		}
		u->wants = ZSTD_decompressStream(u->z, &out, &u->in);
		if (ZSTD_isError(u->wants))
			return source_fail(s, u->off + u->in.pos, "zstd: %s", ZSTD_getErrorName(u->wants));
		u->more = out.pos == out.size;
	}
	u->plain += out.pos;
	return (ssize_t)out.pos;
}

bool
unwrap_pending(const struct source *s)
{
	return s->unwrap && (s->unwrap->more || s->unwrap->in.pos < s->unwrap->in.size);
}

void
unwrap_free(struct source *s)
{
	if (!s->unwrap)
		return;
	ZSTD_freeDStream(s->unwrap->z);
	free(s->unwrap->buf);
	free(s->unwrap);
	s->unwrap = NULL;
}
