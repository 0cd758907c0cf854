/* SPDX-License-Identifier: ISC */
/* Time order within a bound of memory: against plain rules. */
#include <sys/mman.h>
#include <unistd.h>

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

/* Times of records that are elsewhere count for the rounds; and the memory that is written is that which is delivered. */
static void
test_saw(void **state)
{
	struct pp_timeline *t = pp_timeline_new(got, NULL, SIZE_MAX, &err);

	(void)state;
	memset(&o, 0, sizeof o);
	assert_int_equal(pp_timeline_limit(t), 0);
	pp_timeline_saw(t, 30);
	assert_int_equal(pp_timeline_round(t), 1);
	assert_int_equal(pp_timeline_limit(t), 30);
	for (uint64_t nr = 0; nr < 3; nr++) {
		uint64_t time = nr ? nr * 20 : 31;
		uint8_t *p = pp_timeline_space(t, time, 8 + nr);

		assert_non_null(p);
		o.put[nr] = (struct rec){ time, nr };
		memcpy(p, &nr, sizeof nr);
		assert_int_equal(pp_timeline_written(t, time, 8 + nr), 1);
	}
	assert_int_equal(pp_timeline_round(t), 1);
	assert_int_equal(o.ngot, 1);
	assert_int_equal(o.got[0].nr, 1);
	assert_int_equal(pp_timeline_limit(t), 40);
	assert_int_equal(pp_timeline_round(t), 1);
	assert_int_equal(o.ngot, 3);
	assert_int_equal(o.got[1].nr, 0);
	pp_timeline_free(t);
}

/* At the limit the third goes that arrived first, and all that is older; what comes later and is older than these is counted. */
static void
test_third(void **state)
{
	enum { LARGE = 60000, ONE = 17 << 10 };
	static const uint64_t times[] = { 10, 20, 30, 50, 40, 25, 60, 70 };
	static const struct { size_t memory; int put, third; } cases[] = { { 330000, 6, 2 }, { 390000, 7, 4 } };	/* 10, 20; 30, and so 25 */
	static uint8_t bytes[LARGE];
	struct pp_timeline *t = NULL;
	int n = 0, k = 0;

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		pp_timeline_free(t);
		t = pp_timeline_new(fails, &n, cases[i].memory, &err);
		for (n = k = 0; !n && k < 8; k++)			/* n: how many were delivered */
			assert_int_equal(pp_timeline_put(t, times[k], bytes, LARGE), 1);
		assert_int_equal(k, cases[i].put);
		assert_int_equal(n, cases[i].third);
	}
	assert_int_equal(pp_timeline_put(t, 29, bytes, 1), 1);
	assert_int_equal(pp_timeline_early(t), 1);
	assert_int_equal(pp_timeline_put(t, 30, bytes, 1), 1);
	assert_int_equal(pp_timeline_early(t), 1);
	pp_timeline_free(t);

	t = pp_timeline_new(fails, &n, ONE, &err);	/* one record is too much, and this one is not taken */
	assert_int_equal(pp_timeline_put(t, 3, bytes, LARGE), -1);
	pp_timeline_free(t);
	t = pp_timeline_new(fails, &n, SIZE_MAX, &err);
	assert_int_equal(pp_timeline_put(t, 3, bytes, 1), 1);
	assert_int_equal(pp_timeline_round(t), 1);
	assert_int_equal(pp_timeline_round(t), -1);
	pp_timeline_free(t);
}

/* With rounds, memory does not grow with the stream. */
static void
test_rounds(void **state)
{
	enum { LARGE = 60000, MANY = 400, MOST = 4 << 20 };
	static uint8_t bytes[LARGE];
	size_t before = heap();
	int n = 0;
	struct pp_timeline *t = pp_timeline_new(fails, &n, SIZE_MAX, &err);

	(void)state;
	for (uint64_t i = 0; i < MANY; i++) {
		assert_int_equal(pp_timeline_put(t, 10 + i, bytes, LARGE), 1);
		assert_int_equal(pp_timeline_round(t), 1);
		assert_true(heap() < before + MOST);
	}
	assert_int_equal(n, MANY - 1);
	pp_timeline_free(t);
}

