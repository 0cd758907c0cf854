/* SPDX-License-Identifier: ISC */
#include <inttypes.h>
#include <string.h>

#include "record/event.h"
#include "record/raw.h"
#include "sink/sink.h"
#include "state/round.h"
#include "emit.h"
#include "unique.h"

enum {
	PENDING = 256 << 10,	/* bytes of released records that are not written yet */
	MARK_EVERY = 1 << 20,	/* bytes between new FINISHED_ROUNDs within one release */
	FILL_MAX = 64 << 20	/* bytes of zeros for a missing payload: buffers of AUX data are rarely larger */
};

/* ---- output -------------------------------------------------------------------------------------- */

void
emit_marked(struct emit *e)
{
	e->marks = e->unmarked ? 1 : e->marks + 1;
	e->unmarked = 0;
}

int
emit_catch_up(struct emit *e)
{
	while (e->unmarked || e->marks < MARKS_ALL)
		if (emit_mark(e) < 0)
			return -1;
	return 1;
}

int
emit_mark(struct emit *e)
{
	uint8_t mark[PP_HEADER_SIZE];

	pp_raw_head(mark, PP_FINISHED_ROUND, 0, sizeof mark, e->swap);
	emit_marked(e);
	return pp_put_copy(e->t->out, mark, sizeof mark);
}

bool
emit_is_twice(struct emit *e, uint64_t time, const uint8_t *p, size_t n)
{
	if (!e->unique || unique_add(e->unique, time, p, n))
		return false;
	e->duplicates++;
	return true;
}

static inline int
put_marked(struct emit *e, const uint8_t *p, size_t n, bool stable)
{
	if (e->fresh && e->unmarked >= MARK_EVERY && emit_mark(e) < 0)
		return -1;
	e->unmarked += n;
	return stable ? pp_put_stable(e->t->out, p, n) : pp_put_copy(e->t->out, p, n);
}

static inline int
put_unique(struct emit *e, uint64_t time, const uint8_t *p, size_t n, bool stable)
{
	return e->unique && emit_is_twice(e, time, p, n) ? 1 : put_marked(e, p, n, stable);
}

int
emit_put(struct emit *e, const uint8_t *p, size_t n, bool stable)
{
	return put_marked(e, p, n, stable);
}

static inline int
put(struct emit *e, uint64_t time, const uint8_t *p, size_t n, bool stable)
{
	return e->to ? e->to(e->arg, time, p, n, stable) : put_unique(e, time, p, n, stable);
}

int
emit_fill(struct emit *e, uint64_t missing)
{
	static const uint8_t zeros[16 << 10];

	if (missing > FILL_MAX)
		return -1;
	for (size_t n; missing; missing -= n) {
		n = missing < sizeof zeros ? (size_t)missing : sizeof zeros;
		if (pp_put_copy(e->t->out, zeros, n) < 0)
			return -1;
	}
	return 1;
}

int
emit_payload(struct emit *e, struct pp_source *in, const struct pp_rec *r)
{
	uint64_t left = r->payload;
	const uint8_t *p;
	size_t n;

	if (pp_put_stable(e->t->out, r->raw, r->size) < 0)
		return -1;
	for (; left && pp_payload(in, &p, &n) > 0; left -= n)
		if (pp_put_stable(e->t->out, p, n) < 0)
			return -1;
	if (!left)
		return 1;
	emit_fill(e, left);
	return -1;
}

static int
deliver_spilled(void *arg, uint64_t time, const uint8_t *p, size_t n)
{
	struct emit *e = arg;
	int rc = put(e, time, p, n, false);

	pp_round_spilled(e->round, time);
	return rc;
}

static int
deliver(void *arg, uint64_t time, const uint8_t *p, size_t n)
{
	struct emit *e = arg;

	if (spill_waits(e->spill) && spill_upto(e->spill, time, deliver_spilled, e) < 0)
		return -1;
	e->pending += n;
	return put(e, time, p, n, true);
}

int
emit_put_pieces(struct emit *e, const struct iovec *v, size_t n, size_t bytes)
{
	if (!e->fresh || e->unmarked + bytes < MARK_EVERY) {
		e->unmarked += bytes;
		return pp_put_pieces(e->t->out, v, n);
	}
	for (size_t i = 0; i < n; i++)
		if (put_marked(e, v[i].iov_base, v[i].iov_len, true) < 0)
			return -1;
	return 1;
}

/* Like deliver(), if none of the records is dropped and the spill is empty. */
static int
deliver_side(void *arg, uint64_t last, const struct iovec *v, size_t n, size_t bytes)
{
	struct emit *e = arg;

	(void)last;
	e->pending += bytes;
	return emit_put_pieces(e, v, n, bytes);
}

static int
deliver_many(void *arg, const struct pp_waiting *w, uint8_t *const *p, size_t n)
{
	struct emit *e = arg;
	bool waits = spill_waits(e->spill);

	for (size_t i = 0; i < n; i++)
		if (!waits)
			e->pending += pp_waiting_size(&w[i]);
		else if (deliver(e, w[i].time, p[i], pp_waiting_size(&w[i])) < 0)
			return -1;
	return waits ? 1 : e->many(e->arg, w, p, n);
}

void
emit_many(struct emit *e)
{
	pp_round_many(e->round, deliver_many);
}

void
emit_side_by_side(struct emit *e)
{
	if (!e->to)
		pp_round_side_by_side(e->round, deliver_side, e->unique);
}

