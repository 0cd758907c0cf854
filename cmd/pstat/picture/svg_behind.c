/* SPDX-License-Identifier: ISC */
/* svg_behind.c - how far records are behind the newest one before them: by place in the stream, and how many */
#include <inttypes.h>
#include <string.h>

#include "picture/svg.h"

enum { HEIGHT = 20000, PLOT = 72000, GAP = 3000, BARS = SVG_WIDTH - PLOT - GAP, LATE = 800, PLACES = 5, POWERS = 64, NARROW = 150 };

struct behind_plot {
	struct svg	*s;
	const struct panel *p;
	int		 base;		/* y of `least' */
	uint64_t	 least, most;	/* ns, powers of ten */
};

static int
behind_y(const struct behind_plot *b, uint64_t ns)
{
	uint32_t from = scale_log2(b->least), to = scale_log2(b->most);

	if (ns <= b->least)
		return b->base;
	if (ns >= b->most)
		return b->base - HEIGHT;
	return b->base - (int)scale_part(scale_log2(ns) - from, HEIGHT, to - from);
}

static int
behind_x(const struct behind_plot *b, uint64_t at)
{
	return SVG_LEFT + (b->p->bytes ? (int)scale_part(at < b->p->bytes ? at : b->p->bytes, PLOT, b->p->bytes) : 0);
}

static void
behind_grid(const struct behind_plot *b)
{
	char text[SVG_TEXT];

	for (uint64_t ns = b->least;; ns *= 10) {
		int y = behind_y(b, ns);

		svg_level(b->s, y, ns >= b->most ? 600 : 350, svg_ns(text, ns));
		if (ns >= b->most)
			break;
	}
}

static void
behind_places(const struct behind_plot *b)
{
	char ns[SVG_TEXT], from[SVG_TEXT], to[SVG_TEXT], n[SVG_TEXT];

	for (unsigned i = 0; i < b->p->nplaces; i++) {
		const struct behind_place *place = &b->p->place[i];
		uint64_t at = b->p->width * i;
		int x = behind_x(b, at), w = behind_x(b, at + b->p->width) - x, y = behind_y(b, place->behind);

		if (w < NARROW)
			w = NARROW;
		else if (w > 300)
			w -= 20;
		if (place->behind)
			svg_tip(b->s, x, y < b->base - 100 ? y : b->base - 100, w, y < b->base - 100 ? b->base - y : 100, "c6",
			    "%s behind, bytes %s to %s", svg_duration(ns, place->behind), svg_exact(from, at), svg_exact(to, at + b->p->width - 1));
		if (place->late)
			svg_tip(b->s, x, b->base - HEIGHT - LATE - 600, w < 200 ? 200 : w, LATE, "lost",
			    "%s late, by up to %s, bytes %s to %s", svg_exact(n, place->late), svg_duration(ns, place->late_ns), svg_exact(from, at),
			    svg_exact(to, at + b->p->width - 1));
	}
}

/* Rounds as ticks, and the position. */
static int
behind_below(const struct behind_plot *b)
{
	char text[SVG_TEXT];

	for (unsigned i = 0; i < b->p->nrounds; i++) {
		int x = behind_x(b, b->p->round[i]);

		svg_line(b->s, x, b->base + 100, x, b->base + 700, "x");
	}
	for (unsigned i = 0; i < PLACES; i++) {
		uint64_t at = scale_part(b->p->bytes, i, PLACES - 1);

		svg_text(b->s, behind_x(b, at), b->base + 2000, SVG_MIDDLE, "s", 0, svg_bytes(text, at));
	}
	svg_textf(b->s, SVG_LEFT + PLOT / 2, b->base + 3700, SVG_MIDDLE, b->p->nrounds ? "position in the stream; ticks are FINISHED_ROUND" :
	    "position in the stream");
	return b->base + 4200;
}

/* The histogram, on the same axis; `under' counts those that are less behind. */
static void
behind_bars(const struct behind_plot *b)
{
	uint64_t most = 1, under = b->p->timed - b->p->back;
	char n[SVG_TEXT], from[SVG_TEXT], to[SVG_TEXT], share[SVG_TEXT];
	int x = SVG_LEFT + PLOT + GAP;

	for (unsigned i = 0; i < POWERS; i++)
		if (b->p->power[i] > most)
			most = b->p->power[i];
	for (unsigned i = 0; i < POWERS; i++) {
		uint64_t low = UINT64_C(1) << i, high = i < POWERS - 1 ? low * 2 : UINT64_MAX;
		int y = behind_y(b, high), h = behind_y(b, low) - y, w = (int)scale_part(b->p->power[i], BARS, most);

		under += b->p->power[i];
		if (!b->p->power[i])
			continue;
		if (h < 200) {			/* below the axis */
			y = b->base;
			h = 150;
		}
		svg_tip(b->s, x, y + 50, w < 100 ? 100 : w, h - 100 > 50 ? h - 100 : 50, "c4", "%s records %s to %s behind; %s are no further",
		    svg_exact(n, b->p->power[i]), svg_duration(from, low), svg_duration(to, high),
		    svg_percent(share, under, b->p->timed));
	}
	svg_line(b->s, x, b->base - HEIGHT, x, b->base, "x");
	svg_textf(b->s, x + BARS / 2, b->base + 3700, SVG_MIDDLE, "records so far behind, up to %s", svg_short(n, most));
}

static void
behind_window(const struct behind_plot *b)
{
	int y = behind_y(b, b->p->window), end = SVG_LEFT + PLOT + GAP + BARS;
	const struct number_unit *unit;
	uint64_t n = scene_window(b->p, &unit);
	char text[SVG_TEXT];

	if (!b->p->window)
		return;
	svg_line(b->s, SVG_LEFT, y, end, y, "fg");
	snprintf(text, sizeof text, "psort --window=%" PRIu64 "%s", n, unit->ascii);
	svg_text(b->s, end, y - 400, SVG_END, "s o", 0, text);
}

int
svg_behind(struct svg *s, const struct scene *sc, int y)
{
	const struct panel *p = sc->p;
	struct behind_plot b = { .s = s, .p = p, .least = 1000, .most = 10000 };
	int end;

	if (!svg_begin(s, sc, &y, NULL))
		return y;
	b.base = y + HEIGHT + LATE + 1300;
	if (p->worst < 10000)		/* what is less than 1 us matters only if nothing is more */
		b.least = 1;
	while (b.most < p->worst && b.most < UINT64_C(10000000000000000000))
		b.most *= 10;
	if (p->late)
		svg_text(s, SVG_LEFT - 600, b.base - HEIGHT - 700, SVG_END, "s", 0, "late");
	behind_grid(&b);
	behind_places(&b);
	behind_bars(&b);
	behind_window(&b);
	end = behind_below(&b);
	return end + 2000;
}
