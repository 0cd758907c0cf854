/* SPDX-License-Identifier: ISC */
/*
 * arrival_guess.c - verdicts that were known when the records arrived
 *
 * Most records are of tasks of which nothing else is said while they wait.  Their verdicts by the state as it is at their arrival are
 * those that their turns would give, so they need none: at a release it is enough to know that nothing they depend on changes.
 *
 * A release goes through the entries that came since the round before the last one, and no others: what came before that round is
 * not newer than its limit.
 */
#include <stdlib.h>
#include <string.h>

#include "state/arrival_in.h"

void
arrival_changes(struct pp_arrival *a, const struct pp_rec *r)
{
	if (a->user.guess && r->type < PP_USER_TYPE_START && a->user.ordered[r->type])
		a->user.changes(a->user.arg, r, &a->changed);
}

void
arrival_miss(struct pp_arrival *a, struct pp_held *e)
{
	a->user.missed(a->user.arg, e->to & 63);
	e->marks = 0;
	e->state = PP_WAITS;
}

/* What all records change that have their turn now, or had it since the last release. */
static void
note_changes(struct pp_arrival *a)
{
	for (size_t i = 0; i < a->turns.nmarks; i++) {
		const struct pp_held *e = pp_ring_at(&a->ring, a->turns.marks[i].place);
		struct pp_rec r;

		if (a->turns.marks[i].place < a->ring.first || e->state != PP_WAITS)
			continue;
		r = pp_rec_at(pp_ring_bytes(&a->ring, e), a->in->swap);
		arrival_changes(a, &r);
	}
}

/* Of few, only these: there may be a release for each. */
static void
forget_changes(struct pp_changed *c)
{
	if (c->all || c->n > PP_CHANGED_MANY)
		memset(c->key, false, sizeof c->key);
	else
		for (unsigned i = 0; i < c->n; i++)
			c->key[c->number[i]] = false;
	c->any = c->all = false;
	c->n = 0;
}

static bool
has_changed(const struct pp_changed *c, const struct pp_held *e)
{
	return c->key[e->keys & 0xffff] | c->key[e->keys >> 16];
}

/* An entry waits for its turn after all.  1, or -1: no memory. */
static int
put_back(struct pp_arrival *a, struct pp_held *e, uint64_t n)
{
	size_t cap = a->capmisses ? 2 * a->capmisses : 256;
	struct pp_waiting *all;

	if (a->nmisses == a->capmisses) {
		if (!(all = reallocarray(a->misses, cap, sizeof *all)))
			return pp_fail_memory(a->err);
		a->misses = all;
		a->capmisses = cap;
	}
	arrival_miss(a, e);
	a->misses[a->nmisses++] = (struct pp_waiting){ e->time, n };
	return 1;
}

/* Records of one block that are not needed any more; `place' is that of one of them. */
struct dropped {
	uint64_t	 place;
	size_t		 n;
};

static void
drop_now(struct pp_arrival *a, struct dropped *d)
{
	if (d->n)
		pp_block_drop(&a->ring.blocks, pp_block_of(&a->ring.blocks, d->place), d->n);
	d->n = 0;
}

static inline void
drop(struct pp_arrival *a, struct dropped *d, const struct pp_held *e)
{
	if (pp_place_number(e->place ^ d->place))
		drop_now(a, d);
	d->place = e->place;
	d->n++;
}

/* The guess on an entry is the verdict. */
static inline void
is_good(struct pp_arrival *a, struct pp_held *e, struct dropped *d)
{
	e->state = PP_DECIDED;
	e->front = 0;
	e->owed = false;		/* there was the event */
	if (!(e->to >>= 6))
		drop(a, d, e);
}

int
arrival_settle_guesses(struct pp_arrival *a, uint64_t limit)
{
	uint64_t n = a->unsure > a->ring.first ? a->unsure : a->ring.first, next = a->ring.next, unsure = UINT64_MAX, good = 0;
	const struct pp_ring ring = a->ring;		/* nothing is put now */
	struct dropped dropped = { .n = 0 };
	bool some;
	int rc = 1;

	note_changes(a);
	some = a->changed.any;
	if (a->changed.all)
		memset(a->changed.key, true, sizeof a->changed.key);
	for (; n < next; n++) {
		struct pp_held *e = pp_ring_at(&ring, n);

		if (e->state != PP_GUESSED)
			continue;
		if (has_changed(&a->changed, e)) {
			if ((rc = put_back(a, e, n)) < 0)
				break;
		} else if (e->time > limit) {
			unsure = n < unsure ? n : unsure;
		} else {
			good++;
			is_good(a, e, &dropped);
		}
	}
	drop_now(a, &dropped);
	a->waits -= good;
	a->unsure = n < unsure ? n : unsure;
	if (rc > 0 && a->nmisses)
		rc = pp_turns_add_older(&a->turns, a->misses, a->nmisses);
	a->nmisses = 0;
	if (some)
		forget_changes(&a->changed);
	return rc;
}

uint64_t
arrival_newest_guess(const struct pp_arrival *a, uint64_t number)
{
	uint64_t newest = 0;

	for (uint64_t n = a->unsure > a->ring.first ? a->unsure : a->ring.first; n < number; n++) {
		const struct pp_held *e = pp_ring_at(&a->ring, n);

		if (e->state == PP_GUESSED && e->time > newest)
			newest = e->time;
	}
	return newest;
}

void
arrival_miss_all(struct pp_arrival *a)
{
	for (uint64_t n = a->ring.first; n < a->ring.next; n++)
		if (pp_ring_at(&a->ring, n)->state == PP_GUESSED)
			arrival_miss(a, pp_ring_at(&a->ring, n));
}
