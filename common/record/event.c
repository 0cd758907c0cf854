/* SPDX-License-Identifier: ISC */
/*
 * event.c - attrs, ids and names of a stream's events; which event a record belongs to; offsets of its fixed fields.  Rules:
 * perf's evlist__event2evsel, __evsel__calc_id_pos and __evsel__calc_is_pos.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "event_name.h"
#include "feature.h"
#include "event.h"
#include "judge.h"
#include "raw.h"
#include "sample.h"
#include "set.h"
#include "shape.h"
#include "tracing.h"

/* perf's own limits for a file (perf-pipe(5)); they bound the memory for a malformed stream. */
enum { EVENTS_MAX = 65536, IDS_MAX = 1 << 24, IDS_MANY = 1 << 16 };
enum { EVENT_UPDATE_UNIT = 0, EVENT_UPDATE_NAME = 2, TYPE_SOFTWARE = 1, TYPE_TRACEPOINT = 2, SOFTWARE_DUMMY = 9 };

/* ---- attrs ------------------------------------------------------------------------------------- */

/* A big-endian compiler allocates bit fields from the most significant bit: the bytes stay, the bits of each are reversed. */
static uint64_t
bit_field(const uint8_t *p, int size, bool swap)
{
	bool big = swap != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	uint64_t bits = 0;

	for (int i = 0; i < size; i++)
		for (int bit = 0; bit < 8; bit++)
			if (p[i] & 1 << (big ? 7 - bit : bit))
				bits |= UINT64_C(1) << (8 * i + bit);
	return bits;
}

void
pp_attr_get(struct pp_attr *a, const uint8_t *p, size_t len, bool swap)
{
	static const struct { uint16_t to, size; } fields[] = {
#define ATTR(field, kind, size, role) { offsetof(struct pp_attr, field), size },
#include "attr.def"
#undef ATTR
	};
	uint8_t *to = (uint8_t *)a;

	memset(a, 0, sizeof *a);
	for (size_t i = 0, at = 0; i < sizeof fields / sizeof *fields; at += fields[i++].size) {
		if (at + fields[i].size > len)
			break;
		if (fields[i].to == offsetof(struct pp_attr, flags))
			a->flags = bit_field(p + at, 8, swap);
		else if (fields[i].to == offsetof(struct pp_attr, aux_action))
			a->aux_action = (uint32_t)bit_field(p + at, 4, swap);
		else if (fields[i].size == 8)
			pp_set_u64(to + fields[i].to, pp_get_u64(p + at, swap), false);
		else if (fields[i].size == 4)
			pp_set_u32(to + fields[i].to, pp_get_u32(p + at, swap), false);
		else
			pp_set_u16(to + fields[i].to, pp_get_u16(p + at, swap), false);
	}
	if (!a->size)
		a->size = PP_ATTR_SIZE_VER0;
}

/* One place of a plan, by its offset there. */
static void
set_place(struct pp_plan *p, uint16_t member, uint16_t at)
{
	memcpy((uint8_t *)p + member, &at, sizeof at);
}

/* In the order in which the kernel writes them: perf_output_sample, __perf_event__output_id_sample. */
static void
make_plan(struct pp_plan *p, const struct pp_attr *a)
{
	const struct pp_sample_row *const end = pp_sample_rows + PP_SAMPLE_BITS;
	uint16_t before = 0;

	*p = (struct pp_plan){ .fixed = PP_HEADER_SIZE };
	if (a->flags >> PP_ATTR_SAMPLE_ID_ALL_BIT & 1)
		p->trailer = (uint16_t)pp_trailer_size(a->sample_type);
	for (const struct pp_sample_row *row = pp_sample_rows; row < end; row++) {
		if (!(a->sample_type >> row->bit & 1) || row->where == PP_WHERE_TAIL)
			continue;
		set_place(p, row->plan, p->fixed);
		p->fixed += 8;
		if (!p->trailer || row->where == PP_WHERE_FIXED)
			continue;
		set_place(p, row->trailer, row->where == PP_WHERE_EDGE ? 8 : (uint16_t)(p->trailer - before));
		before += row->where == PP_WHERE_EDGE ? 0 : 8;
	}
}

