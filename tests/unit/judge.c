/* SPDX-License-Identifier: ISC */
/* Each size of a record but the right one is refused, in both byte orders; what cannot be judged passes. */
#include "record/event.h"
#include "record/judge.h"
#include "bytes.h"

static struct bytes b;

static struct pp_events *
events(bool swap, uint64_t sample_type)
{
	const struct pp_attr a = { .type = 1, .size = 64, .sample_type = sample_type, .flags = 1 << 18 };
	struct pp_events *e = pp_events_new(swap);
	struct pp_err err = { 0 };
	struct pp_rec r;

	b.n = 0;
	b.swap = swap;
	r = put_attr(&b, &a, 0, NULL);
	assert_int_equal(pp_judge(e, &r, &err), 1);
	assert_int_equal(pp_events_learn(e, &r, &err), 1);
	return e;
}

/* Of a record of n words, all sizes from 8 to 160: which one is accepted?  0: none, 1: several. */
static unsigned
only_size(const struct pp_events *e, uint32_t type, unsigned n, const uint64_t *words)
{
	unsigned found = 0;

	for (unsigned size = 8; size <= 160; size++) {
		struct pp_err err = { 0 };
		struct pp_rec r;
		size_t at;

		b.n = 0;
		b.swap = e->swap;
		at = begin_rec(&b, type, 2);
		for (unsigned i = 0; i < 19; i++)
			put(&b, i < n ? words[i] : 0x0101010101010101, 8);
		b.n = size;
		r = end_rec(&b, at);
		/* the quick way accepts nothing else */
		if (pp_sample_size(e, r.raw, size))
			assert_int_equal(pp_judge(e, &r, &err), 1);
		if (pp_judge(e, &r, &err) > 0)
			found = found ? 1 : size;
		else
			assert_true(err.what[0]);
	}
	return found;
}

static void
test_samples(void **state)
{
	const uint64_t fixed = PP_SAMPLE_IP | PP_SAMPLE_TID | PP_SAMPLE_TIME;
	static const uint64_t chain[] = { 0x401000, 1, 1000, 3, 1, 2, 3 }, none[] = { 0x401000, 1, 1000, 0, 0 },
	    regs[] = { 0x401000, 1, 1000, 2, 1, 2, 0 }, huge[] = { 0x401000, 1, 1000, UINT64_C(1) << 61 | 1, 1, 0, 0 };

	(void)state;
	for (int swap = 0; swap < 2; swap++) {
		struct pp_events *e = events(swap, fixed);

		assert_int_equal(only_size(e, PP_SAMPLE, 3, chain), 32);
		pp_events_free(e);
		e = events(swap, fixed | PP_SAMPLE_CALLCHAIN);
		assert_int_equal(only_size(e, PP_SAMPLE, 7, chain), 64);
		assert_int_equal(only_size(e, PP_SAMPLE, 5, none), 40);
		assert_int_equal(only_size(e, PP_SAMPLE, 7, huge), 0);	/* 8 times the count is 8 */
		pp_events_free(e);
		e = events(swap, fixed | PP_SAMPLE_CALLCHAIN | PP_SAMPLE_STACK_USER);	/* two counts: no simple sum */
		assert_int_equal(only_size(e, PP_SAMPLE, 7, regs), 64);
		pp_events_free(e);
		e = events(swap, fixed | UINT64_C(1) << 40);
		assert_int_equal(only_size(e, PP_SAMPLE, 3, chain), 1);
		pp_events_free(e);
	}
}

static void
test_kernel(void **state)
{
	static const uint64_t lost[] = { 11, 5, 1, 1000 }, namespaces[] = { 1, 2, 1, 2, 3, 4, 1, 1000 };

	(void)state;
	for (int swap = 0; swap < 2; swap++) {
		struct pp_events *e = events(swap, PP_SAMPLE_TID | PP_SAMPLE_TIME);

		assert_int_equal(only_size(e, PP_LOST, 4, lost), 24 + 16);
		assert_int_equal(only_size(e, PP_SWITCH, 2, lost), 8 + 16);
		assert_int_equal(only_size(e, PP_NAMESPACES, 8, namespaces), 24 + 32 + 16);
		pp_events_free(e);
	}
}

