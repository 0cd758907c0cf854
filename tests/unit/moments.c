/* SPDX-License-Identifier: ISC */
/* moments.c - what moments count, beside a list of all samples: when nodes become one, when there are too many, without times */
#include <stdlib.h>

#include "check.h"
#include "stacks/moments.h"

enum { SAMPLES = 300000, NODES = 40, MS = 1000000 };

struct model {
	uint64_t	 time[SAMPLES];
	uint32_t	 node[SAMPLES], n;
	uint32_t	 nodes;
	struct moments	*m;
};

static void
add(struct model *x, uint64_t time, uint32_t node)
{
	x->time[x->n] = time;
	x->node[x->n++] = node;
	moments_add(x->m, time, node);
}

static void
move(struct model *x, const uint32_t *to)
{
	for (uint32_t i = 0; i < x->n; i++)
		x->node[i] = to[x->node[i]];
	moments_move(x->m, to, NODES);
}

/* Of the bins and nodes of the moments, each has as many samples as the model, and each is there once. */
static void
same(const struct model *x)
{
	static uint32_t count[4096][NODES], never[NODES];
	const struct moments *m = x->m;

	moments_sum(x->m);
	memset(count, 0, sizeof count);
	memset(never, 0, sizeof never);
	for (uint32_t i = 0; i < x->n; i++) {
		unsigned b = 0;

		while (x->time[i] && x->time[i] - m->spans.start[b] >= m->spans.width)
			assert_true(++b < m->spans.n);
		++*(x->time[i] ? &count[b][x->node[i]] : &never[x->node[i]]);
	}
	for (size_t i = 0; i < m->n; i++) {
		const struct moment *a = &m->moment[i];
		uint32_t *want = a->bin == MOMENT_NEVER ? &never[a->node] : &count[a->bin][a->node];

		assert_int_equal(a->n, *want);
		*want = 0;
		assert_true(!i || a[-1].bin < a->bin || (a[-1].bin == a->bin && a[-1].node < a->node));
	}
	for (unsigned k = 0; k < NODES; k++) {
		assert_int_equal(never[k], 0);
		for (unsigned b = 0; b < m->spans.n; b++)
			assert_int_equal(count[b][k], 0);
	}
}

static uint64_t
when(uint32_t i)
{
	return 1000 * MS + (uint64_t)i * MS / 1000 - (uint64_t)(random() % 3) * 10 * (i % 5000 == 0) * MS;
}

static void
test_counts(void **state)
{
	static struct model x;
	uint32_t to[NODES];
	struct moments m;

	(void)state;
	srandom(1);
	moments_init(&m, MS, 1000);
	x.m = &m;
	for (uint32_t i = 0; i < SAMPLES; i++) {
		add(&x, i % 1000 ? when(i) : 0, (uint32_t)random() % NODES);
		if (i != SAMPLES / 2)
			continue;
		for (uint32_t k = 0; k < NODES; k++)
			to[k] = k / 2 * 2;
		move(&x, to);
	}
	assert_int_equal(m.spans.width, MS);
	assert_int_equal(m.spans.n, 300);
	same(&x);
	moments_free(&m);
}

/* More bins than there may be: they become wider. */
static void
test_wide(void **state)
{
	static struct model x;
	struct moments m;

	(void)state;
	moments_init(&m, MS, 100);
	x.m = &m;
	for (uint32_t i = 0; i < SAMPLES; i++)
		add(&x, when(i), (uint32_t)random() % NODES);
	assert_int_equal(m.spans.width, 5 * MS);
	same(&x);
	moments_free(&m);
}

static void
fewer(void *arg)
{
	struct model *x = arg;
	uint32_t to[NODES];

	x->nodes = x->nodes > 10 ? x->nodes / 2 : 10;
	for (uint32_t k = 0; k < NODES; k++)
		to[k] = k % x->nodes;
	move(x, to);
}

/* More pairs than there may be: first nodes become fewer, as far as they can, then bins wider. */
static void
test_limit(void **state)
{
	static struct model x;
	struct moments m;

	(void)state;
	moments_init(&m, MS, 1000);
	m.most = m.limit = 2000;
	m.fewer = fewer;
	m.fewer_arg = &x;
	x.m = &m;
	x.nodes = NODES;
	for (uint32_t i = 0; i < SAMPLES; i++)
		add(&x, when(i), (uint32_t)random() % x.nodes);
	assert_int_equal(x.nodes, 10);
	assert_int_equal(m.spans.width, 5 * MS);
	same(&x);
	moments_free(&m);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_counts),
		cmocka_unit_test(test_wide),
		cmocka_unit_test(test_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
