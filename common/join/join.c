/* SPDX-License-Identifier: ISC */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "record/event.h"
#include "in.h"
#include "record/meaning.h"
#include "record/raw.h"

void
join_say(struct join *j, struct input *in)
{
	if (in->err.what[0] && !in->reported)
		tool_say(j->t, &in->err);
	if (in->err.what[0]) {
		in->reported = true;
		j->status = 1;
	}
}

/* ---- the head ---------------------------------------------------------------------------------- */

/* perf uses only the first record of these types. */
#define ONCE (PP_CLASS_BIT(ONCE) | PP_CLASS_BIT(TRACE_HEAD) | PP_CLASS_BIT(MARK))

/* Has another input had one of these?  One input may have several, as ID_INDEX. */
static bool
join_was_seen(struct join *j, const struct input *in, uint32_t type)
{
	unsigned bit = type - PP_USER_TYPE_START;

	if (!j->seen[bit])
		j->seen[bit] = in;
	return j->seen[bit] != in;
}

/*
 * The head has the records that later ones depend on, and build ids: perf must know them before a sample makes it load the
 * file.  The heads of later inputs stay in their places, where they override what earlier inputs have set.
 */
static bool
join_is_in_head(const struct join *j, const struct input *in, uint32_t type)
{
	return type == PP_ID_INDEX || type == PP_EVENT_UPDATE || type == PP_TIME_CONV ||
	    (type == PP_HEADER_BUILD_ID && in == j->in);
}

/*
 * Is it an EVENT_UPDATE of an event that is merged into that of another input, which has its own EVENT_UPDATE?  A unit stands in front of
 * the first sample that has it (pfilter --span-period), and the other input may have no such sample.
 */
static bool
join_is_folded(const struct input *in, const struct pp_rec *r)
{
	enum { UPDATE_UNIT = 0 };
	const struct pp_events *e = in->src->events;
	uint64_t id = PP_RAW_GET(r->raw, EVENT_UPDATE, id, in->src->swap);
	const struct pp_event *ev = e->n == 1 || (e->n && !id) ? e->ev[0] : pp_event_by_id(e, id);
	const struct jevent *to = ev && ev->index < in->nev && in->ev[ev->index].folded ? &in->join->ev[in->ev[ev->index].to] : NULL;

	if (to && PP_RAW_GET(r->raw, EVENT_UPDATE, update_type, in->src->swap) == UPDATE_UNIT)
		return in->join->in[to->in].src->events->ev[to->from]->unit;
	return to;
}

/*
 * Is it a map of the kernel equal to that of an earlier input?  perf would cut the map that it has adjusted to the kernel's
 * symbols: those of .init.text would be lost for the second input.
 */
static bool
join_is_same_kernel(struct join *j, const struct input *in, const struct pp_rec *r)
{
	enum { START = 16, BYTES = 24 };	/* u64 start, len, pgoff */
	const char *name = join_kernel_map(in, r);

	if (!name)
		return false;
	if (j->kernel && j->kernel != in && !memcmp(j->kernel_map, r->raw + START, BYTES) &&
	    !strncmp(j->kernel_name, name, sizeof j->kernel_name - 1))
		return true;
	j->kernel = in;
	memcpy(j->kernel_map, r->raw + START, BYTES);
	snprintf(j->kernel_name, sizeof j->kernel_name, "%s", name);
	return false;
}

/* Is it a type that the joined head has instead? */
static bool
join_is_dropped(const struct input *in, const struct pp_rec *r)
{
	if (r->type == PP_HEADER_FEATURE || r->type == PP_HEADER_ATTR || r->type == PP_HEADER_EVENT_TYPE)
		return true;
	return r->type == PP_EVENT_UPDATE && join_is_folded(in, r);
}

/* Has an earlier input had this record, so that perf must not get it again? */
static bool
join_repeats(struct join *j, const struct input *in, const struct pp_rec *r)
{
	if (r->type == PP_MMAP || r->type == PP_MMAP2)
		return join_is_same_kernel(j, in, r);
	return r->type >= PP_USER_TYPE_START && pp_type_is(r->type, ONCE) && join_was_seen(j, in, r->type);
}

bool
join_is_again(struct join *j, unsigned i, const struct pp_rec *r)
{
	return join_repeats(j, &j->in[i], r);
}

