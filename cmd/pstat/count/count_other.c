/* SPDX-License-Identifier: ISC */
/* count_other.c - counts the records that are no samples: losses, tasks, files, rounds */
#include <string.h>

#include "in.h"
#include "make/build_id.h"
#include "record/event.h"
#include "record/raw.h"
#include "report/plus.h"
#include "source/piece.h"

enum { PROT_EXECUTE = 4 };

/* ---- rounds ---------------------------------------------------------------------------------- */

/* Bytes of the records that have a place in time. */
static uint64_t
count_kernel_bytes(const struct counts *c)
{
	uint64_t n = c->bytes - c->more.bytes;

	for (unsigned i = PP_USER_TYPE_START; i < COUNT_TYPES; i++)
		n -= c->type[i].bytes;
	for (unsigned i = 0; i < COUNT_ODD; i++)
		n -= c->odd[i].bytes;
	return n;
}

/*
 * What waits when a round ends, at most: the records of this round and of the one before it; of these none is older than what
 * was delivered.  `bytes': of all records with a place in time up to here.
 */
static void
count_held(struct counts *c, uint64_t bytes)
{
	struct order *o = &c->order;
	uint64_t after = o->flushed > o->first ? o->flushed : o->first;

	if (o->timed - o->from[1].timed > o->held)
		o->held = o->timed - o->from[1].timed;
	if (bytes - o->from[1].bytes > o->held_bytes)
		o->held_bytes = bytes - o->from[1].bytes;
	if (o->timed && o->last - after > o->held_ns && o->last > after)
		o->held_ns = o->last - after;
	o->from[1] = o->from[0];
	o->from[0].timed = o->timed;
	o->from[0].bytes = bytes;
}

/*
 * FINISHED_ROUND: perf delivers all records up to the newest time that was queued at the previous FINISHED_ROUND, unless
 * the queue is empty.  `queued' is the newest time in the queue, 0 if it is empty.  counted: bytes of it that are counted by type,
 * and not yet in c->bytes.
 */
static void
count_round(struct counts *c, uint64_t counted)
{
	struct order *o = &c->order;

	o->rounds++;
	if (c->bytes - o->round_from > o->round_bytes)
		o->round_bytes = c->bytes - o->round_from;
	o->round_from = c->bytes;
	count_held(c, count_kernel_bytes(c) + counted);
	if (!o->queued)
		return;
	o->flushed = o->next;
	o->next = o->queued;
	if (o->queued <= o->flushed)
		o->queued = 0;
	tasks_passed(&c->tasks, o->flushed);
}

/* ---- records of the kernel ------------------------------------------------------------------- */

static void
count_lost(struct counts *c, const struct pp_event *by, const struct pp_rec *r, uint64_t time)
{
	const struct pp_events *all = c->tool->in->events;
	bool swap = c->tool->in->swap;

	if (r->type == PP_LOST_SAMPLES) {
		struct event_count *e = &c->ev[by->index];
		uint64_t n = PP_RAW_GET(r->raw, LOST_SAMPLES, lost, swap);

		if (count_is_filtered(r)) {
			plus(&e->filtered, n);
			return;
		}
		plus(&e->lost_samples, n);
		losses_add(&c->losses, time, LOSSES_SAMPLES, n);
	} else {
		const struct pp_event *ev = pp_event_by_id(all, PP_RAW_GET(r->raw, LOST, id, swap));
		uint64_t n = PP_RAW_GET(r->raw, LOST, lost, swap);

		plus(&c->ev[ev ? ev->index : by->index].lost, n);
		losses_add(&c->losses, time, LOSSES_RECORDS, n);
	}
}

/* The file of an executable map. */
static void
count_map(struct counts *c, const struct pp_rec *r)
{
	bool two = r->type == PP_MMAP2;
	size_t at = two ? PP_RAW_AT(MMAP2, filename) : PP_RAW_AT(MMAP, filename), n = strnlen((const char *)r->raw + at, r->size - at);
	const char *name = (const char *)r->raw + at;
	struct build_id_of id;
	bool has = build_id_get(&id, r);

	if (has && id.name[0] == '[')	/* the kernel's */
		files_add(&c->files, id.name, id.nname, FILE_HAS_ID);
	if (!files_is_one(name, n) || (two ? !(PP_RAW_GET(r->raw, MMAP2, prot, c->tool->in->swap) & PROT_EXECUTE) :
	    r->misc & PP_MISC_MMAP_DATA))
		return;
	files_add(&c->files, name, n, FILE_MAPPED | (has ? FILE_HAS_ID : 0));
}

