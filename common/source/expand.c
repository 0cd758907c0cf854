/* SPDX-License-Identifier: ISC */
/*
 * expand.c - expands COMPRESSED and COMPRESSED2 records into the records in them
 *
 * All compressed records of a stream are one zstd frame, which perf never ends.  A record may begin in one of them and end in a
 * later one, even with uncompressed records between the two; so the incomplete record stays in the window.  A record is
 * expanded in parts of a fixed size, whatever it has in it.
 *
 *	buf [ yielded ... | pos: records | a part of one ] end         cap = carry + win.step
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <zstd.h>
#include <zstd_errors.h>

#include "source.h"
#include "record/meaning.h"
#include "record/raw.h"

enum { STEP = 4 << 10 };

/*
 * perf 6.16 to 7.1 wrote one COMPRESSED2 header for several chunks of one push: header.size is their sum modulo 64 KiB,
 * data_size the sum, and the headers of later chunks are inside the data.  A chunk that is followed by another is full
 * (tools/perf/util/zstd.c: max_record_size).
 */
enum { COMPRESSED2_HEADER = 16, CHUNK_MAX = 65535 - COMPRESSED2_HEADER };

struct expand {
	ZSTD_DStream	*z;
	const uint8_t	*pos, *end;	/* saved while the outer window is in use */
	uint64_t	 off;		/* offset of the compressed record in the input */
	uint64_t	 chunk;		/* bytes of this chunk not passed to zstd */
	uint64_t	 rest;		/* bytes of the record behind this chunk, with padding */
	uint64_t	 pad;		/* the padding in them */
	bool		 more;		/* zstd may have output left after all its input */
	struct pp_err	 broken;	/* the error behind the records in the window */
	bool		 dead;		/* repair: nothing more of this frame can be expanded */
	bool		 amid;		/* the end of the frame has not been reached */
	bool		 adrift;	/* repair: the window does not begin with a record */
	uint64_t	 lost, lost_off;	/* bytes of zstd data while dead; offset of the record with the first */
	char		 why[120];
	uint64_t	 first;		/* compressed.plain in front of the frame, if this record begins one; else UINT64_MAX */
	bool		 open;		/* the record has not been counted */
	uint64_t	 plain;		/* compressed.plain before it */
	size_t		 cap;
	uint8_t		 buf[];
};

static struct expand *
expand_new(struct source *s)
{
	size_t cap = s->win.step + PP_RECORD_MAX + 1;
	struct expand *x = calloc(1, sizeof *x + cap);

	if (!x || !(x->z = ZSTD_createDStream()))
		source_fail_memory(s, window_offset(s, s->pub.pos));
	else {
		x->pos = x->end = x->buf;
		x->cap = cap;
		s->x = x;
		return x;
	}
	free(x);
	return NULL;
}

/* ---- repair --------------------------------------------------------------------------------------- */

static void
expand_die(struct source *s, const char *why)
{
	struct expand *x = s->x;

	if (x->dead)
		return;
	x->dead = true;
	x->lost = s->inner ? 0 : (uint64_t)(x->end - x->pos);
	x->lost_off = x->off;
	snprintf(x->why, sizeof x->why, "%s", why);
}

void
expand_break(struct source *s)
{
	if (!s->x)
		return;
	expand_die(s, "data is missing");
	s->x->pos = s->x->end = s->x->buf;
}

/* Report everything that could not be expanded. */
static void
expand_report_dead(struct source *s)
{
	struct expand *x = s->x;

	if (x->dead && (x->lost || strcmp(x->why, "data is missing")))
		repair_note(s, x->lost_off, x->lost, "COMPRESSED: zstd: %s", x->why);
	x->dead = false;
}

void
expand_reset(struct source *s)
{
	struct expand *x = s->x;

	if (!x)
		return;
	expand_report_dead(s);
	ZSTD_DCtx_reset(x->z, ZSTD_reset_session_only);
	x->pos = x->end = x->buf;
	x->more = x->adrift = x->amid = false;
}

/* Data that begins with zstd's magic is a new frame: give up the old one, dead or without an end. */
static void
expand_revive(struct source *s)
{
	static const uint8_t magic[4] = { 0x28, 0xb5, 0x2f, 0xfd };
	struct expand *x = s->x;

	if (s->win.end - s->pub.pos < (ptrdiff_t)sizeof magic || memcmp(s->pub.pos, magic, sizeof magic))
		return;
	if (x->amid)
		expand_die(s, "the end of the frame before this one is missing");
	if (x->dead)
		expand_reset(s);
}

