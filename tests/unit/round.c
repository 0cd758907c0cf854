/* SPDX-License-Identifier: ISC */
/* perf's two-round order, against the rule written down as plainly as can be. */
#include "bytes.h"

enum { MAX = 4000 };

struct model {			/* what perf's ordered-events does, by search */
	uint64_t time[MAX];
	bool	 gone[MAX];
	unsigned n, waiting;
	uint64_t max, next_flush, last_flush, late;
	unsigned out[MAX], nout;
};
struct test {
	struct pp_round	*q;
	struct model	 m;
	unsigned	 got[MAX], ngot;
	const uint8_t	*shown[MAX];	/* where the copy stood, until reclaim */
	unsigned	 fail_at;	/* deliver fails then; 0: never */
};

static uint32_t seed;
static uint32_t
rnd(uint32_t below)
{
	seed = seed * 1664525 + 1013904223;
	return (uint32_t)((uint64_t)seed * below >> 32);
}

static void
model_deliver(struct model *m, uint64_t upto)
{
	for (;;) {
		unsigned best = MAX;

		for (unsigned i = 0; i < m->n; i++)
			if (!m->gone[i] && m->time[i] <= upto && (best == MAX || m->time[i] < m->time[best]))
				best = i;
		if (best == MAX)
			return;
		m->gone[best] = true;
		m->waiting--;
		m->last_flush = m->time[best];
		m->out[m->nout++] = best;
	}
}

static void
model_round(struct model *m)
{
	if (!m->waiting)
		return;
	model_deliver(m, m->next_flush);
	m->next_flush = m->max;
}

static void
model_add(struct model *m, uint64_t time)
{
	m->late += time < m->last_flush;
	m->time[m->n++] = time;
	if (!m->waiting++ || time >= m->max)
		m->max = time;
}

/* Each record holds its number, and as many bytes of it as its number says. */
static size_t
length(unsigned i)
{
	return 8 + i * 7919 % 300 + (i % 97 == 0 ? 65000 : 0);
}

static int
deliver(void *arg, uint64_t time, const uint8_t *p, size_t n)
{
	struct test *t = arg;
	unsigned i;

	memcpy(&i, p, sizeof i);
	assert_true(i < t->m.n);
	assert_int_equal(n, length(i));
	assert_int_equal(time, t->m.time[i]);
	assert_int_equal(p[n - 1], (uint8_t)i);
	t->shown[t->ngot] = p;
	t->got[t->ngot++] = i;
	return t->fail_at && t->ngot == t->fail_at ? -1 : 1;
}

static void
add(struct test *t, uint64_t time)
{
	static uint8_t rec[70000];
	unsigned i = t->m.n;

	memset(rec, (uint8_t)i, length(i));
	memcpy(rec, &i, sizeof i);
	rec[length(i) - 1] = (uint8_t)i;
	model_add(&t->m, time);
	assert_int_equal(pp_round_add(t->q, time, rec, length(i)), 1);
}

static void
compare(struct test *t)
{
	assert_int_equal(t->ngot, t->m.nout);
	assert_memory_equal(t->got, t->m.out, t->ngot * sizeof *t->got);
	assert_int_equal(pp_round_late(t->q), t->m.late);
}

/* What was shown stays until it is reclaimed. */
static void
reclaim(struct test *t, unsigned from)
{
	for (unsigned i = from; i < t->ngot; i++)
		assert_memory_equal(t->shown[i], &t->got[i], sizeof t->got[i]);
	pp_round_reclaim(t->q);
}

static void
random_stream(struct test *t, unsigned n, unsigned buffers, unsigned span, unsigned per_round, bool late)
{
	struct pp_err err = { 0 };
	uint64_t clock[64] = { 0 };
	unsigned from = 0;

	memset(t, 0, sizeof *t);
	assert_non_null(t->q = pp_round_new(deliver, t, &err));
	for (unsigned i = 0; i < n; i++) {
		unsigned b = i * buffers / per_round % buffers;

		clock[b] += rnd(span);
		add(t, late && !rnd(50) ? rnd((uint32_t)clock[b] + 1) + 1 : 1000 + clock[b]);
		if (i % per_round == per_round - 1) {
			model_round(&t->m);
			assert_int_equal(pp_round_finished(t->q), 1);
			compare(t);
			if (rnd(2)) {
				reclaim(t, from);
				from = t->ngot;
			}
		}
	}
	model_deliver(&t->m, UINT64_MAX);
	assert_int_equal(pp_round_final(t->q), 1);
	compare(t);
	assert_int_equal(t->ngot, n);
	pp_round_free(t->q);
}

static void
test_random(void **state)
{
	struct test *t = malloc(sizeof *t);

	(void)state;
	for (seed = 1; seed < 60;) {
		uint32_t this = seed;

		random_stream(t, 1 + rnd(600), 1 + rnd(16), 1 + rnd(20), 1 + rnd(100), this % 3 == 0);
		seed = this + 1;
	}
	free(t);
}

static void
test_large(void **state)
{
	struct test *t = malloc(sizeof *t);

	(void)state;
	seed = 5;
	random_stream(t, MAX, 64, 3, MAX + 1, false);	/* no round at all, many ties */
	random_stream(t, MAX, 1, 2, 50, false);		/* in order already */
	random_stream(t, MAX, 8, 40, 700, false);
	free(t);
}

static void
test_descending(void **state)
{
	struct test *t = calloc(1, sizeof *t);
	struct pp_err err = { 0 };

	(void)state;
	t->q = pp_round_new(deliver, t, &err);
	for (unsigned i = 0; i < MAX; i++)
		add(t, MAX - i);
	model_deliver(&t->m, UINT64_MAX);
	assert_int_equal(pp_round_final(t->q), 1);
	compare(t);
	pp_round_free(t->q);
	free(t);
}

/* Rounds without records do nothing; after the queue ran empty the next record sets the time, even a lower one. */
static void
test_edges(void **state)
{
	struct test *t = calloc(1, sizeof *t);
	struct pp_err err = { 0 };
	static const uint64_t times[] = { 50, 60, 0 /* a round */, 0, 0, 0, 5, 7, 0, 0, 6, 0, 0, UINT64_MAX, UINT64_MAX - 1, 1, 0, 0, 0 };

	(void)state;
	t->q = pp_round_new(deliver, t, &err);
	assert_int_equal(pp_round_finished(t->q), 1);
	assert_int_equal(pp_round_final(t->q), 1);
	for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
		if (times[i])
			add(t, times[i]);
		else {
			model_round(&t->m);
			assert_int_equal(pp_round_finished(t->q), 1);
			pp_round_reclaim(t->q);
		}
		compare(t);
	}
	model_deliver(&t->m, UINT64_MAX);
	assert_int_equal(pp_round_final(t->q), 1);
	compare(t);
	pp_round_free(t->q);
	free(t);
	pp_round_free(NULL);
}

static void
test_deliver_fails(void **state)
{
	struct test *t = calloc(1, sizeof *t);
	struct pp_err err = { 0 };

	(void)state;
	t->q = pp_round_new(deliver, t, &err);
	t->fail_at = 3;
	for (unsigned i = 0; i < 10; i++)
		add(t, 100 - i);
	assert_int_equal(pp_round_final(t->q), -1);
	assert_int_equal(t->ngot, 3);
	pp_round_free(t->q);
	free(t);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random), cmocka_unit_test(test_large), cmocka_unit_test(test_descending),
		cmocka_unit_test(test_edges), cmocka_unit_test(test_deliver_fails),
	};

	return cmocka_run_group_tests_name("round", tests, NULL, NULL);
}
