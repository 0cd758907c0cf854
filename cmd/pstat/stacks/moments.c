/* SPDX-License-Identifier: ISC */
/* moments.c - see moments.h */
#include <stdlib.h>

#include "set.h"
#include "stacks/moments.h"
#include "tool/tool.h"

enum { TAIL = 1 << 16 };		/* moments that are not in order yet, at most */

/* spans_change: the bins became wider */
static void
moments_widen(void *arg, const uint16_t *to, unsigned n, unsigned n_to)
{
	struct moments *m = arg;

	(void)n;
	(void)n_to;
	for (size_t i = 0; i < m->n; i++)
		if (m->moment[i].bin != MOMENT_NEVER)
			m->moment[i].bin = to[m->moment[i].bin];
}

void
moments_init(struct moments *m, uint64_t width, unsigned bins)
{
	*m = (struct moments){ .most = MOMENTS, .limit = MOMENTS };
	spans_init(&m->spans, width, false, 1, bins);
	spans_count_by(&m->spans, moments_widen, m);
}

void
moments_free(struct moments *m)
{
	spans_free(&m->spans);
	free(m->moment);
}

static int
by_bin_and_node(const void *va, const void *vb)
{
	const struct moment *a = va, *b = vb;

	if (a->bin != b->bin)
		return a->bin < b->bin ? -1 : 1;
	return a->node < b->node ? -1 : a->node > b->node;
}

/* The moments from there on, of which those of each bin stand together: bring them into order, and make equal ones one. */
static void
moments_order(struct moments *m, size_t from)
{
	struct moment *x = m->moment;
	size_t n = from;

	for (size_t i = from, to; i < m->n; i = to) {
		for (to = i + 1; to < m->n && x[to].bin == x[i].bin; to++)
			;
		qsort(x + i, to - i, sizeof *x, by_bin_and_node);
		for (; i < to; i++)
			if (n > from && x[n - 1].bin == x[i].bin && x[n - 1].node == x[i].node && x[i].n <= UINT32_MAX - x[n - 1].n)
				x[n - 1].n += x[i].n;
			else
				x[n++] = x[i];
	}
	m->n = m->summed = n;
}

void
moments_sum(struct moments *m)
{
	size_t i = 1;

	while (i < m->n && m->moment[i].bin >= m->moment[i - 1].bin)
		i++;
	if (i < m->n)
		qsort(m->moment, m->n, sizeof *m->moment, by_bin_and_node);
	moments_order(m, 0);
}

/* Samples come in the order of time, so most often their bins are the last, and the next. */
static void
moments_sum_tail(struct moments *m)
{
	size_t from = m->summed;

	while (from && m->moment[from - 1].bin == m->moment[m->summed - 1].bin)
		from--;
	qsort(m->moment + from, m->n - from, sizeof *m->moment, by_bin_and_node);
	moments_order(m, from);
}

/* One bin has no more pairs than there are nodes; so there is an end. */
static void
moments_less(struct moments *m)
{
	size_t enough = m->most / 4 * 3;

	moments_sum(m);
	if (m->n > enough && m->fewer) {
		m->fewer(m->fewer_arg);
		moments_sum(m);
	}
	while (m->n > enough && m->spans.n > 1) {
		spans_widen(&m->spans);
		moments_sum(m);
	}
	m->limit = m->n > enough ? 2 * m->n : m->most;
}

void
moments_add(struct moments *m, uint64_t time, uint32_t node)
{
	uint32_t bin = time ? spans_at(&m->spans, time) : MOMENT_NEVER;
	struct moment *last = m->n ? &m->moment[m->n - 1] : NULL;

	if (last && last->bin == bin && last->node == node && last->n < UINT32_MAX) {
		last->n++;
		return;
	}
	m->moment = tool_need(array_more(m->moment, m->n, 1, sizeof *m->moment));
	m->moment[m->n++] = (struct moment){ bin, node, 1 };
	if (m->n - m->summed >= TAIL)
		moments_sum_tail(m);
	if (m->n >= m->limit)
		moments_less(m);
}

void
moments_move(void *arg, const uint32_t *to, uint32_t n)
{
	struct moments *m = arg;

	(void)n;
	for (size_t i = 0; i < m->n; i++)
		m->moment[i].node = to[m->moment[i].node];
}
