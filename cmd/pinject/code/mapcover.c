/* SPDX-License-Identifier: ISC */
/* mapcover.c - see mapcover.h */
#include <stdlib.h>
#include <string.h>

#include "mapcover.h"
#include "record/order.h"
#include "set.h"
#include "tool/tool.h"

size_t
mapcover_from(const struct mapcovers *m, uint64_t addr)
{
	size_t lo = 0, hi = m->n;

	ORDER_FIND(lo, hi, i, m->v[i].end > addr);
	return lo;
}

struct mapcover *
mapcover_find(const struct mapcovers *m, uint64_t addr)
{
	size_t i = mapcover_from(m, addr);

	return i < m->n && m->v[i].start <= addr ? &m->v[i] : NULL;
}

/* Let n others be in the place of those from index `at' to before `end'. */
static struct mapcover *
mapcover_make_space(struct mapcovers *m, size_t at, size_t end, size_t n)
{
	size_t left = m->n - (end - at);

	if (left + n > m->n)
		m->v = tool_need(array_more(m->v, m->n, left + n - m->n, sizeof *m->v));
	if (m->n > end)
		memmove(m->v + at + n, m->v + end, (m->n - end) * sizeof *m->v);
	m->n = left + n;
	return m->v + at;
}

/* Let one end and another one begin at that address, if there is one on both sides of it. */
static void
mapcover_split(struct mapcovers *m, uint64_t addr)
{
	size_t i = mapcover_from(m, addr);
	struct mapcover *c;

	if (i == m->n || m->v[i].start >= addr)
		return;
	c = mapcover_make_space(m, i, i, 1);
	c[0] = c[1];
	c[0].end = c[1].start = addr;
	c[1].pgoff += addr - c[0].start;
}

void
mapcover_cut(struct mapcovers *m, uint64_t start, uint64_t end, bool hide)
{
	size_t at, last;

	if (start >= end)
		return;
	if (m->n >= MAPCOVER_MAX)
		m->n = 0;
	mapcover_split(m, start);
	mapcover_split(m, end);
	at = last = mapcover_from(m, start);
	for (; last < m->n && m->v[last].end <= end; last++)
		m->v[last].hidden = true;
	if (!hide && last > at)
		mapcover_make_space(m, at, last, 0);
}

void
mapcover_add(struct mapcovers *m, struct mapcover c)
{
	size_t at;

	mapcover_cut(m, c.start, c.end, false);
	at = mapcover_from(m, c.start);
	*mapcover_make_space(m, at, at, 1) = c;
}

void
mapcover_free(struct mapcovers *m)
{
	free(m->v);
	*m = (struct mapcovers){ 0 };
}
