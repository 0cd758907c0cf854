/* SPDX-License-Identifier: ISC */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "record/event.h"
#include "record/meaning.h"
#include "part.h"
#include "record/raw.h"
#include "state/state.h"
#include "split.h"
#include "state/timeline.h"
#include "spooled.h"

enum { PENDING_MAX = 16 << 20 };	/* bytes of pending side-band */
enum { OPEN_MAX = 4 };			/* parts that may still get records */

struct split {
	struct out	 pub;
	const struct tool *tool;
	struct split_options *o;
	struct pp_source *like;
	struct pp_err	*err;
	struct pp_events *events;	/* of the input of this output */
	bool		 swap;
	struct spooled	 head, init;	/* init: records before the begin of the first part */
	struct pp_state	*state;
	struct pp_timeline *pending;	/* side-band that the state does not have yet */
	size_t		 unsettled;	/* bytes added to `pending' since split_settled() was called */
	struct part_reads reads;
	uint64_t	 newest;	/* the largest time so far */
	uint64_t	 known;		/* `newest' at the last FINISHED_ROUND */
	uint64_t	 settled;	/* the watermark: no older record will come */
	uint64_t	 rounds;	/* FINISHED_ROUNDs in all */
	bool		 inits;		/* the stream has a FINISHED_INIT */
	bool		 disorder;	/* a record was older than one before it */
	bool		 stats;		/* there are STATs whose STAT_ROUND has not come */
	bool		 failed;

	struct part	*part[OPEN_MAX];	/* the open parts, in order */
	unsigned	 n;
	bool		 cut;		/* the last part has ended: it gets only records older than `end' */
	uint64_t	 end;
	uint64_t	 number;	/* parts begun */
	uint64_t	 held_back;	/* how often a part was full, but a cut was not possible */
	uint64_t	 older;		/* records older than the begin of the oldest open part */
	char		*name;		/* of the last part begun */
	char		**names;	/* of the last max_files parts that are complete */
	uint64_t	 nnames;	/* complete parts; name i is at i % max_files */
};

/* The name of a part.  1, or -1: too long. */
static int
split_name_part(const struct split *s, struct part *part, uint64_t time)
{
	char *path = part->path;
	size_t n = 0, size = sizeof part->path;

	for (const char *p = s->o->template; *p && n < size; p++) {
		if (*p != '%')
			path[n++] = *p;
		else if (*++p == 'n')
			n += (size_t)snprintf(path + n, size - n, "%05" PRIu64, part->number);
		else if (*p == 't')
			n += (size_t)snprintf(path + n, size - n, "%" PRIu64 ".%09" PRIu64, time / 1000000000,
			    time % 1000000000);
		else
			path[n++] = '%';
	}
	if (n >= size) {
		path[size - 1] = 0;
		return pp_fail(&part->err, "%s", strerror(ENAMETOOLONG));
	}
	path[n] = 0;
	return 1;
}

/* ---- parts ------------------------------------------------------------------------------------------- */

/* Report the error of a part, if it has a text, as the error of the output.  Always -1. */
static int
split_part_failed(struct split *s, const struct part *p)
{
	if (!p->err.what[0] || s->err->what[0])
		return -1;
	snprintf(s->o->path, sizeof s->o->path, "%s", p->path);
	*s->err = p->err;
	s->err->file = s->o->path;
	return -1;
}

static struct part *
split_current(const struct split *s)
{
	return s->n && !s->cut ? s->part[s->n - 1] : NULL;
}

static int
split_put_new(void *arg, const struct pp_rec *r)
{
	struct split *s = arg;
	struct part *p = split_current(s);

	return p->out->put(p->out, s->like, r, false) < 0 ? split_part_failed(s, p) : 1;
}

static int
split_put_pending(void *arg, uint64_t time, const uint8_t *p, size_t n)
{
	struct split *s = arg;
	struct pp_rec r = pp_rec_at(p, s->swap);

	(void)time;
	(void)n;
	return split_put_new(s, &r);
}

