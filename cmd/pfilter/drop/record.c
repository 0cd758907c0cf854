/* SPDX-License-Identifier: ISC */
/*
 * record.c - removes events from records.
 *
 * Records about a removed event alone are removed.  Records that the event only carried for others (names, maps, switches, losses
 * of the buffer) move to the heir: they get its id and the layout of its trailer.
 *
 * A new type of record needs nothing here if its class in record.def is right; kernel() and user() list the classes that are
 * removed or changed.
 */
#include <stdlib.h>
#include <string.h>

#include "record/attr.h"
#include "record/event.h"
#include "record/meaning.h"
#include "record/raw.h"
#include "record/sample.h"
#include "in.h"

enum { TYPE_TRACEPOINT = 2 };

static const uint64_t tracking_bits = 0
#define FLAG_OWN	UINT64_C(0)
#define FLAG_SIDEBAND	UINT64_C(1)
#define FLAG(bit, name, what) | FLAG_##what << (bit)
#include "record/flag.def"
#undef FLAG
    ;

uint64_t
drop_tracking(const struct pp_event *ev)
{
	return ev->attr.flags & tracking_bits;
}

/* ---- what follows from the choice -------------------------------------------------------------------- */

static bool
same_trailer(const struct pp_plan *a, const struct pp_plan *b)
{
	return !memcmp(&a->t_tid, &b->t_tid, sizeof *a - offsetof(struct pp_plan, t_tid));
}

/* How suitable is the event as heir? */
static int
fitness(const struct dropping *d, const struct pp_event *ev)
{
	return (ev->plan.t_time ? 4 : 0) + (same_trailer(&ev->plan, &d->events->ev[0]->plan) ? 2 : 0) +
	    (drop_tracking(ev) ? 1 : 0);
}

static void
choose_heir(struct dropping *d)
{
	for (unsigned i = 0; i < d->n; i++) {
		const struct pp_event *ev = d->events->ev[i];

		if (d->gone[i]) {
			d->tracking |= drop_tracking(ev);
			continue;
		}
		if (!d->first)
			d->first = ev;
		if (!d->heir || fitness(d, ev) > fitness(d, d->heir))
			d->heir = ev;
	}
	d->tracking &= ~d->heir->attr.flags;
}

/* The ids of an event are in the order of its CPUs or threads: its first id is replaced by the first of the heir, and so on. */
static int
move_ids(struct dropping *d)
{
	const struct pp_event *to = d->heir;

	for (unsigned i = 0; i < d->n; i++) {
		const struct pp_event *ev = d->events->ev[i];

		for (unsigned k = 0; k < ev->nids && d->gone[i]; k++)
			if (pp_ids_put(&d->moved, ev->ids[k], !to->nids ? 0 : to->ids[k < to->nids ? k : 0]) < 0)
				return pp_fail_memory(d->err);
	}
	return 1;
}

static uint16_t
id_back(const struct pp_plan *p)
{
	return p->t_identifier ? p->t_identifier : p->t_id;
}

/* perf uses the position of the id in the first attr for all events: the kept events must agree on it. */
static void
check_places(const struct dropping *d, unsigned stay)
{
	const struct pp_plan *first = &d->first->plan;

	for (unsigned i = 0; i < d->n && stay > 1; i++) {
		const struct pp_plan *p = &d->events->ev[i]->plan;
		bool agrees = (p->identifier ? p->identifier : p->id) == (first->identifier ? first->identifier : first->id) &&
		    id_back(p) == id_back(first);

		if (!d->gone[i] && !agrees)
			tool_wrong(d->tool, "events %s and %s have their ids at different positions: remove one of them, too",
			    d->first->name, d->events->ev[i]->name);
	}
}

