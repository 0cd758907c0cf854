/* SPDX-License-Identifier: ISC */
/* svg_stack.c - samples per second over time, the bands on top of each other */
#include <inttypes.h>
#include <string.h>

#include "picture/svg.h"

enum { HEIGHT = 23000, HUES = 7, APART = 13100, NS = 1000000000 };

struct stack {
	struct svg	*s;
	const struct panel *p;
	struct svg_axis	 x;
	uint64_t	 top;		/* samples of the highest column */
	int		 base;		/* y of 0 */
};

/* The last hue is grey: for what is together, and has no option. */
static unsigned
stack_hue(const struct panel *p, unsigned i)
{
	return i >= HUES - 1 || (i == p->nbands - 1 && i && !p->band[i].option) ? HUES - 1 : i;
}

/* y of so many samples a second, of which `top' samples in a column are the most. */
static void
stack_rates(const struct stack *k)
{
	uint64_t width = k->p->axis->width, most = scale_part(k->top, NS, width), step = scale_round(most, 5);
	char text[SVG_TEXT], count[SVG_TEXT];

	if (!most) {				/* less than one a second */
		svg_text(k->s, SVG_LEFT - 600, k->base + 350, SVG_END, "s", 0, "0");
		svg_textf(k->s, SVG_LEFT - 600, k->base - HEIGHT + 350, SVG_END, "%s in %s", svg_short(count, k->top),
		    svg_duration(text, width));
		return;
	}
	for (uint64_t rate = 0; rate <= most; rate += step) {
		int y = k->base - (int)scale_part(rate, HEIGHT, most);

		svg_level(k->s, y, 350, svg_short(text, rate));
	}
	svg_text(k->s, SVG_LEFT - 600, k->base - HEIGHT - 1000, SVG_END, "s", 0, "samples/s");
}

static void
stack_column(const struct stack *k, unsigned i)
{
	const struct axis *a = k->x.axis;
	uint64_t below = 0;
	int x = k->x.left[i], w = k->x.right[i] - x, y = k->base;

	if (w >= 300)
		w -= 40;
	else if (w < 30)
		w = 30;
	for (unsigned b = 0; b < k->p->nbands; b++) {
		const struct band *band = &k->p->band[b];
		uint32_t n = band->count ? band->count[i] : 0;
		int to;

		if (!n)
			continue;
		below += n;
		to = k->base - (int)scale_part(below, HEIGHT, k->top);
		svg_cell(k->s, &(struct svg_cell){ .x = x, .y = to, .w = w, .h = y - to, .kind = 'k', .number = stack_hue(k->p, b), .n = n,
		    .what = "sample", .label = band->option ? NULL : band->label, .option = band->option, .timed = true,
		    .from = a->start[i], .to = axis_end(a, i) });
		y = to;
	}
	if (axis_is_part(a, i, i))
		svg_hatch(k->s, x, y, w, k->base - y);
}

static int
stack_legend(const struct stack *k, int y, uint64_t whole)
{
	char class[] = "k0", text[SVG_TEXT];
	int x = SVG_LEFT;

	for (unsigned i = 0; i < k->p->nbands && i < HUES; i++, x += APART) {
		const struct band *b = &k->p->band[i];

		class[1] = (char)('0' + stack_hue(k->p, i));
		svg_key(k->s, x, y, class, 18, b->label, svg_percent(text, b->total, whole));
	}
	return y + 2600;
}

int
svg_stack(struct svg *s, const struct scene *sc, int y)
{
	const struct panel *p = sc->p;
	struct stack k = { .s = s, .p = p, .top = p->top ? p->top : 1 };
	int end;

	if (!svg_begin(s, sc, &y, p->axis && p->axis->n ? "hatched: columns that are covered in part" : NULL))
		return y;
	svg_axis_init(&k.x, p->axis, SVG_LEFT, SVG_WIDTH);
	y += 600;
	k.base = y + HEIGHT;
	stack_rates(&k);
	for (unsigned i = 0; i < p->axis->n; i++)
		stack_column(&k, i);
	end = svg_below(s, p, &k.x, y, k.base, k.base + 700);
	end = stack_legend(&k, end + 2800, sc->whole);
	svg_axis_free(&k.x);
	return end + 2000;
}