/* Write the snapshot at the begin of a part other than the first. */
static int
split_put_state(struct split *s)
{
	uint8_t init[PP_HEADER_SIZE];
	struct pp_rec r;
	size_t trailer = s->events->n ? s->events->ev[0]->plan.trailer : 0;

	pp_raw_head(init, PP_FINISHED_INIT, 0, sizeof init, s->swap);
	r = pp_rec_at(init, s->swap);
	if (pp_state_write(s->state, trailer, split_put_new, s) < 0 || (s->inits && split_put_new(s, &r) < 0))
		return -1;
	/* As it came, while nothing is settled. */
	return pp_timeline_each(s->pending, s->settled, split_put_pending, s);
}

/* Create the file of a new part.  1, or -1 with the text in the part's err. */
static int
split_make_file(struct split *s, struct part *p, uint64_t time)
{
	if (split_name_part(s, p, time) < 0)
		return -1;
	if (s->name && !strcmp(s->name, p->path))
		return pp_fail(&p->err, "two parts would have this name: use %%n");
	free(s->name);
	if (!(s->name = strdup(p->path)))
		return pp_fail_memory(&p->err);
	return (p->out = s->o->make(s->o->arg, p->path, s->like, &p->file, &p->err)) ? 1 : -1;
}

static int
split_begin_part(struct split *s, uint64_t time)
{
	struct part *p = calloc(1, sizeof *p);

	if (!p)
		return pp_fail_memory(s->err);
	p->err.file = p->path;
	p->number = ++s->number;
	p->from = s->end;
	if (split_make_file(s, p, time) < 0) {
		split_part_failed(s, p);
		part_free(p);
		return -1;
	}
	s->part[s->n++] = p;
	s->cut = false;
	if (spooled_replay(&s->head, 0, p->out, s->err) < 0 ||
	    (p->number == 1 && spooled_replay(&s->init, 0, p->out, s->err) < 0))
		return split_part_failed(s, p);
	if (p->number > 1)
		return split_put_state(s);
	spooled_close(&s->init);
	return 1;
}

/* Add the name of a complete part, and delete the oldest part beyond max_files. */
static int
split_retire(struct split *s, const struct part *p)
{
	char **at;

	s->nnames++;
	if (!s->o->max_files)
		return 1;
	at = &s->names[(s->nnames - 1) % s->o->max_files];
	if (*at && unlink(*at) < 0 && errno != ENOENT)
		return pp_fail(s->err, "removing %s: %s", *at, strerror(errno));
	if (*at)
		s->o->removed(s->o->arg, *at);
	free(*at);
	return (*at = strdup(p->path)) ? 1 : pp_fail_memory(s->err);
}

/* Close the oldest open part. */
static int
split_close_part(struct split *s)
{
	struct part *p = s->part[0];
	int rc = p->out->finish(p->out);

	memmove(s->part, s->part + 1, --s->n * sizeof *s->part);
	if (!s->n)
		s->cut = true;
	/* A part that is closed before the end is complete, even if the input turns out to be damaged. */
	if (tool_name(s->tool, &p->file) < 0 || s->o->named(s->o->arg, p->path, &p->err) < 0)
		rc = -1;
	if (rc < 0) {
		split_part_failed(s, p);
	} else {
		tool_note(s->tool, "%s: %ju bytes, %ju rounds", p->path, (uintmax_t)p->bytes, (uintmax_t)p->rounds);
		rc = split_retire(s, p);
	}
	part_free(p);
	return rc;
}

/* Close the parts that end at that time or before, except the last: records without a time may follow in it. */
static int
split_close_parts(struct split *s, uint64_t until)
{
	while (s->n > 1 && s->part[1]->from <= until)
		if (split_close_part(s) < 0)
			return -1;
	return 1;
}

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