uint8_t *
emit_buffer(void *arg)
{
	struct emit *e = arg;

	e->pending = 0;
	e->grew = true;
	pp_round_reclaim(e->round);
	return pp_round_buffer(e->round);
}

int
emit_flush(struct emit *e)
{
	if (pp_flush(e->t->out) < 0)
		return -1;
	pp_round_reclaim(e->round);
	e->pending = 0;
	return 1;
}

int
emit_reclaim(struct emit *e)
{
	return e->pending < PENDING ? 1 : emit_flush(e);
}

/* Release the records of the spill up to that time that deliver() has not released. */
static int
release_spilled(struct emit *e, uint64_t limit)
{
	return spill_waits(e->spill) ? spill_upto(e->spill, limit, deliver_spilled, e) : 1;
}

int
emit_release(struct emit *e, uint64_t limit)
{
	return pp_round_release(e->round, limit) < 0 ? -1 : release_spilled(e, limit);
}

int
emit_released(struct emit *e, uint64_t limit)
{
	if (release_spilled(e, limit) < 0 || (e->fresh && e->unmarked && emit_mark(e) < 0))
		return -1;
	return emit_reclaim(e);
}

/* ---- input --------------------------------------------------------------------------------------- */

int
emit_spill(struct emit *e)
{
	int rc;

	/* Released records that are not written yet are in the queue's memory. */
	if (emit_flush(e) < 0)
		return -1;
	pp_round_shrink(e->round);
	if (!emit_is_full(e))
		return 1;
	pp_round_side_by_side(e->round, NULL, false);
	rc = spill_begin(e->spill);
	if (rc > 0) {
		rc = pp_round_spill(e->round, spill_put, e->spill);
		if (spill_end(e->spill) < 0)
			rc = -1;
	}
	return rc;
}

int
emit_add_stamped(struct emit *e, const struct pp_event *ev, const struct pp_rec *r, uint64_t time, uint8_t **copy)
{
	const uint8_t *field = pp_time_field(ev, r);

	if (pp_round_add_copy(e->round, time, r->raw, r->size, copy) < 0)
		return -1;
	if (field)
		pp_set_u64(*copy + (field - r->raw), time, e->swap);
	return 1;
}

/* ---- begin and end ----------------------------------------------------------------------------------- */

static const char *
emit_late(enum sort_late late)
{
	switch (late) {
	case LATE_EMIT:
		return "were written out of order";
	case LATE_DROP:
		return "were dropped";
	case LATE_CLAMP:
		return "got the time of the record before them";
	case LATE_ERROR:
		break;		/* it is the error */
	}
	return NULL;
}

void
emit_say(const struct emit *e, const char *input, const struct emit_counts *c)
{
	const char *became = emit_late(e->how->late);
	uint64_t records, bytes, runs;

	if (c->late && became)
		tool_warn(e->t, "%s: %ju records arrived later than %s permits, and %s", input, (uintmax_t)c->late,
		    e->how->mode == SORT_WINDOW ? "the window" : "their round", became);
	if (c->moved)
		tool_warn(e->t, "%s: %ju records of tasks and maps without a time now precede older records, "
		    "whose names may change: without --full they keep their places", input, (uintmax_t)c->moved);
	if (e->how->mode == SORT_ROUNDS && c->timed && c->rounds == c->idle_rounds) {
		const char *why = c->rounds ? "all FINISHED_ROUND records are before the first time" :
		    "no FINISHED_ROUND";

		spill_count(e->spill, &records, &bytes, &runs);
		if (runs)
			tool_warn(e->t, "%s: %s: sorted at its end with a temporary file; --window=TIME needs none",
			    input, why);
		else
			tool_note(e->t, "%s: %s: sorted at its end", input, why);
	}
}

void
emit_say_stats(const struct emit *e, const struct emit_counts *c, const struct disorder *d)
{
	uint64_t records, bytes, runs;

	spill_count(e->spill, &records, &bytes, &runs);
	fprintf(stderr, "psort: records: %" PRIu64 " with a time, %" PRIu64 " without, %" PRIu64 " of perf's own\n",
	    c->timed, c->untimed, c->others);
	fprintf(stderr, "psort: disorder: %" PRIu64 " after newer records, by up to %s%" PRIu64 " records and %" PRIu64
	    ".%09" PRIu64 " s\n", d->back, d->more ? "at least " : "", d->depth, d->depth_time / 1000000000,
	    d->depth_time % 1000000000);
	fprintf(stderr, "psort: rounds: %" PRIu64 ", %" PRIu64 " of them before the first time\n", c->rounds,
	    c->idle_rounds);
	fprintf(stderr, "psort: late: %" PRIu64 ", duplicates: %" PRIu64 "\n", c->late, e->duplicates);
	fprintf(stderr, "psort: spilled: %" PRIu64 " records, %" PRIu64 " bytes, %" PRIu64 " runs\n", records, bytes,
	    runs);
}

int
emit_open(struct emit *e, struct tool *t, const struct sort_how *how, struct spill *spill, struct pp_err *err)
{
	*e = (struct emit){ .t = t, .how = how, .spill = spill, .marks = MARKS_ALL };
	e->limit = how->memory - how->memory / 4;	/* the rest is for merging and duplicates */
	e->fresh = how->marks == MARKS_EMIT;
	if ((how->unique && !(e->unique = unique_new(how->memory / 8))) || !(e->round = pp_round_new(deliver, e, err)))
		return pp_fail_memory(err);
	return 1;
}

void
emit_close(struct emit *e)
{
	pp_round_free(e->round);
	unique_free(e->unique);
}
