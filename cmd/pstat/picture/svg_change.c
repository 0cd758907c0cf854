/* SPDX-License-Identifier: ISC */
/* svg_change.c - a flame graph of B whose colours say how the shares of its boxes differ from those in A */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "picture/svg.h"

enum { GONE = 20, COLOURS = 2 * CHANGE_STEPS + 1, EACH = 8200 };

/* From much less, by noise, to much more; black, white text is read on all of them. */
static const char *const change_light[COLOURS] = { "#6697dc", "#8db3e6", "#b3cdee", "#d6e4f5", "#d4d4d0", "#f7dcd3", "#f3b9a8", "#ee9680",
	"#e66f56" };
static const char *const change_dark[COLOURS] = { "#2565b0", "#2a5a94", "#2f4f78", "#33455c", "#474a4f", "#573a36", "#6e3a33", "#87392e",
	"#a13827" };
static const char *const change_class[COLOURS] = { "d0", "d1", "d2", "d3", "d4", "d5", "d6", "d7", "d8" };

static void
change_colours(FILE *f, bool dark)
{
	for (unsigned i = 0; i < COLOURS; i++)
		fprintf(f, ".pic .%s{fill:%s}", change_class[i], (dark ? change_dark : change_light)[i]);
}

void
svg_change_style(FILE *f, const struct draw *d)
{
	svg_themed(f, d, change_colours);
}

const char *
svg_change_class(const struct panel_change *c)
{
	return change_class[CHANGE_STEPS + panel_change_step(c)];
}

const char *
svg_points(char to[SVG_TEXT], int32_t ppm)
{
	uint32_t n = ((uint32_t)abs(ppm) + 50) / 100;

	snprintf(to, SVG_TEXT, "%s%" PRIu32 ".%02" PRIu32, ppm < 0 ? "\xe2\x88\x92" : "+", n / 100, n % 100);
	return to;
}

int
svg_change_legend(struct svg *s, int y)
{
	static const char *const labels[COLOURS] = { "10 or more", "3 to 10", "1 to 3", "less than 1", "noise", "less than 1", "1 to 3",
		"3 to 10", "10 or more" };
	int x = SVG_LEFT;

	svg_text(s, x - 400, y + 900, SVG_END, "s", 0, "points less in B");
	for (unsigned i = 0; i < COLOURS; i++, x += EACH) {
		svg_rect(s, x, y, 1000, 1000, change_class[i]);
		svg_text(s, x + 1300, y + 900, SVG_START, "s", 0, labels[i]);
	}
	svg_text(s, x, y + 900, SVG_START, "s", 0, "points more in B");
	return y + 2200;
}

int
svg_change_gone(struct svg *s, const struct panel *p, int y)
{
	const int total = SVG_LEFT + 7500, share = total + 7000, self = share + 7000, name = self + 2000;
	char text[SVG_TEXT];

	if (!p->ngone)
		return y;
	svg_text(s, SVG_LEFT, y + 900, SVG_START, "h", 0, "Only in A");
	y += SVG_LINE;
	svg_text(s, total, y + 900, SVG_END, "s", 0, "samples of A");
	svg_text(s, share, y + 900, SVG_END, "s", 0, "share");
	svg_text(s, self, y + 900, SVG_END, "s", 0, "self");
	svg_text(s, name, y + 900, SVG_START, "s", 0, "in whose call chain is");
	y += SVG_LINE;
	for (uint32_t i = 0; i < p->ngone && i < GONE; i++, y += SVG_LINE) {
		const struct panel_gone *g = &p->gone[i];

		svg_text(s, total, y + 900, SVG_END, "s", 0, svg_exact(text, g->total));
		svg_text(s, share, y + 900, SVG_END, "s", 0, svg_percent(text, g->total, p->before));
		svg_text(s, self, y + 900, SVG_END, "s", 0, svg_exact(text, g->self));
		svg_text(s, name, y + 900, SVG_START, "s", 130, p->text[g->text]);
		if (g->noise)
			svg_text(s, SVG_LEFT, y + 900, SVG_END, "s", 0, "noise");
	}
	if (p->ngone > GONE) {
		svg_textf(s, name, y + 900, SVG_START, "and %" PRIu32 " more", p->ngone - GONE);
		y += SVG_LINE;
	}
	return y + SVG_LINE;
}
