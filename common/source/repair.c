/* SPDX-License-Identifier: ISC */
/*
 * repair.c - continues after a fault (PP_OPEN_REPAIR)
 *
 * A malformed record is left out alone if others follow directly.  Otherwise its size is not reliable: the following bytes are
 * searched for CHAIN consecutive records, each of a known type and sound.  The search steps by single bytes, because sizes need
 * not be multiples of 8.
 *
 *	sound | sound | broken ...??????...| sound | sound | sound | sound |
 *	              ^ the fault          ^ continue here
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "container.h"
#include "record/raw.h"
#include "record/shape.h"

enum { CHAIN = 4, LOOK = BYTES_READ_SIZE };

/* ---- reporting ---------------------------------------------------------------------------------------- */

static void
repair_report(struct source *s, struct pp_err *e, uint64_t lost)
{
	size_t n = strlen(e->what);

	fault_lost(s, lost);
	if (lost)
		snprintf(e->what + n, sizeof e->what - n, "; %ju byte%s left out", (uintmax_t)lost, lost == 1 ? "" : "s");
	fault_gap(s, e);
}

void
repair_note(struct source *s, uint64_t off, uint64_t lost, const char *fmt, ...)
{
	struct pp_err e = { .file = s->err->file, .off = off, .at = true };
	int n = snprintf(e.what, sizeof e.what, "%s", s->part);
	va_list ap;

	if (!s->repair)
		return;
	va_start(ap, fmt);
	vsnprintf(e.what + n, sizeof e.what - (size_t)n, fmt, ap);
	va_end(ap);
	repair_report(s, &e, lost);
}

bool
repair_forgive(struct source *s, uint64_t lost)
{
	struct pp_err e = *s->err;

	if (!s->repair || s->fatal || !e.what[0])
		return false;
	*s->err = (struct pp_err){ .file = e.file };
	s->failed = false;
	repair_report(s, &e, lost);
	return true;
}

/* ---- checks ---------------------------------------------------------------------------------------- */

static struct pp_rec
repair_view(const struct source *s, const uint8_t *p)
{
	return pp_rec_at(p, s->pub.swap);
}

/* By its header alone: can perf or the kernel have written this record? */
static bool
repair_header_plausible(const struct source *s, const struct pp_rec *r)
{
	if (!pp_type_name(r->type) || r->size < PP_HEADER_SIZE)
		return false;
	if (r->type == PP_COMPRESSED || r->type == PP_COMPRESSED2)
		return !s->inner;
	/* The kernel uses the cpumodes 0 to 5; perf itself uses misc for BUILD_ID only (and 0 to 5 there too). */
	return r->size >= pp_type_min(r->type) && (r->misc & PP_MISC_CPUMODE_MASK) <= PP_MISC_GUEST_USER &&
	    (r->type >= PP_USER_TYPE_START || !(r->size & 7));
}

/* The same, or a record of an unknown type (simpleperf's begin at 32768). */
static bool
repair_header_possible(const struct source *s, const struct pp_rec *r)
{
	return repair_header_plausible(s, r) || (!pp_type_name(r->type) && r->type && r->type <= UINT16_MAX &&
	    r->size >= PP_HEADER_SIZE && !(r->size & 7));
}

static bool
repair_sound(const struct source *s, const struct pp_rec *r)
{
	struct pp_err e = { 0 };
	struct pp_part part[PP_SHAPE_STEPS];
	const struct pp_event *ev;

	if (r->type == PP_COMPRESSED || r->type == PP_COMPRESSED2)
		return true;
	if (pp_check(r, s->pub.swap, &e) < 0)
		return false;
	if (r->type != PP_SAMPLE || !s->pub.events->n)
		return true;
	return (ev = pp_event_find(s->pub.events, r, &e)) &&
	    pp_sample_parts(part, 0, ev, r, s->pub.swap, &e) >= 0;
}

bool
repair_plausible(const struct source *s, const uint8_t *p, size_t n, bool last)
{
	const uint8_t *end = p + n;
	struct pp_rec r[CHAIN];
	unsigned k = 0;

	for (bool cut = false; k < CHAIN && p != end && !cut; ) {
		if (end - p < PP_HEADER_SIZE)
			break;
		r[k] = repair_view(s, p);
		if (!repair_header_plausible(s, &r[k]))
			return false;
		if ((cut = r[k].size > end - p))
			break;
		p += r[k].size;
		/* A payload is not searched; the record behind it may not be in memory. */
		if (r[k].type == PP_HEADER_TRACING_DATA || r[k].type == PP_AUXTRACE) {
			k++;
			break;
		}
		k++;
	}
	for (unsigned i = 0; i < k; i++)
		if (!repair_sound(s, &r[i]))
			return false;
	return k > 0 || (last && p == end);
}

/* The number of bytes of the input behind the record at the outer position. */
static uint64_t
repair_behind(const struct source *s, const struct pp_rec *r)
{
	return (uint64_t)(s->win.end - s->pub.pos) - r->size + s->container->kind->left(s);
}

