/* SPDX-License-Identifier: ISC */
/*
 * forget.c - a stream goes on for hours, and has ever new names: those that no row has any more are let go
 *
 * When names have no space, and rows have most of them, the rows with the fewest samples become others.
 */
#include "sort/in.h"

enum { WAIT = 64 << 10 };		/* after an attempt in vain, so many names later the next one */

void
sort_keep(const struct sort *s, const uint64_t key[ROWS_KEYS])
{
	for (unsigned i = 0; i < s->nkeys; i++)
		if (s->key[i]->of_state)
			names_keep(s->names, key[i]);
}

static void
forget_mark_rows(struct sort *s)
{
	names_mark(s->names);
	for (uint32_t i = 0; i < s->rows.n; i++)
		sort_keep(s, s->rows.row[i].key);
}

void
sort_crowded(struct sort *s)
{
	/* pictures remember keys, and payloads names */
	if (s->each || s->payloads || !names_crowded(s->names))
		return;
	if (s->forget_wait)
		s->forget_wait--;
	else
		s->crowded = true;
}

void
sort_forget(struct sort *s)
{
	if (s->history)
		history_plain(s->history);
	for (forget_mark_rows(s); names_keeps_most(s->names) && s->rows.n; forget_mark_rows(s))
		rows_shrink(&s->rows, s->rows.n / 2);
	if (s->keep)
		s->keep(s->seen_arg, s);
	names_sweep(s->names);
	if (s->history)
		history_forget(s->history);
	if (s->children)
		children_forget(s->children);
	s->crowded = false;
	s->forget_wait = names_crowded(s->names) ? WAIT : 0;
}
