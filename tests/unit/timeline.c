/* SPDX-License-Identifier: ISC */
/* Time order within a bound of memory: against plain rules. */

#include "bytes.h"
#include "chance.h"
#include "state/timeline.h"

enum { MAX = 30000 };

static struct pp_err err;

struct rec { uint64_t time, nr; };

struct order {
	struct rec	 put[MAX], got[MAX];
	size_t		 n, ngot;
	struct rec	 wait[MAX];	/* the model: all that waits is sorted again for each release */
	size_t		 nwait;
	uint64_t	 max, limit;
	struct rec	 want[MAX];
	size_t		 nwant;
};
static struct order o;

static int
by_time(const void *a, const void *b)
{
	const struct rec *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->nr < y->nr ? -1 : x->nr > y->nr;
}

static void
model_release(uint64_t limit)
{
	size_t n = 0;

	qsort(o.wait, o.nwait, sizeof *o.wait, by_time);
	for (; n < o.nwait && o.wait[n].time <= limit; n++)
		o.want[o.nwant++] = o.wait[n];
	memmove(o.wait, o.wait + n, (o.nwait -= n) * sizeof *o.wait);
}

static void
model_round(void)
{
	if (!o.nwait)
		return;
	model_release(o.limit);
	o.limit = o.max;
}

static int
got(void *arg, uint64_t time, const uint8_t *p, size_t n)
{
	uint64_t nr;

	(void)arg;
	memcpy(&nr, p, sizeof nr);
	assert_int_equal(n, 8 + nr % 200);
	assert_int_equal(o.put[nr].time, time);
	o.got[o.ngot++] = o.put[nr];
	return 1;
}

static void
add(struct pp_timeline *t, uint64_t time)
{
	uint8_t bytes[300] = { 0 };
	uint64_t nr = o.n;

	o.put[o.n++] = (struct rec){ time, nr };
	memcpy(bytes, &nr, sizeof nr);
	o.max = !o.nwait || time > o.max ? time : o.max;
	o.wait[o.nwait++] = (struct rec){ time, nr };
	assert_int_equal(pp_timeline_put(t, time, bytes, 8 + nr % 200), 1);
}

static void
compare(void)
{
	assert_int_equal(o.ngot, o.nwant);
	assert_memory_equal(o.got, o.want, o.ngot * sizeof *o.got);
}

static void
test_order(void **state)
{
	(void)state;
	for (unsigned spread = 1; spread < 100000; spread *= 7) {
		struct pp_timeline *t = pp_timeline_new(got, NULL, SIZE_MAX, &err);

		memset(&o, 0, sizeof o);
		assert_non_null(t);
		for (size_t i = 0; i < 5000; i++) {
			add(t, 1 + i + rnd(spread));
			if (rnd(100) == 0) {
				model_round();
				assert_int_equal(pp_timeline_round(t), 1);
				compare();
			}
		}
		model_release(UINT64_MAX);
		assert_int_equal(pp_timeline_release(t, UINT64_MAX), 1);
		compare();
		assert_int_equal(o.ngot, 5000);
		assert_int_equal(pp_timeline_early(t), 0);
		pp_timeline_free(t);
	}
}

static int
fails(void *arg, uint64_t time, const uint8_t *p, size_t n)
{
	(void)p;
	(void)n;
	return time == 3 ? -1 : (++*(int *)arg, 1);
}

/* What waits is shown in either order, and goes on waiting; a failure ends that, and a release. */
static void
test_each(void **state)
{
	static const uint64_t times[] = { 5, 1, 4, 1, 9 }, sorted[] = { 1, 1, 4, 5, 9 }, numbers[] = { 1, 3, 2, 0, 4 };
	struct pp_timeline *t = pp_timeline_new(got, NULL, SIZE_MAX, &err);
	int n = 0;

	(void)state;
	memset(&o, 0, sizeof o);
	for (size_t i = 0; i < 5; i++)
		add(t, times[i]);
	assert_int_equal(pp_timeline_each(t, false, got, NULL), 1);
	assert_int_equal(pp_timeline_each(t, true, got, NULL), 1);
	assert_int_equal(pp_timeline_release(t, 4), 1);
	assert_int_equal(o.ngot, 13);
	for (size_t i = 0; i < 5; i++) {
		assert_int_equal(o.got[i].nr, i);
		assert_int_equal(o.got[5 + i].time, sorted[i]);
		assert_int_equal(o.got[5 + i].nr, numbers[i]);
	}
	assert_memory_equal(o.got + 10, o.got + 5, 3 * sizeof *o.got);
	pp_timeline_free(t);

	t = pp_timeline_new(fails, &n, SIZE_MAX, &err);
	for (uint64_t i = 1; i < 6; i++)
		assert_int_equal(pp_timeline_put(t, i, "x", 1), 1);
	assert_int_equal(pp_timeline_each(t, true, fails, &n), -1);
	assert_int_equal(pp_timeline_release(t, 5), -1);
	assert_int_equal(n, 4);
	pp_timeline_free(t);
}

/* Without rounds: the bound holds, the order is right all the same, and what is older than that is counted. */
static void
test_bound(void **state)
{
	enum { MEMORY = 1 << 20 };
	size_t before = heap(), most = 0;
	struct pp_timeline *t = pp_timeline_new(got, NULL, MEMORY, &err);

	(void)state;
	memset(&o, 0, sizeof o);
	for (size_t i = 0; i < MAX - 2; i++) {
		add(t, 1000 + i + rnd(100));
		most = heap() - before > most ? heap() - before : most;
	}
	assert_true(o.ngot > MAX / 2);
	assert_true(most < 2 * MEMORY);
	assert_int_equal(pp_timeline_early(t), 0);
	add(t, 5);
	add(t, 2000);
	assert_int_equal(pp_timeline_early(t), 2);
	assert_int_equal(pp_timeline_release(t, UINT64_MAX), 1);
	assert_int_equal(o.ngot, MAX);
	for (size_t i = 1; i < MAX; i++)
		assert_true(by_time(&o.got[i - 1], &o.got[i]) < 0 || o.got[i].nr == MAX - 2);
	pp_timeline_free(t);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order), cmocka_unit_test(test_each), cmocka_unit_test(test_bound),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
