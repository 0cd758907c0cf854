/* SPDX-License-Identifier: ISC */
/* unwind_expr.c - expressions of call frame information: each operation, and the bounds */
#include <stdlib.h>

#include "check.h"
#include "unwind/in.h"

struct code {
	const uint8_t	*p;
	size_t		 n;
};
#define CODE(...) { (const uint8_t[]){ __VA_ARGS__ }, sizeof (const uint8_t[]){ __VA_ARGS__ } }

/* Memory from 1000 on: byte i is i. */
static bool
counting(void *arg, uint64_t addr, unsigned size, uint64_t *v)
{
	(void)arg;
	if (addr < 1000 || addr + size > 1256)
		return false;
	*v = 0;
	for (unsigned i = size; i--;)
		*v = *v << 8 | (uint8_t)(addr - 1000 + i);
	return true;
}

static void
test_expressions(void **state)
{
	const struct {
		struct code	 code;
		int64_t		 result;
		bool		 fails;
	} row[] = {
		{ CODE(0x30), 0, 0 }, { CODE(0x4f), 31, 0 },
		{ CODE(0x08, 0xff), 255, 0 }, { CODE(0x09, 0xff), -1, 0 },
		{ CODE(0x0a, 0xfe, 0xff), 65534, 0 }, { CODE(0x0b, 0xfe, 0xff), -2, 0 },
		{ CODE(0x0c, 0xfd, 0xff, 0xff, 0xff), 0xfffffffd, 0 }, { CODE(0x0d, 0xfd, 0xff, 0xff, 0xff), -3, 0 },
		{ CODE(0x0e, 1, 0, 0, 0, 0, 0, 0, 0x80), INT64_MIN + 1, 0 }, { CODE(0x0f, 1, 0, 0, 0, 0, 0, 0, 0x80), INT64_MIN + 1, 0 },
		{ CODE(0x10, 0xff, 1), 255, 0 }, { CODE(0x11, 0x7f), -1, 0 },
		{ CODE(0x11, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x7f), INT64_MIN, 0 },
		/* stack: dup, drop, over, pick, swap, rot */
		{ CODE(0x35, 0x12, 0x22), 10, 0 }, { CODE(0x35, 0x36, 0x13), 5, 0 }, { CODE(0x35, 0x36, 0x14), 5, 0 },
		{ CODE(0x35, 0x36, 0x37, 0x15, 2), 5, 0 }, { CODE(0x35, 0x36, 0x16, 0x1c), 1, 0 },
		{ CODE(0x35, 0x36, 0x37, 0x17), 6, 0 }, { CODE(0x35, 0x36, 0x37, 0x17, 0x13), 5, 0 }, { CODE(0x35, 0x36, 0x37, 0x17, 0x13, 0x13), 7, 0 },
		{ CODE(0x12), 0, 1 }, { CODE(0x13), 0, 1 }, { CODE(0x30, 0x14), 0, 1 }, { CODE(0x30, 0x15, 1), 0, 1 }, { CODE(0x30, 0x16), 0, 1 },
		{ CODE(0x30, 0x30, 0x17), 0, 1 }, { CODE(0x30, 0x13), 0, 1 },
		/* arithmetic: abs neg not, and div minus mod mul or plus shl shr shra xor, plus_uconst */
		{ CODE(0x09, 0xfb, 0x19), 5, 0 }, { CODE(0x35, 0x1f), -5, 0 }, { CODE(0x35, 0x20), -6, 0 },
		{ CODE(0x36, 0x33, 0x1a), 2, 0 }, { CODE(0x09, 0xf9, 0x32, 0x1b), -3, 0 }, { CODE(0x36, 0x33, 0x1c), 3, 0 },
		{ CODE(0x37, 0x34, 0x1d), 3, 0 }, { CODE(0x36, 0x33, 0x1e), 18, 0 }, { CODE(0x36, 0x33, 0x21), 7, 0 },
		{ CODE(0x36, 0x33, 0x22), 9, 0 }, { CODE(0x33, 0x36, 0x24), 192, 0 }, { CODE(0x09, 0xff, 0x08, 60, 0x25), 15, 0 },
		{ CODE(0x09, 0xf0, 0x32, 0x26), -4, 0 }, { CODE(0x36, 0x33, 0x27), 5, 0 }, { CODE(0x36, 0x23, 0x80, 1), 134, 0 },
		{ CODE(0x31, 0x08, 64, 0x24), 0, 0 }, { CODE(0x31, 0x08, 64, 0x25), 0, 0 }, { CODE(0x09, 0xff, 0x08, 64, 0x26), -1, 0 },
		{ CODE(0x35, 0x30, 0x1b), 0, 1 }, { CODE(0x35, 0x30, 0x1d), 0, 1 },
		{ CODE(0x0e, 0, 0, 0, 0, 0, 0, 0, 0x80, 0x09, 0xff, 0x1b), INT64_MIN, 0 },
		/* eq ge gt le lt ne, signed */
		{ CODE(0x35, 0x35, 0x29), 1, 0 }, { CODE(0x09, 0xff, 0x30, 0x2a), 0, 0 }, { CODE(0x31, 0x30, 0x2b), 1, 0 },
		{ CODE(0x31, 0x30, 0x2c), 0, 0 }, { CODE(0x09, 0xff, 0x30, 0x2d), 1, 0 }, { CODE(0x31, 0x30, 0x2e), 1, 0 },
		/* skip, bra: over a constant, back, out of it */
		{ CODE(0x35, 0x2f, 1, 0, 0x36), 5, 0 }, { CODE(0x35, 0x31, 0x28, 1, 0, 0x36), 5, 0 }, { CODE(0x35, 0x30, 0x28, 1, 0, 0x36), 6, 0 },
		{ CODE(0x33, 0x31, 0x1c, 0x12, 0x28, 0xfa, 0xff), 0, 0 },
		{ CODE(0x2f, 0xfd, 0xff), 0, 1 }, { CODE(0x2f, 1, 0), 0, 1 }, { CODE(0x2f, 0xfc, 0xff), 0, 1 }, { CODE(0x28, 0, 0), 0, 1 },
		{ CODE(0x35, 0x2f, 0), 0, 1 },
		/* registers: 7 is 1000, 16 is 77, 5 is unknown; bregx */
		{ CODE(0x77, 8), 1008, 0 }, { CODE(0x80, 0x7f), 76, 0 }, { CODE(0x75, 0), 0, 1 }, { CODE(0x92, 7, 0x78), 992, 0 },
		{ CODE(0x92, 33, 0), 0, 1 }, { CODE(0x92, 64, 0), 0, 1 }, { CODE(0x8f, 0), 0, 1 },
		/* memory */
		{ CODE(0x77, 0, 0x06), 0x0706050403020100, 0 }, { CODE(0x77, 8, 0x94, 2), 0x0908, 0 }, { CODE(0x77, 8, 0x94, 3), 0x0a0908, 0 },
		{ CODE(0x77, 0x7f, 0x06), 0, 1 }, { CODE(0x77, 0, 0x94, 9), 0, 1 }, { CODE(0x77, 0, 0x94, 0), 0, 1 },
		/* an entry of the PLT, at its third instruction */
		{ CODE(0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3a, 0x2a, 0x33, 0x24, 0x22), 1016, 0 },
		/* nop; nothing; what no expression of these tables has: addr, reg0, call_frame_cfa, unknown; cut */
		{ CODE(0x35, 0x96), 5, 0 }, { CODE(0x96), 0, 1 }, { CODE(0x03, 0, 0, 0, 0, 0, 0, 0, 0), 0, 1 }, { CODE(0x50), 0, 1 },
		{ CODE(0x9c), 0, 1 }, { CODE(0x30, 0x30, 0xff), 0, 1 }, { CODE(0x35, 0x0c, 1), 0, 1 }, { CODE(0x30, 0x30, 0x18), 0, 1 },
		{ CODE(0x30, 0x30, 0x01), 0, 1 }, { CODE(0x35, 0x10, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0), 0, 1 },
	};
	struct unwind_frame frame = { .known = 1 << 7 | 1 << 16, .reg = { [7] = 1000, [16] = 77 } };
	struct unwind_memory memory = { counting, NULL };

	(void)state;
	for (unsigned i = 0; i < sizeof row / sizeof row[0]; i++) {
		uint64_t got = 0, steps = 0;
		uint8_t *p = malloc(row[i].code.n);		/* so that a sanitizer sees what is read behind it */
		bool good;

		memcpy(p, row[i].code.p, row[i].code.n);
		good = unwind_expr((struct unwind_bytes){ p, p + row[i].code.n, false }, &frame, &memory, NULL, &got, &steps);
		free(p);
		if (good == row[i].fails || (good && got != (uint64_t)row[i].result))
			fail_msg("row %u: %d, %" PRId64 ", not %" PRId64, i, good, (int64_t)got, row[i].result);
	}
}

