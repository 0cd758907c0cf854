/* SPDX-License-Identifier: ISC */
#include <stdlib.h>
#include <string.h>

#include "tool/tool.h"
#include "window/cut.h"

void
cut_absent(struct cut *c, bool behind, uint64_t first, uint64_t last)
{
	if (behind) {
		c->oldest = c->behind && c->oldest < first ? c->oldest : first;
		c->behind = true;
	} else {
		c->newest = c->before && c->newest > last ? c->newest : last;
		c->before = true;
	}
}

bool
cut_known(struct cut_keys *k, const struct cut_key *key, bool know)
{
	uint64_t hash, at = 0;
	uint32_t i;

	if (!k->key)
		set_init(&k->by);
	hash = set_hash(&k->by, set_hash(&k->by, key->key[0] ^ key->minus << 62) ^ key->key[1]);
	while (k->key && (i = set_next(&k->by, hash, &at)))
		if (!memcmp(&k->key[i - 1], key, sizeof *key))
			return true;
	if (!know || k->n == CUT_KEYS)
		return false;
	k->key = tool_need(array_more(k->key, k->n, 1, sizeof *k->key));
	k->key[k->n++] = *key;
	if (set_add(&k->by, hash, k->n) < 0)
		tool_no_memory();
	return false;
}

void
cut_free(struct cut_keys *k)
{
	if (k->key)
		set_free(&k->by);
	free(k->key);
}
