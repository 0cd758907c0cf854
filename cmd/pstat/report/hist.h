/* SPDX-License-Identifier: ISC */
/*
 * hist.h - the buckets of histograms: 16 to a power of two, the same for ever, so that histograms add up.
 *
 * A value below 16 has a bucket of its own; above, a bucket is as wide as a 16th of its power of two, so what is said of a value
 * by its bucket is wrong by less than 6.3 %.
 */
#ifndef PSTAT_HIST_H
#define PSTAT_HIST_H

#include <stdint.h>

enum { HIST_BUCKETS = 16 + 60 * 16 };

static inline unsigned
hist_bucket(uint64_t value)
{
	unsigned power;

	if (value < 16)
		return (unsigned)value;
	power = 63 - (unsigned)__builtin_clzll(value);		/* 4 to 63 */
	return 16 * (power - 3) + (unsigned)(value >> (power - 4) & 15);
}

/* The smallest and the largest value of a bucket. */
static inline uint64_t
hist_low(unsigned bucket)
{
	return bucket < 16 ? bucket : (uint64_t)(16 + bucket % 16) << (bucket / 16 - 1);
}

static inline uint64_t
hist_high(unsigned bucket)
{
	return bucket < 16 ? bucket : hist_low(bucket) + ((UINT64_C(1) << (bucket / 16 - 1)) - 1);
}

#endif
