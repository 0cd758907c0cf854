/* SPDX-License-Identifier: ISC */
/*
 * pack.c - compresses kernel records (type < 64) into COMPRESSED or COMPRESSED2 records
 *
 * Records of types 64 and up stay uncompressed and in their positions: zstd is flushed before each.
 *
 *	fed:	[kernel kernel kernel ...][own][kernel kernel ...] [kernel ...
 *	zstd:	[unit][unit]...[unit]          [unit]...[unit, end][unit]...
 *	out:	[COMPRESSED  ][COMPRESSED][own][COMPRESSED        ][COMPRESSED]...
 *		^ a frame begins                                   ^ the next one
 *
 * perf 6.1 to 7.2 fail at a COMPRESSED record that expands to nothing, such as one with only the middle of a zstd block.  So
 * zstd gets units that fit a record even if they do not compress, it is flushed behind each, and a unit is never split.  A unit
 * is never empty, so the end of a frame is part of the unit with its last record.  A record has units of one frame only: perf
 * 6.1 and 6.12 lose their position at a second one.
 *
 * perf expands each COMPRESSED into a buffer of mmap_len bytes (header feature 27), which also has the incomplete record that
 * the previous one ended with.
 */
#include <stdlib.h>
#include <string.h>

#include <zstd.h>

#include "record/event.h"
#include "record/feature.h"
#include "record/raw.h"
#include "sink.h"
#include "pack.h"

enum {
	UNIT = 60 << 10,		/* ZSTD_COMPRESSBOUND(UNIT) is 61714 */
	PLAIN_MAX = 8 * UNIT,		/* in one record */
	ROOM = PP_RECORD_MAX - 16 - 7,	/* for units, in a record of either type */
	OUT = 256 << 10,
	LARGE_LEVEL = 17,		/* from this level on zstd's window exceeds a frame of the usual size */
};
_Static_assert(ZSTD_COMPRESSBOUND(UNIT) < ROOM, "a unit fits into a record");
_Static_assert(PP_COMPRESS_MMAP_LEN > PLAIN_MAX + PP_RECORD_MAX, "a record and the rest of another");
_Static_assert(PP_COMPRESS_MMAP_LEN % 4096 == 0, "perf insists on pages");

struct pp_pack {
	struct pp_err	*err;
	pp_compress_write *write;
	void		*arg;
	ZSTD_CCtx	*z;
	int		 level;
	bool		 two, swap, failed;
	bool		 feature;	/* has to be written */
	struct pp_pack_frame	 frame;
	uint64_t	 payload;	/* bytes of the last record's payload still missing */
	uint64_t	 plain, packed;

	bool		 open;		/* the last record in `out' is a compressed one, and can grow */
	size_t		 rec;		/* its offset */
	size_t		 expands;	/* bytes that it expands to */

	size_t		 gathered, used;
	uint8_t		 gather[UNIT], unit[ROOM], out[OUT];
};

/* Limit zstd's window to the size of a frame, to save memory. */
static void
pack_set_window(ZSTD_CCtx *z, int level, uint64_t frame)
{
	int bits = 20;

	while (bits < 23 && UINT64_C(1) << bits < frame)
		bits++;
	if (level >= LARGE_LEVEL && frame <= UINT64_C(1) << bits)
		ZSTD_CCtx_setParameter(z, ZSTD_c_windowLog, bits);
}

struct pp_pack *
pp_pack_new(const struct pp_compress_how *how, bool feature, pp_compress_write *fn, void *arg, struct pp_err *err)
{
	struct pp_pack *c = malloc(sizeof *c);
	ZSTD_CCtx *z = ZSTD_createCCtx();

	if (!c || !z) {
		ZSTD_freeCCtx(z);
		free(c);
		pp_fail_memory(err);
		return NULL;
	}
	memset(c, 0, offsetof(struct pp_pack, gather));
	c->err = err;
	c->write = fn;
	c->arg = arg;
	c->z = z;
	c->level = how->level;
	c->two = how->two;
	c->swap = c->frame.swap = how->swap;
	c->frame.size = how->frame;
	c->feature = feature;
	ZSTD_CCtx_setParameter(z, ZSTD_c_compressionLevel, how->level);
	ZSTD_CCtx_setParameter(z, ZSTD_c_checksumFlag, 1);
	pack_set_window(z, how->level, how->frame);
	return c;
}

