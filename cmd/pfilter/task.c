/* SPDX-License-Identifier: ISC */
#include <stdio.h>

#include "task.h"

bool
task_of_record(const struct pp_rec *r, bool swap, uint32_t *tid)
{
	switch (r->type) {
	case PP_MMAP: case PP_MMAP2: case PP_COMM: case PP_NAMESPACES:
		*tid = pp_get_u32(r->raw + 12, swap);
		return true;
	case PP_FORK: case PP_EXIT:
		*tid = pp_get_u32(r->raw + 16, swap);
		return true;
	default:
		return false;
	}
}

const char *
task_nameless(uint32_t tid, char *number)
{
	snprintf(number, TASK_NAMELESS, ":%d", (int)tid);
	return tid ? number : "swapper";
}

const char *
task_comm(const struct pp_state *s, uint32_t tid, char *number)
{
	const char *comm = pp_state_comm(s, tid);

	return comm ? comm : task_nameless(tid, number);
}
