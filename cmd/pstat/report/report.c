/* SPDX-License-Identifier: ISC */
#include <stdlib.h>

#include "report.h"
#include "tool/tool.h"

void
report_add(struct report *r, const struct table *t, const void *of)
{
	if (r->n == REPORT_TABLES || t->ncols > TABLE_COLUMNS)
		abort();
	r->part[r->n++] = (struct part){ t, of };
}

const struct part *
report_part(const struct report *r, const char *name)
{
	for (unsigned i = 0; i < r->n; i++)
		if (!strcmp(r->part[i].table->name, name))
			return &r->part[i];
	return NULL;
}

struct clips { const struct table *t; bool any; };

static void
look(void *arg, const struct cell *row)
{
	struct clips *c = arg;

	for (unsigned i = 0; i < c->t->ncols; i++)
		if (c->t->col[i].type == CELL_NUM && row[i].known && row[i].num > INT64_MAX)
			c->any = true;
}

bool
report_clips(const struct report *r)
{
	struct clips c = { .any = false };

	for (unsigned i = 0; i < r->n && !c.any; i++) {
		c.t = r->part[i].table;
		c.t->rows(r->part[i].of, look, &c);
	}
	return c.any;
}