struct taken { uint32_t type; uint64_t time; };

static int
take_one(void *arg, uint64_t time, const uint8_t *p, size_t n)
{
	struct taken **to = arg;

	assert_int_equal(pp_get_u16(p + 6, false), n);
	*(*to)++ = (struct taken){ pp_get_u32(p, false), time };
	return 1;
}

/* Records of a source: those without a time at once, those of perf's own never, and a round is one. */
static void
test_take(void **state)
{
	static const uint32_t types[] = { PP_SAMPLE, PP_COMM, PP_SAMPLE, PP_FINISHED_ROUND, PP_SAMPLE, 4711, PP_FINISHED_ROUND,
		PP_HEADER_ATTR, PP_FINISHED_INIT };
	static const uint64_t times[] = { 30, 10, 0, 0, 20, 0, 0, 0, 0 };
	static const struct taken want[] = { { PP_SAMPLE, 0 }, { PP_COMM, 10 }, { PP_SAMPLE, 20 }, { PP_SAMPLE, 30 } };
	static struct bytes b;
	struct pp_attr a = { .type = 1, .size = 64, .sample_type = PP_SAMPLE_TID | PP_SAMPLE_TIME, .flags = 1 << 18 };
	struct taken is[8], *to = is;
	struct pp_timeline *t = pp_timeline_new(take_one, &to, SIZE_MAX, &err);
	struct pp_source *s;
	struct pp_rec r;
	size_t n = 0, at;
	int fd = memfd_create("stream", 0);

	(void)state;
	err = (struct pp_err){ .what = "" };
	put(&b, UINT64_C(0x32454c4946524550), 8);
	put(&b, 16, 8);
	put_attr(&b, &a, 0, NULL);
	for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
		if (types[i] == PP_HEADER_ATTR) {		/* no other record of that number has such a body */
			put_attr(&b, &a, 0, NULL);
			continue;
		}
		at = begin_rec(&b, types[i], 0);
		if (types[i] == PP_COMM) {
			put(&b, 7, 8);
			put_text(&b, "comm", 8);
		}
		if (types[i] == PP_COMM || types[i] == PP_SAMPLE) {
			put(&b, 7, 8);
			put(&b, times[i], 8);
		}
		end_rec(&b, at);
	}
	assert_int_equal(write(fd, bytes_p(&b), b.n), b.n);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	assert_non_null(s = pp_open_fd(fd, "stream", 0, &err));
	for (; pp_next(s, &r) > 0; n++) {
		assert_int_equal(pp_timeline_take(t, s, &r), 1);
		/* behind the sample without a time, and the round that delivers up to what was known at the one before */
		assert_int_equal(to - is, n < 3 ? 0 : n < 7 ? 1 : 4);
	}
	assert_int_equal(n, sizeof types / sizeof *types + 1);
	for (size_t i = 0; i < 4; i++) {
		assert_int_equal(is[i].type, want[i].type);
		assert_int_equal(is[i].time, want[i].time);
	}
	r = pp_rec_at(bytes_p(&b) + b.n - 24, false);
	r.type = PP_SAMPLE;
	assert_int_equal(pp_timeline_take(t, &(struct pp_source){ .events = &(struct pp_events){ .n = 0 } }, &r), -1);	/* of no event */
	assert_true(err.what[0]);
	pp_close(s);
	pp_timeline_free(t);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order), cmocka_unit_test(test_each), cmocka_unit_test(test_bound), cmocka_unit_test(test_saw),
		cmocka_unit_test(test_third), cmocka_unit_test(test_rounds), cmocka_unit_test(test_take),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
