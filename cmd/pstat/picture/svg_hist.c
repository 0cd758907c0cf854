/* SPDX-License-Identifier: ISC */
/*
 * svg_hist.c - how often values occur, along a logarithmic axis
 *
 * Buckets differ in width on that axis: within a power of two the last is half as wide as the first.  So the height of a bar is
 * not its count, which would rise and fall with each power of two, but the count divided by the width: its area is the count.
 */
#include <inttypes.h>
#include <string.h>

#include "picture/svg.h"

enum { HEIGHT = 20000, LEVEL = 1200 };

struct hist_plot {
	struct svg	*s;
	const struct scene *sc;
	const struct panel *p;
	int		 base;
	uint32_t	 from, to;	/* places of the ends */
};

static int
hist_x(const struct hist_plot *h, uint64_t value)
{
	uint32_t log = scale_place(value);

	log = log < h->from ? h->from : log > h->to ? h->to : log;
	return SVG_LEFT + (int)scale_part(log - h->from, SVG_WIDTH, h->to - h->from);
}

static const char *
hist_value(char to[SVG_TEXT], const struct panel *p, uint64_t value)
{
	if (p->unit && !strcmp(p->unit, "ns"))
		return svg_ns(to, value);
	if (p->unit && !strcmp(p->unit, "bytes"))
		return svg_bytes(to, value);
	return svg_short(to, value);
}

/* Counts as lines, powers of ten as labels below; the places between if there is space for all of them. */
static void
hist_grid(const struct hist_plot *h)
{
	uint64_t step = scale_round(h->sc->top, 5), first = h->sc->bar[0].low;
	int before = -SVG_LEFT;
	char text[SVG_TEXT];

	for (uint64_t n = 0; n <= h->sc->top; n += step) {
		int y = h->base - (int)scale_part(n, HEIGHT, h->sc->top);

		svg_level(h->s, y, 350, svg_short(text, n));
	}
	for (uint64_t ten = 0; ; ten = ten ? ten * 10 : 1) {
		for (unsigned part = 1; part < 10; part = part == 1 ? 2 : part == 2 ? 5 : 10) {
			uint64_t value = ten <= UINT64_MAX / part ? ten * part : UINT64_MAX;
			int x = hist_x(h, value);

			if (value < first || scale_place(value) > h->to || (!ten && part > 1))
				continue;
			svg_line(h->s, x, h->base, x, h->base + (part == 1 ? 600 : 400), "x");
			if (svg_room(hist_value(text, h->p, value), x, SVG_LETTER, &before))
				svg_text(h->s, x, h->base + 1800, SVG_MIDDLE, "s", 0, text);
		}
		if (ten > UINT64_MAX / 10 || scale_place(ten) > h->to)
			break;
	}
}

static void
hist_bars(const struct hist_plot *h)
{
	char n[SVG_TEXT], low[SVG_TEXT], high[SVG_TEXT];

	for (const struct scene_bar *b = h->sc->bar; b < h->sc->bar + h->sc->nbars; b++) {
		int x = hist_x(h, b->low), w = hist_x(h, b->high < UINT64_MAX ? b->high + 1 : b->high) - x;
		int height = (int)scale_part(b->height, HEIGHT, h->sc->top);

		if (!b->count)
			continue;
		if (height < 100)
			height = 100;
		if (w > 300)
			w -= 40;
		else if (w < 100)
			w = 100;
		svg_tip(h->s, x, h->base - height, w, height, "c5", b->high > b->low ? "%s of %s to %s" : "%s of %s", svg_exact(n, b->count),
		    svg_exact(low, b->low), svg_exact(high, b->high));
	}
}

/* The percentiles; each label is higher than the one before it. */
static void
hist_marks(const struct hist_plot *h)
{
	char text[SVG_TEXT], value[SVG_TEXT];

	for (unsigned i = 0; i < PANEL_MARKS; i++)
		if (h->p->mark[i].name) {
			int x = hist_x(h, h->p->mark[i].value);

			svg_line(h->s, x, h->base - HEIGHT - LEVEL * ((int)i + 1), x, h->base, "fg");
		}
	for (unsigned i = 0; i < PANEL_MARKS; i++) {	/* over all lines */
		const struct panel_mark *m = &h->p->mark[i];
		int x = hist_x(h, m->value), y = h->base - HEIGHT - LEVEL * ((int)i + 1) + 700;
		bool left;

		if (!m->name)
			continue;
		snprintf(text, sizeof text, "%s %s", m->name, hist_value(value, h->p, m->value));
		left = x + 300 + (int)strlen(text) * SVG_LETTER > SVG_LEFT + SVG_WIDTH + SVG_RIGHT;
		svg_text(h->s, left ? x - 300 : x + 300, y, left ? SVG_END : SVG_START, "s o", 0, text);
	}
}

int
svg_hist(struct svg *s, const struct scene *sc, int y)
{
	const struct panel *p = sc->p;
	struct hist_plot h = { .s = s, .sc = sc, .p = p };
	uint64_t last;

	if (!svg_begin(s, sc, &y, NULL))
		return y;
	last = sc->bar[sc->nbars - 1].high;
	h.from = scale_place(sc->bar[0].low);
	h.to = scale_place(last < UINT64_MAX ? last + 1 : last);
	if (h.to <= h.from)
		h.to = h.from + 1;
	h.base = y + HEIGHT + 3 * LEVEL + 600;
	hist_grid(&h);
	hist_bars(&h);
	hist_marks(&h);
	svg_textf(s, SVG_LEFT + SVG_WIDTH / 2, h.base + 3400, SVG_MIDDLE, "%s%slogarithmic; height: count for each doubling of the value, "
	    "so the area of a bar is its count", p->unit && *p->unit ? p->unit : "", p->unit && *p->unit ? ", " : "");
	return h.base + 5500;
}
