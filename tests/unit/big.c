/* SPDX-License-Identifier: ISC */
/* Numbers of 128 bits: by the compiler's own where it has them, and everywhere by what must hold of them. */
#include "../../common/field/big.c"

#include "check.h"

static uint64_t seed = 1;

static uint64_t
random64(void)
{
	uint64_t x = seed += UINT64_C(0x9e3779b97f4a7c15);

	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	return x ^ x >> 31;
}

/* Of any length, and often next to a power of 2. */
static uint64_t
some64(void)
{
	uint64_t r = random64(), n = UINT64_C(1) << (r >> 8 & 63);

	switch (r & 3) {
	case 0:		return n - (r >> 16 & 1);
	case 1:		return -n + (r >> 16 & 1);
	default:	return random64() >> (r >> 8 & 63);
	}
}
static big
some(void)
{
	switch (random64() & 3) {
	case 0:		return big_plain(some64());
	case 1:		return big_signed((int64_t)some64());
	default:	return (big){ some64(), (int64_t)some64() };
	}
}

static void
is_text(big n, const char *want)
{
	char text[48];

	big_text(n, text);
	assert_string_equal(text, want);
}

static void
test_text(void **state)
{
	(void)state;
	is_text(big_signed(0), "0");
	is_text(big_signed(-1), "-1");
	is_text(big_plain(UINT64_MAX), "18446744073709551615");
	is_text(big_signed(INT64_MIN), "-9223372036854775808");
	is_text((big){ 0, 1 }, "18446744073709551616");
	is_text((big){ UINT64_MAX, INT64_MAX }, "170141183460469231731687303715884105727");
	is_text((big){ 0, INT64_MIN }, "-170141183460469231731687303715884105728");
}

static void
test_limits(void **state)
{
	const big least = { 0, INT64_MIN }, most = { UINT64_MAX, INT64_MAX }, one = { 1, 0 }, minus = { UINT64_MAX, -1 };
	big r;

	(void)state;
	assert_false(big_add(most, one, &r));
	assert_false(big_sub(least, one, &r));
	assert_false(big_sub((big){ 0 }, least, &r));
	assert_false(big_mul(least, minus, &r));
	assert_false(big_div(least, minus, &r));
	assert_false(big_rest(least, minus, &r));
	assert_false(big_div(one, (big){ 0 }, &r));
	assert_false(big_rest(one, (big){ 0 }, &r));
	assert_true(big_mul(least, one, &r) && big_equal(r, least));
	assert_true(big_div(least, least, &r) && big_equal(r, one));
	assert_true(big_rest(most, least, &r) && big_equal(r, most));
	assert_true(big_add(least, most, &r) && big_equal(r, minus));
	assert_int_equal(big_bits((big){ 0 }), 0);
	assert_int_equal(big_bits(minus), 0);
	assert_int_equal(big_bits(big_signed(-2)), 1);
	assert_int_equal(big_bits(big_signed(-3)), 2);
	assert_int_equal(big_bits(most), 127);
	assert_int_equal(big_bits(least), 127);
}

/* a = (a / b) * b + a % b, the rest is the smaller, sums and differences go back: on any machine. */
static void
test_laws(void **state)
{
	(void)state;
	for (int i = 0; i < 200000; i++) {
		big a = some(), b = some(), q, r, x;

		if (big_add(a, b, &x))
			assert_true(big_sub(x, b, &x) && big_equal(x, a));
		assert_int_equal(big_less(a, b) + big_less(b, a) + big_equal(a, b), 1);
		if (!big_div(a, b, &q))
			continue;
		assert_true(big_rest(a, b, &r) && big_mul(q, b, &x) && big_add(x, r, &x) && big_equal(x, a));
		assert_true(big_zero(r) || (r.hi < 0) == (a.hi < 0));
		assert_true(magnitude(r).hi < magnitude(b).hi ||
		    (magnitude(r).hi == magnitude(b).hi && magnitude(r).lo < magnitude(b).lo));
	}
}

/* Both ways of wide.h say the same: the compiler's, and that of machines where it has none. */
static void
test_wide(void **state)
{
	(void)state;
	for (int i = 0; i < 200000; i++) {
		uint64_t a = some64(), b = some64(), d = some64(), q, rest, other;
		struct wide x = wide_mul(a, b), y = wide_mul_halves(a, b);

		assert_true(x.lo == y.lo && x.hi == y.hi);
		assert_true(x.lo == a * b);
		if (x.hi >= d)
			continue;
		q = wide_div(x, d, &rest);
		assert_true(q == wide_div_bits(x, d, &other) && rest == other);
		assert_true(rest < d && q * d + rest == x.lo);
	}
}

#ifdef __SIZEOF_INT128__
__extension__ typedef __int128 native;

static native
native_of(big n)
{
	return (native)n.hi * ((native)1 << 64) + n.lo;
}

static void
same(bool fits, bool overflow, big got, native want)
{
	assert_int_equal(fits, !overflow);
	assert_true(overflow || native_of(got) == want);
}

static void
test_native(void **state)
{
	(void)state;
	for (int i = 0; i < 500000; i++) {
		big a = some(), b = some(), r;
		native x = native_of(a), y = native_of(b), z = 0;
		bool none;

		none = __builtin_add_overflow(x, y, &z);
		same(big_add(a, b, &r), none, r, z);
		none = __builtin_sub_overflow(x, y, &z);
		same(big_sub(a, b, &r), none, r, z);
		none = __builtin_mul_overflow(x, y, &z);
		same(big_mul(a, b, &r), none, r, z);
		assert_int_equal(big_less(a, b), x < y);
		none = !y || (y == -1 && __builtin_sub_overflow((native)0, x, &z));
		same(big_div(a, b, &r), none, r, none ? 0 : x / y);
		same(big_rest(a, b, &r), none, r, none ? 0 : x % y);
	}
}
#endif

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text), cmocka_unit_test(test_limits), cmocka_unit_test(test_laws), cmocka_unit_test(test_wide),
#ifdef __SIZEOF_INT128__
		cmocka_unit_test(test_native),
#endif
	};

	return cmocka_run_group_tests_name("big", tests, NULL, NULL);
}
