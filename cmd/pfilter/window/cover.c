/* SPDX-License-Identifier: ISC */
#include <stdlib.h>
#include <string.h>

#include "record/order.h"
#include "set.h"
#include "tool/tool.h"
#include "window/cover.h"

enum { KEYS_KEPT = 1024 };		/* so many keys are not searched for forgotten ones */

struct keyed {
	struct link	 link;
	struct ranges	 r;
};

/* ---- ranges -------------------------------------------------------------------------------------- */

/* The first range that ends at that time or later. */
static size_t
ranges_find(const struct ranges *r, uint64_t time)
{
	size_t lo = r->first, hi = r->n;

	if (lo < hi && r->v[hi - 1].to < time)
		return hi;
	ORDER_FIND(lo, hi, i, r->v[i].to >= time);
	return lo;
}

static void
ranges_forget(struct ranges *r, uint64_t since)
{
	while (r->first < r->n && r->v[r->first].to < since)
		r->first++;
	if (r->first < 64 || r->first < r->n / 2)
		return;
	r->n -= r->first;
	memmove(r->v, r->v + r->first, r->n * sizeof *r->v);
	r->first = 0;
}

static void
ranges_add(struct ranges *r, uint64_t from, uint64_t to)
{
	size_t i = ranges_find(r, from), end = i;

	for (; end < r->n && r->v[end].from <= to; end++) {	/* these and the new one become one */
		from = r->v[end].from < from ? r->v[end].from : from;
		to = r->v[end].to > to ? r->v[end].to : to;
	}
	if (end == i) {
		r->v = tool_need(array_more(r->v, r->n, 1, sizeof *r->v));
		end = i + 1;
		memmove(r->v + end, r->v + i, (r->n - i) * sizeof *r->v);
		r->n++;
	} else {
		memmove(r->v + i + 1, r->v + end, (r->n - end) * sizeof *r->v);
		r->n -= end - i - 1;
	}
	r->v[i] = (struct range_of){ from, to };
}

/* ---- by key -------------------------------------------------------------------------------------- */

static struct ranges *
cover_of(const struct cover *c, uint32_t key)
{
	struct link *l = pp_table_first(&c->by, key);

	return l ? &((struct keyed *)l)->r : NULL;
}

/* Remove the keys whose times are all forgotten. */
static void
cover_prune(struct cover *c)
{
	for (size_t i = 0; c->by.bits && i < (size_t)1 << c->by.bits; i++)
		for (struct link *l = c->by.slot[i], *next; l; l = next) {
			struct keyed *k = (struct keyed *)l;

			next = l->next;
			ranges_forget(&k->r, c->since);
			if (k->r.first < k->r.n)
				continue;
			pp_table_remove(&c->by, l);
			free(k->r.v);
			free(k);
		}
	c->kept = c->by.n;
}

/* The ranges of a key, to add to them. */
static struct ranges *
cover_at(struct cover *c, uint32_t key)
{
	struct ranges *r = c->keyed ? cover_of(c, key) : &c->all;
	struct keyed *k;

	if (!r) {
		if (c->by.n >= KEYS_KEPT + 2 * c->kept)
			cover_prune(c);
		k = tool_alloc(1, sizeof *k);
		if (pp_table_add(&c->by, &k->link, key) < 0)
			tool_no_memory();
		r = &k->r;
	}
	ranges_forget(r, c->since);
	return r;
}

void
cover_start(struct cover *c, bool keyed)
{
	c->keyed = keyed;
	pp_table_init(&c->by);
}

void
cover_add(struct cover *c, uint32_t key, uint64_t from, uint64_t to)
{
	ranges_add(cover_at(c, key), from, to);
}

void
cover_open(struct cover *c, uint32_t key, uint64_t from)
{
	struct ranges *r = cover_at(c, key);

	r->open++;
	ranges_add(r, from, UINT64_MAX);
}

void
cover_close(struct cover *c, uint32_t key, uint64_t to)
{
	struct ranges *r = cover_at(c, key);

	if (--r->open == 0)
		r->v[r->n - 1].to = to;
}

bool
cover_has(const struct cover *c, uint32_t key, uint64_t time)
{
	const struct ranges *r = c->keyed ? cover_of(c, key) : &c->all;
	size_t i;

	return r && (i = ranges_find(r, time)) < r->n && r->v[i].from <= time;
}

void
cover_forget(struct cover *c, uint64_t since)
{
	c->since = since;
	if (!c->keyed)
		ranges_forget(&c->all, since);
}

void
cover_free(struct cover *c)
{
	if (c->keyed) {
		for (size_t i = 0; c->by.bits && i < (size_t)1 << c->by.bits; i++)
			for (struct link *l = c->by.slot[i]; l; l = l->next)
				free(((struct keyed *)l)->r.v);
		pp_table_free(&c->by, true);
	}
	free(c->all.v);
}
