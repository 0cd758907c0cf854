/* SPDX-License-Identifier: ISC */
#include <stdlib.h>
#include <string.h>

#include "record/event.h"
#include "record/attr.h"
#include "record/raw.h"
#include "record/meaning.h"
#include "rewrite.h"
#include "record/sample.h"
#include "set.h"
#include "record/shape.h"

enum { TYPE_TRACEPOINT = 2 };		/* attr.type */

/* ---- ids --------------------------------------------------------------------------------------- */

static struct pp_idpair *
find(const struct pp_ids *m, uint64_t from)
{
	uint64_t hash = set_hash(&m->by, from);
	uint32_t i;

	for (uint64_t at = 0; m->by.n && (i = set_next(&m->by, hash, &at));)
		if (m->pair[i - 1].from == from)
			return &m->pair[i - 1];
	return NULL;
}

int
pp_ids_put(struct pp_ids *m, uint64_t from, uint64_t to)
{
	struct pp_idpair *p = find(m, from);

	if (!p) {
		if (!m->by.mul)
			set_init(&m->by);
		if (!(p = array_more(m->pair, m->by.n, 1, sizeof *p)))
			return -1;
		m->pair = p;
		if (set_add(&m->by, set_hash(&m->by, from), m->by.n + 1) < 0)
			return -1;
		p += m->by.n - 1;
	}
	*p = (struct pp_idpair){ from, to };
	return 1;
}

bool
pp_ids_get(const struct pp_ids *m, uint64_t from, uint64_t *to)
{
	const struct pp_idpair *p = find(m, from);

	if (p && to)
		*to = p->to;
	return p;
}

void
pp_ids_free(struct pp_ids *m)
{
	set_free(&m->by);
	free(m->pair);
	*m = (struct pp_ids){ 0 };
}

/* ---- values ------------------------------------------------------------------------------------ */

/* Make sure that the record is in buf, where it can be changed. */
static uint8_t *
own(const struct pp_rewrite *rw, struct pp_rec *r)
{
	if (r->raw != rw->buf) {
		memcpy(rw->buf, r->raw, r->size);
		r->raw = rw->buf;
	}
	return rw->buf;
}

/* Insert n zeros at offset `at'. */
static bool
grow(const struct pp_rewrite *rw, struct pp_rec *r, unsigned at, unsigned n)
{
	if (r->size + n > PP_RECORD_MAX)
		return false;
	if (r->raw != rw->buf)
		memcpy(rw->buf, r->raw, at);
	memmove(rw->buf + at + n, r->raw + at, r->size - at);
	memset(rw->buf + at, 0, n);
	r->raw = rw->buf;
	r->size = (uint16_t)(r->size + n);
	PP_RAW_SET(rw->buf, header, size, r->size, rw->swap);
	return true;
}

static void
change(const struct pp_rewrite *rw, struct pp_rec *r, size_t at, size_t len, uint64_t old, uint64_t new)
{
	if (old == new)
		return;
	if (len == 8)
		pp_set_u64(own(rw, r) + at, new, rw->swap);
	else
		pp_set_u32(own(rw, r) + at, (uint32_t)new, rw->swap);
}

/* The id that determines the record's event.  perf takes 0 for the first event, and any id if there is only one event. */
static uint64_t
owner(const struct pp_rewrite *rw, uint64_t id)
{
	uint64_t new;

	if (!rw->ids)
		return id;
	if (id && pp_ids_get(rw->ids, id, &new))
		return new;
	return !id || rw->events->n == 1 ? rw->first_id : id;
}

/* An id that does not determine the event. */
static uint64_t
mention(const struct pp_rewrite *rw, uint64_t id)
{
	uint64_t new;

	if (!rw->ids || pp_ids_get(rw->ids, id, &new))
		return rw->ids ? new : id;
	return rw->taken && pp_ids_get(rw->taken, id, NULL) ? 0 : id;
}

/* The changes by role. */
#define PIDS	(PP_ROLE_BIT(PID) | PP_ROLE_BIT(TID) | PP_ROLE_BIT(PPID) | PP_ROLE_BIT(PTID) | PP_ROLE_BIT(OTHER_PID) | \
		PP_ROLE_BIT(OTHER_TID))