void
pp_pack_free(struct pp_pack *c)
{
	if (!c)
		return;
	ZSTD_freeCCtx(c->z);
	free(c);
}

void
pp_pack_count(const struct pp_pack *c, uint64_t *plain, uint64_t *packed)
{
	*plain = c->plain;
	*packed = c->packed;
}

/* ---- output -------------------------------------------------------------------------------------- */

static int
pack_write_out(struct pp_pack *c)
{
	size_t n = c->used;

	c->used = 0;
	if (n && c->write(c->arg, c->out, n) < 0)
		c->failed = true;
	return c->failed ? -1 : 1;
}

/* Append uncompressed bytes; no compressed record is open. */
static int
pack_put_plain(struct pp_pack *c, const uint8_t *p, size_t n)
{
	if (n > OUT - c->used && pack_write_out(c) < 0)
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
pack_put_feature(struct pp_pack *c)
{
	uint8_t payload[PP_COMPRESS_FEATURE], rec[PP_FEATURE_HEAD + sizeof payload];
	struct pp_feature f = { .number = PP_FEAT_COMPRESSED, .p = payload, .len = sizeof payload, .swap = c->swap };

	if (!c->feature)
		return 1;
	c->feature = false;
	pp_compress_payload(payload, c->level, 0, c->swap);
	return pp_feature_record(rec, sizeof rec, &f, c->err) < 0 ? -1 : pack_put_plain(c, rec, sizeof rec);
}

static size_t
pack_record_head(const struct pp_pack *c)
{
	return c->two ? PP_RAW_AT(COMPRESSED2, data) : PP_RAW_AT(COMPRESSED, data);
}

static void
pack_close_record(struct pp_pack *c)
{
	uint8_t *p = c->out + c->rec;
	size_t size = c->used - c->rec;

	if (!c->open)
		return;
	c->open = false;
	if (c->two) {			/* newer versions of perf need the true size as a u64 */
		PP_RAW_SET(p, COMPRESSED2, data_size, size - pack_record_head(c), c->swap);
		memset(p + size, 0, -size & 7);
		size += -size & 7;
	}
	pp_raw_head(p, c->two ? PP_COMPRESSED2 : PP_COMPRESSED, 0, (uint16_t)size, c->swap);
	c->used = c->rec + size;
	c->packed += size;
}

/* Append n bytes that zstd made of `plain' bytes: to the open record if it has space, else to a new one. */
static int
pack_put_unit(struct pp_pack *c, const uint8_t *p, size_t n, size_t plain)
{
	if (c->open && (n > ROOM - (c->used - c->rec - pack_record_head(c)) || plain > PLAIN_MAX - c->expands))
		pack_close_record(c);
	if (!c->open) {
		if (OUT - c->used < PP_RECORD_MAX + 1 && pack_write_out(c) < 0)
			return -1;
		c->open = true;
		c->rec = c->used;
		c->used += pack_record_head(c);
		c->expands = 0;
	}
	memcpy(c->out + c->used, p, n);
	c->used += n;
	c->expands += plain;
	return 1;
}

/* ---- input --------------------------------------------------------------------------------------- */

/* Compress a unit, which is not empty, and flush zstd or end the frame with it. */
static int
pack_deflate(struct pp_pack *c, const uint8_t *p, size_t n, ZSTD_EndDirective how)
{
	ZSTD_inBuffer in = { p, n, 0 };
	ZSTD_outBuffer out = { c->unit, sizeof c->unit, 0 };
	size_t left = ZSTD_compressStream2(c->z, &out, &in, how);

	c->plain += n;
	if (left) {
		c->failed = true;
		return pp_fail(c->err, "zstd: %s", ZSTD_isError(left) ? ZSTD_getErrorName(left) :
		    "a block does not fit in a record");
	}
	if (pack_put_unit(c, c->unit, out.pos, n) < 0)
		return -1;
	if (how == ZSTD_e_end)
		pack_close_record(c);
	return 1;
}

static int
pack_deflate_gathered(struct pp_pack *c, ZSTD_EndDirective how)
{
	size_t n = c->gathered;

	c->gathered = 0;
	return n ? pack_deflate(c, c->gather, n, how) : 1;
}

/* Add kernel records that are adjacent in memory.  At least a byte of them stays in `gather', to end the frame with. */
static int
pack(struct pp_pack *c, const uint8_t *p, size_t n)
{
	if (n && pack_put_feature(c) < 0)
		return -1;
	while (n) {
		size_t take = UNIT - c->gathered < n ? UNIT - c->gathered : n;

		if (!take || (!c->gathered && n > UNIT)) {
			if ((take ? pack_deflate(c, p, take, ZSTD_e_flush) : pack_deflate_gathered(c, ZSTD_e_flush)) < 0)
				return -1;
		} else {
			memcpy(c->gather + c->gathered, p, take);
			c->gathered += take;
		}
		p += take;
		n -= take;
	}
	return 1;
}

/* Everything compressed can be expanded from what is in `out': end the record. */
static int
pack_end_chunk(struct pp_pack *c)
{
	if (pack_deflate_gathered(c, ZSTD_e_flush) < 0)
		return -1;
	pack_close_record(c);
	return 1;
}

/* A record of type 64 or up. */
static int
pack_own_record(struct pp_pack *c, const struct pp_rec *r)
{
	if (r->type == PP_COMPRESSED || r->type == PP_COMPRESSED2) {
		c->failed = true;
		return pp_fail(c->err, "%s: the stream is compressed already", pp_type_name(r->type));
	}
	/* Features are in ascending order, the end mark is last. */
	if (r->type == PP_HEADER_FEATURE && r->size >= PP_FEATURE_HEAD && (pp_feature_is_end(r) ||
	    PP_RAW_GET(r->raw, HEADER_FEATURE, feat_id, c->swap) > PP_FEAT_COMPRESSED) && pack_put_feature(c) < 0)
		return -1;
	c->payload = pp_payload_size(r, c->swap);
	return pack_end_chunk(c) < 0 ? -1 : pack_put_plain(c, r->raw, r->size);
}

/* Add records, up to the first that has a payload.  Returns the end of what was added; NULL: failure. */
static const uint8_t *
pack_feed_records(struct pp_pack *c, const uint8_t *p, const uint8_t *end)
{
	const uint8_t *run = p;
	struct pp_rec r;
	bool full;

	while (p < end && !c->payload) {
		if (!pp_pack_step(&c->frame, p, (size_t)(end - p), &r, &full)) {
			c->failed = true;
			pp_fail(c->err, "an incomplete record cannot be compressed");
			return NULL;
		}
		p += r.size;
		if (r.type < PP_USER_TYPE_START && !full)
			continue;
		if (full) {
			if (pack(c, run, (size_t)(p - run)) < 0 || pack_deflate_gathered(c, ZSTD_e_end) < 0)
				return NULL;
		} else if (pack(c, run, (size_t)(r.raw - run)) < 0 || pack_own_record(c, &r) < 0)
			return NULL;
		run = p;
	}
	return pack(c, run, (size_t)(p - run)) < 0 ? NULL : p;
}

int
pp_pack_feed(struct pp_pack *c, const uint8_t *p, size_t n)
{
	const uint8_t *end = p + n;

	if (c->failed)
		return -1;
	while (p && p < end) {
		size_t take = (size_t)(end - p) < c->payload ? (size_t)(end - p) : (size_t)c->payload;

		c->payload -= take;
		if (take && pack_put_plain(c, p, take) < 0)
			return -1;
		p = pack_feed_records(c, p + take, end);
	}
	return p ? 1 : -1;
}

int
pp_pack_flush(struct pp_pack *c)
{
	return c->failed || pack_end_chunk(c) < 0 ? -1 : pack_write_out(c);
}