/* Rewrite a record.  1; 0: drop it; -1: the input is malformed.  *stable is cleared if the record was copied. */
static int
join_rewrite(struct input *in, struct pp_rec *r, bool *stable)
{
	switch (in->untouched ? 0 : pp_rewrite(&in->rw, r)) {
	case 0:
		return 1;
	case 1:
		*stable = false;
		return 1;
	case 2:
		in->too_large++;
		return 0;
	default:
		return -1;
	}
}

/* Is it a record of the joined head: ids and names of events, which must be known before their records? */
static void
join_head_records(struct join *j, struct input *in, uint32_t type)
{
	struct pp_rec r;
	size_t at = 0;
	bool stable;

	while (blob_next(&in->head, &at, j->swap, &r))
		if (r.type == type && !join_is_dropped(in, &r) && !join_repeats(j, in, &r)) {
			if (join_rewrite(in, &r, &stable) > 0)
				blob_add(&j->head, r.raw, r.size);
		}
}

/* Does the next such record of another head, from *at on, have the same contents? */
static bool
join_says_too(const struct blob *head, size_t *at, bool swap, const struct pp_rec *r)
{
	struct pp_rec other;

	for (size_t next = *at; blob_next(head, &next, swap, &other);)
		if (other.size == r->size && !memcmp(other.raw, r->raw, r->size)) {
			*at = next;
			return true;
		}
	return false;
}

/* A piece of an earlier input need not repeat its ids; nor its build ids, if only pieces are between the two. */
static void
join_forget_same(const struct join *j, struct input *in)
{
	size_t at = 0, to = 0, other = 0;
	bool between = false;
	struct pp_rec r;

	for (const struct input *i = in->piece_of + 1; i < in; i++)
		between |= i->piece_of != in->piece_of;
	while (blob_next(&in->head, &at, j->swap, &r)) {
		if ((r.type == PP_ID_INDEX || (r.type == PP_HEADER_BUILD_ID && !between)) &&
		    join_says_too(&in->piece_of->head, &other, j->swap, &r))
			continue;
		memmove(in->head.p + to, r.raw, r.size);
		to += r.size;
	}
	in->head.n = to;
}

/* -1: an input could not be read, as was said. */
static int
join_make_head(struct join *j)
{
	static const uint32_t order[] = { PP_TIME_CONV, PP_ID_INDEX, PP_EVENT_UPDATE, PP_HEADER_BUILD_ID };

	join_formats(j);
	join_events(j);
	if (join_walk(j) < 0)
		return -1;
	join_attrs(j);
	join_features(j);
	join_tracing(j);
	for (struct input *in = j->in + j->n; in-- > j->in;)
		if (in->piece_of)
			join_forget_same(j, in);
	for (size_t i = 0; i < sizeof order / sizeof *order; i++)
		for (struct input *in = j->in; in < j->in + j->n; in++)
			join_head_records(j, in, order[i]);
	for (struct input *in = j->in; in < j->in + j->n; in++) {
		free(in->tracing.p);
		in->tracing = (struct blob){ 0 };
	}
	if (!(j->src = pp_open_memory(j->head.p, j->head.n, j->swap, "the joined head", &j->err)))
		tool_no_memory();
	return 1;
}

int
join_before_refill(void *arg)
{
	const struct input *in = arg;
	const struct join *j = in->join;

	if (j->flush && j->flush->flush(j->flush, pp_may_wait(in->src)) < 0)
		return -1;
	return j->o->tick && j->o->tick(j->o->arg) < 0 ? -1 : 1;
}

uint64_t
join_progress(const struct join *j, uint64_t *total)
{
	uint64_t done = 0, one;
	bool known = true;

	*total = 0;
	for (const struct input *in = j->in; in < j->in + j->n; in++) {
		done += pp_progress(in->src, &one);
		known &= one != 0;
		*total += one;
	}
	if (!known)
		*total = 0;
	return done;
}

/* ---- opening ----------------------------------------------------------------------------------- */

static int
join_close_input(struct input *in)
{
	int rc = pp_close(in->src);

	pp_close(in->old);
	if (in->fd >= 0)
		close(in->fd);
	pp_ids_free(&in->ids);
	free(in->head.p);
	free(in->tracing.p);
	free(in->host);
	free(in->release);
	free(in->prefix);
	exec_maps_free(NULL, in->maps);
	free(in->ev);
	return rc;
}

