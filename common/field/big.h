/* SPDX-License-Identifier: ISC */
/*
 * big.h - signed integers of 128 bits, also for compilers without __int128 (32-bit targets)
 *
 * Record fields have 64 bits, signed or unsigned: the sum or product of two fields fits in a big.
 */
#ifndef PP_BIG_H
#define PP_BIG_H

#include <stdbool.h>
#include <stdint.h>

typedef struct { uint64_t lo; int64_t hi; } big;	/* two's complement: hi * 2^64 + lo */

static inline big
big_signed(int64_t n)
{
	return (big){ (uint64_t)n, n < 0 ? -1 : 0 };
}
static inline big
big_plain(uint64_t n)
{
	return (big){ n, 0 };
}
static inline bool
big_equal(big a, big b)
{
	return a.lo == b.lo && a.hi == b.hi;
}
static inline bool
big_less(big a, big b)
{
	return a.hi != b.hi ? a.hi < b.hi : a.lo < b.lo;
}
static inline bool
big_zero(big a)
{
	return !(a.lo | (uint64_t)a.hi);
}

/* Store the result in *r.  false: overflow, or b is 0. */
bool	big_add(big a, big b, big *r);
bool	big_sub(big a, big b, big *r);
bool	big_mul(big a, big b, big *r);
/* Quotient and remainder as in C: the quotient is rounded towards 0, the remainder has the sign of a. */
bool	big_div(big a, big b, big *r);
bool	big_rest(big a, big b, big *r);
/* The smallest n with -2^n <= a < 2^n. */
unsigned big_bits(big a);
/* Format in decimal, with a NUL. */
void	big_text(big, char to[static 48]);

#endif
