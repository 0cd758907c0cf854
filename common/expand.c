/* SPDX-License-Identifier: ISC */
/*
 * expand.c - COMPRESSED and COMPRESSED2 records become the records that they hold.
 *
 * All compressed records of a stream are one zstd frame, which perf never ends.  A record may begin in one
 * and end in a later one, even with plain records between them; so what is left over waits in the window.
 * Output comes in pieces of a fixed size, whatever a record expands to.
 *
 *	buf [ seen ... | pos: records | a part of one ] end         cap = carry + piece
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <zstd.h>

#include "source.h"

enum { PIECE = 256 << 10, STEP = 4 << 10, CAP = PIECE + PP_RECORD_MAX + 1 };

/*
 * perf 6.16 to 7.1 wrote one COMPRESSED2 header over several chunks of one push: header.size is their sum
 * modulo 64 KiB, data_size the sum, and the header of each later chunk stands amid the data.  A chunk that has
 * another behind it is full (tools/perf/util/zstd.c: max_record_size).
 */
enum { COMPRESSED2_HEADER = 16, CHUNK_MAX = 65535 - COMPRESSED2_HEADER };

struct expand {
	ZSTD_DStream	*z;
	uint8_t		 buf[CAP];
	const uint8_t	*pos, *end;	/* while the outer window is in use */
	uint64_t	 off;		/* of the compressed record in the input */
	uint64_t	 chunk;		/* bytes of this chunk not yet given to zstd */
	uint64_t	 rest;		/* bytes of the record behind this chunk, padding included */
	uint64_t	 pad;		/* of those, padding */
	bool		 more;		/* zstd may have output left though its input is used up */
	struct pp_err	 broken;	/* what is wrong behind the records in the window */
};

static struct expand *
expand_new(struct source *s)
{
	struct expand *x = calloc(1, sizeof *x);

	if (!x || !(x->z = ZSTD_createDStream()))
		source_fail(s, source_offset(s, s->pub.pos), "COMPRESSED: out of memory");
	else {
		x->pos = x->end = x->buf;
		s->x = x;
		return x;
	}
	free(x);
	return NULL;
}

static void
use_inner(struct source *s, bool inner)
{
	struct expand *x = s->x;

	if (inner) {
		s->opos = s->pub.pos;
		s->pub.pos = x->pos;
		s->pub.lim = x->end;
	} else {
		x->pos = s->pub.pos;
		x->end = s->pub.lim;
		s->pub.pos = s->opos;
		s->pub.lim = s->oend;
	}
	s->inner = inner;
}

int
expand_begin(struct source *s, const struct pp_rec *r)
{
	struct expand *x = s->x ? s->x : expand_new(s);
	bool two = r->type == PP_COMPRESSED2;
	uint64_t size = r->size - PP_HEADER_SIZE, padded;

	if (!x)
		return -1;
	x->off = source_offset(s, s->pub.pos);
	x->chunk = size;
	x->rest = x->pad = 0;
	if (two) {
		size = pp_get_u64(r->raw + 8, s->pub.swap);
		padded = (size + COMPRESSED2_HEADER + 7) & ~UINT64_C(7);
		if (size > UINT32_MAX || (padded != r->size && (padded & 0xffff) != r->size))
			return source_fail(s, x->off, "COMPRESSED2: data_size %ju in a record of %u bytes",
			    (uintmax_t)size, r->size);
		x->chunk = size < CHUNK_MAX ? size : CHUNK_MAX;
		x->pad = padded - size - COMPRESSED2_HEADER;
		x->rest = size - x->chunk + x->pad;
		s->pub.pos += COMPRESSED2_HEADER;
		s->compressed.records2++;
	} else {
		s->pub.pos += PP_HEADER_SIZE;
		s->compressed.records++;
	}
	use_inner(s, true);
	return 1;
}

/* The chunk is used up: step over padding, or over the header of the next chunk.  1, 0: no more, -1. */
static int
next_chunk(struct source *s)
{
	struct expand *x = s->x;
	uint64_t step = x->rest > x->pad ? COMPRESSED2_HEADER : x->rest;
	uint32_t type, size;
	int rc;

	if (!x->rest)
		return 0;
	if ((rc = source_fill(s, step)) <= 0)
		return rc < 0 ? rc : source_fail(s, x->off, "COMPRESSED2: cut short");
	type = pp_get_u32(s->opos, s->pub.swap);
	size = pp_get_u16(s->opos + 6, s->pub.swap);
	s->opos += step;
	x->rest -= step;
	if (!x->rest)
		return 0;
	if (type != PP_COMPRESSED2 || size <= COMPRESSED2_HEADER || size - COMPRESSED2_HEADER > x->rest)
		return source_fail(s, x->off, "COMPRESSED2: no chunk header where perf 6.16 to 7.1 puts it");
	x->chunk = size - COMPRESSED2_HEADER;
	if (x->chunk > x->rest - x->pad)
		x->chunk = x->rest - x->pad;
	x->rest -= x->chunk;
	return 1;
}