struct join *
join_open(const struct tool *t, const struct join_options *o, char **names, int n)
{
	struct join *j = tool_alloc(1, sizeof *j);

	join_refuse_twice(t, names, n);
	*j = (struct join){ .t = t, .o = o };
	j->in = tool_alloc((size_t)n, sizeof *j->in);
	j->offset = tool_alloc((size_t)n, sizeof *j->offset);
	j->buf = tool_alloc(1, PP_REWRITE_SIZE);
	join_open_inputs(j, names, n);
	if (!j->n) {
		join_close(j);
		return NULL;
	}
	j->swap = j->in->src->swap;
	join_check(j);
	if (join_make_head(j) < 0) {
		join_close(j);
		return NULL;
	}
	return j;
}

struct pp_source *
join_source(const struct join *j)
{
	return j->src;
}

/* ---- copying ----------------------------------------------------------------------------------- */

/* Convert a record of an input to one of the joined stream.  1; 0: drop it; -1: the input ends here. */
static int
join_take_record(struct join *j, struct input *in, struct pp_rec *r, bool late, bool *stable)
{
	struct pp_rec was = *r;
	int rc;

	*stable = late;
	if (late && (r->type == PP_HEADER_ATTR || r->type == PP_HEADER_TRACING_DATA)) {
		pp_fail(&in->err, "is after the first records: such a recording cannot be joined");
		return pp_reject(in->src, r);
	}
	if ((!late && join_is_in_head(j, in, r->type)) || join_is_dropped(in, r))
		return 0;
	if (!(rc = join_rewrite(in, r, stable)))
		return 0;
	if (rc < 0 || (r->type >= PP_USER_TYPE_START && pp_events_learn(j->src->events, r, &in->err) < 0)) {
		if (late)
			pp_reject(in->src, &was);
		return -1;
	}
	return 1;
}

static void
join_end_input(struct join *j, struct input *in)
{
	in->ended = true;
	if (in->feeder)
		join_feed(j, in, NULL);
	join_say(j, in);
	if (!in->too_large)
		return;
	if (in->too_large != in->will_be_too_large)	/* else it was printed before */
		join_say_too_large(j, in, in->too_large, "could not hold an event id or host name, and were dropped");
	in->too_large = 0;
	j->status = 1;
}

/* The record comes from the source. */
static void
join_given(struct join *j, struct input *in, const struct pp_rec *r)
{
	in->given = *r;
	j->last = in;
	j->place += j->given_kernel;
	j->given_kernel = r->type < PP_USER_TYPE_START;
}

int
join_next_sample(struct join *j, unsigned i, struct pp_rec *r)
{
	struct input *in = &j->in[i];
	struct pp_source *s = in->src;
	uint16_t size;

	if (!in->untouched || in->feeder || in->rests || in->at < in->head.n || in->held.raw || in->ended || j->stopped ||
	    !(size = pp_sample_size(s->events, s->pos, (size_t)(s->lim - s->pos))))
		return 0;
	*r = pp_rec_at(s->pos, false);
	s->pos += size;
	join_given(j, in, r);
	return 1;
}

int
join_next(struct join *j, unsigned i, struct pp_rec *r, bool *stable)
{
	struct input *in = &j->in[i];
	bool in_buffer;
	int rc = 0, got;

	if (in->rests && join_wake(j, in) < 0)
		in->ended = true;
	while (!rc && !j->stopped) {
		bool late = !blob_next(&in->head, &in->at, j->swap, r);

		if (late && in->held.raw) {
			*r = in->held;
			in->held.raw = NULL;
		} else if (late && (got = in->ended ? 0 : pp_next(in->src, r)) != 1) {
			if (got == PP_NEXT_WAIT)
				return got;
			break;
		}
		join_given(j, in, r);
		if (!late)
			in->given = (struct pp_rec){ 0 };
		if (in->feeder)
			join_feed(j, in, r);
		rc = join_take_record(j, in, r, late, &in_buffer);
	}
	if (rc > 0 && stable)
		*stable = in_buffer;
	if (rc > 0)
		return 1;
	in->at = in->head.n;
	in->held.raw = NULL;
	join_end_input(j, in);
	return 0;
}

unsigned
join_inputs(const struct join *j)
{
	return j->n;
}

struct pp_source *
join_input(const struct join *j, unsigned i)
{
	return j->in[i].src;
}

