/* SPDX-License-Identifier: ISC */
/*
 * zstd.c - the layer that decompresses an input of zstd(1): one frame or several, also skippable frames (pzstd makes these).
 * It needs the memory of one zstd window, which zstd limits to 128 MiB.  With a seek table (zstd_seek.h) it can seek, too: read()
 * takes no notice of the table.
 */
#include <stdlib.h>
#include <string.h>

#include <zstd.h>

#include "bytes.h"
#include "zstd_seek.h"

struct zstd {
	struct bytes	 pub;
	ZSTD_DStream	*z;
	ZSTD_inBuffer	 in;
	uint8_t		*buf;		/* of `in' */
	uint64_t	 off;		/* offset of buf[0] in the layer below */
	size_t		 wants;		/* 0: between two frames */
	bool		 more;		/* zstd may have output left after all its input */
	struct zstd_seek *seek;		/* NULL: it cannot */
};

/* Read more input.  1; 0: end; -1. */
static int
zstd_refill(struct zstd *u)
{
	ssize_t got = u->pub.under->layer->read(u->pub.under, u->buf, BYTES_READ_SIZE);

	u->pub.taken = u->pub.under->taken;
	u->off += u->in.size;
	u->in.size = u->in.pos = 0;
	if (got < 0)
		return -1;
	u->in.size = (size_t)got;
	return got > 0;
}

static ssize_t
zstd_read(struct bytes *b, uint8_t *p, size_t n)
{
	struct zstd *u = (struct zstd *)b;
	ZSTD_outBuffer out = { p, n, 0 };
	int rc;

	while (!out.pos) {
		if (u->in.pos == u->in.size && !u->more) {
			if ((rc = zstd_refill(u)) < 0)
				return -1;
			if (!rc && u->wants)
				return pp_fail(bytes_at(b->err, u->off), "zstd: the last frame is cut short");
			if (!rc)
				return 0;
		}
		u->wants = ZSTD_decompressStream(u->z, &out, &u->in);
		if (ZSTD_isError(u->wants))
			return pp_fail(bytes_at(b->err, u->off + u->in.pos), "zstd: %s", ZSTD_getErrorName(u->wants));
		u->more = u->wants && out.pos == out.size;
	}
	return (ssize_t)out.pos;
}

static int
zstd_poll_fd(const struct bytes *b)
{
	const struct zstd *u = (const struct zstd *)b;

	return u->more || u->in.pos < u->in.size ? -1 : b->under->layer->poll_fd(b->under);
}

static void
zstd_close(struct bytes *b)
{
	struct zstd *u = (struct zstd *)b;

	ZSTD_freeDStream(u->z);
	zstd_seek_free(u->seek);
	free(u->buf);
	free(u);
}

struct bytes *
zstd_open(struct bytes *under, const uint8_t *p, size_t n, struct bytes_err *err)
{
	static const struct bytes_layer layer = { zstd_read, NULL, NULL, zstd_poll_fd, zstd_close };
	struct zstd *u = calloc(1, sizeof *u);

	if (!u || !(u->z = ZSTD_createDStream()) || !(u->buf = malloc(n > BYTES_READ_SIZE ? n : BYTES_READ_SIZE))) {
		pp_fail_memory(&err->why);
		if (u)
			zstd_close(&u->pub);
		return NULL;
	}
	memcpy(u->buf, p, n);
	u->pub = (struct bytes){ &layer, under, err, under->taken };
	u->in = (ZSTD_inBuffer){ u->buf, n, 0 };
	return &u->pub;
}

static ssize_t
zstd_read_at(struct bytes *b, uint64_t off, uint8_t *p, size_t n)
{
	return zstd_seek_read(((struct zstd *)b)->seek, b, off, p, n);
}

static int64_t
zstd_size(struct bytes *b)
{
	return (int64_t)zstd_seek_size(((struct zstd *)b)->seek);
}

void
zstd_seeks(struct bytes *b)
{
	static const struct bytes_layer layer = { zstd_read, zstd_read_at, zstd_size, zstd_poll_fd, zstd_close };
	struct zstd *u = (struct zstd *)b;

	if ((u->seek = zstd_seek_new(b->under)))
		b->layer = &layer;
}
