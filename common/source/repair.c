/* SPDX-License-Identifier: ISC */
/*
 * repair.c - continues after a fault (PP_OPEN_REPAIR)
 *
 * The size of a malformed record is not believed: from its second byte on, the bytes are searched for a chain of records that are
 * sound (judge.h) and of this recording: known ids, times near to the last, possible tasks and CPUs.  The search steps by single
 * bytes, because sizes need not be multiples of 8.
 *
 *	sound | sound | broken ...??????...| sound | sound | sound | sound |
 *	              ^ the fault          ^ continue here
 *
 * What looks like a record amid another one begins a chain that breaks off soon: of chains that overlap, the longest is taken.
 *
 * A record that no record follows may have been overwritten from somewhere inside it.  It is left out too, unless it ends with what
 * shows that it is whole, or is the first attr.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "container.h"
#include "record/event.h"
#include "record/judge.h"
#include "record/raw.h"
#include "record/shape.h"

enum { CHAIN = 4, SURE = 2, MOST = 32, LOOK = BYTES_READ_SIZE };
enum { AHEAD = 4096 + 512 };			/* more than the kernel's records have, but SAMPLEs */
enum { CPUS_MAX = 1 << 16, PIDS_MAX = 1 << 22, AUX_TYPES_MAX = 64 };	/* perf 7.2 has 8 types of AUX data */
/* Times of a recording differ by less than the first, mostly; those of records one behind the other by less than the second. */
static const uint64_t NEAR = UINT64_C(86400) * 1000000000, CLOSE = UINT64_C(10) * 1000000000;

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

