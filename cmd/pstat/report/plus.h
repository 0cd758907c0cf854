/* SPDX-License-Identifier: ISC */
/*
 * plus.h - sums of what the recording says: periods, losses
 *
 * A few records can say more than 2^64.  Such a sum stays at the largest number, which report.h says is not exact, instead
 * of beginning again at 0.
 */
#ifndef PSTAT_PLUS_H
#define PSTAT_PLUS_H

#include <stdint.h>

static inline void
plus(uint64_t *sum, uint64_t n)
{
	if (__builtin_add_overflow(*sum, n, sum))
		*sum = UINT64_MAX;
}

#endif
