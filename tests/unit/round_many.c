/* SPDX-License-Identifier: ISC */
/* The time order of records that are delivered many at once, or looked at while they wait. */
#include "state/block.h"
#include "state/round.h"
#include "bytes.h"
#include "chance.h"

enum { MAX = 1000, SIZE = 24 };

static struct {
	struct pp_round	*q;
	uint64_t	 time[MAX];
	unsigned	 n;			/* records, by number */
	unsigned	 got[MAX], ngot;
	unsigned	 calls, fail;		/* the call that fails; 0: none */
	uint64_t	 last;			/* of the call before */
	unsigned	 most;			/* in one call */
} in;
static struct pp_err err;

static void
begin(pp_deliver *deliver)
{
	memset(&in, 0, sizeof in);
	assert_non_null(in.q = pp_round_new(deliver, NULL, &err));
}

static void
put_number(uint8_t rec[static SIZE], uint64_t time)
{
	memset(rec, (uint8_t)in.n, SIZE);
	memcpy(rec, &in.n, sizeof in.n);
	in.time[in.n++] = time;
}

static void
add(uint64_t time)
{
	uint8_t rec[SIZE];

	put_number(rec, time);
	assert_int_equal(pp_round_add(in.q, time, rec, SIZE), 1);
}

static void
got(const uint8_t *p, uint64_t time)
{
	unsigned nr;

	memcpy(&nr, p, sizeof nr);
	assert_true(nr < in.n);
	for (unsigned i = sizeof nr; i < SIZE; i++)
		assert_int_equal(p[i], (uint8_t)nr);
	assert_int_equal(time, in.time[nr]);
	in.got[in.ngot++] = nr;
}

/* While a call is made, what came before it is the last that was delivered. */
static int
end_call(uint64_t last, size_t n)
{
	assert_int_equal(pp_round_last(in.q), in.last);
	assert_true(n > 0 && n <= PP_ROUND_MANY);
	in.most = n > in.most ? (unsigned)n : in.most;
	if (++in.calls == in.fail)
		return -1;
	in.last = last;
	return 1;
}

static int
each(void *arg, uint64_t time, const uint8_t *p, size_t n)
{
	(void)arg;
	assert_int_equal(n, SIZE);
	got(p, time);
	return end_call(time, 1);
}

static int
many(void *arg, const struct pp_waiting *e, uint8_t *const *p, size_t n)
{
	(void)arg;
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(pp_waiting_size(&e[i]), SIZE);
		got(p[i], e[i].time);
	}
	return end_call(e[n - 1].time, n);
}

static int
side(void *arg, uint64_t last, const struct iovec *v, size_t n, size_t bytes)
{
	(void)arg;
	for (size_t i = 0; i < n; i++)
		for (size_t at = 0; at < v[i].iov_len; at += SIZE, bytes -= SIZE) {
			unsigned nr;

			memcpy(&nr, (const uint8_t *)v[i].iov_base + at, sizeof nr);
			got((const uint8_t *)v[i].iov_base + at, in.time[nr]);
		}
	assert_int_equal(bytes, 0);
	assert_int_equal(last, in.time[in.got[in.ngot - 1]]);
	return end_call(last, n);
}

/* Those from `from' on are in time order, and of one time in order of arrival. */
static void
in_order(unsigned from)
{
	for (unsigned i = from + 1; i < in.ngot; i++) {
		uint64_t a = in.time[in.got[i - 1]], z = in.time[in.got[i]];

		assert_true(a < z || (a == z && in.got[i - 1] < in.got[i]));
	}
}

/* As many as can be at once: of n records the last call has what is left. */
static void
test_many(void **state)
{
	static const unsigned counts[] = { 1, 2, PP_ROUND_MANY - 1, PP_ROUND_MANY, PP_ROUND_MANY + 1, 3 * PP_ROUND_MANY, 500 };

	(void)state;
	for (size_t i = 0; i < 2 * sizeof counts / sizeof *counts; i++) {
		unsigned n = counts[i / 2];

		begin(each);
		pp_round_many(in.q, many);
		for (unsigned k = 0; k < n; k++)
			add(i % 2 ? 1 + k * 7919 % 100 : 1 + k);
		add(1000);
		assert_int_equal(pp_round_release(in.q, 999), 1);
		assert_int_equal(in.ngot, n);
		assert_int_equal(in.calls, (n + PP_ROUND_MANY - 1) / PP_ROUND_MANY);
		assert_int_equal(in.most, n < PP_ROUND_MANY ? n : PP_ROUND_MANY);
		in_order(0);
		assert_int_equal(pp_round_last(in.q), in.time[in.got[n - 1]]);
		assert_int_equal(pp_round_waiting(in.q), 1);
		pp_round_many(in.q, NULL);		/* one by one again */
		assert_int_equal(pp_round_final(in.q), 1);
		assert_int_equal(in.ngot, n + 1);
		assert_int_equal(pp_round_last(in.q), 1000);
		pp_round_reclaim(in.q);
		pp_round_free(in.q);
	}
}

