/* SPDX-License-Identifier: ISC */
/* snap.c - see snap.h */
#include <stdlib.h>

#include "force.h"
#include "record/meaning.h"
#include "set.h"
#include "snap.h"
#include "source/leave_out.h"
#include "state/round.h"
#include "state/state.h"

/* Bytes that may wait, and that may be in force. */
enum { WAITS_MAX = 64 << 20, FORCE_MAX = 3 * SNAP_MAX };

struct snap {
	struct pp_source *in;
	struct pp_err	*err;
	uint64_t	 every;
	struct pp_round	*round;
	struct pp_state	*state;		/* after all records that were delivered */
	struct force	*force;		/* those of them that are in force */
	size_t		 before;	/* so many of those that wait came before the last FINISHED_ROUND */
	bool		 over;		/* there are no more */
	uint64_t	 since, plain;	/* bytes of records since the last one that was due; of all */
	struct snap_made made;
	/* being made */
	uint8_t		*buf;
	size_t		 n, cap;
	bool		 timed;		/* behind the last FINISHED_ROUND there are some with times, ... */
	uint64_t	 newest;	/* ... up to this one */
	size_t		 left;		/* of those before it */
	struct pp_state	*again;
};

/* What is in force takes no more memory. */
static void
snap_give_up(struct snap *s)
{
	s->over = true;
	pp_round_free(s->round);
	pp_state_free(s->state);
	force_free(s->force);
	s->round = NULL;
	s->state = NULL;
	s->force = NULL;
}

/* A record of n bytes, with its payload, as readers take it. */
static int
snap_take(struct snap *s, uint64_t time, const uint8_t *p, size_t n)
{
	struct pp_rec r = pp_rec_at(p, s->in->swap);

	if (force_add(s->force, time, p, n) < 0)
		return pp_fail_memory(s->err);
	return pp_state_take(s->state, s->in, &r);
}

/* pp_deliver */
static int
snap_turn(void *arg, uint64_t time, const uint8_t *p, size_t n)
{
	return snap_take(arg, time, p, n);
}

struct snap *
snap_new(struct pp_source *in, uint64_t every, struct pp_err *err)
{
	struct snap *s = calloc(1, sizeof *s);

	if (!s)
		return NULL;
	s->in = in;
	s->err = err;
	s->every = every;
	s->round = pp_round_new(snap_turn, s, err);
	s->state = pp_state_new(in->swap, err);
	s->force = force_new(in->swap);
	if (s->round && s->state && s->force)
		return s;
	snap_free(s);
	return NULL;
}

void
snap_free(struct snap *s)
{
	if (!s)
		return;
	snap_give_up(s);
	free(s->buf);
	free(s);
}

/* ---- records --------------------------------------------------------------------------------------------- */

static int
snap_add(struct snap *s, const void *p, size_t n)
{
	uint8_t *q = buffer_more(s->buf, &s->cap, s->n, n);

	if (!q)
		return pp_fail_memory(s->err);
	s->buf = q;
	memcpy(s->buf + s->n, p, n);
	s->n += n;
	return 1;
}

/* The formats of tracepoints, which stand behind their record. */
static int
snap_tracing(struct snap *s, struct pp_source *in, const struct pp_rec *r)
{
	const uint8_t *p;
	size_t n;
	int rc;

	s->n = 0;
	if (r->payload > SNAP_MAX / 2) {
		snap_give_up(s);
		return 1;
	}
	rc = snap_add(s, r->raw, r->size);
	while (rc > 0 && (rc = pp_payload(in, &p, &n)) > 0)
		rc = snap_add(s, p, n);
	return rc < 0 ? -1 : snap_take(s, 0, s->buf, s->n);
}

static int
snap_round(struct snap *s)
{
	if (pp_round_finished(s->round) < 0)
		return -1;
	pp_round_reclaim(s->round);
	s->before = pp_round_waiting(s->round);
	return 1;
}

/* A record that comes in all pieces. */
static int
snap_common(struct snap *s, struct pp_source *in, const struct pp_rec *r)
{
	const struct pp_event *ev = r->type < PP_USER_TYPE_START ? pp_event_find(in->events, r, NULL) : NULL;
	uint64_t time;

	if (r->payload && r->type == PP_HEADER_TRACING_DATA)
		return snap_tracing(s, in, r);
	if (r->payload || (r->type < PP_USER_TYPE_START && !ev)) {
		snap_give_up(s);
		return 1;
	}
	return ev && pp_time(ev, r, in->swap, &time) ? pp_round_add(s->round, time, r->raw, r->size) : snap_take(s, 0, r->raw, r->size);
}

