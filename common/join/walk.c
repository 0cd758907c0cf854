/* SPDX-License-Identifier: ISC */
/*
 * walk.c - properties of whole inputs: collisions of pids (lives.h), and the number of samples that an added event id
 * makes too large
 *
 * Files are read in advance, and the later one of two that collide gets a pid space of its own.  Live inputs are watched during
 * the join: a collision ends it, because the output has been written.
 */
#include <sys/stat.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "in.h"
#include "record/raw.h"
#include "state/round.h"

struct feeder {				/* passes the side-band of an input on in time order */
	struct lives	*lives;
	unsigned	 in;
	const struct pp_rewrite *rw;	/* the shifts of its pids and times */
	bool		 swap;
	uint64_t	 first, last;	/* the range of its times */
	struct pp_round	*round;
	struct pp_err	 err;
};

/* ---- one input ----------------------------------------------------------------------------------- */

static int
walk_deliver(void *arg, uint64_t time, const uint8_t *p, size_t n)
{
	struct feeder *f = arg;
	struct pp_rec r = pp_rec_at(p, f->swap);

	(void)n;
	lives_put(f->lives, f->in, &r, time + f->rw->time_shift, f->rw->pid_shift);
	return 1;
}

static struct feeder *
walk_feeder_new(const struct join *j, struct lives *l, const struct input *in)
{
	struct feeder *f = tool_alloc(1, sizeof *f);

	*f = (struct feeder){ .lives = l, .in = (unsigned)(in - j->in), .rw = &in->rw, .swap = j->swap,
	    .first = UINT64_MAX };
	if (!(f->round = pp_round_new(walk_deliver, f, &f->err)))
		tool_no_memory();
	return f;
}

/* Without what the queue could not hold, collisions would go unseen. */
static void
walk_check(const struct feeder *f)
{
	if (f->err.code == PP_ERR_MEMORY)
		tool_no_memory();
}

/* Process a record of the input, as it is in the input. */
static inline int
walk_feed(struct feeder *f, const struct pp_events *events, const struct pp_rec *r)
{
	const struct pp_event *ev;
	uint64_t time;

	if (r->type == PP_FINISHED_ROUND && pp_round_finished(f->round) > 0)
		pp_round_reclaim(f->round);
	if (r->type >= PP_USER_TYPE_START)
		return 1;
	if (!(ev = pp_event_find(events, r, &f->err)))
		return -1;
	if (!pp_time(ev, r, f->swap, &time)) {
		if (lives_wants(r->type))
			lives_put(f->lives, f->in, r, 0, f->rw->pid_shift);
		return 1;
	}
	if (time < f->first)
		f->first = time;
	if (time > f->last)
		f->last = time;
	return lives_wants(r->type) ? pp_round_add(f->round, time, r->raw, r->size) : 1;
}

/* The input has ended: process what is queued. */
static void
walk_feeder_end(struct feeder *f)
{
	pp_round_final(f->round);
	walk_check(f);
	if (f->last) {
		lives_clock(f->lives, f->in, f->first + f->rw->time_shift);
		lives_clock(f->lives, f->in, f->last + f->rw->time_shift);
	}
	lives_end(f->lives, f->in);
}

static void
walk_feeder_free(struct feeder *f)
{
	if (f)
		pp_round_free(f->round);
	free(f);
}

/* ---- files ---------------------------------------------------------------------------------------- */

/* Does an added id make this sample too large? */
static bool
walk_is_too_large(const struct pp_events *events, const struct pp_rec *r)
{
	struct pp_err err = { 0 };
	const struct pp_event *ev;

	if (r->type != PP_SAMPLE || r->size + 8 <= PP_RECORD_MAX)
		return false;
	return (ev = pp_event_find(events, r, &err)) && !ev->plan.identifier;
}

/* Damage is reported when the input is joined.  -1: a system call failed, and without it collisions would go unseen. */
static int
walk(struct join *j, struct lives *l, struct input *in)
{
	struct pp_err err = { 0 };
	struct pp_source *src = join_again(j, in, &err);
	struct feeder *f = l ? walk_feeder_new(j, l, in) : NULL;
	struct pp_rec r;

	while (src && pp_next(src, &r) > 0) {
		if (in->rw.identifier)
			in->will_be_too_large += walk_is_too_large(src->events, &r);
		if (f && walk_feed(f, src->events, &r) < 0)
			break;
	}
	pp_close(src);
	if (f)
		walk_feeder_end(f);
	walk_feeder_free(f);
	if (!err.what[0] || err.code == PP_ERR_DATA)
		return 1;
	tool_say(j->t, &err);
	return -1;
}

/* Move the inputs of a group to a pid space of their own. */
static void
walk_move(struct join *j, struct lives *l, unsigned who, const struct lives_hit *hit)
{
	const struct input *other = &j->in[lives_group(l, hit->in) == who ? hit->with : hit->in];
	uint32_t id = hit->id, largest = lives_largest(l);
	uint64_t space = j->spaces;

	for (unsigned i = 0; i < j->n; i++)
		if (lives_group(l, i) == who) {
			j->spaces = space;
			join_move_pids(j, &j->in[i], largest);
			j->in[i].untouched = false;
			lives_forget(l, i);
		}
	j->spaces++;
	tool_warn(j->t, "%s: pid %ju means another process in %s at the same time: its pids are moved by %ju "
	    "(--remap-pids=never keeps them)", j->in[who].err.file, (uintmax_t)id, other->err.file,
	    (uintmax_t)j->in[who].rw.pid_shift);
}

