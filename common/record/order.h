/* SPDX-License-Identifier: ISC */
/* order.h - for qsort(3): numbers, the smallest first; and a search in what is sorted */
#ifndef PP_ORDER_H
#define PP_ORDER_H

#include <stdint.h>

static inline int
order_u32(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

/*
 * Of the numbers from `lo' to before `hi', let `lo' be the first one, called `i', for which a condition holds, and from which on
 * it does; `hi' if it holds for none.  It changes both variables, which have the same type.
 *
 *	size_t lo = 0, hi = n;
 *
 *	ORDER_FIND(lo, hi, i, v[i].end > addr);
 */
#define ORDER_FIND(lo, hi, i, holds) \
	while ((lo) < (hi)) { \
		__typeof__(lo) i = (lo) + ((hi) - (lo)) / 2; \
\
		if (holds) \
			(hi) = i; \
		else \
			(lo) = i + 1; \
	}

#endif