int
drop_settle(struct dropping *d)
{
	unsigned tracepoints = 0, stay = 0, stay_tracepoints = 0;

	if (!(d->rank = calloc(d->n + 1, sizeof *d->rank)))
		return pp_fail_memory(d->err);
	choose_heir(d);
	for (unsigned i = 0; i < d->n; i++) {
		bool tracepoint = d->events->ev[i]->attr.type == TYPE_TRACEPOINT;

		d->rank[i] = stay;
		tracepoints += tracepoint;
		stay += !d->gone[i];
		stay_tracepoints += tracepoint && !d->gone[i];
	}
	d->rank[d->n] = stay;
	d->no_tracing = tracepoints && !stay_tracepoints;
	check_places(d, stay);
	return move_ids(d);
}

void
drop_settled_free(struct dropping *d)
{
	pp_ids_free(&d->moved);
	free(d->gone);
	free(d->rank);
}

/* ---- what changes ------------------------------------------------------------------------------------ */

/* Copy the record to buf, so that it can be changed. */
static uint8_t *
own(struct dropping *d, struct pp_rec *r)
{
	if (r->raw != d->buf)
		r->raw = memcpy(d->buf, r->raw, r->size);
	return d->buf;
}

static void
set_size(struct dropping *d, struct pp_rec *r, size_t size)
{
	r->size = (uint16_t)size;
	PP_RAW_SET(d->buf, header, size, r->size, d->swap);
}

static bool
id_goes(const struct dropping *d, uint64_t id)
{
	return drop_goes(d, pp_event_by_id(d->events, id));
}

/* An EVENT_UPDATE with id 0 is about the first event. */
static bool
update_goes(const struct dropping *d, uint64_t id)
{
	return id || !d->events->n ? id_goes(d, id) : drop_goes(d, d->events->ev[0]);
}

static uint64_t
move_id(const struct dropping *d, uint64_t id)
{
	uint64_t to = id;

	if (id_goes(d, id))
		pp_ids_get(&d->moved, id, &to);
	return to;
}

void
drop_attr(const struct dropping *d, uint8_t *attr)
{
	for (unsigned n = 0; n < 64; n++)
		if (d->tracking >> n & 1)
			pp_attr_flag(attr, n, true, d->swap);
}

static int
attr(struct dropping *d, struct pp_rec *r)
{
	unsigned i = d->attrs++;

	if (i >= d->n)
		return 1;		/* its event came after `gone' was set */
	if (d->gone[i])
		return 0;
	if (d->events->ev[i] == d->heir && d->tracking)
		drop_attr(d, own(d, r) + PP_HEADER_SIZE);
	return 1;
}

/* u64 nr, nr x { id, idx, cpu, tid }, and with guests nr x { machine_pid, vcpu } */
static int
id_index(struct dropping *d, struct pp_rec *r)
{
	enum { HEAD = PP_RAW_AT(ID_INDEX, id), ENTRY = PP_RAW_ENTRY(ID_INDEX, id), GUEST = sizeof(struct pp_raw_guest) };
	uint64_t nr = PP_RAW_GET(r->raw, ID_INDEX, nr, d->swap), left = 0;
	bool guests = nr && (uint64_t)(r->size - HEAD) / (ENTRY + GUEST) >= nr;
	uint8_t *to;

	for (uint64_t i = 0; i < nr; i++)
		left += !id_goes(d, PP_RAW_GET(r->raw + i * ENTRY, ID_INDEX, id, d->swap));
	if (left == nr)
		return 1;
	if (!left)
		return 0;
	to = d->buf + HEAD;
	memcpy(d->buf, r->raw, HEAD);
	PP_RAW_SET(d->buf, ID_INDEX, nr, left, d->swap);
	for (int second = 0; second < 1 + guests; second++)
		for (uint64_t i = 0; i < nr; i++) {
			const uint8_t *entry = r->raw + HEAD + i * ENTRY;
			size_t n = second ? GUEST : ENTRY;

			if (id_goes(d, pp_get_u64(entry, d->swap)))
				continue;
			memcpy(to, second ? r->raw + HEAD + nr * ENTRY + i * GUEST : entry, n);
			to += n;
		}
	r->raw = d->buf;
	set_size(d, r, (size_t)(to - d->buf));
	return 1;
}