#define IDS	(PP_ROLE_BIT(ID_OWN) | PP_ROLE_BIT(ID_REF) | PP_ROLE_BIT(STREAM_ID))
#define TIMES	(PP_ROLE_BIT(TIME) | PP_ROLE_BIT(CLOCK))

/* In samples only the fields of the plan, and READ values. */
_Static_assert(!((0
#define ROLES_EDGE(role)
#define ROLES_BOTH(role)
#define ROLES_FIXED(role)
#define ROLES_TAIL(role) | PP_ROLE_BIT(role)
#define SAMPLE(bit, NAME, name, where, form, role, ...) ROLES_##where(role)
#include "record/sample.def"
#undef SAMPLE
    ) & (PIDS | IDS | TIMES | PP_ROLE_BIT(GUEST_PID))), "sample() changes no such field behind the fixed part");

static bool
moves_pids(const struct pp_rewrite *rw)
{
	return rw->pid_shift || rw->pid_map;
}

/* The new number of a pid or tid of `len' bytes. */
static uint64_t
move_pid(const struct pp_rewrite *rw, size_t len, uint64_t old)
{
	if (!old || (len == 8 ? old == UINT64_MAX : old == UINT32_MAX))
		return old;
	if (rw->pid_map)
		return rw->pid_map(rw->pid_arg, (uint32_t)old);
	return len == 8 && old >= INT32_MAX ? old : old + rw->pid_shift;
}

static int
move_time(const struct pp_rewrite *rw, uint64_t *t)
{
	int64_t shift = (int64_t)rw->time_shift;

	if (!*t || *t == UINT64_MAX)
		return 1;
	if (shift < 0 ? *t <= 0 - rw->time_shift : *t >= UINT64_MAX - rw->time_shift)
		return pp_fail(rw->err, "time %ju.%09ju moved by %jd ns leaves the range of times",
		    (uintmax_t)(*t / 1000000000), (uintmax_t)(*t % 1000000000), (intmax_t)shift);
	*t += rw->time_shift;
	return 1;
}

/* Change the value of `len' bytes at offset `at'. */
static int
value(const struct pp_rewrite *rw, struct pp_rec *r, size_t at, size_t len, enum pp_role role)
{
	uint64_t old = len == 8 ? pp_get_u64(r->raw + at, rw->swap) : pp_get_u32(r->raw + at, rw->swap), new = old;

	switch (role) {
	case PP_ROLE_TIME:
		if (move_time(rw, &new) < 0)
			return -1;
		break;
	case PP_ROLE_CLOCK:		/* modulo 2^64: only its sum with a scaled counter is a time */
		new = old + rw->time_shift;
		break;
	case PP_ROLE_ID_OWN:
		new = owner(rw, old);
		break;
	case PP_ROLE_ID_REF:
		new = mention(rw, old);
		break;
	case PP_ROLE_STREAM_ID:		/* the own id of an inherited event is in no attr, and no reader looks it up */
		if (rw->ids)
			pp_ids_get(rw->ids, old, &new);
		break;
	default:			/* PIDS, GUEST_PID */
		new = move_pid(rw, len, old);
	}
	change(rw, r, at, len, old, new);
	return 1;
}

/* READ values at offset `at'. */
static void
read_ids(const struct pp_rewrite *rw, struct pp_rec *r, size_t at, uint64_t format)
{
	struct pp_cur c = pp_cur(r->raw + at, r->size - at, rw->swap);
	struct pp_read rd;
	size_t first;

	pp_read_get(&rd, &c, format);
	if (c.bad || !rd.id_at)
		return;
	first = (size_t)(rd.values - r->raw) + rd.id_at;
	for (uint64_t i = 0; i < rd.nr; i++)
		value(rw, r, first + i * rd.stride, 8, PP_ROLE_ID_REF);
}

bool
pp_is_short_mmap2(const struct pp_rec *r, bool swap)
{
	enum { PROT = PP_RAW_AT(MMAP2, prot), RWX = 7 };

	return r->type == PP_MMAP2 && r->size >= PROT + 4 && !(r->misc & PP_MISC_MMAP_BUILD_ID) && pp_get_u32(r->raw + PROT, swap) > RWX;
}

/* ---- samples and trailers ---------------------------------------------------------------------- */

