/* SPDX-License-Identifier: ISC */
/*
 * compress.c - kernel records (type < 64) go through one zstd frame that never ends, as perf record -z writes
 * it; what zstd gives is cut into COMPRESSED or COMPRESSED2 records.  Records of perf's own stay plain, and where
 * they stood: in front of each zstd is flushed.
 *
 *	fed:	[kernel kernel kernel ...][own][kernel kernel ...]
 *	zstd:	[block][block]...[block, flushed]     [block]...
 *	out:	[COMPRESSED][COMPRESSED][COMPRESSED][own][COMPRESSED]...
 *
 * perf expands each COMPRESSED into a buffer of mmap_len bytes (header feature 27) that also has to hold what the
 * record before left over of a record not yet whole.  zstd may turn a megabyte into a hundred bytes, so it is the
 * blocks that end inside a record which are counted: none expands to more than 128 KiB.
 */
#include <stdlib.h>
#include <string.h>

#include <zstd.h>

#include "compress.h"
#include "feature.h"

enum {
	BLOCK = 128 << 10,		/* RFC 8878, Block_Maximum_Size */
	BLOCKS_MAX = 4,
	GATHER = 128 << 10, SMALL = 16 << 10,	/* shorter runs are gathered: a call into zstd is not cheap */
	ZOUT = BLOCK + (4 << 10),	/* above ZSTD_COMPRESSBOUND(BLOCK): then zstd needs no copy of its own */
	OUT = 256 << 10,
	FRAME_HEADER_MIN = 5, BLOCK_HEADER = 3, RLE = 1,
};
_Static_assert(PP_COMPRESS_MMAP_LEN > BLOCKS_MAX * BLOCK + PP_RECORD_MAX, "a record and the rest of another");
_Static_assert(PP_COMPRESS_MMAP_LEN % 4096 == 0, "perf insists on pages");

struct pp_compress {
	struct pp_err	*err;
	pp_compress_write *write;
	void		*arg;
	ZSTD_CCtx	*z;
	int		 level;
	bool		 two, swap, failed;
	bool		 feature;	/* still to be written */
	bool		 dirty;		/* something was fed since the last flush */
	bool		 rounds;	/* FINISHED_ROUND goes into the frame too */
	uint64_t	 payload;	/* of the last record, still to come */
	uint64_t	 plain, packed;

	bool		 framed;	/* the frame's header has been seen */
	uint8_t		 head[BLOCK_HEADER];	/* of the block that is being cut up */
	unsigned	 nhead;
	uint32_t	 body;		/* bytes of that block still to come */

	bool		 open;		/* the last record in `out' is a compressed one, and may grow */
	size_t		 rec;		/* where it starts */
	unsigned	 blocks;	/* that end in it */

	size_t		 gathered, used;
	uint8_t		 gather[GATHER], zout[ZOUT], out[OUT];
};

struct pp_compress *
pp_compress_new(int level, bool two, unsigned workers, bool swap, bool feature, pp_compress_write *fn, void *arg,
    struct pp_err *err)
{
	struct pp_compress *c;
	ZSTD_CCtx *z;

	if (level < 1 || level > ZSTD_maxCLevel()) {
		pp_fail(err, "compression level %d: 1 to %d expected", level, ZSTD_maxCLevel());
		return NULL;
	}
	c = malloc(sizeof *c);
	z = ZSTD_createCCtx();
	if (!c || !z) {
		ZSTD_freeCCtx(z);
		free(c);
		pp_fail(err, "out of memory");
		return NULL;
	}
	memset(c, 0, offsetof(struct pp_compress, gather));
	c->err = err;
	c->write = fn;
	c->arg = arg;
	c->z = z;
	c->level = level;
	c->two = two;
	c->swap = swap;
	c->feature = feature;
	ZSTD_CCtx_setParameter(z, ZSTD_c_compressionLevel, level);
	/*
	 * Fails where libzstd was built without threads: then it is one.  Workers would wait for each other at every
	 * flush, so the many rounds are not to cause one; readers act on them wherever they stand.
	 */
	if (workers && !ZSTD_isError(ZSTD_CCtx_setParameter(z, ZSTD_c_nbWorkers,
	    workers > INT32_MAX ? INT32_MAX : (int)workers)))
		c->rounds = true;
	return c;
}

void
pp_compress_free(struct pp_compress *c)
{
	if (!c)
		return;
	ZSTD_freeCCtx(c->z);
	free(c);
}

void
pp_compress_count(const struct pp_compress *c, uint64_t *plain, uint64_t *packed)
{
	*plain = c->plain;
	*packed = c->packed;
}

/* ---- records out --------------------------------------------------------------------------------- */

static int
write_out(struct pp_compress *c)
{
	size_t n = c->used;

	c->used = 0;
	if (n && c->write(c->arg, c->out, n) < 0)
		c->failed = true;
	return c->failed ? -1 : 1;
}