int
snap_record(struct snap *s, struct pp_source *in, const struct pp_rec *r)
{
	int rc = 1;

	if (s->over)
		return 1;
	if (r->type == PP_FINISHED_ROUND)
		rc = snap_round(s);
	else if (r->payload || pp_type_is(r->type, PP_CLASSES_STATE | PP_CLASSES_HEAD | PP_CLASS_BIT(MARK)))
		rc = snap_common(s, in, r);
	if (rc > 0 && !s->over && (pp_round_held(s->round) > WAITS_MAX || force_memory(s->force) > FORCE_MAX))
		snap_give_up(s);
	return rc;
}

void
snap_saw(struct snap *s, uint64_t time)
{
	if (!s->over && time)
		pp_round_saw(s->round, time);
}

/* ---- a snapshot ---------------------------------------------------------------------------------------- */

static int
snap_add_rounds(struct snap *s, int n)
{
	uint8_t p[PP_HEADER_SIZE] = { 0 };
	int rc = 1;

	pp_set_u32(p, PP_FINISHED_ROUND, s->in->swap);
	pp_set_u16(p + 6, sizeof p, s->in->swap);
	while (rc > 0 && n--)
		rc = snap_add(s, p, sizeof p);
	return rc;
}

static int
snap_add_time(struct snap *s, uint64_t time)
{
	uint8_t p[PP_LEFT_OUT_SIZE] = { 0 };
	bool swap = s->in->swap;

	if (!time)
		return 1;
	pp_set_u32(p, PP_LEFT_OUT, swap);
	pp_set_u16(p + 6, sizeof p, swap);
	pp_set_u64(p + PP_HEADER_SIZE, time, swap);
	pp_set_u64(p + PP_HEADER_SIZE + 8, time, swap);
	return snap_add(s, p, sizeof p);
}

/*
 * force_each(): readers are to take the record behind those before it.  They take one without a time at once, and others by their
 * times, each with a round; two rounds let them have all before it.
 */
static int
snap_add_force(void *arg, uint64_t time, const uint8_t *p, size_t n)
{
	struct snap *s = arg;
	struct pp_rec r = pp_rec_at(p, s->in->swap);

	if (s->timed && (!time || time < s->newest)) {
		if (snap_add_rounds(s, 2) < 0)
			return -1;
		s->timed = false;
	}
	if (time) {
		s->timed = true;
		s->newest = time;
	}
	if (s->n + n > SNAP_MAX)
		return 1;		/* snap_make() sees that it is too long */
	return snap_add(s, p, n) < 0 || pp_state_take(s->again, s->in, &r) < 0 ? -1 : 1;
}

/* pp_round_each(): what waits. */
static int
snap_add_waiting(void *arg, uint64_t time, const uint8_t *p, size_t n)
{
	struct snap *s = arg;

	(void)time;
	if (s->left-- == 0 && pp_round_limit(s->round) && (snap_add_time(s, pp_round_limit(s->round)) < 0 || snap_add_rounds(s, 1) < 0))
		return -1;
	return snap_add(s, p, n);
}

static int
snap_put(struct snap *s)
{
	uint64_t limit = pp_round_limit(s->round);

	s->n = 0;
	s->timed = false;
	s->left = s->before;
	if (force_each(s->force, snap_add_force, s) < 0 || (s->timed && snap_add_rounds(s, 2) < 0) ||
	    pp_round_each(s->round, false, snap_add_waiting, s) < 0)
		return -1;
	/* nothing has come behind the last round */
	if (limit && s->before == pp_round_waiting(s->round) && (snap_add_time(s, limit) < 0 || snap_add_rounds(s, 1) < 0))
		return -1;
	return snap_add_time(s, s->round->max);
}

/* 1, 0: it would be too long, or another state. */
static int
snap_make(struct snap *s)
{
	int rc;

	if (!(s->again = pp_state_new(s->in->swap, s->err)))
		return -1;
	rc = snap_put(s);
	if (rc > 0)
		rc = s->n <= SNAP_MAX && s->n <= s->plain / 8 * 7 && pp_state_same(s->state, s->again);
	pp_state_free(s->again);
	s->again = NULL;
	return rc;
}

int
snap_chunk(struct snap *s, const struct pp_chunk *c, struct snap_made *to)
{
	int rc;

	s->made.off = c->off + c->len;
	s->made.chunks++;
	s->made.sample_bytes += c->sample_bytes;
	s->plain += c->plain;
	s->since += c->plain;
	if (c->file)
		snap_give_up(s);
	if (s->over || s->since < s->every)
		return 0;
	s->since = 0;
	if ((rc = snap_make(s)) <= 0)
		return rc;
	*to = s->made;
	to->p = s->buf;
	to->n = s->n;
	return 1;
}