static uint64_t
repair_apart(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

/* Is it a time of this recording? */
static bool
repair_near(const struct source *s, uint64_t time)
{
	return !s->near || repair_apart(time, s->near) < NEAR;
}

/* The first time, and one that is far from the last, are believed when another one is near to it. */
void
repair_seen(struct source *s, uint64_t time)
{
	if ((s->near && repair_near(s, time)) || (s->far && repair_apart(time, s->far) < NEAR))
		s->near = time;
	else
		s->far = time;
}

enum fit { FIT_NOT = -1, FIT_MAYBE, FIT_SURE };

/*
 * Do event, time, task and CPU of a kernel record belong to this recording?  Of a SAMPLE, at least the fixed fields must be in memory.
 * FIT_SURE: one of the first two shows it, the time by being close to the last.
 */
static enum fit
repair_fits(const struct source *s, const struct pp_rec *r)
{
	const struct pp_events *e = s->pub.events;
	uint32_t pid = 0, tid = 0, cpu = 0;
	const struct pp_event *ev;
	const uint8_t *p;
	uint64_t time;

	if (!e->n)
		return FIT_MAYBE;
	if (!(ev = pp_event_find(e, r, NULL)))
		return FIT_NOT;
	pp_pid_tid(ev, r, s->pub.swap, &pid, &tid);
	pp_cpu(ev, r, s->pub.swap, &cpu);
	if ((pid > PIDS_MAX && pid != UINT32_MAX) || (tid > PIDS_MAX && tid != UINT32_MAX) || (cpu > CPUS_MAX && cpu != UINT32_MAX))
		return FIT_NOT;
	if (!(p = pp_time_field(ev, r)))
		return e->n > 1 && (r->type == PP_SAMPLE ? e->id_off : e->id_back) ? FIT_SURE : FIT_MAYBE;
	if (!(time = pp_get_u64(p, s->pub.swap)) || time == UINT64_MAX)
		return r->type == PP_SAMPLE ? FIT_NOT : FIT_MAYBE;	/* perf makes records of time 0, but no samples */
	return !repair_near(s, time) ? FIT_NOT : s->near && repair_apart(time, s->near) < CLOSE ? FIT_SURE : FIT_MAYBE;
}

static enum fit
repair_sound(const struct source *s, const struct pp_rec *r)
{
	struct pp_err e = { 0 };

	if (!pp_header_plausible(r))
		return FIT_NOT;
	if (r->type == PP_COMPRESSED || r->type == PP_COMPRESSED2)
		return s->inner ? FIT_NOT : FIT_MAYBE;
	if (pp_judge_quickly(s->pub.events, r, &e) < 0)
		return FIT_NOT;
	return r->type < PP_USER_TYPE_START ? repair_fits(s, r) : FIT_MAYBE;
}

/* The number of bytes of the input behind the record at the outer position. */
static uint64_t
repair_behind(const struct source *s, const struct pp_rec *r)
{
	return (uint64_t)(s->win.end - s->pub.pos) - r->size + s->container->kind->left(s);
}

struct chain {
	unsigned	 n, sure;	/* records up to the last that is sure to be one, or, without such, all; how many are sure */
	bool		 through;	/* it is not broken: it has MOST records, or goes on to the end of what is in memory */
	const uint8_t	*end;
};

/* The chain of records at p, of which n bytes are in memory.  last: the input ends there. */
static struct chain
repair_chain(const struct source *s, const uint8_t *p, size_t n, bool last)
{
	const uint8_t *end = p + n;
	struct chain c = { 0 };
	uint64_t payload;
	unsigned all = 0;

	for (c.end = p; all < MOST; c.end = p) {
		struct pp_rec r;
		enum fit fit;

		if (end - p < PP_HEADER_SIZE) {
			c.through = p == end || !last;
			break;
		}
		r = repair_view(s, p);
		if (r.size > end - p) {
			c.through = !last && pp_header_plausible(&r);
			break;
		}
		if ((fit = repair_sound(s, &r)) < 0)
			break;
		payload = pp_payload_size(&r, s->pub.swap);
		p += r.size;
		if (payload > (size_t)(end - p)) {	/* what is behind it cannot be seen, so it proves nothing */
			c.through = !s->inner && c.sure >= SURE && payload <= (uint64_t)(end - p) + s->container->kind->left(s);
			break;
		}
		p += payload;
		all++;
		c.sure += fit == FIT_SURE;
		if (fit == FIT_SURE || !c.sure)
			c.n = all;
	}
	c.through |= all == MOST;
	return c;
}

/* Is the chain one of records?  Where there are times or ids, some must have shown it. */
static bool
repair_believes(const struct source *s, const struct chain *c)
{
	return c->sure >= SURE || (c->n >= CHAIN && (c->sure || !s->near)) || (c->through && c->n > 0);
}

bool
repair_plausible(const struct source *s, const uint8_t *p, size_t n, bool last)
{
	struct chain c = repair_chain(s, p, n, last);

	return repair_believes(s, &c) || (last && !n);
}

/* May records go on with that one?  One of perf's own with more than the known fields and zeros is rather a part of another. */
static bool
repair_resumes(const struct source *s, const struct pp_rec *r, size_t n)
{
	struct pp_err e = { 0 };
	size_t end;

	if (r->type < PP_USER_TYPE_START || !pp_type_name(r->type) || r->size > n || r->type == PP_COMPRESSED ||
	    r->type == PP_COMPRESSED2)
		return true;
	if (!(end = pp_fields_end(r, s->pub.swap, &e)))
		return false;
	if (r->type == PP_AUXTRACE_INFO && PP_RAW_GET(r->raw, AUXTRACE_INFO, auxtrace_type, s->pub.swap) >= AUX_TYPES_MAX)
		return false;
	while (end < r->size && !r->raw[end])
		end++;
	return end >= r->size;
}

/* repair_chain(); none if it begins with what is rather no record. */
static struct chain
repair_chain_from(const struct source *s, const uint8_t *p, size_t n, bool last)
{
	struct pp_rec r = n < PP_HEADER_SIZE ? (struct pp_rec){ 0 } : repair_view(s, p);

	return repair_resumes(s, &r, n) ? repair_chain(s, p, n, last) : (struct chain){ .end = p };
}

/* Is the chain rather one of records than that one, amid whose records it begins? */
static bool
repair_prefers(const struct source *s, const struct chain *c, const struct chain *to)
{
	if (!to->sure && (c->sure >= SURE || (c->through && c->n >= CHAIN && c->n > to->n)))
		return true;
	return !to->through && c->end > to->end && c->n > to->n && repair_believes(s, c);
}

/*
 * The first place, of the first `most' of the n bytes at p, where records go on; `most': nowhere.  A chain that breaks gives way to a
 * longer one that begins amid its records; one of which nothing is sure, to one of sure records or a longer one that does not break.
 */
static size_t
repair_find(const struct source *s, const uint8_t *p, size_t n, size_t most, bool last)
{
	for (size_t at = 0; at < most && n - at >= PP_HEADER_SIZE; at++) {
		struct chain c;

		if (PP_RAW_GET(p + at, header, size, s->pub.swap) < PP_HEADER_SIZE)	/* told at once: a file can end in gigabytes of zeros */
			continue;
		c = repair_chain_from(s, p + at, n - at, last);
		if (!repair_believes(s, &c))
			continue;
		for (size_t i = at + 1; (!c.through || !c.sure) && i < most && p + i < c.end; i++) {
			struct chain other = repair_chain_from(s, p + i, n - i, last);

			if (repair_prefers(s, &other, &c)) {
				at = i;
				c = other;
			}
		}
		return at;
	}
	return most;
}

/* n bytes are in memory from the beginning of something: is it a record, of which a bit of the size may be wrong? */
static bool
repair_begins(const struct source *s, const struct pp_rec *r, size_t n)
{
	bool cut = s->inner || s->win.eof;
	struct pp_rec all = *r;
	struct pp_err e = { 0 };

	if (!pp_type_name(r->type)) {
		if (!r->type || r->size < PP_HEADER_SIZE || (r->type <= UINT16_MAX && r->size & 7))
			return false;
		return r->type <= UINT16_MAX || (n >= r->size && repair_plausible(s, r->raw + r->size, n - r->size, false));
	}
	all.size = n < PP_RECORD_MAX ? (uint16_t)n : PP_RECORD_MAX;
	if (cut && n < AHEAD && r->size > n && pp_header_plausible(r))
		return true;
	if (r->type == PP_SAMPLE && s->pub.events->n)
		return (r->misc & PP_MISC_CPUMODE_MASK) <= PP_MISC_GUEST_USER && repair_fits(s, &all) >= 0;
	if (pp_header_plausible(r) && r->size > n)
		return r->type >= PP_USER_TYPE_START;
	if (pp_header_plausible(r) && pp_judge(s->pub.events, r, &e) > 0)
		return true;
	return r->type < PP_USER_TYPE_START && r->type != PP_READ &&
	    __builtin_popcountll(pp_kernel_needs(s->pub.events, r, n) ^ r->size) == 1;
}

/* Do its last bytes show that it is whole?  The first attr need not be: without it, nothing has a meaning. */
static bool
repair_ends(const struct source *s, const struct pp_rec *r)
{
	if (r->type == PP_HEADER_ATTR && !s->pub.events->n)
		return true;
	if (r->type < PP_USER_TYPE_START)
		return r->type != PP_SAMPLE && repair_fits(s, r) == FIT_SURE;
	return r->size == PP_HEADER_SIZE;
}

/* n bytes are in memory behind the record: does another one follow?  1, or -1. */
static int
repair_check_next(struct source *s, const struct pp_rec *r, const uint8_t *next, size_t n)
{
	struct pp_rec x;

	if (n < PP_HEADER_SIZE)
		return 1;
	x = repair_view(s, next);
	return repair_begins(s, &x, n) || repair_ends(s, r) ? 1 :
	    pp_fail(s->err, "%s%u bytes, and no record follows", pp_type_name(r->type) ? "" : "unknown type, ", r->size);
}

/* Is the event of a kernel record known, and does perf read the sample?  1, or -1. */
static int
repair_check_event(struct source *s, const struct pp_rec *r)
{
	const struct pp_event *ev;
	struct pp_part stack[PP_SHAPE_STEPS];
	struct pp_err e = { 0 };

	if (r->type >= PP_USER_TYPE_START || !pp_type_name(r->type) || !s->pub.events->n)
		return 1;
	if (!(ev = pp_event_find(s->pub.events, r, s->err)))
		return -1;
	if (r->type == PP_SAMPLE && pp_sample_parts(stack, PP_SAMPLE_STACK_USER, ev, r, s->pub.swap, &e) > 0 && stack->n > 8 &&
	    pp_get_u64(stack->p + stack->n - 8, s->pub.swap) > pp_get_u64(stack->p, s->pub.swap))
		return pp_fail(s->err, "more user stack is used than was copied");
	return 1;
}

int
repair_check(struct source *s, const struct pp_rec *r)
{
	uint64_t payload = pp_payload_size(r, s->pub.swap);
	uint16_t size = r->size;
	struct pp_rec now;

	if (payload > repair_behind(s, r))
		return pp_fail(s->err, "%ju bytes behind it, %ju are there", (uintmax_t)payload,
		    (uintmax_t)repair_behind(s, r));
	if (payload)
		return 1;
	if (repair_check_event(s, r) < 0 || window_ahead(s, size + (size_t)AHEAD) < 0)
		return -1;
	now = repair_view(s, s->pub.pos);
	return repair_check_next(s, &now, s->pub.pos + size, (size_t)(s->win.end - s->pub.pos) - size);
}

int
repair_check_inner(struct source *s, const struct pp_rec *r, size_t left)
{
	if (!s->repair)
		return 1;
	return repair_check_event(s, r) < 0 ? -1 : repair_check_next(s, r, r->raw + r->size, left - r->size);
}

/* ---- search ---------------------------------------------------------------------------------------- */

/* window_fill() for a search; what could not be read ahead fails later, behind what is found in front of it. */
static int
repair_fill(struct source *s)
{
	return window_ahead(s, LOOK) < 0 ? -1 : s->win.end - s->pub.pos >= LOOK;
}

/* Search from the outer position on.  Returns the number of bytes skipped, or -1. */
static int64_t
repair_search(struct source *s)
{
	int64_t lost = 0;

	for (;;) {
		int rc = repair_fill(s);
		size_t n = (size_t)(s->win.end - s->pub.pos), most = rc ? n - LOOK / 2 : n, at;

		if (rc < 0)
			return -1;
		at = repair_find(s, s->pub.pos, n, most, !rc);
		lost += (int64_t)at;
		s->pub.pos += at;
		if (at < most || !rc)
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
	if ((rc = repair_fill(s)) < 0)
		return -1;
	n = (size_t)(s->win.end - s->pub.pos);
	size = n < PP_HEADER_SIZE ? 0 : PP_RAW_GET(s->pub.pos, header, size, s->pub.swap);
	type = size ? pp_get_u32(s->pub.pos, s->pub.swap) : 0;
	if (n < PP_HEADER_SIZE) {
		lost = (int64_t)n;
		s->pub.pos = s->win.end;
	} else if ((type == PP_COMPRESSED || type == PP_COMPRESSED2) && size >= PP_HEADER_SIZE && size <= n &&
	    repair_plausible(s, s->pub.pos + size, n - size, !rc)) {
		lost = (int64_t)size;
		s->pub.pos += size;
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
	return 1 + repair_find(s, p + 1, n - 1, n - 1, false);
}
