/* SPDX-License-Identifier: ISC */
#include <stdlib.h>
#include <string.h>

#include "names.h"
#include "set.h"
#include "state/table.h"
#include "tool/tool.h"

struct names {
	struct table	 table;		/* of struct known_name, by hash of the text */
	struct known_name **name;	/* by number */
	uint32_t	 n;
	size_t		 bytes;
	bool		 over;
};
struct known_name { struct link link; uint32_t number; size_t len; char text[]; };

struct names *
names_new(void)
{
	struct names *s = tool_alloc(1, sizeof *s);

	pp_table_init(&s->table);
	return s;
}

bool
names_over(const struct names *s)
{
	return s->over;
}

void
names_free(struct names *s)
{
	if (!s)
		return;
	pp_table_free(&s->table, true);
	free(s->name);
	free(s);
}

uint32_t
names_number(struct names *s, const char *text, size_t len)
{
	struct known_name *n;
	uint64_t key;

	if (len > NAMES_LONGEST)
		len = NAMES_LONGEST;
	key = pp_table_hash(&s->table, len, (const uint8_t *)text, len);
	for (struct link *l = pp_table_first(&s->table, key); l; l = pp_table_next(l)) {
		n = (struct known_name *)l;
		if (n->len == len && !memcmp(n->text, text, len))
			return n->number;
	}
	if (s->n == NAMES_MAX || s->bytes + len > NAMES_BYTES) {
		s->over = true;
		return UINT32_MAX;
	}
	s->name = tool_need(array_more(s->name, s->n, 1, sizeof *s->name));
	n = tool_alloc(1, sizeof *n + len + 1);
	n->len = len;
	memcpy(n->text, text, len);
	n->number = s->n;
	if (pp_table_add(&s->table, &n->link, key) < 0) {
		free(n);
		s->over = true;
		return UINT32_MAX;
	}
	s->name[s->n++] = n;
	s->bytes += len;
	return n->number;
}

const char *
names_text(const struct names *s, uint64_t number)
{
	return number < s->n ? s->name[number]->text : NULL;
}
