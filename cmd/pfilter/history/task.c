/* SPDX-License-Identifier: ISC */
#include "record/meaning.h"
#include "task.h"

/* Offset of the tid in a record of that type. */
static unsigned
tid_at(uint32_t type)
{
	static uint8_t at[PP_TYPE_END];	/* 0: not looked up yet */
	unsigned width;

	if (!at[type])
		at[type] = (uint8_t)pp_role_place(type, PP_ROLE_TID, &width);
	return at[type];
}

bool
task_of_record(const struct pp_rec *r, bool swap, uint32_t *tid)
{
	if (!pp_type_is(r->type, PP_CLASSES_TASK))
		return false;
	*tid = pp_get_u32(r->raw + tid_at(r->type), swap);
	return true;
}
