/* SPDX-License-Identifier: ISC */
#include <stdlib.h>
#include <string.h>

#include "record/order.h"
#include "state/turns.h"

#define STAYS UINT32_MAX		/* in no bucket */

static size_t
doubled(size_t cap, size_t n)
{
	for (cap = cap ? cap : 1024; cap < n; cap *= 2)
		;
	return cap;
}

int
pp_turns_start(struct pp_turns *t, pp_turn_fn *fn, void *arg, struct pp_err *err)
{
	t->fn = fn;
	t->arg = arg;
	t->err = err;
	t->min = t->fresh_min = UINT64_MAX;
	return (t->round = pp_round_new(NULL, NULL, err)) ? 1 : -1;
}

void
pp_turns_free(struct pp_turns *t)
{
	pp_round_free(t->round);
	free(t->others);
	free(t->due);
	free(t->bucket);
	free(t->end);
}

static int
grow(struct pp_turns *t, size_t n)
{
	size_t cap = doubled(t->capothers, t->nothers + n);
	struct pp_waiting *all = reallocarray(t->others, cap, sizeof *all);

	if (!all)
		return pp_fail_memory(t->err);
	t->others = all;
	t->capothers = cap;
	return 1;
}

int
pp_turns_grow(struct pp_turns *t)
{
	return grow(t, 1);
}

int
pp_turns_add_older(struct pp_turns *t, const struct pp_waiting *w, size_t n)
{
	size_t old = t->nothers, to = old + n;

	if (to > t->capothers && grow(t, n) < 0)
		return -1;
	t->nothers = t->fresh = to;
	while (n)		/* from the end, as both ascend */
		t->others[--to] = old && t->others[old - 1].place > w[n - 1].place ? t->others[--old] : w[--n];
	return 1;
}

/* ---- release --------------------------------------------------------------------------------------- */

static bool
before(const struct pp_waiting *m, const struct pp_waiting *w)
{
	return m->time != w->time ? m->time < w->time : m->place < w->place;
}

/* The number of marks before that record.  It is mostly that of the neighbour, `hint'. */
static size_t
marks_before(const struct pp_turns *t, const struct pp_waiting *w, size_t hint)
{
	size_t lo = 0, hi = t->nmarks;

	if (hint && !before(&t->marks[hint - 1], w))
		hi = hint - 1;
	else if (hint == hi || !before(&t->marks[hint], w))
		return hint;
	else
		lo = hint + 1;
	ORDER_FIND(lo, hi, i, !before(&t->marks[i], w));
	return lo;
}

/* Arrays for n others to be placed between the marks.  1, or -1: no memory. */
static int
reserve(struct pp_turns *t, size_t n)
{
	size_t cap = doubled(t->capdue, n), capend = doubled(t->capend, t->nmarks + 2);

	if (cap > t->capdue) {
		free(t->due);
		free(t->bucket);
		t->due = reallocarray(NULL, cap, sizeof *t->due);
		t->bucket = reallocarray(NULL, cap, sizeof *t->bucket);
		t->capdue = t->due && t->bucket ? cap : 0;
	}
	if (capend > t->capend) {
		free(t->end);
		t->end = reallocarray(NULL, capend, sizeof *t->end);
		t->capend = t->end ? capend : 0;
	}
	return t->capdue && t->capend ? 1 : pp_fail_memory(t->err);
}

/* Find which of the first n others are due, and between which marks; t->end[m + 1]: how many of them are behind m marks. */
static void
find_due(struct pp_turns *t, size_t n, uint64_t limit)
{
	size_t m = 0;

	for (size_t i = 0; i < n; i++) {
		const struct pp_waiting *w = &t->others[i];

		if (w->time > limit) {
			t->bucket[i] = STAYS;
			continue;
		}
		if (t->nmarks)
			m = marks_before(t, w, m);
		t->bucket[i] = (uint32_t)m;
		t->end[m + 1]++;
	}
}

/*
 * Move the others up to `limit' to t->due, sorted by the marks before them, then by arrival.  t->end[m]: the end of those
 * behind m marks.
 */
static int
take_due(struct pp_turns *t, uint64_t limit)
{
	/* Others added after the last release are newer, in a stream with rounds. */
	size_t n = t->fresh_min > limit ? t->fresh : t->nothers, keep = 0;

	while (n && t->others[n - 1].time > limit)
		n--;
	if (reserve(t, n) < 0)
		return -1;
	memset(t->end, 0, (t->nmarks + 2) * sizeof *t->end);
	find_due(t, n, limit);
	for (size_t m = 1; m <= t->nmarks; m++)
		t->end[m] += t->end[m - 1];
	/* end[m] is the start of those behind m marks; after this loop it is their end. */
	for (size_t i = 0; i < n; i++)
		if (t->bucket[i] == STAYS)
			t->others[keep++] = t->others[i];
		else
			t->due[t->end[t->bucket[i]]++] = t->others[i];
	if (keep < n)
		memmove(t->others + keep, t->others + n, (t->nothers - n) * sizeof *t->others);
	t->nothers -= n - keep;
	return 1;
}

/* No ordered record is behind `last', and no other before it: the time just behind it, unless one of the others has that time. */
static uint64_t
turn_since(const struct pp_turns *t, size_t i, size_t to, uint64_t last)
{
	while (i < to && t->due[i].time != last)
		i++;
	return last + (i == to && last != UINT64_MAX);
}

/* Call fn for the due others and the marks between them. */
static int
turn_due(struct pp_turns *t)
{
	uint64_t since = t->released > t->min ? t->released : t->min;

	for (size_t i = 0, m = 0; m <= t->nmarks; m++) {
		size_t to = t->end[m];

		if (to > i && t->fn(t->arg, t->due + i, to - i, turn_since(t, i, to, since)) < 0)
			return -1;
		i = to;
		if (m == t->nmarks)
			break;
		since = t->marks[m].time > since ? t->marks[m].time : since;
		if (t->fn(t->arg, &t->marks[m], 1, UINT64_MAX) < 0)
			return -1;
	}
	return 1;
}

int
pp_turns_begin(struct pp_turns *t, uint64_t limit)
{
	if (t->fresh_min < t->min)
		t->min = t->fresh_min;
	return pp_round_take(t->round, limit, &t->marks, &t->nmarks);
}

int
pp_turns_end(struct pp_turns *t, uint64_t limit)
{
	if (!t->nothers) {
		if (t->nmarks && t->fn(t->arg, t->marks, t->nmarks, UINT64_MAX) < 0)
			return -1;
	} else if (take_due(t, limit) < 0 || turn_due(t) < 0)
		return -1;
	t->fresh = t->nothers;
	t->fresh_min = UINT64_MAX;
	t->released = limit > t->released ? limit : t->released;
	return 1;
}

int
pp_turns_release(struct pp_turns *t, uint64_t limit)
{
	return pp_turns_begin(t, limit) < 0 ? -1 : pp_turns_end(t, limit);
}

/* ---- the memory limit ---------------------------------------------------------------------------- */

uint64_t
pp_turns_newest(const struct pp_turns *t, uint64_t number)
{
	uint64_t newest = pp_round_newest_of(t->round, pp_round_below(t->round, number));

	for (size_t i = 0; i < t->nothers && t->others[i].place < number; i++)
		newest = t->others[i].time > newest ? t->others[i].time : newest;
	return newest;
}

size_t
pp_turns_memory(const struct pp_turns *t)
{
	return pp_round_memory(t->round) + t->capothers * sizeof *t->others + t->capdue * (sizeof *t->due + sizeof *t->bucket) +
	    t->capend * sizeof *t->end;
}