/* The number of the tracepoint in its payload.  A sample that is cut keeps its bytes: nobody finds a payload in it. */
static void
payload(const struct pp_rewrite *rw, struct pp_rec *r, const struct pp_event *ev)
{
	enum { HEAD = 4, TYPE = 2 };	/* u32 size, u16 common_type */
	struct pp_part part[PP_SHAPE_STEPS];
	struct pp_err err = { 0 };
	uint64_t new;
	size_t at;

	if (pp_sample_parts(part, PP_SAMPLE_RAW, ev, r, rw->swap, &err) != 1 || pp_get_u32(part->p, rw->swap) < TYPE)
		return;
	at = (size_t)(part->p - r->raw) + HEAD;
	if (pp_ids_get(rw->formats, pp_get_u16(r->raw + at, rw->payload_swap), &new))
		pp_set_u16(own(rw, r) + at, (uint16_t)new, rw->payload_swap);
}

static int
sample(const struct pp_rewrite *rw, struct pp_rec *r)
{
	const struct pp_event *ev = pp_event_find(rw->events, r, rw->err);
	const struct pp_plan *p;
	unsigned d = 0;

	if (!ev)
		return -1;
	if (rw->formats && ev->attr.type == TYPE_TRACEPOINT)
		payload(rw, r, ev);
	p = &ev->plan;
	if (rw->identifier && !p->identifier) {
		uint64_t id = p->id ? pp_get_u64(r->raw + p->id, rw->swap) : 0;

		if (!grow(rw, r, PP_HEADER_SIZE, 8))
			return 2;
		pp_set_u64(rw->buf + PP_HEADER_SIZE, owner(rw, id), rw->swap);
		d = 8;
	}
	if (rw->ids) {
		if (p->identifier)
			value(rw, r, p->identifier, 8, PP_ROLE_ID_OWN);
		if (p->id)
			value(rw, r, p->id + d, 8, PP_ROLE_ID_OWN);
		if (p->stream_id)
			value(rw, r, p->stream_id + d, 8, PP_ROLE_STREAM_ID);
		if (ev->attr.sample_type & PP_SAMPLE_READ)
			read_ids(rw, r, p->fixed + d, ev->attr.read_format);
	}
	if (moves_pids(rw) && p->tid) {
		value(rw, r, p->tid + d, 4, PP_ROLE_PID);
		value(rw, r, p->tid + d + 4, 4, PP_ROLE_TID);
	}
	return rw->time_shift && p->time ? value(rw, r, p->time + d, 8, PP_ROLE_TIME) : 1;
}

static int
trailer(const struct pp_rewrite *rw, struct pp_rec *r, const struct pp_event *ev)
{
	const struct pp_plan *p = &ev->plan;
	bool has = pp_has_trailer(ev, r);
	unsigned back = p->t_identifier ? p->t_identifier : p->t_id, end = r->size;
	uint64_t id = has && back ? pp_get_u64(r->raw + end - back, rw->swap) : 0;

	if (rw->identifier && !(has && p->t_identifier)) {
		if (!grow(rw, r, end, has ? 8 : pp_trailer_size(ev->attr.sample_type | PP_SAMPLE_IDENTIFIER)))
			return 2;
		pp_set_u64(rw->buf + r->size - 8, owner(rw, id), rw->swap);
	}
	if (!has)
		return 1;
	if (rw->ids && (id || rw->zero)) {
		if (p->t_identifier)
			value(rw, r, end - p->t_identifier, 8, PP_ROLE_ID_OWN);
		if (p->t_id)
			value(rw, r, end - p->t_id, 8, PP_ROLE_ID_OWN);
		if (p->t_stream_id)
			value(rw, r, end - p->t_stream_id, 8, PP_ROLE_STREAM_ID);
	}
	if (moves_pids(rw) && p->t_tid) {
		value(rw, r, end - p->t_tid, 4, PP_ROLE_PID);
		value(rw, r, end - p->t_tid + 4, 4, PP_ROLE_TID);
	}
	return rw->time_shift && p->t_time ? value(rw, r, end - p->t_time, 8, PP_ROLE_TIME) : 1;
}

/* ---- bodies ------------------------------------------------------------------------------------ */

