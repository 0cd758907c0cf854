/* SPDX-License-Identifier: ISC */
/*
 * seed.c - getrandom(2) gives a program the same numbers each time: LD_PRELOAD=seed.so SEED=N command
 *
 * The tools have hash tables that nobody can foresee; which entries collide there decides what some records cost.
 */
#include <sys/random.h>

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

ssize_t
getrandom(void *to, size_t n, unsigned flags)
{
	static uint64_t at;
	const char *given = getenv("SEED");
	uint64_t x;

	(void)flags;
	if (!at && given)
		at = strtoull(given, NULL, 0);
	for (size_t done = 0, part; done < n; done += part) {	/* splitmix64 */
		x = at += UINT64_C(0x9e3779b97f4a7c15);
		x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
		x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
		x ^= x >> 31;
		part = n - done < sizeof x ? n - done : sizeof x;
		memcpy((char *)to + done, &x, part);
	}
	return (ssize_t)n;
}