/* Compute the offsets of the fields of its records from its attr. */
static void
lay_out(struct pp_event *ev)
{
	make_plan(&ev->plan, &ev->attr);
	pp_shape_make(&ev->shape, &ev->attr);
}

/* If there is one count at most, in this machine's byte order.  The count of RAW has 4 bytes. */
void
pp_sum_make(struct pp_sum *sum, const struct pp_event *ev, bool swap)
{
	*sum = (struct pp_sum){ .need = UINT64_MAX, .base = ev->plan.fixed };
	for (unsigned i = 0; i < ev->shape.n; i++) {
		const struct pp_step *x = &ev->shape.step[i];

		if (x->head && (sum->at || x->more))
			return;
		if (x->head) {
			sum->at = sum->base;
			sum->unit = x->unit;
			sum->mask = x->head == 4 ? UINT32_MAX : UINT64_MAX;
		}
		sum->base += x->head + x->always;
	}
	if (!swap)
		sum->need = sum->base > sum->at + 8u ? sum->base : sum->at + 8u;
}

/* May it have samples?  perf's dummy event has none. */
static bool
has_samples(const struct pp_attr *a)
{
	return a->type != TYPE_SOFTWARE || a->config != SOFTWARE_DUMMY;
}

/* Another event, whose layout is known. */
static void
join_sums(struct pp_events *e, struct pp_event *ev)
{
	bool first;

	pp_sum_make(&ev->sum, ev, e->swap);
	ev->known = pp_attr_known(&ev->attr);
	if (!ev->known)
		ev->sum.need = UINT64_MAX;
	e->trailer = !e->n || e->trailer == ev->plan.trailer ? ev->plan.trailer : -1;
	if (!has_samples(&ev->attr))
		return;
	first = !e->samples;
	e->samples = true;
	if (first)
		e->sum = ev->sum;
	else if (memcmp(&e->sum, &ev->sum, sizeof e->sum))
		e->sum.need = UINT64_MAX;
}

void
pp_event_add_period(struct pp_events *e, unsigned index)
{
	struct pp_event *ev = e->ev[index];

	e->added_period = ev->added_period = true;
	ev->attr.sample_type |= PP_SAMPLE_PERIOD;
	lay_out(ev);
	ev->sum.need = UINT64_MAX;
}

/* ---- ids --------------------------------------------------------------------------------------- */

static struct pp_idslot *
find_slot(const struct pp_idmap *m, uint64_t id)
{
	size_t mask = (UINT64_C(1) << (64 - m->shift)) - 1, i = id * m->mul >> m->shift;

	while (m->slot[i].event && m->slot[i].id != id)
		i = (i + 1) & mask;
	return &m->slot[i];
}

static int
map_size(struct pp_idmap *m, unsigned shift)
{
	struct pp_idmap new = { .mul = m->mul, .shift = shift, .used = m->used };

	if (!(new.slot = calloc(UINT64_C(1) << (64 - shift), sizeof *new.slot)))
		return -1;
	for (size_t i = 0; m->slot && i < UINT64_C(1) << (64 - m->shift); i++)
		if (m->slot[i].event)
			*find_slot(&new, m->slot[i].id) = m->slot[i];
	free(m->slot);
	*m = new;
	return 1;
}

static int
map_put(struct pp_idmap *m, uint64_t id, unsigned index)
{
	struct pp_idslot *slot;

	/* Large, so that there are few collisions. */
	if ((m->used < IDS_MANY ? 4 : 2) * (m->used + 1) > UINT64_C(1) << (64 - m->shift) && map_size(m, m->shift - 1) < 0)
		return -1;
	slot = find_slot(m, id);
	m->used += !slot->event;
	*slot = (struct pp_idslot){ id, index + 1, -1 };
	return 1;
}

struct pp_event *
pp_event_by_id(const struct pp_events *e, uint64_t id)
{
	uint32_t event = find_slot(&e->map, id)->event;

	return event ? e->ev[event - 1] : NULL;
}

/* The event of an EVENT_UPDATE or EVENT_DESC: id 0 belongs to the first event, as in samples. */
static struct pp_event *
event_named(const struct pp_events *e, uint64_t id)
{
	return !id && e->n ? e->ev[0] : pp_event_by_id(e, id);
}

