/* SPDX-License-Identifier: ISC */
/* svg_axis.c - time along x */
#include <stdlib.h>
#include <string.h>

#include "picture/svg.h"
#include "tool/tool.h"

enum { GAP = 4400, GAP_TEXT = 3600, LABELS = 10, STRIP = 1000, LEAST = 250, NARROW = 150 };

void
svg_axis_init(struct svg_axis *x, const struct axis *a, int left, int width)
{
	unsigned n = a->n ? a->n : 1, breaks = 0, before = 0;
	int64_t columns;

	*x = (struct svg_axis){ .axis = a, .x = left, .width = width };
	x->left = tool_alloc(n, sizeof *x->left);
	x->right = tool_alloc(n, sizeof *x->right);
	for (unsigned i = 0; i < a->n; i++)
		breaks += axis_breaks(x->axis, i);
	x->gap = !breaks ? 0 : width / 3 / (int)breaks < GAP ? width / 3 / (int)breaks : GAP;
	columns = width - (int64_t)breaks * x->gap;
	for (unsigned i = 0; i < a->n; i++) {
		x->left[i] = left + (int)(columns * i / n + (int64_t)before * x->gap);
		x->right[i] = left + (int)(columns * (i + 1) / n + (int64_t)before * x->gap);
		before += axis_breaks(x->axis, i);
	}
}

void
svg_axis_free(struct svg_axis *x)
{
	free(x->left);
	free(x->right);
}

int
svg_axis_x(const struct svg_axis *x, uint64_t ns)
{
	const struct axis *a = x->axis;
	unsigned i = axis_after(a, ns);
	uint64_t in = i ? ns - a->start[--i] : 0;

	if (!a->n || ns < a->start[i])
		return x->x;
	return in >= a->width ? x->right[i] : x->left[i] + (int)scale_part(in, (uint64_t)(x->right[i] - x->left[i]), a->width);
}

/* A break after the column: two jagged lines, and how long it is. */
static void
svg_axis_gap(struct svg *s, const struct svg_axis *x, unsigned column, int y, int to)
{
	int from = x->right[column], end = x->left[column + 1], middle = from + (end - from) / 2;
	uint64_t ns = x->axis->start[column + 1] - 1 - axis_end(x->axis, column);
	char text[SVG_TEXT], *rest;

	svg_rect(s, from, y, end - from, to - y, "bg");
	for (int side = 0; side < 2; side++) {
		int at = side ? end - 300 : from + 300, i = 0;

		for (int up = y; up < to; up += 400, i++)
			svg_line(s, at + (i % 2 ? 200 : -200), up, at + (i % 2 ? -200 : 200), up + 400 < to ? up + 400 : to, "x");
	}
	svg_tip(s, from, y, end - from, to - y, "no", "%s without samples", svg_duration(text, ns));
	if (end - from < GAP_TEXT || to - y < 2400)
		return;
	rest = strchr(strchr(text, ' ') + 1, ' ');		/* after the first unit */
	if (rest)
		*rest++ = '\0';
	svg_text(s, middle, y + (to - y) / 2 - (rest ? 200 : -400), SVG_MIDDLE, "s o", 0, text);
	if (rest)
		svg_text(s, middle, y + (to - y) / 2 + 1000, SVG_MIDDLE, "s o", 0, rest);
}

/* Round seconds from the first sample as lines over all from y to `to', with labels below; returns where these end. */
static int
svg_axis_grid(struct svg *s, const struct svg_axis *x, int y, int to)
{
	const struct axis *a = x->axis;
	uint64_t step = scale_round(scale_part(a->n, a->width, 1), LABELS);
	int before = x->x - 2 * SVG_LEFT;		/* where the last label ends */
	char text[SVG_TEXT + 8] = "+";

	for (struct axis_tick t = { 0 }; axis_tick(a, a->first, step, &t);) {
		int at = svg_axis_x(x, a->first + t.since);

		svg_line(s, at, y, at, to + 500, "g");
		svg_seconds(text + 1, t.since);
		strcat(text, " s");
		if (svg_room(text, at, SVG_LETTER, &before))
			svg_text(s, at, to + 1700, SVG_MIDDLE, "s", 0, text);
	}
	return to + 2200;
}

/* Columns are labelled by the time that they begin at. */
static int
svg_axis_columns(struct svg *s, const struct svg_axis *x, int y)
{
	int before = -SVG_LEFT;
	char text[SVG_TEXT];

	for (unsigned i = 0; i < x->axis->n; i++) {
		int at = x->left[i] + (x->right[i] - x->left[i]) / 2;

		if (!svg_room(svg_seconds(text, x->axis->start[i]), at, 1200, &before))
			continue;
		svg_line(s, at, y, at, y + 400, "x");
		svg_text(s, at, y + 1600, SVG_MIDDLE, "s", 0, text);
	}
	return y + 2000;
}

/* The breaks, over all that is between y and `to'. */
static void
svg_axis_gaps(struct svg *s, const struct svg_axis *x, int y, int to)
{
	for (unsigned i = 0; i < x->axis->n; i++)
		if (axis_breaks(x->axis, i))
			svg_axis_gap(s, x, i, y, to);
}

void
svg_axis_ground(struct svg *s, const struct svg_axis *x, int y, int height)
{
	unsigned from = 0, n = x->axis->n;

	for (unsigned i = 0; i < n; i++)
		if (i + 1 == n || axis_breaks(x->axis, i)) {
			svg_rect(s, x->left[from], y, x->right[i] - x->left[from], height, "c0");
			from = i + 1;
		}
}

/* ---- strips ---------------------------------------------------------------------------------------- */

/* Bars by the count, or marks of the same height. */
static int
svg_strip(struct svg *s, const struct svg_axis *x, int y, const struct strip_kind *kind, const uint32_t *count)
{
	const struct axis *a = x->axis;
	uint32_t most = 0;

	svg_axis_ground(s, x, y, STRIP);
	svg_text(s, SVG_LEFT - 800, y + 850, SVG_END, "s", 0, kind->name);
	for (unsigned i = 0; i < a->n; i++)
		if (count[i] > most)
			most = count[i];
	for (unsigned i = 0; i < a->n; i++) {
		int height = kind->bars && most ? (int)scale_part(count[i], STRIP, most) : STRIP, w = kind->bars ? x->right[i] - x->left[i] : NARROW;

		if (height < LEAST)
			height = LEAST;
		if (w < NARROW)
			w = NARROW;
		if (count[i])
			svg_cell(s, &(struct svg_cell){ .x = x->left[i] + (kind->bars ? 0 : (x->right[i] - x->left[i] - w) / 2),
			    .y = y + STRIP - height, .w = w, .h = height, .class = kind->name, .n = count[i], .what = kind->noun, .timed = true,
			    .from = a->start[i], .to = axis_end(a, i) });
	}
	return y + STRIP + 300;
}

int
svg_below(struct svg *s, const struct panel *p, const struct svg_axis *x, int top, int from, int y)
{
	bool parts = panel_has_parts(p);
	char text[SVG_TEXT];

	for (unsigned i = 0; i < STRIPS; i++)
		if (p->strip[i])
			y = svg_strip(s, x, y, &panel_strips[i], p->strip[i]);
	svg_axis_gaps(s, x, top, y);
	y = parts ? svg_axis_columns(s, x, y) : svg_axis_grid(s, x, from, y);
	svg_textf(s, SVG_LEFT, y + 1500, SVG_START, parts ? "seconds of the trace clock, from %s" : "first sample %s s (trace clock)",
	    svg_time(text, p->axis->first));
	return y;
}
