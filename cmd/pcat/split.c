/* SPDX-License-Identifier: ISC */
/* split.c - which record is of which part, and where a part ends */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "record/event.h"
#include "record/meaning.h"
#include "split_in.h"
#include "state/state.h"

enum { PENDING_MAX = 16 << 20 };	/* bytes of pending side-band */

/* ---- where to cut ------------------------------------------------------------------------------------ */

/* Does the part reach its limit with a record of that time (0: none)? */
static bool
split_is_full(const struct split *s, const struct part *p, uint64_t time)
{
	const struct split_options *o = s->o;
	uint64_t last = time > p->last ? time : p->last;

	return (o->bytes && p->bytes >= o->bytes) || (o->rounds && p->rounds >= o->rounds) ||
	    (o->ns && p->first && last - p->first >= o->ns);
}

/* Apply the record to the state. */
static int
split_settle(struct split *s, const struct pp_event *ev, const struct pp_rec *r)
{
	return pp_state_feed(s->state, r, pp_has_trailer(ev, r) ? ev->plan.trailer : 0);
}

/* pp_deliver of `pending' */
static int
split_turn(void *arg, uint64_t time, const uint8_t *p, size_t n)
{
	struct split *s = arg;
	struct pp_rec r = pp_rec_at(p, s->swap);
	const struct pp_event *ev = pp_event_find(s->events, &r, s->err);

	(void)time;
	(void)n;
	return ev ? split_settle(s, ev, &r) : -1;
}

/* Apply all pending side-band that is older than that time.  The next part has no older records. */
static int
split_release(struct split *s, uint64_t time)
{
	return time ? pp_timeline_release(s->pending, time - 1) : 1;
}

/* No record older than that time will come. */
static int
split_settled(struct split *s, uint64_t time)
{
	s->unsettled = 0;
	if (time > s->settled)
		s->settled = time;
	if (split_release(s, s->settled) < 0)
		return -1;
	return split_close_parts(s, s->settled);
}

/* End the part here.  Records that follow belong to the next part, unless they are older than the newest so far. */
static void
split_cut(struct split *s)
{
	s->cut = true;
	s->end = s->newest;
}

/*
 * May the part end before the current record?  In a file, if no later record is older than the newest so far.  In a pipe, if
 * the records so far are in order; an older record that follows goes to one of the open parts.
 */
static bool
split_may_cut(const struct split *s)
{
	if (s->o->rounds)
		return false;
	return s->o->look ? look_from(s->o->look, s->o->place(s->o->arg)) >= s->newest : !s->disorder;
}

/* May the part end at this FINISHED_ROUND?  Yes if no record after the next FINISHED_ROUND is older than the newest so far. */
static bool
split_may_cut_round(const struct split *s)
{
	if (!s->o->look)
		return s->n < OPEN_MAX || !s->disorder;
	return s->n < OPEN_MAX && (look_from(s->o->look, s->o->place(s->o->arg)) >= s->newest ||
	    look_from_round(s->o->look, s->rounds + 1) >= s->newest);
}

/* The time up to which all records have come before the current one. */
static uint64_t
split_all_came(const struct split *s)
{
	uint64_t older = s->o->look ? look_from(s->o->look, s->o->place(s->o->arg)) : 0;

	return older < s->newest ? older : s->newest;
}

/* Begin a part whose first record has that time. */
static int
split_next_part(struct split *s, uint64_t time)
{
	if (s->o->look) {
		if (split_settled(s, split_all_came(s)) < 0)
			return -1;
	} else if (s->n == OPEN_MAX && split_close_part(s) < 0) {
		return -1;
	}
	if (s->n == 1 && s->end <= s->settled && split_close_part(s) < 0)
		return -1;
	/* A record that is older than the oldest open part has no part any more. */
	if (s->number && split_release(s, s->n ? s->part[0]->from : s->end) < 0)
		return -1;
	return split_begin_part(s, time);
}

/* ---- records ----------------------------------------------------------------------------------------- */

static int
split_side_band(struct split *s, const struct pp_event *ev, const struct pp_rec *r, uint64_t time)
{
	if (!time)			/* like perf, which applies it at once */
		return split_settle(s, ev, r);
	if (s->o->look && (s->unsettled += r->size) > PENDING_MAX / 2 && split_settled(s, split_all_came(s)) < 0)
		return -1;
	return pp_timeline_put(s->pending, time, r->raw, r->size);
}

