/* SPDX-License-Identifier: ISC */
/* task.h - use of the marks in the state of tasks (state/state.h); tables by tid */
#ifndef PFILTER_TASK_H
#define PFILTER_TASK_H

#include "state/state.h"

/* Bits of pp_task.mark and pp_process.mark: --sideband=needed of the two outputs, then --inherit. */
enum {
	MARK_WRITTEN = 1, MARK_WRITTEN_REST = 2, MARK_DESCENDS = 4, MARK_UNDECIDED = 8,
	MARK_SIDE_SHIFT = 4,		/* needed.c has two more marks for each output: the first two, shifted by this, */
	MARK_NAME_SHIFT = 6,		/* ... and by this */
};

/* Is the record about a thread?  Then *tid is its tid. */
bool	task_of_record(const struct pp_rec *, bool swap, uint32_t *tid);

/* Index of a thread in a table of TASK_SLOTS; threads may collide. */
enum { TASK_SLOT_BITS = 13, TASK_SLOTS = 1 << TASK_SLOT_BITS };
static inline uint32_t
task_slot(uint32_t tid)
{
	return tid * UINT32_C(0x9e3779b1) >> (32 - TASK_SLOT_BITS);
}

#endif