/* Records of the kernel that are not samples. */
static int
count_kernel(struct counts *c, const struct pp_rec *r)
{
	const struct pp_source *in = c->tool->in;
	const struct pp_event *ev;
	const uint8_t *p = r->raw;
	bool swap = in->swap;
	uint64_t time;

	if (!pp_type_name(r->type))	/* unknown layout */
		return 1;
	if (!(ev = pp_event_find(in->events, r, &c->tool->in_err)))
		return -1;
	if (pp_time(ev, r, in->swap, &time) > 0) {
		count_time(&c->order, time);
		if (c->behind)
			behind_count(c->behind, &c->order, c->bytes);
	} else
		time = 0;
	switch (r->type) {
	case PP_LOST:
	case PP_LOST_SAMPLES:
		count_lost(c, ev, r, time);
		break;
	case PP_MMAP:
	case PP_MMAP2:
		count_map(c, r);
		break;
	case PP_COMM:
		tasks_comm(&c->tasks, PP_RAW_GET(p, COMM, pid, swap), PP_RAW_GET(p, COMM, tid, swap), time,
		    (const char *)p + PP_RAW_AT(COMM, comm),
		    strnlen((const char *)p + PP_RAW_AT(COMM, comm), r->size - PP_RAW_AT(COMM, comm)));
		break;
	case PP_FORK:
		tasks_fork(&c->tasks, tasks_key(PP_RAW_GET(p, FORK, pid, swap), PP_RAW_GET(p, FORK, tid, swap)),
		    tasks_key(PP_RAW_GET(p, FORK, ppid, swap), PP_RAW_GET(p, FORK, ptid, swap)), time);
		break;
	case PP_EXIT:
		tasks_exit(&c->tasks, PP_RAW_GET(p, EXIT, pid, swap), PP_RAW_GET(p, EXIT, tid, swap), time);
		break;
	}
	return 1;
}

/* ---- all of them ------------------------------------------------------------------------------ */

static void
count_type(struct counts *c, const struct pp_rec *r)
{
	struct type_count *t = &c->more;

	if (r->type < COUNT_TYPES)
		t = &c->type[r->type];
	else
		for (size_t i = 0; i < COUNT_ODD; i++)
			if (!c->odd[i].records || c->odd[i].type == r->type) {
				t = &c->odd[i];
				break;
			}
	t->type = r->type;
	t->records++;
	t->bytes += r->size + r->payload;
}

/* Not a record of this input, as count_records() will add it: of a file only, for --header; or the first piece counts it. */
static void
count_off(struct counts *c, const struct pp_rec *r)
{
	c->records--;
	c->bytes -= r->size + r->payload;
}

/* What later records depend on.  counted: bytes of the record that are counted by type, and not yet in c->bytes. */
static void
count_learn(struct counts *c, const struct pp_rec *r, uint64_t counted)
{
	struct build_id_of id;

	switch (r->type) {
	case PP_HEADER_ATTR:
		count_events(c);
		break;
	case PP_HEADER_FEATURE:
		facts_learn(&c->facts, c->tool, r, c->tool->in->swap);
		break;
	case PP_HEADER_BUILD_ID:
		if (build_id_get(&id, r) && (files_is_one(id.name, id.nname) || id.name[0] == '['))
			files_add(&c->files, id.name, id.nname, FILE_HAS_ID);
		break;
	case PP_FINISHED_ROUND:
		count_round(c, counted);
		break;
	}
}

/* --piece: the first piece counts the record. */
static __attribute__((noinline)) int
count_again(struct counts *c, const struct pp_rec *r)
{
	uint64_t timed = c->order.timed;

	if (r->type < PP_USER_TYPE_START && count_kernel(c, r) < 0)
		return -1;
	c->order.timed_again += c->order.timed - timed;
	c->order.rounds_again += r->type == PP_FINISHED_ROUND;
	count_learn(c, r, 0);
	count_off(c, r);
	return (int)c->lane.all;
}

int
count_other(struct counts *c, const struct pp_rec *r)
{
	if (c->tool->piece.n && pp_again(c->tool->in, r))
		return count_again(c, r);
	if (r->type < PP_USER_TYPE_START && count_kernel(c, r) < 0)
		return -1;
	if (r->type == PP_HEADER_FEATURE && r->payload) {
		count_off(c, r);
		return (int)c->lane.all;
	}
	count_type(c, r);
	count_learn(c, r, r->size + r->payload);
	if (c->lane.first &&
	    ((r->type >= PP_USER_TYPE_START && r->type != PP_FINISHED_ROUND) || c->type[r->type].records <= LANE_FIRSTS))
		lane_show(&c->lane, c->lane.first, r, true);
	return (int)c->lane.all;
}

void
count_end(struct counts *c)
{
	count_held(c, count_kernel_bytes(c));
	if (c->order.rounds == 0)
		c->order.round_bytes = c->bytes;
}
