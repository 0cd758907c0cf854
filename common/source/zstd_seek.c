/* SPDX-License-Identifier: ISC */
/* zstd_seek.c - see zstd_seek.h */
#include <stdlib.h>
#include <unistd.h>

#include <zstd.h>

#include "zstd_seek.h"

#define SKIPPABLE_MAGIC	UINT32_C(0x184d2a5e)
#define TABLE_MAGIC	UINT32_C(0x8f92eab1)
enum {
	SWAP = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__,	/* all of zstd is little-endian */
	HEAD_SIZE = 8, FOOT_SIZE = 9, FLAGS_AT = 4, FLAG_CHECKSUMS = 0x80, FLAGS_RESERVED = 0x7c,
	FRAMES_MAX = 1 << 20, FRAME_SIZE_MAX = 64 << 20, BUFFER = 64 << 10
};

struct place {
	uint64_t	 packed, plain;	/* offsets */
};

struct zstd_seek {
	struct place	*frame;		/* n + 1: the last is their end */
	size_t		 n;
	ZSTD_DStream	*z;
	size_t		 cur;		/* the frame in work; n: none */
	uint64_t	 at;		/* offset of the next byte that it expands to */
	uint64_t	 packed;	/* offset behind `in' */
	ZSTD_inBuffer	 in;
	uint8_t		 buf[BUFFER];
};

/* ---- the table -------------------------------------------------------------------------------------- */

static bool
seek_get(struct bytes *under, uint64_t off, uint8_t *p, size_t n)
{
	ssize_t got = 1;

	for (; n && got > 0; p += got, off += (uint64_t)got, n -= (size_t)got)
		if ((got = under->layer->read_at(under, off, p, n)) < 0)
			*under->err = (struct bytes_err){ .fatal = false };	/* the records can perhaps be read without */
	return !n;
}

/* Read the frame at `off', whose n bytes have x->n entries.  false: they do not fit the file, or us. */
static bool
seek_entries(struct zstd_seek *x, struct bytes *under, uint64_t off, size_t n)
{
	uint8_t *p = malloc(n), *e = p + HEAD_SIZE;
	size_t each = (n - HEAD_SIZE - FOOT_SIZE) / x->n;
	bool good = p && seek_get(under, off, p, n) && pp_get_u32(p, SWAP) == SKIPPABLE_MAGIC && pp_get_u32(p + 4, SWAP) == n - HEAD_SIZE;
	struct place at = { 0, 0 };

	for (size_t i = 0; good && i < x->n; i++, e += each) {
		x->frame[i] = at;
		at.packed += pp_get_u32(e, SWAP);
		at.plain += pp_get_u32(e + 4, SWAP);
		good = pp_get_u32(e + 4, SWAP) <= FRAME_SIZE_MAX;
	}
	free(p);
	x->frame[x->n] = at;
	return good && at.packed == off;
}

struct zstd_seek *
zstd_seek_new(struct bytes *under)
{
	struct zstd_seek *x = NULL;
	uint8_t foot[FOOT_SIZE];
	uint64_t n, size;
	int64_t all;
	int fd = under->layer->poll_fd(under);

	/* Offsets are those of read() only if that began at the first byte. */
	if (!under->layer->read_at || (fd >= 0 && lseek(fd, 0, SEEK_CUR) != (off_t)under->taken) ||
	    (all = under->layer->size(under)) < HEAD_SIZE + FOOT_SIZE || !seek_get(under, (uint64_t)all - FOOT_SIZE, foot, sizeof foot) ||
	    pp_get_u32(foot + 5, SWAP) != TABLE_MAGIC || foot[FLAGS_AT] & FLAGS_RESERVED)
		return NULL;
	n = pp_get_u32(foot, SWAP);
	size = HEAD_SIZE + FOOT_SIZE + n * (foot[FLAGS_AT] & FLAG_CHECKSUMS ? 12 : 8);
	if (!n || n > FRAMES_MAX || size > (uint64_t)all || !(x = calloc(1, sizeof *x)))
		return NULL;
	x->n = x->cur = n;
	if ((x->frame = calloc(n + 1, sizeof *x->frame)) && (x->z = ZSTD_createDStream()) &&
	    seek_entries(x, under, (uint64_t)all - size, size))
		return x;
	zstd_seek_free(x);
	return NULL;
}