/* Copies that are adjacent are one piece; of others PP_ROUND_MANY are handed over at once. */
static void
test_pieces(void **state)
{
	(void)state;
	for (unsigned apart = 0; apart < 2; apart++)
		for (unsigned n = PP_ROUND_MANY - 1; n <= PP_ROUND_MANY + 1; n++) {
			begin(each);
			pp_round_side_by_side(in.q, side, false);
			for (unsigned k = 0; k < n; k++) {
				add(1 + k);
				if (apart)
					add(500);
			}
			assert_int_equal(pp_round_release(in.q, 499), 1);
			assert_int_equal(in.ngot, n);
			assert_int_equal(in.most, !apart ? 1 : n < PP_ROUND_MANY ? n : PP_ROUND_MANY);
			assert_int_equal(in.calls, !apart || n <= PP_ROUND_MANY ? 1 : 2);
			assert_int_equal(pp_round_last(in.q), n);
			pp_round_reclaim(in.q);
			pp_round_free(in.q);
		}
}

/* Where a call fails, that is the end, and what came before it the last that was delivered. */
static void
test_fails(void **state)
{
	enum { EACH, MANY, SIDE, TWINS, WAYS };

	(void)state;
	for (unsigned way = 0; way < WAYS; way++) {
		unsigned calls = 0;

		for (unsigned fail = 0; fail <= calls; fail++) {
			begin(each);
			if (way == MANY)
				pp_round_many(in.q, many);
			else if (way != EACH)
				pp_round_side_by_side(in.q, side, way == TWINS);
			for (unsigned k = 0; k < 50; k++) {
				add(1 + k);
				add(1 + 3 * k);
			}
			in.fail = fail;
			assert_int_equal(pp_round_final(in.q), fail ? -1 : 1);
			assert_int_equal(pp_round_last(in.q), in.last);
			in_order(0);
			if (!fail) {
				calls = in.calls;
				assert_int_equal(in.ngot, 100);
				assert_int_equal(in.last, 148);
			} else
				assert_int_equal(in.calls, fail);
			pp_round_free(in.q);
		}
		assert_true(calls > 1);
	}
}

/* What is handed over to be kept elsewhere comes one by one, in any case; afterwards as before. */
static void
test_spill(void **state)
{
	(void)state;
	for (unsigned way = 0; way < 2; way++) {
		begin(NULL);
		if (way)
			pp_round_many(in.q, many);
		else
			pp_round_side_by_side(in.q, side, false);
		for (unsigned k = 0; k < 100; k++)
			add(100 - k);
		assert_int_equal(pp_round_spill(in.q, each, NULL), 1);
		assert_int_equal(in.calls, 100);
		assert_int_equal(in.most, 1);
		in_order(0);
		assert_int_equal(pp_round_waiting(in.q), 0);
		for (unsigned k = 0; k < 100; k++)
			pp_round_spilled(in.q, 1 + k);
		in.last = 100;
		in.calls = 0;
		add(300);
		add(200);
		assert_int_equal(pp_round_final(in.q), 1);
		assert_int_equal(in.calls, 1);
		assert_int_equal(in.most, 2);
		in_order(100);
		pp_round_free(in.q);
	}
}

static int
see(void *arg, uint64_t time, const uint8_t *p, size_t n)
{
	(void)arg;
	assert_int_equal(n, SIZE);
	got(p, time);
	return ++in.calls == in.fail ? -1 : 1;
}

