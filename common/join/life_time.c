/* SPDX-License-Identifier: ISC */
/*
 * life_time.c - the lives of a tid by time: life.h
 *
 * Lives of a kind that overlap are a row.  A search asks each row in the time of x once, however many inputs agree on it, and then its lives.
 * Rows, and the lives of a row, are in order of their begins, and are searched as a tree: in the middle of a part is what stands above it.
 */
#include <stdlib.h>

#include "life.h"
#include "set.h"
#include "tool/tool.h"

struct stretch {			/* a life, or a row */
	uint64_t	 from, to;
	uint64_t	 reach;		/* the largest `to' of the part of which it is the middle */
	size_t		 n;		/* of a row: its lives; 0: it is a life */
	union {
		struct life	*life;
		struct stretch	*in;	/* n, all of one kind */
	};
};

struct life_times {
	struct stretch	*life, *row;
	size_t		 nlives, nrows;
};

static int
stretch_order(const void *a, const void *b)
{
	const struct stretch *x = a, *y = b;

	return x->from < y->from ? -1 : x->from > y->from;
}

static uint64_t
stretch_reach(struct stretch *s, size_t n)
{
	struct stretch *mid = s + n / 2;
	uint64_t left, right;

	if (!n)
		return 0;
	left = stretch_reach(s, n / 2);
	right = stretch_reach(mid + 1, n - n / 2 - 1);
	mid->reach = left > right ? left : right;
	mid->reach = mid->to > mid->reach ? mid->to : mid->reach;
	return mid->reach;
}

struct search {
	const struct life *x;
	bool		(*wanted)(void *, const struct life *, const struct kind *);
	bool		(*fn)(void *, const struct life *, const struct life *);
	void		*arg;
};

static bool
stretch_any(const struct stretch *s, size_t n, const struct search *f)
{
	const struct stretch *mid = s + n / 2;

	if (!n || mid->reach <= f->x->begin)
		return false;
	if (stretch_any(s, n / 2, f))
		return true;
	if (mid->from >= f->x->end)
		return false;
	if (mid->to > f->x->begin && (mid->n ? f->wanted(f->arg, f->x, mid->in->life->kind) && stretch_any(mid->in, mid->n, f) :
	    f->fn(f->arg, f->x, mid->life)))
		return true;
	return stretch_any(mid + 1, n - n / 2 - 1, f);
}

/* Order n lives of a kind, and make rows of them. */
static void
times_rows(struct life_times *t, struct stretch *s, size_t n)
{
	if (n)
		qsort(s, n, sizeof *s, stretch_order);
	for (size_t i = 0; i < n; i++) {
		struct stretch *row = i ? &t->row[t->nrows - 1] : NULL;

		if (!row || s[i].from >= row->to) {
			t->row = tool_need(array_more(t->row, t->nrows, 1, sizeof *t->row));
			row = &t->row[t->nrows++];
			*row = (struct stretch){ .from = s[i].from, .in = s + i };
		}
		row->to = s[i].to > row->to ? s[i].to : row->to;
		row->n++;
	}
}

struct life_times *
life_times(struct tid *tid)
{
	struct life_times *t = tid->times;
	struct kind *k;
	struct life *x;
	size_t n = 0;

	if (t)
		return t;
	t = tid->times = tool_alloc(1, sizeof *t);
	*t = (struct life_times){ .nlives = 0 };
	LIST_FOREACH(k, &tid->kinds, next)
		LIST_FOREACH(x, &k->lives, alike)
			n++;
	t->life = tool_alloc(n, sizeof *t->life);
	LIST_FOREACH(k, &tid->kinds, next) {
		size_t first = t->nlives;

		LIST_FOREACH(x, &k->lives, alike)
			if (x->begin < x->end)
				t->life[t->nlives++] = (struct stretch){ .from = x->begin, .to = x->end, .life = x };
		times_rows(t, t->life + first, t->nlives - first);
	}
	if (t->nrows)
		qsort(t->row, t->nrows, sizeof *t->row, stretch_order);
	stretch_reach(t->row, t->nrows);
	for (size_t i = 0; i < t->nrows; i++)
		stretch_reach(t->row[i].in, t->row[i].n);
	return t;
}

bool
life_times_any(const struct life_times *t, const struct life *x, bool (*wanted)(void *, const struct life *, const struct kind *),
    bool (*fn)(void *, const struct life *, const struct life *), void *arg)
{
	return stretch_any(t->row, t->nrows, &(struct search){ x, wanted, fn, arg });
}

void
life_times_forget(struct tid *tid)
{
	if (!tid->times)
		return;
	free(tid->times->life);
	free(tid->times->row);
	free(tid->times);
	tid->times = NULL;
}
