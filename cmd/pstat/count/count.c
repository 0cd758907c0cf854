/* SPDX-License-Identifier: ISC */
/* count.c - the loop over all records; counts the samples */
#include <stdlib.h>

#include "in.h"
#include "record/event.h"
#include "record/sample.h"
#include "record/shape.h"
#include "report/plus.h"
#include "set.h"
#include "tally/quick.h"
#include "tally/tally.h"

static const uint32_t no_task = UINT32_MAX;	/* perf's pid and tid of a sample that has none: -1 */

void
count_init(struct counts *c, struct tool *tool)
{
	*c = (struct counts){ .tool = tool, .order.first = UINT64_MAX };
	tasks_init(&c->tasks);
	files_init(&c->files);
	c->totals.max = TOTALS_MAX;
}

void
count_free(struct counts *c)
{
	tasks_free(&c->tasks);
	facts_free(&c->facts);
	pp_totals_free(&c->totals);
	free(c->ev);
}

void
count_events(struct counts *c)
{
	const struct pp_events *e = c->tool->in->events;

	for (size_t i = 0; i < COUNT_IDS; i++) {	/* a free slot has an id that belongs to another slot */
		c->ids[i].id = i + 1;
		c->ids[i].ev = NULL;
	}
	c->id_off = e->id_off;
	if (e->n <= c->nev)
		return;
	c->ev = tool_need(array_more(c->ev, c->nev, e->n - c->nev, sizeof *c->ev));
	for (; c->nev < e->n; c->nev++) {
		const struct pp_event *ev = e->ev[c->nev];
		uint64_t type = ev->attr.sample_type;

		c->ev[c->nev] = (struct event_count){
			.time = ev->plan.time, .tid = ev->plan.tid, .period_at = ev->plan.period,
			.chain = type & PP_SAMPLE_CALLCHAIN,
			.size = ev->plan.fixed + (type & PP_SAMPLE_CALLCHAIN ? 8 : 0),
			.whole = type & (PP_SAMPLE_READ | PP_SAMPLE_RAW | PP_SAMPLE_BRANCH_STACK |
			    PP_SAMPLE_REGS_USER | PP_SAMPLE_STACK_USER | PP_SAMPLE_REGS_INTR),
			.read = type & PP_SAMPLE_READ,
			.default_period = ev->attr.sample_period,
			.first = !c->lane.first ? 0 : c->nev < LANE_EVENTS ? LANE_FIRSTS : LANE_FEW, .wanted = c->lane.samples,
		};
		c->ev[c->nev].slow = c->ev[c->nev].whole || c->ev[c->nev].first;
	}
}

/* ---- samples --------------------------------------------------------------------------------- */

/* The members of a READ: each whose total has changed counts as a sample of its event.  The sample is checked. */
static void
count_read(struct counts *c, const struct event_count *e, const struct pp_rec *r, uint64_t key, uint64_t time)
{
	const struct pp_events *all = c->tool->in->events;
	const struct pp_event *ev = all->ev[e - c->ev];
	struct pp_cur cur = pp_cur(r->raw + ev->plan.fixed, (size_t)(r->size - ev->plan.fixed), all->swap);
	uint32_t tid = pp_total_per_thread(ev) ? (uint32_t)key : 0;
	struct pp_read rd;

	pp_read_get(&rd, &cur, ev->attr.read_format);
	c->nmoved = 0;
	for (uint64_t i = 0; rd.id_at && i < rd.nr; i++) {
		const uint8_t *p = rd.values + i * rd.stride;
		uint64_t id = pp_get_u64(p + rd.id_at, all->swap), value = pp_get_u64(p, all->swap), period;
		struct pp_total *total;

		if (!(ev = pp_event_by_id(all, id))) {	/* perf ignores these, too */
			c->reads_unknown++;
			continue;
		}
		if (!(total = pp_total_get(&c->totals, id, tid))) {
			c->reads_over++;
			continue;
		}
		c->reads_back += value < total->in;
		period = value - total->in;
		total->in = value;
		if (!period)
			continue;
		c->ev[ev->index].samples++;
		plus(&c->ev[ev->index].period, period);
		c->moved[c->nmoved].event = ev->index;
		c->moved[c->nmoved++].period = period;
		tasks_sample(&c->tasks, key, time, period);
	}
}

/* One of the fields of variable size. */
static void
count_part(struct counts *c, const struct pp_part *x)
{
	switch (x->bit) {
	case PP_SAMPLE_CALLCHAIN:
		c->content.chains += x->n - 8;
		break;
	case PP_SAMPLE_STACK_USER:
		c->content.stacks += x->n > 8 ? x->n - 16 : 0;
		break;
	case PP_SAMPLE_RAW:
		c->content.raw += x->n - 4;
		break;
	case PP_SAMPLE_REGS_USER:
	case PP_SAMPLE_REGS_INTR:
		c->content.regs += x->n - 8;
		break;
	}
}

/* Count a sample that has more than fixed fields and a call chain.  1, or -1: it is damaged. */
static int
count_whole(struct counts *c, const struct event_count *e, const struct pp_rec *r)
{
	const struct pp_event *ev = c->tool->in->events->ev[e - c->ev];
	bool swap = c->tool->in->swap;
	struct pp_part part[PP_SHAPE_STEPS];
	int n = pp_sample_parts(part, UINT64_MAX, ev, r, swap, &c->tool->in_err);

	for (int i = 0; i < n; i++)
		if (part[i].bit == PP_SAMPLE_BRANCH_STACK)
			c->content.branches += pp_get_u64(part[i].p, swap) *
			    (ev->attr.branch_sample_type & PP_BRANCH_COUNTERS ? 32 : 24);
		else
			count_part(c, &part[i]);
	return n < 0 ? -1 : 1;
}

