/* SPDX-License-Identifier: ISC */
/* set.c - arrays, tables of numbers, and seeds with getrandom(2) and without */
#include <sys/syscall.h>

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include "set.h"
#include "check.h"

static bool	 fails, stopped;
static unsigned	 calls;

/* Instead of the C library's. */
ssize_t
getrandom(void *p, size_t n, unsigned flags)
{
	calls++;
	assert_int_equal(flags, GRND_NONBLOCK);
	if (fails) {
		errno = EAGAIN;
		return -1;
	}
	memset(p, 0x5a, n);
	return (ssize_t)n;
}

/* What fills a struct timespec of 64 bits, where a long has 32, too. */
#ifndef SYS_clock_gettime64
#define SYS_clock_gettime64 SYS_clock_gettime
#endif
int
clock_gettime(clockid_t clock, struct timespec *t)
{
	if (!stopped)
		return (int)syscall(SYS_clock_gettime64, clock, t);
	*t = (struct timespec){ .tv_sec = 1 };
	return 0;
}

static int
compare(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static void
test_kernel(void **state)
{
	(void)state;
	fails = false;
	calls = 0;
	assert_int_equal(pp_seed(), UINT64_C(0x5a5a5a5a5a5a5a5a));
	assert_int_equal(calls, 1);
}

/* No two are the same, and about half of all bits are set. */
static void
test_without(void **state)
{
	enum { N = 4096 };
	static uint64_t seed[N];
	unsigned bits = 0;

	(void)state;
	fails = true;
	for (size_t i = 0; i < N; i++) {
		seed[i] = pp_seed();
		bits += (unsigned)__builtin_popcountll(seed[i]);
	}
	assert_in_range(bits, N * 31, N * 33);
	qsort(seed, N, sizeof *seed, compare);
	for (size_t i = 1; i < N; i++)
		assert_true(seed[i - 1] < seed[i]);
}

/* Each of the bytes that the kernel gave the program counts: at the same time and address, others give another seed. */
static void
test_start(void **state)
{
	uint8_t *start = (uint8_t *)(uintptr_t)getauxval(AT_RANDOM);
	uint64_t seed[17];

	(void)state;
	fails = stopped = true;
	assert_non_null(start);
	for (int i = 0; i < 17; i++) {
		seed[i] = pp_seed();
		if (i < 16)
			start[i] ^= 0x10;
		for (int j = 0; j < i; j++)
			assert_true(seed[j] != seed[i]);
	}
	stopped = false;
}

static void
test_array(void **state)
{
	uint32_t *v = NULL, *p;
	size_t n = 0, cap = 0;

	(void)state;
	for (; n < 10000; n++) {
		v = array_more(v, n, 1, sizeof *v);
		assert_non_null(v);
		v[n] = (uint32_t)n;
	}
	for (size_t i = 0; i < n; i++)
		assert_int_equal(v[i], i);
	/* emptied, and filled anew */
	for (n = 0; n < 100; n++) {
		v = array_more(v, n, 1, sizeof *v);
		v[n] = 7;
	}
	v = array_reach(v, &n, 5000, sizeof *v);
	assert_int_equal(n, 5001);
	assert_int_equal(v[99], 7);
	for (size_t i = 100; i < n; i++)
		assert_int_equal(v[i], 0);
	assert_ptr_equal(array_reach(v, &n, 3, sizeof *v), v);
	assert_int_equal(n, 5001);
	/* what fits into no memory is refused, and nothing changes */
	assert_null(array_more(v, n, SIZE_MAX, sizeof *v));
	assert_null(array_reach(v, &n, SIZE_MAX - 1, sizeof *v));
	assert_int_equal(n, 5001);
	free(v);

	p = buffer_more(NULL, &cap, 0, 0);
	assert_non_null(p);
	assert_true(cap >= 4096);
	assert_ptr_equal(buffer_more(p, &cap, cap - 1, 1), p);
	p = buffer_more(p, &cap, cap, 1);
	memset(p, 1, cap);
	assert_null(buffer_more(p, &cap, cap, SIZE_MAX));
	free(p);
}

/* So many numbers, `same' of them with one hash. */
static void
fill(struct set *s, uint32_t n, uint32_t same)
{
	for (uint32_t i = 1; i <= n; i++)
		assert_int_equal(set_add(s, set_hash(s, i / same), i), 1);
	assert_int_equal(s->n, n);
	for (uint32_t i = 1; i <= n; i++) {
		uint32_t x, found = 0;

		for (uint64_t at = 0; (x = set_next(s, set_hash(s, i / same), &at));)
			found += x == i;
		assert_int_equal(found, 1);
	}
	for (uint64_t at = 0, i = n + 1; i < 2 * (uint64_t)n; i++, at = 0)
		for (uint32_t x; (x = set_next(s, set_hash(s, i), &at));)	/* by chance the upper half of another */
			assert_true(x <= n);
}

static void
test_set(void **state)
{
	struct set s, zeroed = { 0 };
	uint64_t at = 0;

	(void)state;
	set_free(&zeroed);
	set_init(&s);
	assert_int_equal(set_first(&s, set_hash(&s, 1)), 0);
	assert_int_equal(set_next(&s, set_hash(&s, 1), &at), 0);
	set_clear(&s);
	set_free(&s);
	for (uint32_t same = 1; same < 20; same += 6) {
		set_init(&s);
		fill(&s, 5000, same);
		set_clear(&s);
		at = 0;
		assert_int_equal(set_next(&s, set_hash(&s, 1), &at), 0);
		fill(&s, 100000, same);
		set_free(&s);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kernel), cmocka_unit_test(test_without), cmocka_unit_test(test_start),
		cmocka_unit_test(test_array), cmocka_unit_test(test_set),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
