/* SPDX-License-Identifier: ISC */
#include <stdio.h>

#include "record/meaning.h"
#include "task.h"

bool
task_of_record(const struct pp_rec *r, bool swap, uint32_t *tid)
{
	unsigned width;

	if (!pp_type_is(r->type, PP_CLASSES_TASK))
		return false;
	*tid = pp_get_u32(r->raw + pp_role_place(r->type, PP_ROLE_TID, &width), swap);
	return true;
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
