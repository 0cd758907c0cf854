/* SPDX-License-Identifier: ISC */
/* source.c - the next record; open.c opens an input */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "container.h"
#include "leave_out.h"
#include "record/judge.h"
#include "record/raw.h"

int
source_fail(struct source *s, uint64_t off, const char *fmt, ...)
{
	char text[sizeof s->err->what];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	if (!s->err->what[0]) {
		s->err->off = off;
		s->err->at = true;
	}
	s->failed = true;
	s->pub.lim = s->pub.pos;
	return pp_fail(s->err, "%s%s", s->part, text);
}

/* Fail with the error e; its offset, if it has one, is `off'. */
static int
source_fail_as(struct source *s, const struct pp_err *e)
{
	bool first = !s->err->what[0];

	source_fail(s, e->off, "%s", e->what);
	if (first) {
		s->err->code = e->code;
		s->err->error = e->error;
		s->err->at = e->at;
	}
	return -1;
}

int
source_fail_system(struct source *s, uint64_t off)
{
	struct pp_err e = { .off = off, .at = true };

	pp_fail_system(&e, NULL);
	return source_fail_as(s, &e);
}

int
source_fail_memory(struct source *s, uint64_t off)
{
	struct pp_err e = { .off = off, .at = true };

	pp_fail_memory(&e);
	return source_fail_as(s, &e);
}

int
source_fail_bytes(struct source *s)
{
	struct bytes_err e = s->in_err;

	s->in_err = (struct bytes_err){ .fatal = false };
	s->fatal |= e.fatal;
	return source_fail_as(s, &e.why);
}

bool
source_may_expand(const struct source *s, uint64_t from, uint64_t bytes)
{
	return bytes <= s->max_expand || bytes / PP_EXPAND_RATIO <= from;
}

int
source_expanded(struct source *s, const char *what, uint64_t bytes)
{
	uint64_t from = s->packed ? s->packed : s->nread;

	if (source_may_expand(s, from, bytes))
		return 1;
	s->fatal = true;
	return source_fail(s, window_offset(s, s->inner ? s->win.pos : s->pub.pos),
	    "%s: %ju bytes expand to %ju: more than %d times as much, and more than %ju MiB (--max-expand SIZE permits "
	    "more)", what, (uintmax_t)from, (uintmax_t)bytes, PP_EXPAND_RATIO, (uintmax_t)(s->max_expand >> 20));
}

const char *
source_type_text(uint32_t type, char buf[static 24])
{
	const char *name = pp_type_name(type);

	if (name)
		return name;
	snprintf(buf, 24, "type %u", type);
	return buf;
}

int
pp_reject(struct pp_source *pub, const struct pp_rec *r)
{
	struct source *s = (struct source *)pub;
	struct pp_err e = *s->err;
	char num[24];

	s->err->what[0] = 0;
	source_fail(s, pp_offset(pub, r), "%s: %.*s", source_type_text(r->type, num), (int)sizeof e.what - 32, e.what);
	s->err->code = e.code;		/* for example PP_ERR_MEMORY */
	s->err->error = e.error;
	return -1;
}

/* The record of the outer window is malformed; the pp_err has the reason. */
static int
source_unsound(struct source *s, const struct pp_rec *r)
{
	size_t n = strlen(s->err->what);

	if (!s->repair)
		snprintf(s->err->what + n, sizeof s->err->what - n, " (pcat --repair continues after it)");
	return pp_reject(&s->pub, r);
}

bool
source_feature(struct source *s, const struct pp_rec *r)
{
	/* file.c has checked those that it made */
	if (pp_made(&s->pub, r))
		return true;
	s->faults.about.nevents = s->pub.events->n;
	if (fault_feature(s, PP_RAW_GET(r->raw, HEADER_FEATURE, feat_id, s->pub.swap), r->raw + PP_FEATURE_HEAD,
	    r->size - (size_t)PP_FEATURE_HEAD, pp_offset(&s->pub, r)))
		return true;
	fault_lost(s, PP_FEATURE_HEAD);
	return false;
}

static uint64_t
outer_payload(const struct source *s, const struct pp_rec *r)
{
	const struct container_kind *kind = s->container->kind;

	return r->type == PP_HEADER_FEATURE && kind->payload && window_made(s, r->raw) ? kind->payload(s, r) :
	    pp_payload_size(r, s->pub.swap);
}

