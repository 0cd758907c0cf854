/* SPDX-License-Identifier: ISC */
/* svg_heat.c - a row for each band, a column for each bin of time */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "picture/svg.h"

enum { OVERLAP = 40, NARROW = 150 };

struct heat {
	struct svg	*s;
	const struct scene *sc;
	const struct panel *p;
	struct svg_axis	 x;
	int		 top, row;	/* y of the first row, height of each */
};

static int
heat_y(const struct heat *h, unsigned band)
{
	return h->top + h->row * (int)scene_band(h->p, band);
}

/* The name of the row, and its share. */
static void
heat_label(const struct heat *h, unsigned i)
{
	unsigned every = h->row >= 1000 ? 1 : (unsigned)((1200 + h->row - 1) / h->row);
	int y = heat_y(h, i) + h->row / 2 + 350;
	const struct band *b = &h->p->band[i];
	char text[SVG_TEXT];

	if (i % every)
		return;
	svg_label(h->s, SVG_LEFT - 800, y, SVG_END, SVG_LABEL, b->label);
	svg_text(h->s, SVG_LEFT + SVG_WIDTH + 600, y, SVG_START, "s", 0, svg_percent(text, b->total, h->sc->whole));
}

/* Columns of a band from `from' to `to', all of one step. */
static void
heat_run(const struct heat *h, unsigned i, unsigned from, unsigned to, unsigned step)
{
	const struct band *b = &h->p->band[i];
	int inset = h->p->lives ? 200 : 0, x = h->x.left[from], w = h->x.right[to] - x;
	struct svg_cell c = { .x = x, .y = heat_y(h, i) + inset, .w = w, .h = h->row - 50 - 2 * inset, .kind = 'c', .number = step,
	    .what = "sample", .label = b->option ? NULL : b->label, .option = b->option, .timed = true,
	    .from = h->x.axis->start[from], .to = axis_end(h->x.axis, to) };

	for (unsigned k = from; k <= to; k++)
		c.n += b->count[k];
	/* below the next cell, or a line of the page would show between them */
	if (to + 1 < h->x.axis->n && b->count[to + 1] && !axis_breaks(h->p->axis, to))
		c.w += OVERLAP;
	if (c.w < NARROW)
		c.w = NARROW;
	svg_cell(h->s, &c);
}

static void
heat_row(const struct heat *h, unsigned i)
{
	const struct band *b = &h->p->band[i];
	unsigned n = h->x.axis->n, to;

	if (h->p->lives) {
		int from = svg_axis_x(&h->x, b->first), end = svg_axis_x(&h->x, b->last);

		svg_rect(h->s, from, heat_y(h, i) + h->row / 2 - 75, end - from > 100 ? end - from : 100, 150, "life");
	} else
		svg_axis_ground(h->s, &h->x, heat_y(h, i), h->row - 50);
	for (unsigned from = 0; b->count && from < n; from = to + 1) {
		unsigned step = scale_step(h->sc->scale, b->count[from]);

		to = from;
		while (to + 1 < n && !axis_breaks(h->p->axis, to) && scale_step(h->sc->scale, b->count[to + 1]) == step)
			to++;
		if (step)
			heat_run(h, i, from, to, step);
	}
	heat_label(h, i);
}

/* ---- bands that are parts of the columns ------------------------------------------------------------ */

static void
heat_column(const struct heat *h, unsigned column)
{
	int x = h->x.left[column], w = h->x.right[column] - x - (h->x.right[column] - x >= 400 ? 50 : 0);
	unsigned n = h->p->nbands, to;
	uint64_t first, last, end;

	for (unsigned i = 0; i < n; i = to + 1) {
		uint32_t count = h->p->band[i].count ? h->p->band[i].count[column] : 0;
		unsigned step = scale_step(h->sc->scale, count);
		bool inside = scene_cell(h->sc, i, column, &first, &last);
		struct svg_cell c = { .x = x, .w = w, .kind = 'c', .number = step, .what = "sample", .timed = true, .n = count,
		    .option = h->p->band[i].option };
		int a = heat_y(h, i), b;

		/* `end' is the last ns alone: the cell in which the recording ends is drawn by itself */
		for (to = i; to + 1 < n && scene_cell(h->sc, to + 1, column, &end, &end) == inside; to++) {
			uint32_t next = h->p->band[to + 1].count ? h->p->band[to + 1].count[column] : 0;

			if (scale_step(h->sc->scale, next) != step)
				break;
			c.n += next;
		}
		if (!inside && !step)
			continue;
		scene_cell(h->sc, i, column, &c.from, &end);
		scene_cell(h->sc, to, column, &first, &c.to);
		b = heat_y(h, to);
		c.y = a < b ? a : b;
		c.h = (a < b ? b - a : a - b) + h->row - 50;
		if (step)
			svg_cell(h->s, &c);
		else
			svg_rect(h->s, c.x, c.y, c.w, c.h, "c0");
	}
}

/* Where in a column the bands are: the ends and the quarters. */
static void
heat_parts_labels(const struct heat *h)
{
	int height = h->row * (int)h->p->nbands;
	char text[SVG_TEXT];

	for (int i = 0; i <= 4; i++) {
		int y = h->top + (h->p->upward ? height - height / 4 * i : height / 4 * i);

		svg_line(h->s, SVG_LEFT - 400, y, SVG_LEFT, y, "x");
		svg_textf(h->s, SVG_LEFT - 700, y + 350, SVG_END, "%s s", svg_seconds(text, h->x.axis->width / 4 * (unsigned)i));
	}
}

/* Height of a row. */
static int
heat_height(const struct panel *p, bool parts)
{
	int n = (int)p->nbands, most = n <= 4 && !p->lives ? 2600 : 1700, height = (parts ? 40000 : 52000) / n;

	return height > most ? most : height < (parts ? 200 : 600) ? (parts ? 200 : 600) : height;
}

int
svg_heat(struct svg *s, const struct scene *sc, int y)
{
	const struct panel *p = sc->p;
	struct heat h = { .s = s, .sc = sc, .p = p };
	int end;

	if (!svg_begin(s, sc, &y, NULL))
		return y;
	h.row = heat_height(p, panel_has_parts(p));
	h.top = y;
	svg_axis_init(&h.x, p->axis, SVG_LEFT, SVG_WIDTH);
	end = y + h.row * (int)p->nbands;
	if (panel_has_parts(p)) {
		heat_parts_labels(&h);
		for (unsigned i = 0; i < p->axis->n; i++)
			heat_column(&h, i);
	} else
		for (unsigned i = 0; i < p->nbands; i++)
			heat_row(&h, i);
	end = svg_below(s, p, &h.x, y, y, end + 300);
	svg_bar(s, SVG_LEFT + SVG_WIDTH, end + 600, sc);
	svg_axis_free(&h.x);
	return end + 4500;
}
