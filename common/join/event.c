/* SPDX-License-Identifier: ISC */
/*
 * event.c - the events of the joined stream: which are kept, which are merged, and their ids
 *
 * perf takes the position of the id in all records from the first attr (perf-pipe(5)).  If the inputs differ in it, or an event
 * has no ids, all events get PERF_SAMPLE_IDENTIFIER: the id is the first word of a sample and the last one of a trailer.
 */
#include <stdlib.h>
#include <string.h>

#include "record/event.h"
#include "record/raw.h"
#include "formats.h"
#include "pid_block.h"
#include "set.h"

static struct pp_event *
event_of(const struct join *j, unsigned in, unsigned ev)
{
	return j->in[in].src->events->ev[ev];
}

static void
event_note_group(struct join *j, struct input *in, const char *name, size_t len, uint64_t leader, uint64_t members, void *arg)
{
	(void)j, (void)name, (void)len, (void)arg;
	if (leader >= in->nev || members < 2 || members > in->nev - leader)
		return;
	for (uint64_t i = 0; i < members; i++)
		if (in->ev[leader + i].members != 1)
			return;		/* malformed: a member of two groups */
	for (uint64_t i = 1; i < members; i++)
		in->ev[leader + i].members = 0;
	in->ev[leader].members = (unsigned)members;
}

/*
 * Is event ka of input a the same as event kb of input b, after the changes for the joined stream?  attr.size may differ: missing
 * fields are 0.
 */
static bool
event_same_event(const struct join *j, unsigned a, unsigned ka, unsigned b, unsigned kb)
{
	const struct pp_event *ea = event_of(j, a, ka), *eb = event_of(j, b, kb);
	struct pp_attr x = ea->attr, y = eb->attr;

	x.size = y.size = 0;
	x.config = join_number(&j->in[a], ea);
	y.config = join_number(&j->in[b], eb);
	if (j->identifier) {
		x.sample_type |= PP_SAMPLE_IDENTIFIER;
		y.sample_type |= PP_SAMPLE_IDENTIFIER;
		x.flags |= 1 << PP_ATTR_SAMPLE_ID_ALL_BIT;
		y.flags |= 1 << PP_ATTR_SAMPLE_ID_ALL_BIT;
	}
	return !memcmp(&x, &y, sizeof x) && !strcmp(ea->name, eb->name);
}

/*
 * Do all inputs have one and the same event?  Then the joined stream has one, and ids do not matter; but with pids of a manifest, to
 * whose streams others will be joined.
 */
static bool
event_all_fold(const struct join *j)
{
	unsigned first = j->n;

	if (j->o->blocks)
		return false;
	for (unsigned i = 0; i < j->n; i++) {
		if (j->in[i].nev > 1)
			return false;
		if (j->in[i].nev && first < j->n && !event_same_event(j, first, 0, i, 0))
			return false;
		if (j->in[i].nev && first == j->n)
			first = i;
	}
	return first < j->n && j->o->merge_attrs;
}

/* ---- pieces of one recording ------------------------------------------------------------------- */

