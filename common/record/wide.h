/* SPDX-License-Identifier: ISC */
/* wide.h - unsigned products of 128 bits and their quotients, also for compilers without __int128 */
#ifndef PP_WIDE_H
#define PP_WIDE_H

#include <stdint.h>

struct wide { uint64_t lo, hi; };

static inline struct wide
wide_mul_halves(uint64_t a, uint64_t b)
{
	uint64_t a0 = (uint32_t)a, a1 = a >> 32, b0 = (uint32_t)b, b1 = b >> 32;
	uint64_t low = a0 * b0, one = a1 * b0 + (low >> 32), two = a0 * b1 + (uint32_t)one;

	return (struct wide){ two << 32 | (uint32_t)low, a1 * b1 + (one >> 32) + (two >> 32) };
}

/* n / d, and the remainder.  n.hi < d, so the quotient fits.  Long division; `carry' is the bit shifted out of the remainder. */
static inline uint64_t
wide_div_bits(struct wide n, uint64_t d, uint64_t *rest)
{
	uint64_t q = 0, r = n.hi;

	for (int i = 63; i >= 0; i--) {
		uint64_t carry = r >> 63;

		r = r << 1 | (n.lo >> i & 1);
		if (carry || r >= d) {
			r -= d;
			q |= UINT64_C(1) << i;
		}
	}
	*rest = r;
	return q;
}

static inline struct wide
wide_mul(uint64_t a, uint64_t b)
{
#ifdef __SIZEOF_INT128__
	__extension__ unsigned __int128 x = (__extension__ (unsigned __int128)a) * b;

	return (struct wide){ (uint64_t)x, (uint64_t)(x >> 64) };
#else
	return wide_mul_halves(a, b);
#endif
}

static inline uint64_t
wide_div(struct wide n, uint64_t d, uint64_t *rest)
{
#ifdef __SIZEOF_INT128__
	__extension__ unsigned __int128 x = (__extension__ (unsigned __int128)n.hi) << 64 | n.lo;

	*rest = (uint64_t)(x % d);
	return (uint64_t)(x / d);
#else
	return wide_div_bits(n, d, rest);
#endif
}

#endif