/* What header feature COMPRESSED says. */
static void
outer_announced(struct source *s, const struct pp_rec *r)
{
	struct pp_cur c = pp_cur(r->raw + PP_FEATURE_HEAD, r->size - (size_t)PP_FEATURE_HEAD, s->pub.swap);
	struct pp_compressed *z = &s->compressed;

	if (z->records || z->records2)
		return;
	z->announced = true;
	z->version = pp_take_u32(&c);
	z->type = pp_take_u32(&c);
	z->level = pp_take_u32(&c);
	z->ratio = pp_take_u32(&c);
	z->mmap_len = pp_take_u32(&c);
}

/* Does the record serve only to expand others?  NEXT_RECORD: no; NEXT_AGAIN: it has been used; NEXT_FAILED. */
static int
outer_compressed(struct source *s, const struct pp_rec *r)
{
	if (s->flags & PP_OPEN_RAW)
		return NEXT_RECORD;
	if (r->type == PP_COMPRESSED || r->type == PP_COMPRESSED2)
		return expand_begin(s, r) < 0 ? NEXT_FAILED : NEXT_AGAIN;
	/* The records yielded are not compressed, and perf relies on this feature. */
	if (r->type != PP_HEADER_FEATURE || r->size < PP_FEATURE_HEAD ||
	    PP_RAW_GET(r->raw, HEADER_FEATURE, feat_id, s->pub.swap) != PP_FEAT_COMPRESSED)
		return NEXT_RECORD;
	outer_announced(s, r);
	s->pub.pos += r->size;
	return NEXT_AGAIN;
}

int
source_judge(struct source *s, const struct pp_rec *r)
{
	return s->flags & PP_OPEN_ANY_SIZE ? pp_check(r, s->pub.swap, s->err) : pp_judge(s->pub.events, r, s->err);
}

/* A complete record is at the outer position: judge it. */
static int
outer_record(struct source *s, struct pp_rec *r)
{
	int rc = outer_compressed(s, r);

	if (rc != NEXT_RECORD)
		return rc;
	if (source_judge(s, r) < 0)
		return source_unsound(s, r);
	if (r->type == PP_LEFT_OUT && s->leave && leave_take(s, r)) {
		s->pub.pos += r->size;
		return NEXT_AGAIN;
	}
	if (r->type == PP_HEADER_FEATURE && !source_feature(s, r)) {
		s->pub.pos += r->size;
		return NEXT_AGAIN;
	}
	if (s->repair) {
		rc = repair_check(s, r);
		r->raw = s->pub.pos;		/* repair may have read ahead */
		if (rc < 0)
			return s->fatal ? NEXT_FAILED : source_unsound(s, r);	/* fatal: the sink failed when it was to let go of the window */
	}
	r->payload = outer_payload(s, r);
	if (r->type == PP_HEADER_TRACING_DATA && !(s->flags & PP_OPEN_ANY_TRACING) && (rc = hold_begin(s, r)) != NEXT_RECORD)
		return rc;
	if (r->type >= PP_USER_TYPE_START && pp_events_learn(s->pub.events, r, s->err) < 0)
		return source_unsound(s, r);
	s->pub.pos += r->size;
	if (r->type < PP_USER_TYPE_START)
		return NEXT_RECORD;
	return r->payload || s->payload.size ? payload_begin(s, r) : NEXT_RECORD;
}

/* The stream has no more records. */
static int
outer_end(struct source *s)
{
	int rc = s->x ? expand_end(s) : NEXT_END;

	if (rc != NEXT_END)
		return rc;
	s->file_end = window_offset(s, s->pub.pos);
	return s->container && s->container->kind->more ? s->container->kind->more(s) : NEXT_END;
}

static bool
outer_stopped(const struct source *s)
{
	return s->follow && follow_stopped(s->follow);
}

/* Fewer bytes than a header are left. */
static int
outer_rest(struct source *s, size_t n)
{
	if (outer_stopped(s))
		return outer_end(s);
	if (!s->gave_up && s->container && s->container->kind->whole && s->container->kind->whole(s) < 0)
		return NEXT_FAILED;
	if (n)
		return source_fail(s, window_offset(s, s->pub.pos), "record header: cut short, %zu of %d bytes", n,
		    PP_HEADER_SIZE);
	return outer_end(s);
}