int64_t
pp_cpu_of_id(const struct pp_events *e, uint64_t id)
{
	const struct pp_idslot *slot = find_slot(&e->map, id);

	return slot->event ? slot->cpu : -1;
}

/* ---- learning ---------------------------------------------------------------------------------- */

struct pp_events *
pp_events_new(bool swap)
{
	struct pp_events *e = calloc(1, sizeof *e);

	if (!e)
		return NULL;
	e->swap = swap;
	e->sum.need = UINT64_MAX;
	e->map.mul = pp_seed() | 1;
	if (map_size(&e->map, 64 - 6) < 0) {
		free(e);
		return NULL;
	}
	return e;
}

static void
free_event(struct pp_event *ev)
{
	free(ev->name);
	free(ev->unit);
	free(ev->ids);
	free(ev);
}

void
pp_events_free(struct pp_events *e)
{
	if (!e)
		return;
	for (unsigned i = 0; i < e->n; i++)
		free_event(e->ev[i]);
	free(e->ev);
	free(e->map.slot);
	free(e);
}

static int
set_name(struct pp_event *ev, uint8_t from, const char *name, size_t n, struct pp_err *err)
{
	char *copy;

	if (!n || from < ev->name_from)
		return 1;
	if (!(copy = strndup(name, n)))
		return pp_fail_memory(err);
	free(ev->name);
	ev->name = copy;
	ev->name_from = from;
	return 1;
}

/* The record is sound (pp_check). */
static int
learn_attr(struct pp_events *e, const struct pp_rec *r, struct pp_err *err)
{
	size_t len = r->size - PP_HEADER_SIZE;
	struct pp_event *ev, **all;
	const uint8_t *ids;
	char name[128];

	if (!(all = array_more(e->ev, e->n, 1, sizeof *all)))
		return pp_fail_memory(err);
	e->ev = all;
	if (!(ev = calloc(1, sizeof *ev)))
		return pp_fail_memory(err);
	pp_attr_get(&ev->attr, r->raw + PP_HEADER_SIZE, len, e->swap);
	if (ev->attr.size < sizeof ev->attr)	/* the ids in the record are not part of the attr */
		pp_attr_get(&ev->attr, r->raw + PP_HEADER_SIZE, ev->attr.size, e->swap);
	ids = r->raw + PP_HEADER_SIZE + ev->attr.size;
	ev->nids = (unsigned)((len - ev->attr.size) / 8);
	ev->index = e->n;
	lay_out(ev);
	if (e->n >= EVENTS_MAX || e->nids + ev->nids > IDS_MAX) {
		free_event(ev);
		return pp_fail(err, "more than %d events or %d ids", EVENTS_MAX, IDS_MAX);
	}
	pp_event_build_name(&ev->attr, name, sizeof name);
	if (!(ev->ids = calloc(ev->nids ? ev->nids : 1, sizeof *ev->ids)) || set_name(ev, PP_NAME_BUILT, name, strlen(name), err) < 0) {
		free_event(ev);		/* what is finished after this failure finds whole events only */
		return pp_fail_memory(err);
	}
	if (!e->n) {
		const struct pp_plan *p = &ev->plan;

		e->id_off = p->identifier ? p->identifier : p->id;
		e->id_back = p->t_identifier ? p->t_identifier : p->t_id;
	}
	join_sums(e, ev);
	e->reads |= (ev->attr.sample_type & PP_SAMPLE_READ) != 0;
	e->ev[e->n++] = ev;
	e->nids += ev->nids;
	for (unsigned i = 0; i < ev->nids; i++) {
		ev->ids[i] = pp_get_u64(ids + 8 * i, e->swap);
		if (map_put(&e->map, ev->ids[i], ev->index) < 0)
			return pp_fail_memory(err);
	}
	return 1;
}