struct body {			/* a body being walked */
	const struct pp_rewrite *rw;
	struct pp_rec	*r;
	const struct pp_event *ev;	/* of a kernel record */
	const uint8_t	*base;		/* the record that is walked; the changed copy may be elsewhere */
};

static int
visit(void *arg, const struct pp_value *v)
{
	const struct body *b = arg;
	size_t at = (size_t)(v->p - b->base);

	if (v->role == PP_ROLE_READ) {
		read_ids(b->rw, b->r, at, b->ev->attr.read_format);
		return 1;
	}
	return value(b->rw, b->r, at, v->len, v->role);
}

static int
body(const struct pp_rewrite *rw, struct pp_rec *r, const struct pp_event *ev)
{
	struct body b = { .rw = rw, .r = r, .ev = ev, .base = r->raw };
	struct pp_choice choice = { .rows = 0 };
	struct pp_rec was = *r;

	choice.roles = (rw->ids ? IDS | (ev ? PP_ROLE_BIT(READ) : 0) : 0) | (moves_pids(rw) ? PIDS : 0) |
	    (rw->pid_map ? PP_ROLE_BIT(GUEST_PID) : 0) | (rw->time_shift ? TIMES : 0);
	if (!(pp_meaning(r->type)->roles & choice.roles))
		return 1;
	return pp_walk_chosen(&was, NULL, rw->swap, &choice, visit, &b, rw->err) < 0 ? -1 : 1;
}

/* Insert comm_prefix before the name, and pad to a multiple of 8: as far as the padding that is there does not suffice. */
static int
comm(const struct pp_rewrite *rw, struct pp_rec *r, const struct pp_event *ev)
{
	enum { NAME = 16 };
	size_t n = strlen(rw->comm_prefix), len = strlen((const char *)r->raw + NAME), area, needed;
	unsigned added, behind = 0;

	if (pp_has_trailer(ev, r) && r->size >= NAME + ev->plan.trailer)
		behind = ev->plan.trailer;
	area = r->size - NAME - behind;
	if (len > area)				/* the name's NUL is in the trailer */
		len = area;
	needed = (n + len + 1 + 7) & ~(size_t)7;
	added = needed > area ? (unsigned)(needed - area) : 0;
	if (n > PP_RECORD_MAX / 2 || !grow(rw, r, NAME, added))
		return 2;
	area += added;
	memmove(rw->buf + NAME + n, rw->buf + NAME + added, len);
	memcpy(rw->buf + NAME, rw->comm_prefix, n);
	memset(rw->buf + NAME + n + len, 0, area - n - len);
	return 1;
}

static int
kernel(const struct pp_rewrite *rw, struct pp_rec *r)
{
	const struct pp_event *ev = pp_event_find(rw->events, r, rw->err);
	int rc = 1;

	if (!ev)
		return -1;
	if (r->type == PP_COMM && rw->comm_prefix)
		rc = comm(rw, r, ev);
	if (rc == 1)
		rc = body(rw, r, ev);
	return rc == 1 ? trailer(rw, r, ev) : rc;
}

int
pp_rewrite(const struct pp_rewrite *rw, struct pp_rec *r)
{
	const uint8_t *was = r->raw;
	int rc;

	if (r->type == PP_SAMPLE)
		rc = sample(rw, r);
	else if (r->type < PP_USER_TYPE_START)
		rc = kernel(rw, r);
	else
		rc = body(rw, r, NULL);
	return rc == 1 ? r->raw != was : rc;
}

void
pp_rewrite_attr(const struct pp_rewrite *rw, uint8_t *attr)
{
	uint8_t *type = attr + offsetof(struct pp_attr_raw, sample_type);

	uint8_t *config = attr + offsetof(struct pp_attr_raw, config);
	uint64_t new;

	if (rw->formats && pp_get_u32(attr, rw->swap) == TYPE_TRACEPOINT && pp_ids_get(rw->formats, pp_get_u64(config, rw->swap), &new))
		pp_set_u64(config, new, rw->swap);
	if (!rw->identifier)
		return;
	pp_set_u64(type, pp_get_u64(type, rw->swap) | PP_SAMPLE_IDENTIFIER, rw->swap);
	pp_attr_flag(attr, PP_ATTR_SAMPLE_ID_ALL_BIT, true, rw->swap);
}