/* Where the trailers of events differ, that of the record's event counts; of an id that is not known nothing is. */
static void
test_trailers(void **state)
{
	enum { EXIT = 4 };
	static const struct { uint64_t id; unsigned size; bool right; } rows[] = {
		{ 11, 48, true }, { 11, 40, false }, { 12, 40, true }, { 12, 48, false }, { 13, 40, true }, { 13, 48, true },
	};
	static const uint64_t ids[] = { 11, 12 };

	(void)state;
	for (int swap = 0; swap < 2; swap++) {
		struct pp_events *e = pp_events_new(swap);
		struct pp_err err = { 0 };
		struct pp_rec r;

		for (int i = 0; i < 2; i++) {
			struct pp_attr a = { .type = 1, .size = 64, .flags = 1 << 18,
			    .sample_type = PP_SAMPLE_IDENTIFIER | PP_SAMPLE_IP | (i ? 0 : PP_SAMPLE_TIME) };

			b.n = 0;
			b.swap = swap;
			r = put_attr(&b, &a, 1, &ids[i]);
			assert_int_equal(pp_events_learn(e, &r, &err), 1);
		}
		for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
			size_t at;

			b.n = 0;
			at = begin_rec(&b, EXIT, 0);
			while (b.n - at < rows[i].size - 8)
				put(&b, 1, 8);
			put(&b, rows[i].id, 8);
			r = end_rec(&b, at);
			assert_int_equal(r.size, rows[i].size);
			err.what[0] = 0;
			assert_int_equal(pp_judge(e, &r, &err), rows[i].right ? 1 : -1);
		}
		pp_events_free(e);
	}
}

/* Of a record of these words and zeros behind them, which sizes are accepted: of 8 * n bytes bit n. */
static uint64_t
sizes(const struct pp_events *e, uint32_t type, unsigned n, const uint64_t *words)
{
	uint64_t found = 0;

	for (unsigned size = 8; size <= 160; size++) {
		struct pp_err err = { 0 };
		struct pp_rec r;
		size_t at;

		b.n = 0;
		b.swap = e->swap;
		at = begin_rec(&b, type, 2);
		put(&b, 1, 4);
		put(&b, 1, 4);
		for (unsigned i = 0; i < n; i++)
			put(&b, words[i], 8);
		put_text(&b, "", 160);
		b.n = size;
		r = end_rec(&b, at);
		if (pp_judge(e, &r, &err) < 0)
			continue;
		assert_int_equal(size % 8, 0);
		found |= UINT64_C(1) << size / 8;
	}
	return found;
}

/* Some recorders give a COMM the space of the longest name, RHEL 7's kernel writes MMAP2 without prot and flags; other records have the bytes that they need, and the trailer. */
static void
test_space(void **state)
{
	static const uint64_t one = 0x6161616161616161, map[] = { 1, 2, 3, 4, 5, 6, 0x6161616161616161, 0x6161616161616161 };

	(void)state;
	for (int swap = 0; swap < 2; swap++) {
		struct pp_events *e = events(swap, PP_SAMPLE_TID | PP_SAMPLE_TIME);

		assert_int_equal(sizes(e, PP_COMM, 0, NULL), 1 << 5 | 1 << 6);
		assert_int_equal(sizes(e, PP_COMM, 1, &one), 1 << 6);
		assert_int_equal(sizes(e, PP_CGROUP, 0, NULL), 1 << 5);
		assert_int_equal(sizes(e, PP_CGROUP, 1, &one), 1 << 6);
		assert_int_equal(sizes(e, PP_MMAP2, 6, map), 1 << 11 | 1 << 12);	/* its name is empty, or prot and flags are */
		assert_int_equal(sizes(e, PP_MMAP2, 7, map), 1 << 12);
		assert_int_equal(sizes(e, PP_MMAP2, 8, map), 1 << 13);
		pp_events_free(e);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_samples), cmocka_unit_test(test_kernel), cmocka_unit_test(test_trailers),
		cmocka_unit_test(test_space) };

	return cmocka_run_group_tests_name("judge", tests, NULL, NULL);
}