/* u32 n, u32 attr_bytes, n times: attr, u32 nr_ids, str name, u64 ids[nr_ids] */
static int
learn_event_desc(struct pp_events *e, const struct pp_rec *r, struct pp_err *err)
{
	struct pp_cur c = pp_cur(r->raw + PP_FEATURE_HEAD, r->size - PP_FEATURE_HEAD, e->swap);
	uint32_t n = pp_take_u32(&c), attr_size = pp_take_u32(&c);

	for (uint32_t i = 0; i < n && !c.bad; i++) {
		uint32_t nids, len;
		const uint8_t *name, *ids;
		struct pp_event *ev;

		pp_take(&c, attr_size);
		nids = pp_take_u32(&c);
		len = pp_take_u32(&c);
		name = pp_take(&c, len);
		ids = pp_take_n(&c, nids, 8);
		if (c.bad)
			break;
		ev = nids ? event_named(e, pp_get_u64(ids, e->swap)) : i < e->n ? e->ev[i] : NULL;
		if (ev && set_name(ev, PP_NAME_DESC, (const char *)name, strnlen((const char *)name, len), err) < 0)
			return -1;
	}
	/* perf aborts on a malformed one; header features are not judged here */
	return 1;
}

static int
learn_id_index(struct pp_events *e, const struct pp_rec *r)
{
	uint64_t nr = PP_RAW_GET(r->raw, ID_INDEX, nr, e->swap);

	for (const uint8_t *p = r->raw; nr--; p += PP_RAW_ENTRY(ID_INDEX, id)) {
		struct pp_idslot *slot = find_slot(&e->map, PP_RAW_GET(p, ID_INDEX, id, e->swap));
		int64_t cpu = (int64_t)PP_RAW_GET(p, ID_INDEX, cpu, e->swap);

		if (slot->event)
			slot->cpu = cpu < 0 || cpu > INT32_MAX ? -1 : (int32_t)cpu;
	}
	return 1;
}

/* A name, or a unit, of an event. */
static int
learn_update(struct pp_events *e, const struct pp_rec *r, struct pp_err *err)
{
	uint64_t type = PP_RAW_GET(r->raw, EVENT_UPDATE, update_type, e->swap);
	struct pp_event *ev = event_named(e, PP_RAW_GET(r->raw, EVENT_UPDATE, id, e->swap));
	const char *text = (const char *)r->raw + sizeof(struct pp_raw_EVENT_UPDATE);
	size_t n = strnlen(text, r->size - sizeof(struct pp_raw_EVENT_UPDATE));
	char *unit;

	if (!ev)	/* perf accepts it before its attr, and ignores it */
		return 1;
	if (type == EVENT_UPDATE_NAME)
		return set_name(ev, PP_NAME_UPDATE, text, n, err);
	if (type != EVENT_UPDATE_UNIT || !n)
		return 1;
	if (!(unit = strndup(text, n)))
		return pp_fail_memory(err);
	free(ev->unit);
	ev->unit = unit;
	return 1;
}

int
pp_events_learn(struct pp_events *e, const struct pp_rec *r, struct pp_err *err)
{
	switch (r->type) {
	case PP_HEADER_ATTR:
		return learn_attr(e, r, err);
	case PP_ID_INDEX:
		return learn_id_index(e, r);
	case PP_HEADER_FEATURE:
		if (PP_RAW_GET(r->raw, HEADER_FEATURE, feat_id, e->swap) == PP_FEAT_EVENT_DESC)
			return learn_event_desc(e, r, err);
		return 1;
	case PP_EVENT_UPDATE:
		return learn_update(e, r, err);
	default:
		return 1;
	}
}

int
pp_events_tracing(struct pp_events *e, const struct pp_tracing *t, struct pp_err *err)
{
	const char *name;

	for (unsigned i = 0; i < e->n; i++)
		if (e->ev[i]->attr.type == TYPE_TRACEPOINT && (name = pp_tracing_name(t, e->ev[i]->attr.config)) &&
		    set_name(e->ev[i], PP_NAME_TRACING, name, strlen(name), err) < 0)
			return -1;
	return 1;
}

/* ---- which event, which field -------------------------------------------------------------------- */

/* Is the record long enough for an id, if such records have one? */
static bool
id_fits(const struct pp_events *e, const struct pp_rec *r)
{
	return r->size >= (r->type == PP_SAMPLE ? e->id_off + 8 : PP_HEADER_SIZE + e->id_back);
}

static uint64_t
id_of(const struct pp_events *e, const struct pp_rec *r)
{
	return pp_get_u64(r->type == PP_SAMPLE ? r->raw + e->id_off : r->raw + r->size - e->id_back, e->swap);
}

