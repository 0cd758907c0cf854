/* SPDX-License-Identifier: ISC */
#include <stdlib.h>

#include "state/round.h"
#include "state/timeline.h"

enum { LOOK_EVERY = 16 << 10 };		/* bytes between two checks of the memory in use */

struct pp_timeline {
	struct pp_round	*round;
	pp_deliver	*turn;
	void		*arg;
	struct pp_err	*err;
	size_t		 memory;
	size_t		 unlooked;	/* bytes put since the last check */
	uint64_t	 early_limit;	/* all records up to this time were released early */
	uint64_t	 early;
};

struct pp_timeline *
pp_timeline_new(pp_deliver *turn, void *arg, size_t memory, struct pp_err *err)
{
	struct pp_timeline *t = calloc(1, sizeof *t);

	if (!t) {
		pp_fail_memory(err);
		return NULL;
	}
	t->turn = turn;
	t->arg = arg;
	t->err = err;
	t->memory = memory;
	if (!(t->round = pp_round_new(turn, arg, err))) {
		free(t);
		return NULL;
	}
	return t;
}

void
pp_timeline_free(struct pp_timeline *t)
{
	if (!t)
		return;
	pp_round_free(t->round);
	free(t);
}

int
pp_timeline_release(struct pp_timeline *t, uint64_t limit)
{
	int rc = pp_round_release(t->round, limit);

	pp_round_reclaim(t->round);
	return rc;
}

/* Arrays do not shrink, so a part of the memory is reserved for records; else each record would be released at once. */
static bool
is_full(struct pp_timeline *t)
{
	t->unlooked = 0;
	if (pp_round_used(t->round) + pp_round_spare(t->round) > t->memory)
		pp_round_shrink(t->round);
	return pp_round_used(t->round) > t->memory && pp_round_held(t->round) > t->memory / 2;
}

/* At the limit: release the third that arrived first. */
static int
release_early(struct pp_timeline *t)
{
	uint64_t limit = pp_round_newest_of(t->round, (pp_round_waiting(t->round) + 2) / 3);

	if (limit > t->early_limit)
		t->early_limit = limit;
	return pp_timeline_release(t, limit);
}

uint8_t *
pp_timeline_space(struct pp_timeline *t, uint64_t time, size_t n)
{
	return pp_round_add_space(t->round, time, n);
}

int
pp_timeline_written(struct pp_timeline *t, uint64_t time, size_t n)
{
	t->early += time < t->early_limit;
	return (t->unlooked += n) >= LOOK_EVERY && is_full(t) ? release_early(t) : 1;
}

int
pp_timeline_put(struct pp_timeline *t, uint64_t time, const void *p, size_t n)
{
	return pp_round_add(t->round, time, p, n) < 0 ? -1 : pp_timeline_written(t, time, n);
}

int
pp_timeline_round(struct pp_timeline *t)
{
	int rc = pp_round_finished(t->round);

	pp_round_reclaim(t->round);
	return rc;
}

int
pp_timeline_take(struct pp_timeline *t, const struct pp_source *in, const struct pp_rec *r)
{
	const struct pp_event *ev;
	uint64_t time;

	if (r->type == PP_FINISHED_ROUND)
		return pp_timeline_round(t);
	if (r->type >= PP_USER_TYPE_START)
		return 1;
	if (!(ev = pp_event_find(in->events, r, t->err)))
		return -1;
	return pp_time(ev, r, in->swap, &time) ? pp_timeline_put(t, time, r->raw, r->size) : t->turn(t->arg, 0, r->raw, r->size);
}

int
pp_timeline_each(struct pp_timeline *t, bool sorted, pp_deliver *fn, void *arg)
{
	return pp_round_each(t->round, sorted, fn, arg);
}

uint64_t
pp_timeline_early(const struct pp_timeline *t)
{
	return t->early;
}

void
pp_timeline_saw(struct pp_timeline *t, uint64_t time)
{
	pp_round_saw(t->round, time);
}

uint64_t
pp_timeline_limit(const struct pp_timeline *t)
{
	return pp_round_limit(t->round);
}