static void
test_expression_bounds(void **state)
{
	struct unwind_memory memory = { counting, NULL };
	struct unwind_frame frame = { .known = 0 };
	uint8_t code[UNWIND_STEPS + 1];
	uint64_t got, first = 3, steps = 0;

	(void)state;
	memset(code, 0x96, sizeof code);
	code[0] = 0x35;
	assert_true(unwind_expr((struct unwind_bytes){ code, code + UNWIND_STEPS, false }, &frame, &memory, NULL, &got, &steps));
	assert_int_equal(steps, UNWIND_STEPS);
	assert_false(unwind_expr((struct unwind_bytes){ code, code + UNWIND_STEPS + 1, false }, &frame, &memory, NULL, &got, &steps));
	memset(code, 0x35, sizeof code);
	assert_true(unwind_expr((struct unwind_bytes){ code, code + UNWIND_VALUES, false }, &frame, &memory, NULL, &got, &steps));
	assert_false(unwind_expr((struct unwind_bytes){ code, code + UNWIND_VALUES, false }, &frame, &memory, &first, &got, &steps));
	/* for ever */
	code[0] = 0x2f, code[1] = 0xfd, code[2] = 0xff;
	assert_false(unwind_expr((struct unwind_bytes){ code, code + 3, false }, &frame, &memory, &first, &got, &steps));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_expressions),
		cmocka_unit_test(test_expression_bounds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
