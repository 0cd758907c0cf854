/* SPDX-License-Identifier: ISC */
/*
 * reads.h - periods of events with PERF_SAMPLE_READ.
 *
 * Their values are running totals; perf takes the difference to the last one seen of the same id as the
 * sample's period, whatever PERIOD says, and does not deliver a sample whose difference is 0.  An inherited
 * event shares its id between the tasks, each with totals of its own.
 */
#ifndef PSTAT_READS_H
#define PSTAT_READS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { READS_MAX = 16 << 10 };	/* totals remembered */

struct reads {
	struct read_total { uint64_t id, value; uint32_t tid; bool used; } *slot;
	size_t	 used, size;
	uint64_t key;		/* random */
	uint64_t over;		/* values that found no place: they count as 0 */
};

/* What has been added to the total since it was last seen. */
uint64_t reads_period(struct reads *, uint64_t id, uint32_t tid, uint64_t value);

#endif