/* Put a record of the head into the open parts and all later ones. */
static int
split_put_head(struct split *s, struct pp_source *in, const struct pp_rec *r)
{
	if (spooled_put(&s->head, in, r, s->err) < 0)
		return -1;
	for (unsigned i = 0; i < s->n; i++)
		if (spooled_replay(&s->head, s->head.records - 1, s->part[i]->out, s->err) < 0)
			return split_part_failed(s, s->part[i]);
	return 1;
}

/* A FINISHED_ROUND: the watermark is the newest time at the previous FINISHED_ROUND. */
static int
split_finished_round(struct split *s)
{
	uint64_t until = s->o->look ? split_all_came(s) : s->known;
	struct part *p = split_current(s);

	s->rounds++;
	s->known = s->newest;
	if (p && !s->stats && split_is_full(s, p, 0)) {
		if (split_may_cut_round(s))
			split_cut(s);
		else
			s->held_back++;
	}
	return split_settled(s, until);
}

/* FINISHED_ROUND, FINISHED_INIT: they never begin a part. */
static int
split_put_marker(struct split *s, struct pp_source *in, const struct pp_rec *r, bool stable)
{
	struct part *p = split_current(s);

	s->inits |= r->type == PP_FINISHED_INIT;
	if (!s->number && spooled_put(&s->init, in, r, s->err) < 0)
		return -1;
	if (p) {
		p->bytes += r->size;
		p->rounds += r->type == PP_FINISHED_ROUND;
		if (p->out->put(p->out, in, r, stable) < 0)
			return split_part_failed(s, p);
	}
	return r->type == PP_FINISHED_ROUND ? split_finished_round(s) : 1;
}

static int
split_put_in(struct split *s, struct part *p, struct pp_source *in, const struct pp_event *ev, const struct pp_rec *r,
    bool stable)
{
	int rc;

	p->bytes += r->size + r->payload;
	if (ev && r->type == PP_SAMPLE && ev->attr.sample_type & PP_SAMPLE_READ)
		rc = part_put_read(p, &s->reads, s->events, ev, in, r, stable, s->err);
	else
		rc = p->out->put(p->out, in, r, stable);
	return rc < 0 ? split_part_failed(s, p) : 1;
}

/* Put a record into a part that has ended but is still open, and side-band into the later open parts, too. */
static int
split_put_older(struct split *s, struct pp_source *in, const struct pp_event *ev, const struct pp_rec *r, bool stable,
    uint64_t time)
{
	unsigned i = s->n - 1;

	while (i && s->part[i]->from > time)
		i--;
	if (split_put_in(s, s->part[i], in, ev, r, stable) < 0)
		return -1;
	while (pp_state_wants(r->type) && ++i < s->n)
		if (s->part[i]->out->put(s->part[i]->out, in, r, stable) < 0)
			return split_part_failed(s, s->part[i]);
	return 1;
}

/* Report the first record whose part is closed. */
static void
split_complain(struct split *s, const struct pp_rec *r, uint64_t time)
{
	uint64_t from = s->n ? s->part[0]->from : s->end;
	const char *name = pp_type_name(r->type);
	struct pp_err err = { .what = "" };

	if (s->older++)
		return;
	s->o->where(s->o->arg, &err);
	pp_fail(&err, "%s: time %" PRIu64 ".%09" PRIu64 " is older than the cut at %" PRIu64 ".%09" PRIu64
	    ": sort the input with psort first",
	    name ? name : "record", time / 1000000000, time % 1000000000, from / 1000000000, from % 1000000000);
	tool_say(s->tool, &err);
}

static int
split_put_data(struct split *s, struct pp_source *in, const struct pp_event *ev, const struct pp_rec *r, bool stable,
    uint64_t time)
{
	struct part *p = split_current(s);
	uint64_t from = s->cut ? s->end : p ? p->from : 0;

	s->disorder |= time && time < s->newest;
	if (time && time < from) {
		if (s->n && s->part[0]->from <= time)
			return split_put_older(s, in, ev, r, stable, time);
		split_complain(s, r, time);
	}
	if (s->cut && s->n && !time && r->type != PP_SAMPLE)
		return split_put_in(s, s->part[s->n - 1], in, ev, r, stable);
	if (p && p->bytes && !s->stats && split_is_full(s, p, time)) {
		if (split_may_cut(s))
			split_cut(s);
		else
			s->held_back++;
	}
	if (!split_current(s) && split_next_part(s, time) < 0)
		return -1;
	p = split_current(s);
	s->stats = r->type == PP_STAT || (s->stats && r->type != PP_STAT_ROUND);
	if (time) {
		if (time >= p->from && (!p->first || time < p->first))
			p->first = time;
		p->last = p->last > time ? p->last : time;
		s->newest = s->newest > time ? s->newest : time;
	}
	return split_put_in(s, p, in, ev, r, stable);
}