/* Those that wait can be seen in the order of time or of arrival, as often as one likes. */
static void
test_each(void **state)
{
	(void)state;
	for (seed = 1; seed < 40;) {
		uint32_t this = seed, n = this % 10 ? rnd(300) : 0, runs = rnd(2);
		unsigned there;

		begin(see);
		for (unsigned k = 0; k < n; k++)
			add(100 + (runs ? rnd(1000) : k));
		assert_int_equal(pp_round_release(in.q, 400), 1);
		there = n - in.ngot;
		assert_int_equal(pp_round_waiting(in.q), there);
		for (int sorted = 0; sorted < 4; sorted++) {
			uint64_t last = pp_round_last(in.q);

			in.ngot = in.calls = in.fail = 0;
			assert_int_equal(pp_round_each(in.q, sorted % 2, see, NULL), 1);
			assert_int_equal(in.ngot, there);
			if (sorted % 2)
				in_order(0);
			for (unsigned i = 1; i < in.ngot && !(sorted % 2); i++)
				assert_true(in.got[i - 1] < in.got[i]);
			for (unsigned i = 0; i < in.ngot; i++)
				assert_true(in.time[in.got[i]] > 400);
			assert_int_equal(pp_round_last(in.q), last);
			assert_int_equal(pp_round_waiting(in.q), there);
			if (there) {
				in.ngot = in.calls = 0;
				in.fail = 1 + rnd(there);
				assert_int_equal(pp_round_each(in.q, sorted % 2, see, NULL), -1);
				assert_int_equal(in.calls, in.fail);
			}
		}
		in.ngot = in.calls = in.fail = 0;
		assert_int_equal(pp_round_final(in.q), 1);
		assert_int_equal(in.ngot, there);
		in_order(0);
		pp_round_free(in.q);
		seed = this + 1;
	}
}

/* Where a copy is, it can be written until it is delivered; each has a place of its own. */
static void
test_copies(void **state)
{
	uint8_t rec[SIZE], *at[20];

	(void)state;
	begin(each);
	for (unsigned k = 0; k < 20; k++) {
		uint64_t time = 100 - k;

		put_number(rec, time);
		if (k % 2) {
			uint8_t *source = pp_round_buffer(in.q);	/* also of what it has */

			memset(source, 0, SIZE);
			assert_int_equal(pp_round_add_copy(in.q, time, source, SIZE, &at[k]), 1);
			assert_true(at[k] != source);
			assert_memory_equal(at[k], source, SIZE);
		} else
			assert_non_null(at[k] = pp_round_add_space(in.q, time, SIZE));
		memcpy(at[k], rec, SIZE);
	}
	assert_int_equal(pp_round_waiting(in.q), 20);
	assert_int_equal(pp_round_final(in.q), 1);
	assert_int_equal(in.ngot, 20);
	in_order(0);
	pp_round_free(in.q);
}

/* Memory: of blocks what records fill, of entries and runs all, and what a release will need to sort them. */
static void
test_used(void **state)
{
	(void)state;
	for (unsigned runs = 1; runs <= 200; runs += runs < 70 ? 1 : 13)
		for (unsigned each_run = runs > 1 ? 2 : 1; each_run < 4; each_run++) {
			const size_t size = sizeof(struct pp_waiting), block = sizeof(struct pp_block);
			unsigned n = runs * each_run, entries = 64, cap = 64;
			size_t arrays;

			while (entries < n)
				entries *= 2;
			while (cap < runs)
				cap *= 2;
			arrays = 64 * sizeof(struct pp_block *) + (entries + cap + (runs > 1 ? 2 * n : 0)) * size;	/* a run is as large as an entry */
			begin(each);
			for (unsigned k = 0; k < n; k++)
				add(1000 + k % each_run);
			assert_int_equal(pp_round_held(in.q), block - PP_BLOCK_SIZE + n * SIZE);
			assert_int_equal(pp_round_spare(in.q), 0);
			assert_int_equal(pp_round_memory(in.q), block + arrays);
			assert_int_equal(pp_round_used(in.q), pp_round_held(in.q) + arrays);
			assert_int_equal(pp_round_final(in.q), 1);
			pp_round_reclaim(in.q);
			assert_int_equal(pp_round_spare(in.q), block);
			assert_int_equal(pp_round_held(in.q), 0);
			pp_round_shrink(in.q);
			assert_int_equal(pp_round_spare(in.q), 0);
			pp_round_free(in.q);
		}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_many), cmocka_unit_test(test_pieces), cmocka_unit_test(test_fails), cmocka_unit_test(test_spill),
		cmocka_unit_test(test_each), cmocka_unit_test(test_copies), cmocka_unit_test(test_used),
	};

	return cmocka_run_group_tests_name("round_many", tests, NULL, NULL);
}