/* Bytes as they are; no compressed record is open. */
static int
put_plain(struct pp_compress *c, const uint8_t *p, size_t n)
{
	if (n > OUT - c->used && write_out(c) < 0)
		return -1;
	if (n > OUT) {
		if (c->write(c->arg, p, n) < 0)
			c->failed = true;
		return c->failed ? -1 : 1;
	}
	memcpy(c->out + c->used, p, n);
	c->used += n;
	return 1;
}

/* Header feature 27: u32 version 0, type 1 (zstd), level, ratio, mmap_len. */
void
pp_compress_payload(uint8_t p[static PP_COMPRESS_FEATURE], int level, uint32_t ratio, bool swap)
{
	pp_set_u32(p, 0, swap);
	pp_set_u32(p + 4, 1, swap);
	pp_set_u32(p + 8, (uint32_t)level, swap);
	pp_set_u32(p + 12, ratio, swap);
	pp_set_u32(p + 16, PP_COMPRESS_MMAP_LEN, swap);
}

static int
put_feature(struct pp_compress *c)
{
	uint8_t payload[PP_COMPRESS_FEATURE], rec[PP_FEATURE_HEAD + sizeof payload];
	struct pp_feature f = { .number = PP_FEAT_COMPRESSED, .p = payload, .len = sizeof payload, .swap = c->swap };

	if (!c->feature)
		return 1;
	c->feature = false;
	pp_compress_payload(payload, c->level, 0, c->swap);
	return pp_feature_record(rec, sizeof rec, &f, c->err) < 0 ? -1 : put_plain(c, rec, sizeof rec);
}

static size_t
record_head(const struct pp_compress *c)
{
	return c->two ? 16 : PP_HEADER_SIZE;
}

static void
close_record(struct pp_compress *c)
{
	uint8_t *p = c->out + c->rec;
	size_t size = c->used - c->rec;

	if (!c->open)
		return;
	c->open = false;
	if (c->two) {			/* newer perfs want sizes in u64s, and then the true one is to be told */
		pp_set_u64(p + PP_HEADER_SIZE, size - record_head(c), c->swap);
		memset(p + size, 0, -size & 7);
		size += -size & 7;
	}
	pp_set_u32(p, c->two ? PP_COMPRESSED2 : PP_COMPRESSED, c->swap);
	pp_set_u16(p + 4, 0, c->swap);
	pp_set_u16(p + 6, (uint16_t)size, c->swap);
	c->used = c->rec + size;
	c->packed += size;
}

static int
open_record(struct pp_compress *c)
{
	if (OUT - c->used < PP_RECORD_MAX + 1 && write_out(c) < 0)
		return -1;
	c->open = true;
	c->rec = c->used;
	c->used += record_head(c);
	c->blocks = 0;
	return 1;
}

/* RFC 8878, 3.1.1.1: magic, descriptor, [window], [dictionary id], [content size]. */
static size_t
frame_header_size(const uint8_t *p)
{
	static const uint8_t dictionary[] = { 0, 1, 2, 4 };
	bool single = p[4] & 0x20;

	return (size_t)FRAME_HEADER_MIN + !single + dictionary[p[4] & 3] + (p[4] >> 6 ? 1u << (p[4] >> 6) : single);
}

/* How many of these bytes belong to the block that is under way; *ended: it ends with them. */
static size_t
scan_block(struct pp_compress *c, const uint8_t *p, size_t n, bool *ended)
{
	size_t i = 0, take;
	unsigned type;

	if (c->nhead < BLOCK_HEADER) {
		while (i < n && c->nhead < BLOCK_HEADER)
			c->head[c->nhead++] = p[i++];
		if (c->nhead < BLOCK_HEADER)
			return i;
		/* RFC 8878, 3.1.1.2: 1 bit last, 2 bits type, 21 bits size; RLE is one byte to be repeated */
		type = c->head[0] >> 1 & 3;
		c->body = c->head[0] >> 3 | (uint32_t)c->head[1] << 5 | (uint32_t)c->head[2] << 13;
		if (type == RLE)
			c->body = 1;
	}
	take = n - i < c->body ? n - i : c->body;
	c->body -= (uint32_t)take;
	if ((*ended = !c->body))
		c->nhead = 0;
	return i + take;
}

/* Cut what zstd gave into records. */
static int
put_zstd(struct pp_compress *c, const uint8_t *p, size_t n)
{
	size_t max = c->two ? PP_RECORD_MAX - 7 : PP_RECORD_MAX;

	while (n) {
		bool ended = false;
		size_t room, take;

		if (!c->open && open_record(c) < 0)
			return -1;
		room = max - (c->used - c->rec);
		if (room > n)
			room = n;
		if (!c->framed) {	/* the first record is empty, and zstd gives a header in one piece */
			take = n < FRAME_HEADER_MIN ? SIZE_MAX : frame_header_size(p);
			if (take > room) {
				c->failed = true;
				return pp_fail(c->err, "zstd: frame header of %zu bytes", n);
			}
			c->framed = true;
		} else
			take = scan_block(c, p, room, &ended);
		memcpy(c->out + c->used, p, take);
		c->used += take;
		c->blocks += ended;
		if (c->blocks == BLOCKS_MAX || c->used - c->rec == max)
			close_record(c);
		p += take;
		n -= take;
	}
	return 1;
}

