/* SPDX-License-Identifier: ISC */
/*
 * span_order.c - the open spans by the time of their begin, those of one time as they came: span.h
 *
 * A treap, a tree in which no span has a higher priority than the one above it.  Priorities are as good as random, so the tree is not deep
 * whatever the times are.  Most spans come as the newest, and cost a few steps.
 */
#include "window/span.h"

static uint16_t
order_priority(const struct span *s, uint32_t i)
{
	uint64_t h = i * s->mul;

	return (uint16_t)((h ^ h >> 32) * s->mul >> 48);
}

/* Put a tree, which may be empty, below `up'. */
static void
order_hang(struct open_span *open, uint32_t *link, uint32_t up, uint32_t i)
{
	*link = i;
	if (i)
		open[i].up = up;
}

/* The newest one: it goes to the right of those that have a higher priority. */
static void
order_append(struct span *s, uint32_t i)
{
	struct open_span *open = s->open, *o = &open[i];
	uint32_t up = s->newest, below = 0;

	for (; up && open[up].priority < o->priority; up = open[up].up)
		below = up;
	order_hang(open, up ? &open[up].right : &s->root, up, i);
	order_hang(open, &o->left, i, below);
	o->right = 0;
	s->newest = i;
}

/* One whose record is late: what was where it goes is split. */
static void
order_insert(struct span *s, uint32_t i)
{
	struct open_span *open = s->open, *o = &open[i];
	uint32_t *link = &s->root, *left = &o->left, *right = &o->right, up = 0, left_up = i, right_up = i, at;

	for (; (at = *link) && open[at].priority >= o->priority; up = at)
		link = open[at].begin > o->begin ? &open[at].left : &open[at].right;
	order_hang(open, link, up, i);
	while (at)
		if (open[at].begin > o->begin) {
			order_hang(open, right, right_up, at);
			right_up = at;
			right = &open[at].left;
			at = *right;
		} else {
			order_hang(open, left, left_up, at);
			left_up = at;
			left = &open[at].right;
			at = *left;
		}
	*left = *right = 0;
}

uint32_t
span_newer(const struct span *s, uint32_t i)
{
	const struct open_span *open = s->open;
	uint32_t next = open[i].right;

	if (next) {
		while (open[next].left)
			next = open[next].left;
		return next;
	}
	for (; (next = open[i].up) && open[next].right == i; i = next)
		;
	return next;
}

void
span_order(struct span *s, uint32_t i)
{
	struct open_span *o = &s->open[i];
	uint32_t newer = 0;

	o->priority = order_priority(s, i);
	if (!s->newest || s->open[s->newest].begin <= o->begin)
		order_append(s, i);
	else {
		order_insert(s, i);
		newer = span_newer(s, i);
	}
	if (newer == s->oldest)
		s->oldest = i;
	if (newer == s->due)
		s->due = i;
}

void
span_unorder(struct span *s, uint32_t i)
{
	struct open_span *open = s->open, *o = &open[i];
	uint32_t left = o->left, right = o->right, up = o->up;
	uint32_t *link = !up ? &s->root : open[up].left == i ? &open[up].left : &open[up].right;

	if (s->due == i)
		s->due = span_newer(s, i);
	if (s->oldest == i)
		s->oldest = span_newer(s, i);
	if (s->newest == i) {
		s->newest = left ? left : up;
		while (left && open[s->newest].right)
			s->newest = open[s->newest].right;
	}
	while (left && right)
		if (open[left].priority >= open[right].priority) {
			order_hang(open, link, up, left);
			up = left;
			link = &open[left].right;
			left = *link;
		} else {
			order_hang(open, link, up, right);
			up = right;
			link = &open[right].left;
			right = *link;
		}
	order_hang(open, link, up, left ? left : right);
}
