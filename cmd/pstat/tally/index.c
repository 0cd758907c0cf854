/* SPDX-License-Identifier: ISC */
#include <stdlib.h>

#include "index.h"
#include "state/table.h"
#include "tool/tool.h"

struct entry { struct link link; void *thing; };
struct index { struct table table; };

struct index *
index_new(void)
{
	struct index *x = tool_alloc(1, sizeof *x);

	pp_table_init(&x->table);
	return x;
}

void
index_clear(struct index *x)
{
	for (size_t i = 0; x->table.bits && i < (size_t)1 << x->table.bits; i++)
		while (x->table.slot[i]) {
			struct entry *e = (struct entry *)x->table.slot[i];

			free(e->thing);
			pp_table_remove(&x->table, &e->link);
			free(e);
		}
}

void
index_free(struct index *x)
{
	if (!x)
		return;
	index_clear(x);
	pp_table_free(&x->table, true);
	free(x);
}

uint64_t
index_hash(const struct index *x, uint64_t h, const void *p, size_t n)
{
	return pp_table_hash(&x->table, h, p, n);
}

void
index_add(struct index *x, uint64_t key, void *thing)
{
	struct entry *e = tool_alloc(1, sizeof *e);

	e->thing = thing;
	if (pp_table_add(&x->table, &e->link, key) < 0)
		tool_no_memory();
}

void *
index_find(const struct index *x, uint64_t key, bool (*same)(const void *, const void *), const void *arg)
{
	for (struct link *l = pp_table_first(&x->table, key); l; l = pp_table_next(l)) {
		struct entry *e = (struct entry *)l;

		if (!same || same(e->thing, arg))
			return e->thing;
	}
	return NULL;
}
