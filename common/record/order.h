/* SPDX-License-Identifier: ISC */
/* order.h - for qsort(3): numbers, the smallest first */
#ifndef PP_ORDER_H
#define PP_ORDER_H

#include <stdint.h>

static inline int
order_u32(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

#endif