/* Give zstd a little input: little, since what one call expands before it finds an error is lost.  1, 0, -1. */
static int
expand_step(struct source *s, ZSTD_outBuffer *out)
{
	struct expand *x = s->x;
	ZSTD_inBuffer in = { NULL, 0, 0 };
	size_t before = out->pos, rc;
	int have;

	if (!x->chunk && (have = next_chunk(s)) < 0)
		return -1;
	if (!x->chunk && !x->more)
		return 0;
	if (x->chunk) {
		if ((have = source_fill(s, 1)) <= 0)
			return have < 0 ? have : source_fail(s, x->off, "COMPRESSED2: cut short");
		in.src = s->opos;
		in.size = (size_t)(s->oend - s->opos);
		if (in.size > x->chunk)
			in.size = (size_t)x->chunk;
		if (in.size > STEP)
			in.size = STEP;
	}
	rc = ZSTD_decompressStream(x->z, out, &in);
	if (ZSTD_isError(rc)) {
		out->pos = before;
		return source_fail(s, x->off, "COMPRESSED: zstd: %s", ZSTD_getErrorName(rc));
	}
	s->opos += in.pos;
	x->chunk -= in.pos;
	x->more = out->pos == out->size;
	s->compressed.bytes += in.pos;
	s->compressed.plain += out->pos - before;
	return 1;
}

/* Expand the next piece behind what is left in the window: 1, 0: the record is used up, -1. */
static int
expand_piece(struct source *s)
{
	struct expand *x = s->x;
	size_t left = (size_t)(s->pub.lim - s->pub.pos);
	ZSTD_outBuffer out = { x->buf, CAP, left };
	int rc;

	if (x->broken.what[0]) {
		*s->err = x->broken;
		s->failed = true;
		return -1;
	}
	if (source_before_refill(s) < 0)
		return -1;
	memmove(x->buf, s->pub.pos, left);
	do
		rc = expand_step(s, &out);
	while (rc > 0 && out.pos < left + PIECE);
	s->pub.pos = x->buf;
	s->pub.lim = x->buf + out.pos;
	if (rc < 0 && out.pos > left) {		/* first what is good */
		x->broken = *s->err;
		s->err->what[0] = 0;
		s->failed = false;
		return 1;
	}
	return rc < 0 ? rc : out.pos > left;
}

int
expand_next(struct source *s, struct pp_rec *r)
{
	struct pp_source *pub = &s->pub;
	struct expand *x = s->x;
	char num[16];
	const char *name;
	int rc;

	for (;;) {
		size_t left = (size_t)(pub->lim - pub->pos);

		if (left >= PP_HEADER_SIZE) {
			*r = (struct pp_rec){ .raw = pub->pos, .type = pp_get_u32(pub->pos, pub->swap),
			    .misc = pp_get_u16(pub->pos + 4, pub->swap), .size = pp_get_u16(pub->pos + 6, pub->swap) };
			if (r->size < PP_HEADER_SIZE || r->type == PP_COMPRESSED || r->type == PP_COMPRESSED2 ||
			    r->type == PP_HEADER_TRACING_DATA || r->type == PP_AUXTRACE) {
				name = pp_type_name(r->type);
				snprintf(num, sizeof num, "type %u", r->type);
				return source_fail(s, x->off, "COMPRESSED: holds a record of %s, %u bytes",
				    name ? name : num, r->size);
			}
			if (r->size <= left) {
				pub->pos += r->size;
				if (pp_check(r, pub->swap, s->err) < 0 || (r->type >= PP_USER_TYPE_START &&
				    pp_events_learn(pub->events, r, s->err) < 0))
					return pp_reject(pub, r);
				return 1;
			}
		}
		if ((rc = expand_piece(s)) < 0)
			return -1;
		if (!rc) {
			use_inner(s, false);
			return 0;
		}
	}
}

int
expand_end(struct source *s)
{
	const struct expand *x = s->x;

	if (x->pos == x->end)
		return 0;
	return source_fail(s, x->off, "COMPRESSED: the last record expands to an unfinished one of %zu bytes",
	    (size_t)(x->end - x->pos));
}

bool
expand_has(const struct source *s, const uint8_t *p)
{
	return s->x && p >= s->x->buf && p < s->x->buf + CAP;
}

uint64_t
expand_offset(const struct source *s)
{
	return s->x->off;
}

void
expand_free(struct source *s)
{
	if (!s->x)
		return;
	ZSTD_freeDStream(s->x->z);
	free(s->x);
}
