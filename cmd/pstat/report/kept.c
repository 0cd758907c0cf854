/* SPDX-License-Identifier: ISC */
#include <stdlib.h>

#include "kept.h"
#include "set.h"
#include "tool/tool.h"

static void
copy(struct cell *to, const struct cell *from, unsigned type)
{
	size_t size = type == CELL_BUCKETS ? from->len * sizeof *from->bucket : from->len;
	const void *p = type == CELL_BUCKETS ? (const void *)from->bucket : from->text;
	char *own;

	*to = *from;
	if (!from->known || type < CELL_TEXT)
		return;
	own = tool_alloc(size + 1, 1);
	memcpy(own, p, size);
	to->text = own;
	to->bucket = (const void *)own;
}

static void
keep(void *arg, const struct cell *row)
{
	struct kept *k = arg;
	unsigned n = k->table->ncols;

	if (k->rows++ >= k->most && k->most)
		return;
	k->cell = tool_need(array_more(k->cell, k->n, 1, n * sizeof *k->cell));
	for (unsigned i = 0; i < n; i++)
		copy(&k->cell[k->n * n + i], &row[i], k->table->col[i].type);
	k->n++;
}

void
kept_open(struct kept *k, const struct report *r, const char *table, size_t most)
{
	const struct part *p = report_part(r, table);

	*k = (struct kept){ .table = p ? p->table : NULL, .most = most };
	if (p)
		p->table->rows(p->of, keep, k);
}

void
kept_free(struct kept *k)
{
	for (size_t i = 0; k->table && i < k->n * k->table->ncols; i++)
		if (k->cell[i].known && k->table->col[i % k->table->ncols].type >= CELL_TEXT)
			free((void *)(uintptr_t)k->cell[i].text);
	free(k->cell);
}

const struct cell *
kept_cell(const struct kept *k, size_t row, const char *column)
{
	static const struct cell unknown;

	for (unsigned i = 0; k->table && row < k->n && i < k->table->ncols; i++)
		if (!strcmp(k->table->col[i].name, column))
			return &k->cell[row * k->table->ncols + i];
	return &unknown;
}

uint64_t
kept_num(const struct kept *k, const char *column)
{
	const struct cell *c = kept_cell(k, 0, column);

	return c->known ? c->num : 0;
}
