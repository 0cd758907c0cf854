/* SPDX-License-Identifier: ISC */
#include <stdlib.h>

#include "tool/tool.h"
#include "window/length.h"

struct entry {
	struct link	 link;
	struct span_length length;
};

void
lengths_start(struct lengths *l)
{
	pp_table_init(&l->by);
}

void
lengths_put(struct lengths *l, uint64_t nr, const struct span_length *length)
{
	struct entry *e = tool_alloc(1, sizeof *e);

	e->length = *length;
	if (pp_table_add(&l->by, &e->link, nr) < 0)
		tool_no_memory();
}

bool
lengths_take(struct lengths *l, uint64_t nr, struct span_length *length)
{
	struct link *found = pp_table_first(&l->by, nr);

	if (!found)
		return false;
	*length = ((struct entry *)(void *)found)->length;
	pp_table_remove(&l->by, found);
	free(found);
	return true;
}

void
lengths_free(struct lengths *l)
{
	pp_table_free(&l->by, true);
}