static int
split_take(struct split *s, struct pp_source *in, const struct pp_rec *r, bool stable)
{
	const struct pp_event *ev = NULL;
	uint64_t time = 0;
	int rc;

	if (r->type >= PP_USER_TYPE_START) {
		if (pp_events_learn(s->events, r, s->err) < 0)
			return -1;
		if (pp_type_is(r->type, PP_CLASSES_HEAD))
			return split_put_head(s, in, r);
		if (r->type == PP_FINISHED_ROUND || r->type == PP_FINISHED_INIT)
			return split_put_marker(s, in, r, stable);
	/* A record without an event is copied; readers skip it. */
	} else if ((ev = pp_event_find(s->events, r, NULL)) && !pp_time(ev, r, s->swap, &time))
		time = 0;
	if (!s->number && !time && r->type != PP_SAMPLE && r->type < PP_USER_TYPE_START)
		rc = spooled_put(&s->init, in, r, s->err);
	else
		rc = split_put_data(s, in, ev, r, stable, time);
	if (rc > 0 && ev && pp_state_wants(r->type))
		return split_side_band(s, ev, r, time);
	return rc;
}

/* ---- the container ----------------------------------------------------------------------------------- */

static int
split_put(struct out *o, struct pp_source *in, const struct pp_rec *r, bool stable)
{
	struct split *s = (struct split *)o;

	if (s->failed)
		return -1;
	s->taken += r->size;
	s->failed = split_take(s, in, r, stable) < 0;
	return s->failed ? -1 : 1;
}

static int
split_flush(struct out *o, bool wait)
{
	struct split *s = (struct split *)o;

	for (unsigned i = 0; i < s->n; i++)
		if (s->part[i]->out->flush(s->part[i]->out, wait) < 0)
			return split_part_failed(s, s->part[i]);
	return 1;
}

static void
split_free(struct split *s)
{
	spooled_close(&s->head);
	spooled_close(&s->init);
	pp_state_free(s->state);
	pp_timeline_free(s->pending);
	pp_totals_free(&s->reads.last);
	pp_events_free(s->events);
	for (uint64_t i = 0; s->names && i < s->o->max_files; i++)
		free(s->names[i]);
	free(s->names);
	free(s->name);
	free(s);
}

static void
split_say(const struct split *s)
{
	if (s->o->rounds && !s->rounds)
		tool_warn(s->tool, "the stream has no FINISHED_ROUND, so there is only one part");
	else if (s->number == 1 && s->held_back)
		tool_note(s->tool, "the file has older records after every position, so there is only one part");
}

/* A recording without data is one part without data. */
static int
split_finish(struct out *o)
{
	struct split *s = (struct split *)o;
	int rc = s->failed ? -1 : 1;

	if (rc > 0 && !s->number)
		rc = split_begin_part(s, 0);
	while (s->n)
		if (split_close_part(s) < 0)
			rc = -1;
	split_say(s);
	if (s->older)
		rc = -1;
	split_free(s);
	return rc;
}

struct out *
split_new(const struct tool *tool, struct split_options *o, struct pp_source *like, struct pp_err *err)
{
	struct split *s = calloc(1, sizeof *s);

	snprintf(o->path, sizeof o->path, "%s", o->template);
	*err = (struct pp_err){ .file = o->path };
	if (!s) {
		pp_fail_memory(err);
		return NULL;
	}
	s->pub = (struct out){ .put = split_put, .flush = split_flush, .finish = split_finish };
	s->tool = tool;
	s->o = o;
	s->like = like;
	s->swap = like->swap;
	s->err = err;
	s->head.fd = s->init.fd = -1;
	if ((o->max_files && !(s->names = calloc(o->max_files, sizeof *s->names))) ||
	    !(s->events = pp_events_new(s->swap)) || !(s->state = pp_state_new(s->swap, err)) ||
	    !(s->pending = pp_timeline_new(split_turn, s, PENDING_MAX, err)))
		pp_fail_memory(err);
	else if (spooled_open(&s->head, o->template, like, err) > 0 && spooled_open(&s->init, o->template, like, err) > 0)
		return &s->pub;
	split_free(s);
	return NULL;
}