/* A record header is at the outer position: read the whole record.  NEXT_RECORD: it is in memory. */
static int
outer_whole(struct source *s, struct pp_rec *r)
{
	const uint8_t *p = s->pub.pos;
	size_t n;
	char num[24];
	int rc;

	*r = (struct pp_rec){ .type = PP_RAW_GET(p, header, type, s->pub.swap),
	    .misc = PP_RAW_GET(p, header, misc, s->pub.swap), .size = PP_RAW_GET(p, header, size, s->pub.swap) };
	if (source_magic(p))
		return source_fail(s, window_offset(s, p), "a second pipe header: join streams with pcat, not cat");
	/* perf 6.16 to 7.1 may have any size there: expand.c handles it */
	n = r->type == PP_COMPRESSED2 && r->size < 16 && !(s->flags & PP_OPEN_RAW) ? 16 : r->size;
	if (s->growing && (n < PP_HEADER_SIZE || growing_at_table(s, p)) && (rc = growing_settle(s)) != 0)
		return rc < 0 ? NEXT_FAILED : NEXT_AGAIN;
	if (n < PP_HEADER_SIZE)
		return source_fail(s, window_offset(s, s->pub.pos), "%s: record of %u bytes needs %d%s",
		    source_type_text(r->type, num), r->size, PP_HEADER_SIZE,
		    s->repair ? "" : " (pcat --repair continues after it)");
	if ((rc = window_fill(s, n)) != 0)
		return rc < 0 ? NEXT_FAILED : NEXT_RECORD;
	return outer_stopped(s) ? outer_end(s) : source_fail(s, window_offset(s, s->pub.pos),
	    "%s: cut short, %zu of %zu bytes", source_type_text(r->type, num), (size_t)(s->win.end - s->pub.pos), n);
}

/* Get the record at the outer position. */
static int
outer_next(struct source *s, struct pp_rec *r)
{
	const uint8_t *skip;
	size_t n;
	int rc;

	if (hold_open(s))
		return hold_next(s, r);
	while ((rc = pp_payload(&s->pub, &skip, &n)) > 0)
		;
	if (rc < 0 || hold_done(s) < 0 || (rc = window_fill(s, PP_HEADER_SIZE)) < 0)
		return NEXT_FAILED;
	if (!rc)
		return outer_rest(s, (size_t)(s->win.end - s->pub.pos));
	if ((rc = outer_whole(s, r)) != NEXT_RECORD)
		return rc;
	r->raw = s->pub.pos;
	return outer_record(s, r);
}

/* pp_next() of all records; inline in both that have it. */
static inline __attribute__((always_inline)) int
source_step(struct source *s, struct pp_rec *r)
{
	struct pp_source *pub = &s->pub;
	size_t left = (size_t)(pub->lim - pub->pos);
	int rc;

	/* A complete kernel record needs no further step, in either window.  Their types begin with 1; 0 may be growing_at_table(). */
	if (left >= PP_HEADER_SIZE && !s->failed && (r->type = PP_RAW_GET(pub->pos, header, type, pub->swap)) - 1 < PP_USER_TYPE_START - 1 &&
	    (r->size = PP_RAW_GET(pub->pos, header, size, pub->swap)) <= left && r->size >= PP_HEADER_SIZE) {
		r->raw = pub->pos;
		r->misc = PP_RAW_GET(pub->pos, header, misc, pub->swap);
		r->payload = 0;
		if (pp_fits_exactly(pub->events, r) || source_judge(s, r) > 0) {
			pub->pos += r->size;
			return 1;
		}
		s->err->what[0] = 0;	/* the slow path finds it too, and handles it */
	}
	do {
		if (s->failed)
			return NEXT_FAILED;
		if (s->inner)
			rc = expand_next(s, r);
		else if (s->no_wait && !pp_at_hand(pub))
			return NEXT_WAIT;
		else if ((rc = outer_next(s, r)) < 0)
			rc = repair_outer(s);
		if (s->repair && !s->inner)
			pub->lim = pub->pos;	/* each record has to be checked here */
	} while (rc == NEXT_AGAIN);
	if (rc <= 0)
		fault_end(s);
	else if (s->repair)
		fault_seen(s, r);
	return rc;
}

int
pp_next_slow(struct pp_source *pub, struct pp_rec *r)
{
	struct source *s = (struct source *)pub;

	return s->piece ? piece_next(s, r) : source_step(s, r);
}

int
source_next(struct source *s, struct pp_rec *r)
{
	return source_step(s, r);
}
