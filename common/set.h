/* SPDX-License-Identifier: ISC */
/*
 * set.h - what hash tables have in common: their seed.
 *
 * A recording must not be able to choose where its ids, tids and names fall in a table, or all of them fall into one place.  So
 * each table mixes its keys with a seed that nobody outside of the process knows.  Nothing of a seed is written to an output:
 * which one it is changes no result.
 *
 * A seed never fails.  It is of getrandom(2); where that fails (seccomp of a container, a kernel that has just started) it is made of
 * the 16 random bytes that the kernel gave the program when it started (AT_RANDOM), of the clock and of the stack's address.
 * What must be secret even then, as the key of pfilter --anon, is no seed: there a failure of getrandom(2) is an error.
 */
#ifndef PP_SET_H
#define PP_SET_H

#include <sys/auxv.h>
#include <sys/random.h>

#include <stdint.h>
#include <string.h>
#include <time.h>

/* Another one at each call.  A multiplicative hash needs it odd: pp_seed() | 1. */
static inline uint64_t
pp_seed(void)
{
	const void *given = (const void *)(uintptr_t)getauxval(AT_RANDOM);
	uint64_t seed, start[2] = { 0, 0 };
	struct timespec now = { 0 };

	if (getrandom(&seed, sizeof seed, GRND_NONBLOCK) == sizeof seed)
		return seed;
	if (given)
		memcpy(start, given, sizeof start);
	clock_gettime(CLOCK_MONOTONIC, &now);
	seed = start[0] ^ (uintptr_t)&now ^ (uint64_t)now.tv_sec << 32;
	for (int i = 0; i < 2; i++) {		/* the mix of splitmix64 */
		seed += start[1] ^ (uint64_t)now.tv_nsec * UINT64_C(0x9e3779b97f4a7c15);
		seed = (seed ^ seed >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
		seed = (seed ^ seed >> 27) * UINT64_C(0x94d049bb133111eb);
		seed ^= seed >> 31;
	}
	return seed;
}

#endif