static bool
event_same_text(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

/*
 * Are they pieces of one recording, as pcat --switch-output writes them?  The kernel does not reuse an id until it reboots, so
 * equal events with equal ids on one host are of one recording.
 */
bool
join_same_recording(const struct input *a, const struct input *b)
{
	if (!a->nev || a->nev != b->nev || !event_same_text(a->host, b->host) || !event_same_text(a->release, b->release))
		return false;
	for (unsigned k = 0; k < a->nev; k++) {
		const struct pp_event *x = a->src->events->ev[k], *y = b->src->events->ev[k];

		if (!x->nids || x->nids != y->nids || memcmp(x->ids, y->ids, x->nids * sizeof *x->ids) ||
		    memcmp(&x->attr, &y->attr, sizeof x->attr) || strcmp(x->name, y->name))
			return false;
		if (a->tracing_rec.size && b->tracing_rec.size && join_number(a, x) != join_number(b, y))
			return false;
	}
	return true;
}

static void
event_find_pieces(struct join *j)
{
	for (struct input *in = j->in; j->o->pieces && in < j->in + j->n; in++)
		for (const struct input *a = j->in; a < in && !in->piece_of; a++)
			if (!a->piece_of && join_same_recording(a, in))
				in->piece_of = a;
}

/* Are all inputs pieces of the first one's recording? */
static bool
event_are_pieces(const struct join *j)
{
	for (unsigned i = 1; i < j->n; i++)
		if (!j->in[i].piece_of)
			return false;
	return true;
}

/* A piece has the events and ids of the first one. */
static void
event_take_over(struct input *in)
{
	const struct input *a = in->piece_of;

	in->untouched = a->untouched;
	in->rw.first_id = a->rw.first_id;
	for (unsigned k = 0; k < in->nev; k++) {
		const struct pp_event *ev = in->src->events->ev[k];

		in->ev[k].to = a->ev[k].to;
		in->ev[k].folded = true;
		for (unsigned i = 0; i < ev->nids; i++) {
			uint64_t new;

			if (pp_ids_get(&a->ids, ev->ids[i], &new) && pp_ids_put(&in->ids, ev->ids[i], new) < 0)
				tool_no_memory();
		}
	}
}

/* ---- distinguishing events ----------------------------------------------------------------------- */

static bool
event_needs_identifier(const struct join *j)
{
	const struct pp_plan *first = NULL, *p;

	if ((event_are_pieces(j) && !j->o->blocks) || event_all_fold(j))
		return false;
	for (unsigned i = 0; i < j->n; i++)
		for (unsigned k = 0; k < j->in[i].nev; k++) {
			const struct pp_event *ev = event_of(j, i, k);

			p = &ev->plan;
			first = first ? first : p;
			if (!ev->nids || p->identifier != first->identifier || p->t_identifier != first->t_identifier)
				return true;
			if (!p->identifier && (!p->id || p->id != first->id))
				return true;
			if (!p->t_identifier && (!p->t_id || p->t_id != first->t_id))
				return true;
		}
	return false;
}

/* ---- ids --------------------------------------------------------------------------------------- */

/*
 * An id in the joined stream for this id: the same if it is free.  An input that gets pids of a manifest gets ids by it, too: so they
 * do not depend on the other inputs, and joins of joins are what one join is.
 */
static uint64_t
event_new_id(struct join *j, const struct input *in, uint64_t id, bool any)
{
	if (in->block) {
		id = pid_block_event_id(in->block);
		any = false;
	}
	if (any || pp_ids_get(&j->taken, id, NULL))
		do
			id = ++j->fresh;
		while (!id || pp_ids_get(&j->taken, id, NULL));
	if (pp_ids_put(&j->taken, id, id) < 0)
		tool_no_memory();
	return id;
}

/* Give the event's ids to a joined event. */
static void
event_add_ids(struct join *j, struct input *in, unsigned k, struct jevent *to)
{
	const struct pp_event *ev = in->src->events->ev[k];
	unsigned n = ev->nids ? ev->nids : 1;

	to->ids = tool_need(array_more(to->ids, to->nids, n, sizeof *to->ids));
	for (unsigned i = 0; i < ev->nids; i++) {
		uint64_t new;

		if (!pp_ids_get(&in->ids, ev->ids[i], &new)) {
			new = event_new_id(j, in, ev->ids[i], false);
			if (pp_ids_put(&in->ids, ev->ids[i], new) < 0)
				tool_no_memory();
		}
		to->ids[to->nids++] = new;
		in->untouched &= new == ev->ids[i];
		if (!k && !i)
			in->rw.first_id = new;
	}
	/* perf needs no id for the records of a single event; among several events it does. */
	if (!ev->nids && j->identifier)
		to->ids[to->nids++] = event_new_id(j, in, 0, true);
	if (!ev->nids && j->identifier && !k)
		in->rw.first_id = to->ids[to->nids - 1];
}

/* Reserve space for the event's ids in the HEADER_ATTR of a joined event. */
static bool
event_ids_fit(const struct jevent *to, const struct pp_event *ev)
{
	return 8 * ((uint64_t)to->nids + (ev->nids ? ev->nids : 1)) + PP_HEADER_SIZE + to->attr_size <= PP_RECORD_MAX;
}

/* The joined event that event k of the input (with the members of its group) is merged into; nev: none. */
static unsigned
event_fold(const struct join *j, unsigned i, unsigned k)
{
	unsigned members = j->in[i].ev[k].members;

	for (unsigned to = 0; to + members <= j->nev && j->o->merge_attrs; to++) {
		unsigned m = 0;

		if (j->ev[to].members != members)
			continue;
		for (; m < members; m++) {
			const struct jevent *e = &j->ev[to + m];

			if (e->in == i || !event_same_event(j, e->in, e->from, i, k + m) ||
			    !event_ids_fit(e, event_of(j, i, k + m)))
				break;
		}
		if (m == members)
			return to;
	}
	return j->nev;
}

static void
event_add_event(struct join *j, unsigned i, unsigned k)
{
	struct input *in = &j->in[i];
	unsigned members = in->ev[k].members, to = event_fold(j, i, k);

	for (unsigned m = 0; m < members; m++) {
		struct jevent *e;

		in->ev[k + m].to = to + m;
		in->ev[k + m].folded = to + m < j->nev;
		if (!in->ev[k + m].folded) {
			j->ev = tool_need(array_more(j->ev, j->nev, 1, sizeof *j->ev));
			j->ev[j->nev++] = (struct jevent){ .in = i, .from = k + m, .members = in->ev[k + m].members,
			    .attr_size = event_of(j, i, k + m)->attr.size };
		}
		e = &j->ev[to + m];
		event_add_ids(j, in, k + m, e);
	}
}

/* New ids ascend from the largest id, so that they do not collide with those of later inputs. */
static void
event_find_largest(struct join *j)
{
	for (unsigned i = 0; i < j->n; i++)
		for (unsigned k = 0; k < j->in[i].nev; k++)
			for (unsigned n = 0; n < event_of(j, i, k)->nids; n++)
				if (event_of(j, i, k)->ids[n] > j->fresh)
					j->fresh = event_of(j, i, k)->ids[n];
}

/* Set the changes to the records of an input. */
static void
event_set_rewrite(struct join *j, struct input *in)
{
	const struct pp_events *e = in->src->events;
	const struct pp_plan *first = j->nev ? &event_of(j, j->ev[0].in, j->ev[0].from)->plan : NULL;
	bool all = true;

	for (unsigned k = 0; k < in->nev; k++)
		all &= e->ev[k]->plan.identifier && e->ev[k]->plan.t_identifier;
	in->rw.events = e;
	in->rw.swap = j->swap;
	in->rw.taken = &j->taken;
	in->rw.buf = j->buf;
	in->rw.err = &in->err;
	in->rw.identifier = j->identifier && !all;
	in->rw.formats = join_numbers(in)->by.n ? join_numbers(in) : NULL;
	in->rw.payload_swap = j->formats->first.swap;
	/* perf takes the layout of a trailer with id 0 from the first event of the joined stream */
	in->rw.zero = in->nev && (in->block || memcmp(&first->t_tid, &e->ev[0]->plan.t_tid,
	    sizeof *first - offsetof(struct pp_plan, t_tid)) != 0);
	/* Ids that perf ignores in a stream with one event, and ids in READ values, may have any value. */
	if (!in->untouched || (j->nev > 1 && (in->rw.identifier || in->rw.zero || in->nev == 1 || e->reads)))
		in->rw.ids = &in->ids;
	in->untouched = !in->rw.ids && !in->rw.formats && !in->rw.identifier && !in->rw.pid_shift && !in->rw.pid_map &&
	    !in->rw.time_shift && !in->rw.comm_prefix;
}

void
join_events(struct join *j)
{
	for (struct input *in = j->in; in < j->in + j->n; in++)
		join_groups(j, in, event_note_group, NULL);
	event_find_pieces(j);
	j->identifier = event_needs_identifier(j);
	event_find_largest(j);
	for (unsigned i = 0; i < j->n; i++) {
		j->in[i].untouched = true;
		if (j->in[i].piece_of)
			event_take_over(&j->in[i]);
		for (unsigned k = 0; k < j->in[i].nev && !j->in[i].piece_of; k++)
			if (j->in[i].ev[k].members)
				event_add_event(j, i, k);
	}
	for (struct input *in = j->in; in < j->in + j->n; in++)
		event_set_rewrite(j, in);
}

void
join_rewrite_attr(const struct join *j, const struct jevent *e, uint8_t *attr)
{
	pp_rewrite_attr(&(struct pp_rewrite){ .identifier = j->identifier, .formats = join_numbers(&j->in[e->in]), .swap = j->swap },
	    attr);
}

void
join_attrs(struct join *j)
{
	for (unsigned i = 0; i < j->nev; i++) {
		const struct jevent *e = &j->ev[i];
		const struct input *in = &j->in[e->in];
		size_t size = PP_HEADER_SIZE + e->attr_size + 8 * (size_t)e->nids;
		uint8_t *p;

		if (size > PP_RECORD_MAX)
			tool_wrong(j->t, "%s: event %s: its %u ids do not fit in a record", in->name,
			    event_of(j, e->in, e->from)->name, e->nids);
		p = blob_add(&j->head, in->head.p + in->ev[e->from].attr, PP_HEADER_SIZE + e->attr_size);
		PP_RAW_SET(p, header, size, (uint16_t)size, j->swap);
		join_rewrite_attr(j, e, p + PP_HEADER_SIZE);
		for (unsigned k = 0; k < e->nids; k++)
			pp_set_u64(blob_add(&j->head, NULL, 8), e->ids[k], j->swap);
	}
}
