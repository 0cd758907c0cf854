/* SPDX-License-Identifier: ISC */
/* chance.h - numbers that are the same on each machine, and how much memory is in use */
#ifndef PP_TEST_CHANCE_H
#define PP_TEST_CHANCE_H

#include <malloc.h>
#include <stddef.h>
#include <stdint.h>

static uint32_t seed;

static inline uint32_t
rnd(uint32_t below)
{
	seed = seed * 1664525 + 1013904223;
	return (uint32_t)((uint64_t)seed * below >> 32);
}

/* Bytes in use, as malloc knows; nothing with a sanitizer, or if the C library does not tell. */
static inline size_t
heap(void)
{
#ifdef __GLIBC__
	struct mallinfo2 m = mallinfo2();

	return m.uordblks + m.hblkhd;
#else
	return 0;
#endif
}

#endif
