/* SPDX-License-Identifier: ISC */
/* set.c - seeds of hash tables, with getrandom(2) and without */
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

int
clock_gettime(clockid_t clock, struct timespec *t)
{
	if (!stopped)
		return (int)syscall(SYS_clock_gettime, clock, t);
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

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kernel), cmocka_unit_test(test_without), cmocka_unit_test(test_start),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
