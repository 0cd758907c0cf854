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

static bool
has_changed(const struct pp_changed *c, const struct pp_held *e)
{
	unsigned one = e->keys & 0xffff, two = e->keys >> 16;

	return c->key[one / 64] >> one % 64 & 1 || c->key[two / 64] >> two % 64 & 1;
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

/* Records of one block that are not needed any more. */
struct dropped {
	struct pp_block	*block;
	size_t		 n;
};

static void
drop_now(struct pp_arrival *a, struct dropped *d)
{
	if (d->n)
		pp_block_drop(&a->ring.blocks, d->block, d->n);
	d->n = 0;
}

static inline void
drop(struct pp_arrival *a, struct dropped *d, const struct pp_held *e)
{
	struct pp_block *b = pp_block_of(&a->ring.blocks, e->place);

	if (b != d->block)
		drop_now(a, d);
	d->block = b;
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
	uint64_t n = a->unsure > a->ring.first ? a->unsure : a->ring.first, unsure = UINT64_MAX, good = 0;
	struct dropped dropped = { .n = 0 };
	bool some, all;
	int rc = 1;

	note_changes(a);
	some = a->changed.any;
	all = a->changed.all;
	for (; rc > 0 && n < a->ring.next; n++) {
		struct pp_held *e = pp_ring_at(&a->ring, n);

		if (e->state != PP_GUESSED)
			continue;
		if (some && (all || has_changed(&a->changed, e))) {
			rc = put_back(a, e, n);
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
		memset(&a->changed, 0, sizeof a->changed);
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