void
zstd_seek_free(struct zstd_seek *x)
{
	if (x) {
		ZSTD_freeDStream(x->z);
		free(x->frame);
	}
	free(x);
}

uint64_t
zstd_seek_size(const struct zstd_seek *x)
{
	return x->frame[x->n].plain;
}

/* ---- reading ---------------------------------------------------------------------------------------- */

/* The offset of the next byte for zstd. */
static uint64_t
seek_taken(const struct zstd_seek *x)
{
	return x->packed - (x->in.size - x->in.pos);
}

static int
seek_misfit(struct zstd_seek *x, struct bytes *b)
{
	return pp_fail(bytes_at(b->err, x->frame[x->cur].packed),
	    "zstd: the seek table at the end of the file does not fit this frame: zstd -dc FILE | pcat");
}

/* Have more of the frame in x->in. */
static int
seek_refill(struct zstd_seek *x, struct bytes *b)
{
	uint64_t left = x->frame[x->cur + 1].packed - x->packed;
	ssize_t got;

	if (!left)
		return seek_misfit(x, b);
	if ((got = b->under->layer->read_at(b->under, x->packed, x->buf, left < BUFFER ? (size_t)left : BUFFER)) < 0)
		return -1;
	if (!got)
		return seek_misfit(x, b);
	x->in = (ZSTD_inBuffer){ x->buf, (size_t)got, 0 };
	x->packed += (uint64_t)got;
	return 1;
}

/* Expand some bytes of the frame, which by the table has as many as `out' has space for.  1; 0: it has ended with them; or -1. */
static int
seek_expand(struct zstd_seek *x, struct bytes *b, ZSTD_outBuffer *out)
{
	const struct place *end = &x->frame[x->cur + 1];
	size_t wants;

	for (;;) {
		wants = ZSTD_decompressStream(x->z, out, &x->in);
		if (ZSTD_isError(wants))
			return pp_fail(bytes_at(b->err, seek_taken(x)), "zstd: %s", ZSTD_getErrorName(wants));
		if (!wants || out->pos)
			break;
		if (x->in.pos == x->in.size && seek_refill(x, b) < 0)
			return -1;
	}
	x->at += out->pos;
	if (x->at > end->plain || (!wants && (x->at != end->plain || seek_taken(x) != end->packed)))
		return seek_misfit(x, b);
	return wants != 0;
}

/* The next bytes of the frame in work, up to n > 0. */
static ssize_t
seek_step(struct zstd_seek *x, struct bytes *b, uint8_t *p, size_t n)
{
	uint64_t left = x->frame[x->cur + 1].plain - x->at;
	ZSTD_outBuffer out = { p, n < left ? n : (size_t)left, 0 };
	int open = seek_expand(x, b, &out);

	/* Behind its last byte there must be no other. */
	while (open > 0 && x->at == x->frame[x->cur + 1].plain)
		open = seek_expand(x, b, &(ZSTD_outBuffer){ &(uint8_t){ 0 }, 1, 0 });
	if (open <= 0)
		x->cur = x->n;
	return open < 0 ? -1 : (ssize_t)out.pos;
}

/* The frame that has the byte at this offset, which is in one. */
static size_t
seek_find(const struct zstd_seek *x, uint64_t off)
{
	size_t lo = 0, hi = x->n;

	while (hi - lo > 1) {
		size_t mid = lo + (hi - lo) / 2;

		if (x->frame[mid].plain <= off)
			lo = mid;
		else
			hi = mid;
	}
	return lo;
}

ssize_t
zstd_seek_read(struct zstd_seek *x, struct bytes *b, uint64_t off, uint8_t *p, size_t n)
{
	uint8_t skipped[16 << 10];
	size_t i;

	if (off >= zstd_seek_size(x))
		return 0;
	if ((i = seek_find(x, off)) != x->cur || off < x->at) {
		ZSTD_initDStream(x->z);
		x->cur = i;
		x->at = x->frame[i].plain;
		x->packed = x->frame[i].packed;
		x->in = (ZSTD_inBuffer){ x->buf, 0, 0 };
	}
	while (x->at < off) {
		uint64_t left = off - x->at;

		if (seek_step(x, b, skipped, left < sizeof skipped ? (size_t)left : sizeof skipped) < 0)
			return -1;
	}
	return seek_step(x, b, p, n);
}
