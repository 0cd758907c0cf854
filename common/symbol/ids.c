/* SPDX-License-Identifier: ISC */
#include <stdlib.h>
#include <string.h>

#include "ids.h"

static struct known_id *
ids_get(const struct ids *t, uint64_t key, const char *name, size_t n)
{
	for (struct link *l = pp_table_first(&t->table, key); l; l = pp_table_next(l)) {
		struct known_id *x = (struct known_id *)l;

		if (x->nname == n && !memcmp(x->name, name, n))
			return x;
	}
	return NULL;
}

static uint64_t
ids_key(const struct ids *t, const char *name, size_t n)
{
	return pp_table_hash(&t->table, n, (const uint8_t *)name, n);
}

int
ids_learn(struct ids *t, const struct pp_rec *r)
{
	struct build_id_of b;
	struct known_id *x;
	unsigned mode = r->misc & PP_MISC_CPUMODE_MASK;
	uint64_t key;

	if (mode == PP_MISC_GUEST_KERNEL || mode == PP_MISC_GUEST_USER || !build_id_get(&b, r))
		return 1;
	key = ids_key(t, b.name, b.nname);
	if ((x = ids_get(t, key, b.name, b.nname))) {
		memcpy(x->id, b.id, x->len = (uint8_t)b.nid);
		return 1;
	}
	if (t->table.n == IDS_MAX) {
		t->over++;
		return 1;
	}
	if (!(x = calloc(1, sizeof *x + b.nname)))
		return -1;
	memcpy(x->id, b.id, x->len = (uint8_t)b.nid);
	memcpy(x->name, b.name, x->nname = b.nname);
	if (pp_table_add(&t->table, &x->link, key) > 0)
		return 1;
	free(x);
	return -1;
}

const struct known_id *
ids_find(const struct ids *t, const char *name)
{
	size_t n = strlen(name);

	return ids_get(t, ids_key(t, name, n), name, n);
}

void
ids_free(struct ids *t)
{
	pp_table_free(&t->table, true);
}
