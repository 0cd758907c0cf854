/* SPDX-License-Identifier: ISC */
/* What the drawers of pictures share: numbers as they are read, and scales of colours. */
#include <math.h>

#include "picture/scene.h"

#include "check.h"

static void
test_numbers(void **state)
{
	(void)state;
	assert_int_equal(scale_part(UINT64_MAX, 3, 6), UINT64_MAX / 2);
	assert_int_equal(scale_part(7, 1, 2), 3);
	assert_int_equal(scale_part(UINT64_MAX, 2, 1), UINT64_MAX);
	assert_int_equal(scale_part(1, 1, 0), UINT64_MAX);
	assert_int_equal(scale_log2(0), 0);
	assert_int_equal(scale_log2(1), 0);
	for (unsigned i = 0; i < 64; i++)
		assert_int_equal(scale_log2(UINT64_C(1) << i), i << 16);
	for (uint64_t n = 2; n < UINT64_MAX / 7; n = n * 7 / 5 + 1)
		assert_true(fabs(log2((double)n) * 65536 - scale_log2(n)) < 3);
	assert_int_equal(scale_log2(UINT64_MAX) >> 16, 63);
	/* 1, 2, 5, 10 ... */
	assert_int_equal(scale_round(0, 10), 1);
	assert_int_equal(scale_round(100, 11), 10);
	assert_int_equal(scale_round(100, 10), 20);
	assert_int_equal(scale_round(7000000000, 10), 1000000000);
	assert_int_equal(scale_round(12345, 0), 20000);
	for (uint64_t span = 1; span < UINT64_MAX / 3; span = span * 3 + 1)
		for (unsigned n = 1; n < 20; n++)
			assert_true(span / scale_round(span, n) < n);
	assert_true(UINT64_MAX / scale_round(UINT64_MAX, 1) < 2);
}

/* A panel with these counts in one row. */
static struct panel
row_of(uint32_t *count, unsigned n, struct band *band, struct axis *axis)
{
	struct panel p = { .kind = PANEL_HEAT, .band = band, .nbands = 1, .axis = axis };

	*band = (struct band){ .count = count };
	*axis = (struct axis){ .n = n };
	for (unsigned i = 0; i < n; i++)
		if (count[i] > p.top)
			p.top = count[i];
	return p;
}

static void
test_scales(void **state)
{
	uint32_t few[] = { 1, 2, 3, 0, 4, 8 }, wide[] = { 1, 2, 4, 16, 256, 65536, UINT32_MAX }, one[] = { 0, 7, 7 };
	struct band band;
	static uint32_t same[] = { 1, 5, 5, 5, 5, 5, 5, 5 };
	struct axis axis;
	struct panel p;
	struct scale *s;

	(void)state;
	for (int how = SCALE_LINEAR; how <= SCALE_RANK; how++) {
		struct { uint32_t *count; unsigned n; } in[] = { { few, 6 }, { wide, 7 }, { one, 3 }, { few, 0 } };

		for (size_t i = 0; i < 4; i++) {
			uint64_t before = 0;

			p = row_of(in[i].count, in[i].n, &band, &axis);
			s = scale_new((enum draw_scale)how, &p);
			assert_int_equal(scale_step(s, 0), 0);
			assert_int_equal(scale_low(s, 0), 0);
			for (unsigned step = 1; step < DRAW_STEPS; step++) {
				uint64_t low = scale_low(s, step);

				if (!low)
					continue;
				assert_true(low > before);
				before = low;
				assert_int_equal(scale_step(s, (uint32_t)low), step);
				assert_true(step == 1 || scale_step(s, (uint32_t)low - 1) < step);
			}
			for (unsigned j = 0; j < in[i].n; j++)
				assert_true(!in[i].count[j] || scale_step(s, in[i].count[j]) > 0);
			assert_true(how == SCALE_RANK || scale_step(s, (uint32_t)p.top) == (p.top ? 8 : 0));
			scale_free(s);
		}
	}
	/* by hand */
	p = row_of(few, 6, &band, &axis);
	s = scale_new(SCALE_LINEAR, &p);
	assert_int_equal(scale_step(s, 1), 2);
	assert_int_equal(scale_step(s, 4), 5);
	assert_int_equal(scale_step(s, 8), 8);
	scale_free(s);
	s = scale_new(SCALE_RANK, &p);		/* of 1 2 3 4 8: 1/10, 3/10, 5/10, 7/10, 9/10 */
	assert_int_equal(scale_step(s, 1), 1);
	assert_int_equal(scale_step(s, 2), 3);
	assert_int_equal(scale_step(s, 3), 5);
	assert_int_equal(scale_step(s, 4), 6);
	assert_int_equal(scale_step(s, 8), 8);
	scale_free(s);
	p = row_of(same, 8, &band, &axis);
	s = scale_new(SCALE_RANK, &p);		/* many that have as much are in the middle, not among the fewest */
	assert_int_equal(scale_step(s, 1), 1);
	assert_int_equal(scale_step(s, 5), 5);
	scale_free(s);
	p = row_of(wide, 7, &band, &axis);
	s = scale_new(SCALE_LOG, &p);
	assert_int_equal(scale_step(s, 1), 1);
	assert_int_equal(scale_step(s, 16), 2);
	assert_int_equal(scale_step(s, 65536), 5);
	scale_free(s);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_scales),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
