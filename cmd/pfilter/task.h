/* SPDX-License-Identifier: ISC */
/* task.h - what pfilter adds to the state of tasks (state/state.h): the use of the marks, tables by tid */
#ifndef PFILTER_TASK_H
#define PFILTER_TASK_H

#include "state/state.h"

/* Bits of the marks of tasks and processes: --sideband=needed of the two outputs, then --inherit. */
enum {
	MARK_WRITTEN = 1, MARK_WRITTEN_REST = 2, MARK_DESCENDS = 4, MARK_UNDECIDED = 8,
	MARK_SIDE_SHIFT = 4,		/* from the first two to two more */
};

/* The tid of a record about a thread: true, or false: it is about none. */
bool	task_of_record(const struct pp_rec *, bool swap, uint32_t *tid);

/* The slot of a thread in a table of so many; another thread may have the same. */
enum { TASK_SLOT_BITS = 13, TASK_SLOTS = 1 << TASK_SLOT_BITS };
static inline uint32_t
task_slot(uint32_t tid)
{
	return tid * UINT32_C(0x9e3779b1) >> (32 - TASK_SLOT_BITS);
}

#endif