/* zstd has failed: the rest of the frame is lost. */
static void
expand_error(struct source *s, size_t rc)
{
	char why[sizeof s->x->why];

	if (ZSTD_getErrorCode(rc) == ZSTD_error_checksum_wrong)
		snprintf(why, sizeof why, "the checksum of the frame that ends here is wrong: its records may be wrong, too");
	else
		snprintf(why, sizeof why, "%s: the rest of the frame cannot be expanded", ZSTD_getErrorName(rc));
	expand_die(s, why);
}

/* ---- records -------------------------------------------------------------------------------------- */

static void
expand_use(struct source *s, bool inner)
{
	struct expand *x = s->x;

	if (inner) {
		s->win.pos = s->pub.pos;
		s->pub.pos = x->pos;
		s->pub.lim = x->end;
	} else {
		x->pos = s->pub.pos;
		x->end = s->pub.lim;
		s->pub.pos = s->win.pos;
		s->pub.lim = s->win.end;
	}
	s->inner = inner;
}

/* The compressed record, if there is one, has been expanded. */
static void
expand_count(struct source *s)
{
	struct pp_compressed *z = &s->compressed;
	struct expand *x = s->x;
	uint64_t n = z->plain - x->plain;

	if (!x->open)
		return;
	x->open = false;
	if (n > z->largest)
		z->largest = n;
	if (!n && !z->nothing++)
		z->nothing_at = x->off;
}

bool
expand_between(const struct source *s)
{
	const struct expand *x = s->x;

	return !x || (!x->amid && x->pos == x->end);
}

bool
expand_is_first(const struct source *s, const uint8_t *p)
{
	const uint8_t *end = s->inner ? s->pub.lim : s->x->end;

	return s->x->first == s->compressed.plain - (uint64_t)(end - p);
}