/* Count the bytes of the call chain.  False: the sample is too short for it. */
__attribute__((always_inline)) static inline bool
count_chain(struct counts *c, const struct event_count *e, const struct pp_rec *r, bool swap)
{
	uint64_t chain = e->chain ? pp_get_u64(r->raw + e->size - 8, swap) : 0;

	if (chain > (r->size - e->size) / 8u)
		return false;
	c->content.chains += 8 * chain;
	return true;
}

/* Any sample of an event that is `slow', or one that is too short.  1, or -1: it is damaged. */
static __attribute__((noinline)) int
count_slow(struct counts *c, struct event_count *e, const struct pp_rec *r, bool swap)
{
	int rc = !e->whole && r->size >= e->size && count_chain(c, e, r, swap) ? 1 : count_whole(c, e, r);

	if (e->first && rc > 0) {
		lane_show(&c->lane, c->lane.first, r, true);
		e->first--;
		e->slow = e->whole || e->first;
	}
	return rc;
}

/* The event of a sample whose id was not in `ids', or of a stream with one event. */
static struct event_count *
count_sample_event(struct counts *c, const struct pp_rec *r)
{
	const struct pp_events *all = c->tool->in->events;
	const struct pp_event *ev = pp_event_find(all, r, &c->tool->in_err);
	struct event_count *e;

	if (!ev)
		return NULL;
	e = &c->ev[ev->index];
	if (all->id_off && r->size >= all->id_off + 8) {
		uint64_t id = pp_get_u64(r->raw + all->id_off, all->swap);

		c->ids[id % COUNT_IDS].id = id;
		c->ids[id % COUNT_IDS].ev = e;
	}
	return e;
}

/*
 * The bits of those in the lane that want the sample, or -1: it is damaged.  This runs for every sample of a stream: it uses fixed
 * offsets, and an ordinary sample takes no calls.
 */
__attribute__((always_inline)) static inline int
count_sample(struct counts *c, const struct pp_rec *r, bool swap, bool visited)
{
	struct event_count *e = NULL;
	uint64_t time, period, key;

	if (r->size >= c->id_off + 8) {	/* id_off 0: reads the header, which equals no id */
		uint64_t id = pp_get_u64(r->raw + c->id_off, swap);

		if (c->ids[id % COUNT_IDS].id == id)
			e = c->ids[id % COUNT_IDS].ev;
	}
	if ((!e || r->size < e->size) && !(e = count_sample_event(c, r)))
		return -1;
	if (!e->slow && r->size >= e->size) {
		if (!count_chain(c, e, r, swap))
			return count_whole(c, e, r);	/* reports the fault */
	} else if (count_slow(c, e, r, swap) < 0)
		return -1;
	time = e->time ? pp_get_u64(r->raw + e->time, swap) : 0;
	if (time - 1 >= UINT64_MAX - 1)		/* 0 or ~0 */
		time = 0;
	else {
		count_time(&c->order, time);
		if (visited && c->behind)
			behind_count(c->behind, &c->order, c->bytes);
	}
	key = e->tid ? tasks_key(pp_get_u32(r->raw + e->tid, swap), pp_get_u32(r->raw + e->tid + 4, swap)) :
	    tasks_key(no_task, no_task);
	if (visited) {
		c->seen.event = e;
		c->seen.time = time;
		c->seen.key = key;
	}
	e->records++;
	e->bytes += r->size;
	if (e->read) {
		count_read(c, e, r, key, time);
		return (int)e->wanted;
	}
	period = e->period_at ? pp_get_u64(r->raw + e->period_at, swap) : e->default_period;
	e->samples++;
	plus(&e->period, period);
	tasks_sample(&c->tasks, key, time, period);
	if (visited && e->quick)
		quick_sample(e->quick, r, swap, time, key);
	if (visited && e->tally) {
		if (!e->tally->slow)
			tally_sample(e->tally, r, swap, time, period);
		else if (e->tally->slow(e->tally, r, time, period) < 0)
			return -1;
	}
	return visited ? (int)e->wanted : 0;
}

/* ---- all records ------------------------------------------------------------------------------ */

/* Compiled for each byte order, and for an empty lane, for speed. */
__attribute__((always_inline)) static inline void
count_records(struct counts *c, struct pp_source *in, bool swap, bool visited)
{
	struct pp_rec r;

	while (pp_next(in, &r) > 0) {
		int who = r.type == PP_SAMPLE ? count_sample(c, &r, swap, visited) : count_other(c, &r);

		if (visited && who > 0)
			lane_show(&c->lane, (uint32_t)who, &r, true);
		else if (who < 0 && !(visited && lane_show(&c->lane, c->lane.all, &r, false))) {
			lane_show(&c->lane, c->lane.first, &r, false);
			pp_reject(in, &r);
			break;
		}
		c->records++;
		c->bytes += r.size + r.payload;
	}
}

void
count_all(struct counts *c)
{
	struct pp_source *in = c->tool->in;

	count_events(c);
	if (c->lane.all && in->swap)
		count_records(c, in, true, true);
	else if (c->lane.all)
		count_records(c, in, false, true);
	else if (in->swap)
		count_records(c, in, true, false);
	else
		count_records(c, in, false, false);
	count_end(c);
}
