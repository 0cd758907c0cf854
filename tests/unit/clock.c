/* SPDX-License-Identifier: ISC */
/* Conversion of CPU cycles by TIME_CONV, in both byte orders. */
#include "make/make.h"
#include "join/clock.h"
#include "bytes.h"

static const struct row {
	uint64_t shift, mult, zero, cycles, mask;
	uint8_t	 zero_known, is_short;
	uint64_t at, time;
} rows[] = {
	{ 0, 1, 0, 0, 0, 1, 0, 12345, 12345 },
	{ 0, 1, 1000, 0, 0, 1, 0, 12345, 13345 },
	{ 10, 512, 7, 0, 0, 1, 0, 4096, 2055 },
	{ 10, 512, 7, 0, 0, 1, 0, 4099, 2056 },
	/* 3 GHz for a year, which would not fit without the split at shift */
	{ 32, 1431655765, 500, 0, 0, 1, 0, UINT64_C(94608000000000000), UINT64_C(31535999992657952) },
	/* a counter of 16 bits that has begun anew since 0x1fff0 */
	{ 0, 2, 0, 0x1fff0, 0xffff, 1, 1, 0x0010, 2 * 0x20010 },
	{ 0, 2, 0, 0x1fff0, 0xffff, 1, 1, 0xfff8, 2 * 0x1fff8 },
};
enum { ROWS = sizeof rows / sizeof *rows };

static void
test_rows(void **state)
{
	(void)state;
	for (int i = 0; i < 2 * ROWS; i++) {
		const struct row *w = &rows[i / 2];
		uint8_t buf[64], cap[8] = { w->zero_known, w->is_short };
		bool swap = i & 1;
		struct clock_cycles c = { 0 };
		struct pp_rec r;

		assert_int_equal(PP_MAKE(&r, buf, sizeof buf, TIME_CONV, .swap = swap, .time_shift = w->shift, .time_mult = w->mult,
		    .time_zero = w->zero, .time_cycles = w->cycles, .time_mask = w->mask, .cap_user_time = { cap, 2 }), 1);
		clock_cycles_learn(&c, &r, swap);
		assert_true(c.known);
		assert_int_equal(clock_cycles_time(&c, w->at), w->time);
		if (w->is_short)
			continue;
		/* the form of old perf */
		r.size = 32;
		c = (struct clock_cycles){ 0 };
		clock_cycles_learn(&c, &r, swap);
		assert_true(c.known);
		assert_int_equal(clock_cycles_time(&c, w->at), w->time);
	}
}

static void
test_none(void **state)
{
	struct clock_cycles c = { 0 };
	uint8_t buf[64];
	struct pp_rec r;

	(void)state;
	assert_int_equal(PP_MAKE(&r, buf, sizeof buf, TIME_CONV, .time_shift = 64, .time_mult = 1,
	    .cap_user_time = { "\1", 1 }), 1);
	clock_cycles_learn(&c, &r, false);
	assert_false(c.known);
	assert_int_equal(PP_MAKE(&r, buf, sizeof buf, TIME_CONV, .time_shift = 3, .time_mult = 1), 1);
	clock_cycles_learn(&c, &r, false);
	assert_false(c.known);
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_rows), cmocka_unit_test(test_none) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
