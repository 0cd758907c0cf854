/* SPDX-License-Identifier: ISC */
#include <stdlib.h>

#include "look.h"
#include "set.h"

enum { NOTES_MAX = 1 << 17 };

void
look_mark(struct look *l)
{
	l->round++;
}

/* Merge note b, the next one, into note a, which keeps its time and gets the place of b. */
static void
join_notes(struct look_note *a, const struct look_note *b)
{
	a->place = b->place;
	a->round = b->round;
}

static int
more_notes(struct look *l)
{
	struct look_note *p;

	if (l->n < NOTES_MAX) {
		if (!(p = array_more(l->note, l->n, 1, sizeof *p)))
			return -1;
		l->note = p;
		return 1;
	}
	for (size_t i = 0; i < l->n; i += 2) {
		l->note[i / 2] = l->note[i];
		join_notes(&l->note[i / 2], &l->note[i + 1]);
	}
	l->n /= 2;
	return 1;
}

/* Note a late record, that is, one older than the newest record so far. */
static int
late(struct look *l, uint64_t time)
{
	struct look_note new = { time, l->place, l->newest, l->round };

	for (struct look_note *n; l->n; l->n--) {
		n = &l->note[l->n - 1];
		if (time > n->time && (time >= n->before || n->round != l->round))
			break;
		if (time > n->time)
			new.time = n->time;
		if (n->before < new.before)
			new.before = n->before;
		time = new.time;
	}
	if (more_notes(l) < 0)
		return -1;
	l->note[l->n++] = new;
	return 1;
}

/* Add a record of the kernel, time 0 if it has none.  1, or -1: no memory. */
static int
look_record(struct look *l, uint64_t time)
{
	int rc = 1;

	if (time >= l->newest)
		l->newest = time;
	else if (time)
		rc = late(l, time);
	l->place++;
	return rc;
}

int
look_source(struct look *l, struct pp_source *src, uint64_t shift)
{
	const struct pp_event *ev;
	struct pp_rec r;
	uint64_t time;

	while (pp_next(src, &r) > 0) {
		if (r.type == PP_FINISHED_ROUND)
			look_mark(l);
		if (r.type >= PP_USER_TYPE_START)
			continue;
		ev = pp_event_find(src->events, &r, NULL);
		if (!ev || !pp_time(ev, &r, src->swap, &time))
			time = 0;
		if (look_record(l, time ? time + shift : 0) < 0)
			return -1;
	}
	return 1;
}

uint64_t
look_from(struct look *l, uint64_t place)
{
	while (l->at < l->n && l->note[l->at].place < place)
		l->at++;
	return l->at < l->n ? l->note[l->at].time : UINT64_MAX;
}

uint64_t
look_from_round(struct look *l, uint64_t round)
{
	while (l->at_round < l->n && l->note[l->at_round].round < round)
		l->at_round++;
	return l->at_round < l->n ? l->note[l->at_round].time : UINT64_MAX;
}

void
look_free(struct look *l)
{
	free(l->note);
	*l = (struct look){ .n = 0 };
}