/* READ values at offset `at': remove values of removed events from a group. */
static int
read_values(struct dropping *d, struct pp_rec *r, size_t at, uint64_t format)
{
	struct pp_cur c = pp_cur(r->raw + at, r->size - at, d->swap);
	struct pp_read rd;
	uint64_t left = 0;
	size_t first, end;
	uint8_t *p;

	if (!(format & PP_FORMAT_GROUP) || !(format & PP_FORMAT_ID))
		return 1;
	pp_read_get(&rd, &c, format);
	if (c.bad)
		return pp_fail(d->err, "read values lie past the end of %u bytes", r->size);
	for (uint64_t i = 0; i < rd.nr; i++)
		left += !id_goes(d, pp_get_u64(rd.values + i * rd.stride + rd.id_at, d->swap));
	if (left == rd.nr)
		return 1;
	first = (size_t)(rd.values - r->raw);
	end = first + rd.nr * rd.stride;
	p = own(d, r);
	pp_set_u64(p + at, left, d->swap);
	at = first;
	for (size_t from = first; from < end; from += rd.stride)
		if (!id_goes(d, pp_get_u64(p + from + rd.id_at, d->swap))) {
			memmove(p + at, p + from, rd.stride);
			at += rd.stride;
		}
	memmove(p + at, p + end, r->size - end);
	set_size(d, r, r->size - (end - at));
	return 1;
}

/* A removed sample may hold counts of kept events: warn. */
static void
warn_of_group(struct dropping *d, const struct pp_event *ev, const struct pp_rec *r)
{
	const uint64_t format = PP_FORMAT_GROUP | PP_FORMAT_ID;
	struct pp_cur c = pp_cur(r->raw + ev->plan.fixed, r->size - ev->plan.fixed, d->swap);
	struct pp_read rd;

	if (d->warned || !(ev->attr.sample_type & PP_SAMPLE_READ) || (ev->attr.read_format & format) != format)
		return;
	pp_read_get(&rd, &c, ev->attr.read_format);
	for (uint64_t i = 0; !c.bad && i < rd.nr && !d->warned; i++) {
		const struct pp_event *member = pp_event_by_id(d->events, pp_get_u64(rd.values + i * rd.stride + rd.id_at, d->swap));

		if (member && !drop_goes(d, member)) {
			d->warned = true;
			tool_warn(d->tool, "event %s leads a group: what %s counted is in its samples, and is removed with them",
			    ev->name, member->name);
		}
	}
}

/* Replace the trailer by one in the layout of another event, with that id. */
static int
move_trailer(struct dropping *d, struct pp_rec *r, const struct pp_plan *from, const struct pp_plan *to, uint64_t id)
{
	const struct { uint16_t to, from; enum { COPY, ID, STREAM } what; } f[] = {
		{ to->t_tid, from->t_tid, COPY }, { to->t_time, from->t_time, COPY }, { to->t_id, from->t_id, ID },
		{ to->t_stream_id, from->t_stream_id, STREAM }, { to->t_cpu, from->t_cpu, COPY },
		{ to->t_identifier, from->t_identifier, ID },
	};
	size_t body = r->size - from->trailer;
	uint8_t tail[64] = { 0 };

	for (size_t i = 0; i < sizeof f / sizeof *f; i++) {
		const uint8_t *old = r->raw + r->size - f[i].from;
		uint8_t *p = tail + to->trailer - f[i].to;

		if (!f[i].to)
			continue;
		if (f[i].what == ID)
			pp_set_u64(p, id, d->swap);
		else if (f[i].what == STREAM && f[i].from)
			pp_set_u64(p, move_id(d, pp_get_u64(old, d->swap)), d->swap);
		else if (f[i].from)
			memcpy(p, old, 8);
	}
	if (body + to->trailer > PP_RECORD_MAX)
		return pp_fail(d->err, "record of %u bytes cannot hold the trailer of another event", r->size);
	memcpy(own(d, r) + body, tail, to->trailer);
	set_size(d, r, body + to->trailer);
	return 1;
}

