/* SPDX-License-Identifier: ISC */
/* coarse.c - a panel of fewer cells: what one file cannot hold, or nobody can see */
#include <stdlib.h>

#include "picture/draw.h"
#include "tool/tool.h"

struct coarse {				/* a panel, and what it does not share with the one it was made from */
	struct panel	 p;
	struct axis	 axis;
};

static void
coarse_add(uint32_t *to, uint32_t n)
{
	*to = n > UINT32_MAX - *to ? UINT32_MAX : *to + n;
}

/* The column of each column of the finer axis. */
static unsigned *
coarse_axis(struct axis *to, const struct axis *from, uint64_t by)
{
	unsigned *column = tool_alloc(from->n, sizeof *column);

	*to = (struct axis){ .width = from->width * by, .first = from->first, .last = from->last };
	to->start = tool_alloc(from->n, sizeof *to->start);
	for (unsigned i = 0; i < from->n; i++) {
		uint64_t start = from->start[i] - from->start[i] % to->width;

		if (!to->n || to->start[to->n - 1] != start)
			to->start[to->n++] = start;
		column[i] = to->n - 1;
	}
	return column;
}

static uint32_t *
coarse_counts(const uint32_t *from, const unsigned *column, unsigned n, unsigned to)
{
	uint32_t *count = from ? tool_alloc(to, sizeof *count) : NULL;

	for (unsigned i = 0; from && i < n; i++)
		coarse_add(&count[column[i]], from[i]);
	return count;
}

/* Bands that are parts of the columns: so many become one. */
static void
coarse_bands(struct coarse *c, const struct panel *from, unsigned by)
{
	unsigned n = from->axis->n;

	c->p.nbands = (from->nbands + by - 1) / by;
	for (unsigned i = 0; i < from->nbands; i++) {
		struct band *to = &c->p.band[i / by];

		if (i % by == 0) {
			*to = from->band[i];
			to->count = tool_alloc(n, sizeof *to->count);
			to->span = to->total = 0;
		}
		to->total += from->band[i].total;
		to->span += from->band[i].span;
		for (unsigned k = 0; from->band[i].count && k < n; k++)
			coarse_add(&to->count[k], from->band[i].count[k]);
	}
}

static struct coarse *
coarse_of(const struct panel *from)
{
	struct coarse *c = tool_alloc(1, sizeof *c);

	c->p = *from;
	c->p.band = tool_alloc(from->nbands ? from->nbands : 1, sizeof *c->p.band);
	return c;
}

struct panel *
coarse_columns(const struct panel *from, uint64_t by)
{
	struct coarse *c = coarse_of(from);
	unsigned n = from->axis->n, *column = coarse_axis(&c->axis, from->axis, by);

	c->p.axis = &c->axis;
	for (unsigned i = 0; i < from->nbands; i++) {
		c->p.band[i] = from->band[i];
		c->p.band[i].count = coarse_counts(from->band[i].count, column, n, c->axis.n);
	}
	for (unsigned i = 0; i < STRIPS; i++)
		c->p.strip[i] = coarse_counts(from->strip[i], column, n, c->axis.n);
	free(column);
	panel_top(&c->p);
	return &c->p;
}

struct panel *
coarse_new(const struct panel *from, unsigned by)
{
	bool parts = panel_has_parts(from);
	struct coarse *c;

	if (!panel_is_timed(from) || !from->axis || from->axis->width > UINT64_MAX / by ||
	    (parts ? from->nbands : from->axis->n) < by)
		return NULL;
	if (!parts)
		return coarse_columns(from, by);
	c = coarse_of(from);
	coarse_bands(c, from, by);
	panel_top(&c->p);
	return &c->p;
}

void
coarse_free(struct panel *p)
{
	struct coarse *c = (struct coarse *)p;

	if (!c)
		return;
	for (unsigned i = 0; i < p->nbands; i++)
		free(p->band[i].count);
	free(p->band);
	if (c->axis.start) {
		for (unsigned i = 0; i < STRIPS; i++)
			free(p->strip[i]);
		free(c->axis.start);
	}
	free(c);
}