/* Do its fields fit the record?  1; 0: it may be of a newer version, or its size is wrong; -1. */
static int
repair_check_fields(struct source *s, const struct pp_rec *r)
{
	struct pp_part part[PP_SHAPE_STEPS];
	const struct pp_event *ev;
	const uint8_t *end;
	int n;

	if (r->type >= PP_USER_TYPE_START || !pp_type_name(r->type) || !s->pub.events->n)
		return pp_type_name(r->type) != NULL;
	if (!(ev = pp_event_find(s->pub.events, r, s->err)))
		return -1;
	if (r->type != PP_SAMPLE)
		return 1;
	if ((n = pp_sample_parts(part, UINT64_MAX, ev, r, s->pub.swap, s->err)) < 0)
		return -1;
	end = n ? part[n - 1].p + part[n - 1].n : r->raw + ev->plan.fixed;
	return end == r->raw + r->size;
}

/* Check what follows a record for which repair_check_fields() returned 0; n bytes are in memory.  1, or -1. */
static int
repair_check_next(struct source *s, const struct pp_rec *r, const uint8_t *next, size_t n)
{
	struct pp_rec x;

	if (n < PP_HEADER_SIZE)
		return 1;
	x = repair_view(s, next);
	return repair_header_possible(s, &x) ? 1 :
	    pp_fail(s->err, pp_type_name(r->type) ? "its fields end before its size of %u bytes, and no record follows" :
	    "unknown type, %u bytes, and no record follows", r->size);
}

int
repair_check(struct source *s, const struct pp_rec *r)
{
	uint64_t payload = pp_payload_size(r, s->pub.swap);
	uint16_t size = r->size;
	struct pp_rec now;
	int rc;

	if (payload > repair_behind(s, r))
		return pp_fail(s->err, "%ju bytes behind it, %ju are there", (uintmax_t)payload,
		    (uintmax_t)repair_behind(s, r));
	if (payload || (rc = repair_check_fields(s, r)) > 0)
		return 1;
	if (rc < 0 || window_fill(s, size + PP_HEADER_SIZE) < 0)
		return -1;
	now = repair_view(s, s->pub.pos);
	return repair_check_next(s, &now, s->pub.pos + size, (size_t)(s->win.end - s->pub.pos) - size);
}

int
repair_check_inner(struct source *s, const struct pp_rec *r, size_t left)
{
	int rc;

	if (!s->repair || (rc = repair_check_fields(s, r)) > 0)
		return 1;
	return rc < 0 ? rc : repair_check_next(s, r, r->raw + r->size, left - r->size);
}

/* ---- search ---------------------------------------------------------------------------------------- */

/* Search from the outer position on.  Returns the number of bytes skipped, or -1. */
static int64_t
repair_search(struct source *s)
{
	int64_t lost = 0;

	for (;;) {
		int rc = window_fill(s, LOOK);
		const uint8_t *p = s->pub.pos;
		size_t n = (size_t)(s->win.end - p), keep = rc ? LOOK / 2 : 0;

		if (rc < 0)
			return -1;
		while (n > keep && !(n >= PP_HEADER_SIZE && repair_plausible(s, p, n, !rc)))
			p++, n--;
		lost += p - s->pub.pos;
		s->pub.pos = p;
		if (n > keep || !rc)
			return lost;
	}
}

int
repair_outer(struct source *s)
{
	struct pp_err e = *s->err;
	size_t n, size;
	uint32_t type;
	int64_t lost;
	int rc;

	if (!s->repair || s->fatal || !e.what[0])
		return NEXT_FAILED;
	*s->err = (struct pp_err){ .file = e.file };
	s->failed = false;
	s->payload.left = 0;
	if ((rc = window_fill(s, LOOK)) < 0)
		return -1;
	n = (size_t)(s->win.end - s->pub.pos);
	size = n < PP_HEADER_SIZE ? 0 : PP_RAW_GET(s->pub.pos, header, size, s->pub.swap);
	type = size ? pp_get_u32(s->pub.pos, s->pub.swap) : 0;
	if (n < PP_HEADER_SIZE || (!rc && !n)) {
		lost = (int64_t)n;
		s->pub.pos = s->win.end;
	} else if (size >= PP_HEADER_SIZE && size <= n &&
	    repair_plausible(s, s->pub.pos + size, n - size, !rc)) {
		lost = (int64_t)size;
		s->pub.pos += size;
		if (type == PP_COMPRESSED || type == PP_COMPRESSED2)
			expand_break(s);
	} else {
		s->pub.pos++;
		if ((lost = repair_search(s)) < 0)
			return -1;
		lost++;
		if (s->pub.pos == s->win.end && !rc && size > n && expand_part(s, s->win.end - n) > 0) {
			snprintf(e.what + strlen(e.what), sizeof e.what - strlen(e.what),
			    "; as much of it as zstd can expand is kept");
			fault_gap(s, &e);
			return NEXT_AGAIN;
		}
		expand_break(s);
	}
	s->gave_up |= s->pub.pos == s->win.end && s->win.eof;
	repair_report(s, &e, (uint64_t)lost);
	return NEXT_AGAIN;
}

size_t
repair_inner(struct source *s, const uint8_t *p, size_t n)
{
	size_t size = n < PP_HEADER_SIZE ? 0 : PP_RAW_GET(p, header, size, s->pub.swap), at = 1;

	if (size >= PP_HEADER_SIZE && size <= n && repair_plausible(s, p + size, n - size, false))
		return size;
	while (n - at >= PP_HEADER_SIZE && !repair_plausible(s, p + at, n - at, false))
		at++;
	return n - at < PP_HEADER_SIZE ? n : at;
}