/* A record carried by a removed event moves to another one. */
static int
move_to_heir(struct dropping *d, struct pp_rec *r, const struct pp_event *ev)
{
	const struct pp_plan *from = &ev->plan, none = { .trailer = 0 };
	uint64_t id;

	if (!pp_type_has_trailer(r->type))
		return 1;		/* unknown type */
	if (!pp_has_trailer(ev, r))
		from = &none;
	id = id_back(from) ? pp_get_u64(r->raw + r->size - id_back(from), d->swap) : 0;
	/* 0: synthesised; perf assigns it to the first event */
	return move_trailer(d, r, from, id ? &d->heir->plan : &d->first->plan, move_id(d, id));
}

/* ---- records ----------------------------------------------------------------------------------------- */

/* The attr.type of the event whose trace AUXTRACE_INFO (u32 type, u32, u64 private[]) describes; NO_PMU: not known. */
enum { NO_PMU = -2 };
static int64_t
trace_pmu(const struct dropping *d, const struct pp_rec *r)
{
	enum { INTEL_PT = 1, INTEL_BTS, CS_ETM, ARM_SPE, HISI_PTT = 6 };
	struct pp_cur c = pp_cur(r->raw + PP_RAW_AT(AUXTRACE_INFO, priv), r->size - PP_RAW_AT(AUXTRACE_INFO, priv), d->swap);
	size_t words = pp_left(&c) / 8;
	uint64_t w[3];

	for (int i = 0; i < 3; i++)
		w[i] = pp_take_u64(&c);
	switch (PP_RAW_GET(r->raw, AUXTRACE_INFO, auxtrace_type, d->swap)) {
	case INTEL_PT: case INTEL_BTS: case HISI_PTT:
		return words ? (int64_t)(uint32_t)w[0] : NO_PMU;
	case CS_ETM:
		return words > 1 ? (int64_t)(w[1] >> 32) : NO_PMU;
	case ARM_SPE:			/* the first version had no version field */
		return words == 2 ? (int64_t)(uint32_t)w[0] : words > 2 ? (int64_t)(uint32_t)w[2] : NO_PMU;
	default:
		return NO_PMU;
	}
}

/* Are all events of the PMU of the trace removed? */
static bool
trace_goes(const struct dropping *d, const struct pp_rec *r)
{
	int64_t pmu = trace_pmu(d, r);
	bool goes = false;

	for (unsigned i = 0; i < d->n; i++) {
		if (d->events->ev[i]->attr.type != pmu)
			continue;
		if (!d->gone[i])
			return false;
		goes = true;
	}
	return goes;
}

/* A LOST counts records of the buffer, which all events share. */
static void
move_loss(struct dropping *d, struct pp_rec *r)
{
	unsigned width, at = pp_role_place(r->type, PP_ROLE_ID_REF, &width);
	uint64_t id = at ? pp_get_u64(r->raw + at, d->swap) : 0;

	if (at && id_goes(d, id))
		pp_set_u64(own(d, r) + at, move_id(d, id), d->swap);
}

static int
sample(struct dropping *d, struct pp_rec *r)
{
	const struct pp_event *ev = pp_event_find(d->events, r, d->err);

	if (!ev)
		return -1;
	if (drop_goes(d, ev)) {
		warn_of_group(d, ev, r);
		return 0;
	}
	return ev->attr.sample_type & PP_SAMPLE_READ ? read_values(d, r, ev->plan.fixed, ev->attr.read_format) : 1;
}