/* ---- records in ---------------------------------------------------------------------------------- */

static int
deflate(struct pp_compress *c, const uint8_t *p, size_t n, ZSTD_EndDirective how)
{
	ZSTD_inBuffer in = { p, n, 0 };
	size_t left;

	c->plain += n;
	do {
		ZSTD_outBuffer out = { c->zout, ZOUT, 0 };

		left = ZSTD_compressStream2(c->z, &out, &in, how);
		if (ZSTD_isError(left)) {
			c->failed = true;
			return pp_fail(c->err, "zstd: %s", ZSTD_getErrorName(left));
		}
		if (put_zstd(c, c->zout, out.pos) < 0)
			return -1;
	} while (in.pos < in.size || (how != ZSTD_e_continue && left));
	return 1;
}

static int
deflate_gathered(struct pp_compress *c, ZSTD_EndDirective how)
{
	size_t n = c->gathered;

	c->gathered = 0;
	return n || how != ZSTD_e_continue ? deflate(c, c->gather, n, how) : 1;
}

/* Kernel records side by side. */
static int
pack(struct pp_compress *c, const uint8_t *p, size_t n)
{
	if (!n)
		return 1;
	if (put_feature(c) < 0)
		return -1;
	c->dirty = true;
	if ((n >= SMALL || n > GATHER - c->gathered) && deflate_gathered(c, ZSTD_e_continue) < 0)
		return -1;
	if (n >= SMALL)
		return deflate(c, p, n, ZSTD_e_continue);
	memcpy(c->gather + c->gathered, p, n);
	c->gathered += n;
	return 1;
}

/* All that was packed can be expanded from what is in `out'. */
static int
end_chunk(struct pp_compress *c)
{
	if (!c->dirty)
		return 1;
	c->dirty = false;
	if (deflate_gathered(c, ZSTD_e_flush) < 0)
		return -1;
	close_record(c);
	return 1;
}

/* A record of perf's own. */
static int
own_record(struct pp_compress *c, const struct pp_rec *r)
{
	if (r->type == PP_COMPRESSED || r->type == PP_COMPRESSED2) {
		c->failed = true;
		return pp_fail(c->err, "%s: the stream is compressed already", pp_type_name(r->type));
	}
	/* Features come in ascending order, the end mark last. */
	if (r->type == PP_HEADER_FEATURE && r->size >= PP_FEATURE_HEAD && (pp_feature_is_end(r) ||
	    pp_get_u64(r->raw + PP_HEADER_SIZE, c->swap) > PP_FEAT_COMPRESSED) && put_feature(c) < 0)
		return -1;
	c->payload = pp_payload_size(r, c->swap);
	return end_chunk(c) < 0 ? -1 : put_plain(c, r->raw, r->size);
}

/* Records, up to the first that has a payload; how far that was, NULL on failure. */
static const uint8_t *
feed_records(struct pp_compress *c, const uint8_t *p, const uint8_t *end)
{
	const uint8_t *run = p;

	while (p < end && !c->payload) {
		struct pp_rec r = { .raw = p };

		if (end - p >= PP_HEADER_SIZE) {
			r.type = pp_get_u32(p, c->swap);
			r.size = pp_get_u16(p + 6, c->swap);
		}
		if (r.size < PP_HEADER_SIZE || r.size > end - p) {
			c->failed = true;
			pp_fail(c->err, "a record that is not whole cannot be compressed");
			return NULL;
		}
		p += r.size;
		if (r.type < PP_USER_TYPE_START ||
		    (r.type == PP_FINISHED_ROUND && c->rounds && (c->dirty || run < r.raw)))
			continue;
		if (pack(c, run, (size_t)(r.raw - run)) < 0 || own_record(c, &r) < 0)
			return NULL;
		run = p;
	}
	return pack(c, run, (size_t)(p - run)) < 0 ? NULL : p;
}

int
pp_compress_feed(struct pp_compress *c, const uint8_t *p, size_t n)
{
	const uint8_t *end = p + n;

	if (c->failed)
		return -1;
	while (p && p < end) {
		size_t take = (size_t)(end - p) < c->payload ? (size_t)(end - p) : (size_t)c->payload;

		c->payload -= take;
		if (take && put_plain(c, p, take) < 0)
			return -1;
		p = feed_records(c, p + take, end);
	}
	return p ? 1 : -1;
}

int
pp_compress_flush(struct pp_compress *c)
{
	return c->failed || end_chunk(c) < 0 ? -1 : write_out(c);
}