int
expand_begin(struct source *s, const struct pp_rec *r)
{
	struct expand *x = s->x ? s->x : expand_new(s);
	bool two = r->type == PP_COMPRESSED2;
	uint64_t size = r->size - PP_HEADER_SIZE, padded;

	if (!x)
		return -1;
	expand_count(s);
	x->first = expand_between(s) ? s->compressed.plain : UINT64_MAX;
	x->off = window_offset(s, s->pub.pos);
	if (!s->compressed.records && !s->compressed.records2)
		s->compressed.first = x->off;
	if (two && !s->compressed.records2)
		s->compressed.first2 = x->off;
	x->chunk = size;
	x->rest = x->pad = 0;
	if (two) {
		size = PP_RAW_GET(r->raw, COMPRESSED2, data_size, s->pub.swap);
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
	x->open = true;
	x->plain = s->compressed.plain;
	if (s->repair)
		expand_revive(s);
	expand_use(s, true);
	return 1;
}

/* The input ends inside the record. */
static int
expand_cut_short(struct source *s)
{
	struct expand *x = s->x;
	uint64_t have = (uint64_t)(s->win.end - s->win.pos);

	source_fail(s, x->off, "COMPRESSED2: cut short");
	if (!repair_forgive(s, have))
		return -1;
	s->win.pos += have;
	x->chunk = x->rest = 0;
	x->more = false;
	return 0;
}

/* Size of what follows a chunk: the header of the next one, or padding. */
static uint64_t
expand_behind(const struct expand *x)
{
	return x->rest > x->pad ? COMPRESSED2_HEADER : x->rest;
}

/* The chunk is used up: step over what follows it.  1; 0: no more; -1. */
static int
expand_next_chunk(struct source *s)
{
	struct expand *x = s->x;
	uint64_t step = expand_behind(x);
	uint32_t type, size;
	int rc;

	if (!x->rest)
		return 0;
	if ((rc = window_fill(s, step)) <= 0)
		return rc < 0 ? rc : expand_cut_short(s);
	s->win.pos += step;
	x->rest -= step;
	if (!x->rest)			/* it was padding, which can be shorter than a header */
		return 0;
	type = PP_RAW_GET(s->win.pos - step, header, type, s->pub.swap);
	size = PP_RAW_GET(s->win.pos - step, header, size, s->pub.swap);
	if (type != PP_COMPRESSED2 || size <= COMPRESSED2_HEADER || size - COMPRESSED2_HEADER > x->rest) {
		source_fail(s, x->off, "COMPRESSED2: no block header where perf 6.16 to 7.1 writes it");
		if (!repair_forgive(s, 0))
			return -1;
		s->win.pos -= step;
		x->rest = 0;
		expand_die(s, "data is missing");
		return 0;
	}
	x->chunk = size - COMPRESSED2_HEADER;
	if (x->chunk > x->rest - x->pad)
		x->chunk = x->rest - x->pad;
	x->rest -= x->chunk;
	return 1;
}

/* Pass a little input to zstd: little, because the output of a call that fails is lost.  1; 0; -1. */
static int
expand_step(struct source *s, ZSTD_outBuffer *out)
{
	struct expand *x = s->x;
	ZSTD_inBuffer in = { NULL, 0, 0 };
	size_t before = out->pos, rc;
	int have;

	if (!x->chunk && (have = expand_next_chunk(s)) < 0)
		return -1;
	if (!x->chunk && !x->more)
		return 0;
	if (x->chunk) {
		if ((have = window_fill(s, 1)) <= 0)
			return have < 0 ? have : expand_cut_short(s);
		in.src = s->win.pos;
		in.size = (size_t)(s->win.end - s->win.pos);
		if (in.size > x->chunk)
			in.size = (size_t)x->chunk;
		if (in.size > STEP)
			in.size = STEP;
	}
	if (x->dead) {
		s->win.pos += in.size;
		x->chunk -= in.size;
		x->lost += in.size;
		x->more = false;
		return 1;
	}
	rc = ZSTD_decompressStream(x->z, out, &in);
	if (ZSTD_isError(rc)) {
		out->pos = before;
		if (s->repair) {
			expand_error(s, rc);
			return 1;
		}
		return source_fail(s, x->off, "COMPRESSED: zstd: %s", ZSTD_getErrorName(rc));
	}
	s->win.pos += in.pos;
	x->chunk -= in.pos;
	x->amid = rc != 0;
	x->more = rc && out->pos == out->size;
	s->compressed.bytes += in.pos;
	s->compressed.plain += out->pos - before;
	return 1;
}

/* Expand more data behind the incomplete record in the window.  1; 0: the record is used up; -1. */
static int
expand_more(struct source *s)
{
	struct expand *x = s->x;
	size_t left = (size_t)(s->pub.lim - s->pub.pos);
	ZSTD_outBuffer out = { x->buf, x->cap, left };
	int rc;

	if (x->broken.what[0]) {
		*s->err = x->broken;
		s->failed = true;
		return -1;
	}
	if (window_before_refill(s) < 0 || source_expanded(s, "zstd", s->compressed.plain) < 0)
		return -1;
	memmove(x->buf, s->pub.pos, left);
	do
		rc = expand_step(s, &out);
	while (rc > 0 && out.pos < left + s->win.step);
	s->pub.pos = x->buf;
	s->pub.lim = x->buf + out.pos;
	if (rc < 0 && out.pos > left) {		/* the sound output first */
		x->broken = *s->err;
		s->err->what[0] = 0;
		s->failed = false;
		return 1;
	}
	return rc < 0 ? rc : out.pos > left;
}

/* Get the record at the position of the window; its header is present.  1; 0: it is incomplete; -1: it is malformed. */
static int
expand_record(struct source *s, struct pp_rec *r)
{
	struct pp_source *pub = &s->pub;
	size_t left = (size_t)(pub->lim - pub->pos);
	const char *name;
	char num[16];

	*r = pp_rec_at(pub->pos, pub->swap);
	if (r->size < PP_HEADER_SIZE || pp_type_is(r->type, PP_CLASS_BIT(PACKED)) || pp_meaning(r->type)->payload) {
		name = pp_type_name(r->type);
		snprintf(num, sizeof num, "type %u", r->type);
		return source_fail(s, s->x->off, "COMPRESSED: holds a record of %s, %u bytes", name ? name : num, r->size);
	}
	if (r->size > left)
		return 0;
	if (source_judge(s, r) < 0 || repair_check_inner(s, r, left) < 0 || (r->type >= PP_USER_TYPE_START &&
	    pp_events_learn(pub->events, r, s->err) < 0))
		return pp_reject(pub, r);
	pub->pos += r->size;
	return 1;
}

/* Repair: skip bytes up to where records begin again, or to the end of the window.  1, or -1. */
static int
expand_skip(struct source *s, const uint8_t *lim)
{
	struct expand *x = s->x;
	size_t left = (size_t)(lim - s->pub.pos), lost;

	if (!s->repair)
		return -1;
	lost = x->adrift && repair_plausible(s, s->pub.pos, left, false) ? 0 : repair_inner(s, s->pub.pos, left);
	if (x->adrift && lost)
		repair_note(s, x->off, lost, "COMPRESSED: the search for records goes on");
	else if (!x->adrift && !repair_forgive(s, lost))
		return -1;
	s->pub.pos += lost;
	s->pub.lim = lim;
	x->adrift = s->pub.pos == lim;
	return 1;
}

static int
expand_next_record(struct source *s, struct pp_rec *r)
{
	struct pp_source *pub = &s->pub;
	struct expand *x = s->x;
	int rc;

	for (;;) {
		const uint8_t *lim = pub->lim;

		if (lim - pub->pos >= PP_HEADER_SIZE) {
			if (x->adrift)
				rc = -1;
			else if ((rc = expand_record(s, r)) > 0 && (r->type != PP_HEADER_FEATURE || source_feature(s, r)))
				return NEXT_RECORD;
			else if (rc > 0)
				continue;
			if (rc < 0 && expand_skip(s, lim) < 0)
				return NEXT_FAILED;
			if (rc < 0)
				continue;
		}
		if (x->dead && pub->pos < pub->lim) {	/* the rest of it cannot be expanded */
			x->lost += (uint64_t)(pub->lim - pub->pos);
			pub->pos = pub->lim;
		}
		if ((rc = expand_more(s)) < 0)
			return NEXT_FAILED;
		if (!rc) {
			expand_use(s, false);
			return NEXT_AGAIN;
		}
	}
}

int
expand_next(struct source *s, struct pp_rec *r)
{
	struct expand *x = s->x;
	int rc;

	if (!s->repair)
		return expand_next_record(s, r);
	/* Each record has to be checked here: pp_next() must not yield it directly. */
	s->pub.lim = x->end;
	rc = expand_next_record(s, r);
	if (s->inner) {
		x->end = s->pub.lim;
		s->pub.lim = s->pub.pos;
	}
	return rc;
}

int
expand_part(struct source *s, const uint8_t *p)
{
	struct pp_rec r = pp_rec_at(p, s->pub.swap);
	size_t n = (size_t)(s->win.end - p);

	if (s->flags & PP_OPEN_RAW || n <= COMPRESSED2_HEADER || (r.type != PP_COMPRESSED && r.type != PP_COMPRESSED2))
		return 0;
	if (r.type == PP_COMPRESSED)
		r.size = (uint16_t)n;
	s->pub.pos = p;
	return expand_begin(s, &r);
}

int
expand_end(struct source *s)
{
	struct expand *x = s->x;
	size_t left = (size_t)(x->end - x->pos), lost = left;

	expand_count(s);
	expand_report_dead(s);
	if (!left)
		return NEXT_END;
	if (s->repair) {
		s->inner = true;
		lost = repair_inner(s, x->pos, left);
		s->inner = false;
	}
	source_fail(s, x->off, "COMPRESSED: the last record expands to an unfinished one of %zu bytes", left);
	if (!repair_forgive(s, lost))
		return NEXT_FAILED;
	x->pos += lost;
	x->chunk = x->rest = 0;
	x->more = false;
	if (x->pos == x->end)
		return NEXT_END;
	expand_use(s, true);
	return NEXT_AGAIN;
}

bool
expand_pending(const struct source *s)
{
	const struct expand *x = s->x;
	uint64_t have = (uint64_t)(s->win.end - s->win.pos);

	return x->more || (x->chunk ? have > 0 : x->rest && have >= expand_behind(x));
}

bool
expand_used_up(const struct source *s)
{
	return !s->x->more && !s->x->chunk && !s->x->rest;
}

bool
expand_has(const struct source *s, const uint8_t *p)
{
	return s->x && p >= s->x->buf && p < s->x->buf + s->x->cap;
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
	s->x = NULL;
}