/* Any but a SAMPLE. */
static int
kernel(struct dropping *d, struct pp_rec *r)
{
	const struct pp_event *ev = pp_event_find(d->events, r, d->err);
	bool goes = drop_goes(d, ev);

	if (!ev)
		return -1;
	switch (pp_type_class(r->type)) {
	case PP_CLASS_COUNT:
		return goes ? 0 : read_values(d, r, pp_type_min(r->type), ev->attr.read_format);
	case PP_CLASS_THROTTLE:
	case PP_CLASS_EVENT_LOSS:
		return !goes;
	case PP_CLASS_LOSS:
		move_loss(d, r);
		break;
	case PP_CLASS_TRACE:
		if (d->no_trace)
			return 0;
		break;
	default:
		break;
	}
	return goes ? move_to_heir(d, r, ev) : 1;
}

/* The id of the event that a record of type 64 and up belongs to; false: none. */
static bool
own_id(const struct pp_rec *r, bool swap, uint64_t *id)
{
	unsigned width, at = pp_meaning(r->type)->roles & PP_ROLE_BIT(ID_OWN) ? pp_role_place(r->type, PP_ROLE_ID_OWN, &width) : 0;

	if (at)
		*id = pp_get_u64(r->raw + at, swap);
	return at;
}

static int
user(struct dropping *d, struct pp_rec *r)
{
	uint64_t id;

	switch (pp_type_class(r->type)) {
	case PP_CLASS_FORMATS:
		return !d->no_tracing;
	case PP_CLASS_TRACE_HEAD:	/* there is only one */
		if (!d->trace_known)
			d->no_trace = trace_goes(d, r);
		d->trace_known = true;
		return !d->no_trace;
	case PP_CLASS_TRACE:
		return !d->no_trace;
	default:
		return !(own_id(r, d->swap, &id) && id_goes(d, id));
	}
}

int
drop_record(struct dropping *d, struct pp_rec *r)
{
	switch (r->type) {
	case PP_SAMPLE:
		return sample(d, r);
	case PP_HEADER_ATTR:
		return attr(d, r);
	case PP_HEADER_FEATURE:
		return drop_feature(d, r);
	case PP_ID_INDEX:
		return id_index(d, r);
	case PP_EVENT_UPDATE:
		return !update_goes(d, PP_RAW_GET(r->raw, EVENT_UPDATE, id, d->swap));
	default:
		return r->type < PP_USER_TYPE_START ? kernel(d, r) : user(d, r);
	}
}

/* ---- use --------------------------------------------------------------------------------------------- */

static void
use(bool *used, unsigned n, const struct pp_event *ev)
{
	if (ev && ev->index < n)
		used[ev->index] = true;
}

void
drop_note_use(bool *used, unsigned n, const struct pp_events *e, const struct pp_event *ev, const struct pp_rec *r)
{
	const uint64_t format = PP_FORMAT_GROUP | PP_FORMAT_ID;
	struct pp_read rd;
	struct pp_cur c;
	uint64_t id;

	if (pp_type_is(r->type, PP_CLASS_BIT(STAT)) && own_id(r, e->swap, &id))
		use(used, n, pp_event_by_id(e, id));
	if (!ev || pp_type_is(r->type, PP_CLASSES_LOSS | PP_CLASS_BIT(THROTTLE)))
		return;
	if (r->type != PP_SAMPLE) {	/* side-band that the event carries; id 0: no event */
		if (pp_has_trailer(ev, r) && id_back(&ev->plan) &&
		    pp_get_u64(r->raw + r->size - id_back(&ev->plan), e->swap))
			use(used, n, ev);
		return;
	}
	use(used, n, ev);
	if (!(ev->attr.sample_type & PP_SAMPLE_READ) || (ev->attr.read_format & format) != format)
		return;
	c = pp_cur(r->raw + ev->plan.fixed, r->size - ev->plan.fixed, e->swap);
	pp_read_get(&rd, &c, ev->attr.read_format);
	for (uint64_t i = 0; !c.bad && i < rd.nr; i++)
		use(used, n, pp_event_by_id(e, pp_get_u64(rd.values + i * rd.stride + rd.id_at, e->swap)));
}
