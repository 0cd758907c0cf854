/* SPDX-License-Identifier: ISC */
/*
 * big.h - whole numbers of 128 bits with a sign, which 32-bit compilers do not have.
 *
 * Fields are of 64 bits, with or without a sign: sums and products of two have room in this.
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

/* The result in *r; false: it has no room, or b is 0. */
bool	big_add(big a, big b, big *r);
bool	big_sub(big a, big b, big *r);
bool	big_mul(big a, big b, big *r);
/* As in C: towards 0; the rest has the sign of a. */
bool	big_div(big a, big b, big *r);
bool	big_rest(big a, big b, big *r);
/* The smallest n for which a is from -2^n to 2^n - 1. */
unsigned big_bits(big a);
/* As printf would, if it knew numbers of this size. */
void	big_text(big, char to[static 48]);

#endif