/* While an input that was read collides with an earlier one, move the later group. */
static void
walk_place(struct join *j, struct lives *l, unsigned in)
{
	const struct lives_hit *hit;

	while (lives_compare(l, in, in), (hit = lives_hit(l))) {
		unsigned a = lives_group(l, hit->in), b = lives_group(l, hit->with);

		walk_move(j, l, a > b ? a : b, hit);
	}
}

/* ---- which inputs -------------------------------------------------------------------------------- */

/* Is there another recording in its pid space? */
static bool
walk_has_company(const struct join *j, const struct lives *l, const struct input *in)
{
	for (const struct input *a = j->in; a < j->in + j->n; a++)
		if (lives_group(l, (unsigned)(a - j->in)) != lives_group(l, (unsigned)(in - j->in)) &&
		    a->rw.pid_shift == in->rw.pid_shift)
			return true;
	return false;
}

/* Can an added id make its samples too large? */
static bool
walk_may_be_large(const struct input *in)
{
	const struct pp_events *e = in->src->events;

	for (unsigned i = 0; i < e->n && in->rw.identifier; i++)
		if (e->ev[i]->attr.sample_type & (PP_SAMPLE_RAW | PP_SAMPLE_STACK_USER | PP_SAMPLE_AUX))
			return true;
	return false;
}

/* Equal ids with an unknown host may be a coincidence, as in CPU profiles. */
static void
walk_find_same(struct join *j, struct lives *l)
{
	for (unsigned i = 0; i < j->n; i++)
		for (unsigned a = 0; a < i && lives_group(l, i) == i; a++)
			if (j->in[i].host && lives_group(l, a) == a && join_same_recording(&j->in[a], &j->in[i]))
				lives_join(l, a, i);
}

void
join_say_too_large(const struct join *j, const struct input *in, uint64_t n, const char *what)
{
	tool_warn(j->t, "%s: %ju records %s; pfilter --stack-size, --max-stack or --strip makes them smaller, and inputs with "
	    "the same single event need no ids with --merge-attrs", in->err.file, (uintmax_t)n, what);
}

/* Live inputs are compared while they are joined, in order of time. */
static struct lives *
walk_live(const struct join *j, struct lives *files)
{
	struct lives *l = lives_new(j->n, j->swap, true);

	for (unsigned i = 0; i < j->n; i++)
		lives_join(l, i, lives_group(files, i));
	lives_free(files);
	return l;
}

int
join_walk(struct join *j)
{
	struct lives *l = lives_new(j->n, j->swap, false);
	bool live = false;
	int rc = 1;

	walk_find_same(j, l);
	for (struct input *in = j->in; in < j->in + j->n && rc > 0; in++) {
		in->in_company = j->o->pids == JOIN_PIDS_AUTO && join_shifts_pids(j) && walk_has_company(j, l, in);
		live |= in->in_company && !in->file;
		if (in->file && (in->in_company || walk_may_be_large(in)))
			rc = walk(j, in->in_company ? l : NULL, in);
		if (in->will_be_too_large)
			join_say_too_large(j, in, in->will_be_too_large, "cannot hold an event id, and will be dropped");
	}
	if (rc < 0) {
		lives_free(l);
		return -1;
	}
	/* All were read, so it is known which are parts of one recording. */
	for (unsigned i = 0; i < j->n; i++)
		if (j->in[i].file && j->in[i].in_company)
			walk_place(j, l, i);
	if (!live) {
		lives_free(l);
		return 1;
	}
	j->lives = j->o->live ? walk_live(j, l) : l;
	for (struct input *in = j->in; in < j->in + j->n && !j->o->live; in++)
		if (!in->file)
			in->feeder = walk_feeder_new(j, l, in);
	return 1;
}

/* ---- live ---------------------------------------------------------------------------------------- */

/* End all inputs if a collision was found. */
static void
walk_look(struct join *j)
{
	const struct lives_hit *hit = lives_hit(j->lives);
	struct input *in;

	if (!hit || j->stopped)
		return;
	j->stopped = true;
	in = &j->in[hit->in];
	pp_fail(&in->err, "pid %ju means another process in %s at the same time: --remap-pids=%d keeps the pids of all "
	    "inputs apart", (uintmax_t)hit->id, j->in[hit->with].err.file, JOIN_PID_STEP);
	join_say(j, in);
	for (in = j->in; in < j->in + j->n; in++)
		in->ended = true;
}

void
join_feed(struct join *j, struct input *in, const struct pp_rec *r)
{
	if (r && walk_feed(in->feeder, in->src->events, r) > 0)
		return;
	if (!j->stopped) {
		walk_feeder_end(in->feeder);
		lives_compare(j->lives, (unsigned)(in - j->in), j->n);
	}
	walk_feeder_free(in->feeder);
	in->feeder = NULL;
	walk_look(j);
}

void
join_walk_close(struct join *j)
{
	for (struct input *in = j->in; in < j->in + j->n; in++)
		walk_feeder_free(in->feeder);
	lives_free(j->lives);
}

bool
join_watches(const struct join *j)
{
	return j->lives;
}

void
join_watch(struct join *j, unsigned i, const struct pp_rec *r, uint64_t time)
{
	if (lives_wants(r->type))
		lives_put(j->lives, i, r, time, 0);
	else if (time)
		lives_clock(j->lives, i, time);
	walk_look(j);
}

void
join_watch_end(struct join *j, unsigned i)
{
	lives_end(j->lives, i);
	walk_look(j);
}