const char *
join_name(const struct join *j, unsigned i)
{
	return j->in[i].err.file;
}

const char *
join_path(const struct join *j, unsigned i)
{
	return j->in[i].name;
}

uint64_t
join_time_shift(const struct join *j, unsigned i)
{
	return j->in[i].rw.time_shift;
}

uint64_t
join_place(const struct join *j)
{
	return j->place;
}

void
join_where(const struct join *j, struct pp_err *err)
{
	err->file = j->last->err.file;
	err->at = j->last->given.raw;
	if (err->at)
		err->off = pp_offset(j->last->src, &j->last->given);
}

bool
join_at_hand(const struct join *j, unsigned i)
{
	const struct input *in = &j->in[i];

	return in->at < in->head.n || in->held.raw || in->ended || pp_at_hand(in->src);
}

const struct pp_event *
join_event(struct join *j, unsigned i, const struct pp_rec *r)
{
	const struct pp_event *ev = pp_event_find(j->src->events, r, &j->in[i].err);

	if (!ev)
		join_end(j, i);
	return ev;
}

void
join_refuse(struct join *j, unsigned i, const struct pp_rec *r, const char *fmt, ...)
{
	struct input *in = &j->in[i];
	char text[sizeof in->err.what];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	if (in->given.raw) {
		pp_fail(&in->err, "%s", text);
		pp_reject(in->src, &in->given);
	} else
		pp_fail(&in->err, "%s: %s", pp_type_name(r->type), text);
	join_end(j, i);
}

void
join_end(struct join *j, unsigned i)
{
	struct input *in = &j->in[i];

	in->at = in->head.n;
	in->held.raw = NULL;
	join_end_input(j, in);
}

/* Put the records of an input after the joined head. */
static int
join_copy_input(struct join *j, unsigned i, struct out *to)
{
	struct pp_rec r;
	bool stable;

	while (join_next(j, i, &r, &stable) > 0)
		if (!join_is_again(j, i, &r) && to->put(to, r.payload ? j->in[i].src : j->src, &r, stable && j->flush) < 0) {
			join_end_input(j, &j->in[i]);
			return -1;
		}
	/* A source that failed does not call join_before_refill(). */
	if (j->flush && j->flush->flush(j->flush, false) < 0)
		return -1;
	pp_rest(j->in[i].src);
	return 1;
}

/*
 * perf delivers records without a time at once, but those with a time only after a second round: without rounds between inputs,
 * the tasks and maps of an input would apply to the last samples of the one before it.
 */
static int
join_put_rounds(struct join *j, struct out *to)
{
	uint8_t round[PP_HEADER_SIZE];
	struct pp_rec r;

	pp_raw_head(round, PP_FINISHED_ROUND, 0, sizeof round, j->swap);
	r = pp_rec_at(round, j->swap);
	j->place += j->given_kernel;
	j->given_kernel = false;
	for (int i = 0; i < 2; i++)
		if (to->put(to, j->src, &r, false) < 0)
			return -1;
	return 1;
}

int
join_copy(struct join *j, struct out *to)
{
	struct pp_rec r;
	int rc;

	for (j->flush = to; j->flush->next;)
		j->flush = j->flush->next;
	if (!j->flush->flush)
		j->flush = NULL;	/* then no record is put as stable */
	while ((rc = pp_next(j->src, &r)) > 0)
		if (to->put(to, j->src, &r, false) < 0)
			return -1;
	if (rc < 0)
		return -1;
	for (unsigned i = 0; i < j->n; i++)
		if ((i && join_put_rounds(j, to) < 0) || join_copy_input(j, i, to) < 0)
			return -1;
	return 1;
}

bool
join_is_whole(const struct join *j)
{
	return !j->status && !j->err.what[0];
}

int
join_close(struct join *j)
{
	int status = !join_is_whole(j);

	if (j->err.what[0])		/* of the joined head */
		tool_say(j->t, &j->err);
	join_walk_close(j);
	join_formats_free(j);
	for (unsigned i = 0; i < j->n; i++)
		if (join_close_input(&j->in[i]) < 0)
			status = 1;
	for (unsigned i = 0; i < j->nev; i++)
		free(j->ev[i].ids);
	pp_close(j->src);
	pp_ids_free(&j->taken);
	free(j->head.p);
	free(j->ev);
	free(j->in);
	free(j->offset);
	free(j->buf);
	free(j);
	return status;
}