bool
pp_event_unknown(const struct pp_events *e, const struct pp_rec *r)
{
	uint64_t id;

	return e->nids && (r->type == PP_SAMPLE ? e->id_off : e->id_back) && id_fits(e, r) && (id = id_of(e, r)) != 0 &&
	    !pp_event_by_id(e, id);
}

static inline const struct pp_event *
event_of(const struct pp_events *e, const struct pp_rec *r, struct pp_err *err)
{
	uint64_t id;
	struct pp_event *ev;

	if (!e->n) {
		pp_fail(err, "no HEADER_ATTR before it");
		return NULL;
	}
	if (e->n == 1)
		return e->ev[0];
	if (r->type == PP_SAMPLE ? !e->id_off : !e->id_back)
		return e->ev[0];	/* records have no ids, or sample_id_all is not set */
	if (!id_fits(e, r)) {
		pp_fail(err, "record of %u bytes is too short for its id", r->size);
		return NULL;
	}
	id = id_of(e, r);
	if (!id)			/* synthesised */
		return e->ev[0];
	if (!(ev = pp_event_by_id(e, id)))
		pp_fail(err, "id %ju belongs to no event", (uintmax_t)id);
	return ev;
}

const struct pp_event *
pp_event_of(const struct pp_events *e, const struct pp_rec *r, struct pp_err *err)
{
	return event_of(e, r, err);
}

/* What is not as usual: an id with another place in the table, no ids, an error. */
static __attribute__((noinline)) const struct pp_event *
event_search(const struct pp_events *e, const struct pp_rec *r, struct pp_err *err)
{
	const struct pp_event *ev = event_of(e, r, err);

	if (ev && r->type == PP_SAMPLE && r->size < ev->plan.fixed) {
		pp_fail(err, "record of %u bytes needs %u", r->size, ev->plan.fixed);
		return NULL;
	}
	return ev;
}

const struct pp_event *
pp_event_find_slow(const struct pp_events *e, const struct pp_rec *r, struct pp_err *err)
{
	if (r->type != PP_SAMPLE && e->n > 1 && e->id_back && id_fits(e, r)) {
		uint64_t id = id_of(e, r);
		const struct pp_idslot *slot = &e->map.slot[id * e->map.mul >> e->map.shift];

		if (!id)			/* synthesised */
			return e->ev[0];
		if (slot->id == id && slot->event)
			return e->ev[slot->event - 1];
	}
	return event_search(e, r, err);
}

/* A fixed field of a sample, or the same field of a trailer; NULL: not recorded. */
static const uint8_t *
field(const struct pp_event *ev, const struct pp_rec *r, uint16_t in_sample, uint16_t in_trailer)
{
	if (r->type == PP_SAMPLE)
		return in_sample ? r->raw + in_sample : NULL;
	return in_trailer && pp_has_trailer(ev, r) ? r->raw + r->size - in_trailer : NULL;
}

const uint8_t *
pp_time_field(const struct pp_event *ev, const struct pp_rec *r)
{
	return field(ev, r, ev->plan.time, ev->plan.t_time);
}

int
pp_time_slow(const struct pp_event *ev, const struct pp_rec *r, bool swap, uint64_t *time)
{
	const uint8_t *p = pp_time_field(ev, r);

	if (!p)
		return 0;
	*time = pp_get_u64(p, swap);
	return *time != 0 && *time != UINT64_MAX;
}

int
pp_pid_tid(const struct pp_event *ev, const struct pp_rec *r, bool swap, uint32_t *pid, uint32_t *tid)
{
	const uint8_t *p = field(ev, r, ev->plan.tid, ev->plan.t_tid);

	if (!p)
		return 0;
	*pid = pp_get_u32(p, swap);
	*tid = pp_get_u32(p + 4, swap);
	return 1;
}

int
pp_cpu(const struct pp_event *ev, const struct pp_rec *r, bool swap, uint32_t *cpu)
{
	const uint8_t *p = field(ev, r, ev->plan.cpu, ev->plan.t_cpu);

	if (!p)
		return 0;
	*cpu = pp_get_u32(p, swap);
	return 1;
}
