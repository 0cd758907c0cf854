/* SPDX-License-Identifier: ISC */
#include <stdlib.h>
#include <string.h>

#include "names.h"
#include "set.h"
#include "state/table.h"
#include "tool/tool.h"

/* So many may come at once: the keys of a sample, and with --children the functions of its stack. */
enum { LAST = 1024, LAST_BYTES = 8 * NAMES_LONGEST };

struct names {
	struct table	 table;		/* of struct known_name, by hash of the text */
	struct known_name **name;	/* by number; NULL: it is free */
	uint32_t	 n, used;	/* numbers there are; that have a text */
	uint32_t	 next;		/* no number below it is free */
	uint32_t	 kept;
	size_t		 bytes, kept_bytes;
	bool		 over;
};
struct known_name { struct link link; uint32_t number; bool kept; size_t len; char text[]; };

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
	if (s->used == NAMES_MAX || s->bytes + len > NAMES_BYTES) {
		s->over = true;
		return UINT32_MAX;
	}
	while (s->next < s->n && s->name[s->next])
		s->next++;
	if (s->next == s->n)
		s->name = tool_need(array_more(s->name, s->n, 1, sizeof *s->name));
	n = tool_alloc(1, sizeof *n + len + 1);
	n->len = len;
	memcpy(n->text, text, len);
	n->number = s->next;
	if (pp_table_add(&s->table, &n->link, key) < 0)
		tool_no_memory();
	s->n += s->next == s->n;
	s->name[n->number] = n;
	s->used++;
	s->bytes += len;
	return n->number;
}

const char *
names_text(const struct names *s, uint64_t number)
{
	return number < s->n && s->name[number] ? s->name[number]->text : NULL;
}

/* ---- letting go ---------------------------------------------------------------------------------- */

bool
names_crowded(const struct names *s)
{
	return s->used > NAMES_MAX - LAST || s->bytes > NAMES_BYTES - LAST_BYTES;
}

void
names_mark(struct names *s)
{
	for (uint32_t i = 0; i < s->n; i++)
		if (s->name[i])
			s->name[i]->kept = false;
	s->kept = 0;
	s->kept_bytes = 0;
}

void
names_keep(struct names *s, uint64_t number)
{
	if (number >= s->n || !s->name[number])
		return;
	if (!s->name[number]->kept) {
		s->name[number]->kept = true;
		s->kept++;
		s->kept_bytes += s->name[number]->len;
	}
}

bool
names_keeps_most(const struct names *s)
{
	return s->kept > NAMES_MAX / 2 || s->kept_bytes > NAMES_BYTES / 2;
}

void
names_sweep(struct names *s)
{
	for (uint32_t i = 0; i < s->n; i++) {
		struct known_name *n = s->name[i];

		if (!n || n->kept)
			continue;
		pp_table_remove(&s->table, &n->link);
		s->bytes -= n->len;
		s->used--;
		s->name[i] = NULL;
		free(n);
	}
	s->next = 0;
}
