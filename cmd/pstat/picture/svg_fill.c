/* SPDX-License-Identifier: ISC */
/* svg_fill.c - what fills the stream: parts of one bar */
#include "picture/svg.h"

enum { HEIGHT = 3000, HUES = 8, IN_A_ROW = 4, APART = 23000 };

int
svg_fill(struct svg *s, const struct scene *sc, int y)
{
	const struct panel *p = sc->p;
	uint64_t before = 0;
	char share[SVG_TEXT], bytes[SVG_TEXT], figure[2 * SVG_TEXT], class[] = "k0";
	int n = 0;

	if (!svg_begin(s, sc, &y, NULL))
		return y;
	for (unsigned i = 0; i < p->nbands; i++) {
		const struct band *b = &p->band[i];
		int x = SVG_LEFT + (int)scale_part(before, SVG_WIDTH, sc->whole), end = SVG_LEFT + (int)scale_part(before + b->total, SVG_WIDTH, sc->whole);
		int left = SVG_LEFT + n % IN_A_ROW * APART, below = y + HEIGHT + 1500 + n / IN_A_ROW * 3200;

		if (!b->total)
			continue;
		n++;
		before += b->total;
		class[1] = (char)('0' + i % HUES);
		svg_cell(s, &(struct svg_cell){ .x = x, .y = y, .w = end - x < 50 ? 50 : end - x, .h = HEIGHT, .kind = 'k', .number = i % HUES,
		    .n = b->total, .what = "byte", .label = b->label });
		snprintf(figure, sizeof figure, "%s, %s", svg_percent(share, b->total, sc->whole), svg_bytes(bytes, b->total));
		svg_key(s, left, below, class, 34, b->label, figure);
	}
	return y + HEIGHT + 1500 + ((n - 1) / IN_A_ROW + 1) * 3200 + 1500;
}
