/* SPDX-License-Identifier: ISC */
/* svg_flame.c - call chains: a box for each function that was called from the one below it, as wide as its samples */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "picture/svg.h"

enum {
	LEFT = 1000, WIDTH = SVG_LEFT + SVG_WIDTH + SVG_RIGHT - 2 * LEFT,
	ROW = 1600, KINDS = 6, SHADES = 4,
	NARROW = 50,			/* half a pixel: narrower boxes are not drawn */
	WORDY = 2400,			/* wider boxes have a text */
	LEVELS = 250, BOXES = 4000,	/* drawn, at most: 1 MB */
	TITLE = 200,			/* bytes of a name in a title */
};

/* By kind and shade; black, white text is read on all of them. */
static const char *const flame_light[KINDS][SHADES] = {
	{ "#a9cbe6", "#9ac2e1", "#b9d5ec", "#8cb9dc" }, { "#f0b088", "#eba577", "#f4bd9b", "#e79a69" },
	{ "#b0dba9", "#a2d29b", "#bfe3b9", "#95ca8d" }, { "#d0d0cc", "#c7c7c3", "#d9d9d5", "#bebeba" },
	{ "#dac9c4", "#d2bfb9", "#e2d3cf", "#cab5ae" }, { "#dccfe9", "#d3c4e3", "#e5dbef", "#cab9dd" },
};
static const char *const flame_dark[KINDS][SHADES] = {
	{ "#28517a", "#2f5a86", "#22496e", "#376491" }, { "#7a4526", "#844e2d", "#703d20", "#8c5734" },
	{ "#2c5c34", "#34673c", "#26522d", "#3c7245" }, { "#474a4f", "#4f5257", "#3f4247", "#575a60" },
	{ "#574842", "#60504a", "#4e403a", "#695852" }, { "#503f68", "#594873", "#47375d", "#63517e" },
};

static void
flame_colours(FILE *f, bool dark)
{
	for (unsigned i = 0; i < KINDS; i++)
		for (unsigned k = 0; k < SHADES; k++)
			fprintf(f, ".pic .f%u%u{fill:%s}", i, k, (dark ? flame_dark : flame_light)[i][k]);
}

void
svg_flame_style(FILE *f, const struct draw *d)
{
	svg_themed(f, d, flame_colours);
	fprintf(f, ".pic .b{fill:%s;fill:var(--fg);pointer-events:none}", d->theme == THEME_DARK ? "#e6e6e6" : "#222222");
}

/* The class of a box: the same function has the same shade in each picture. */
static void
flame_class(char class[8], unsigned kind, const char *text)
{
	uint32_t hash = 2166136261u;

	for (; *text; text++)
		hash = (hash ^ (uint8_t)*text) * 16777619u;
	snprintf(class, 8, "f%u%u", kind % KINDS, (hash ^ hash >> 16) % SHADES);
}

/* Of the unit: samples, but period, ns. */
static const char *
flame_plural(const struct panel *p, uint64_t n)
{
	return n == 1 || strcmp(p->unit, "sample") != 0 ? "" : "s";
}

static int
flame_x(const struct panel *p, uint64_t n)
{
	return (int)scale_part(n, WIDTH, p->top);
}

struct flame_drawn { uint64_t least; unsigned rows; uint32_t narrow, deep; };	/* narrow, deep: boxes that are not drawn */

/* So wide are the boxes that are drawn, of which there are not too many; how many rows they have. */
static struct flame_drawn
flame_drawn(const struct panel *p)
{
	struct flame_drawn d = { 0 };
	uint64_t least = p->top / WIDTH * NARROW + p->top % WIDTH * NARROW / WIDTH;
	uint32_t n;

	for (least += !least;; least += least / 4 + 1) {
		n = 0;
		d = (struct flame_drawn){ .least = least, .narrow = p->hidden };
		for (uint32_t i = 0; i < p->nboxes; i++) {
			const struct panel_box *b = &p->box[i];

			d.narrow += b->total < least;
			d.deep += b->total >= least && b->depth >= LEVELS;
			if (b->total < least || b->depth >= LEVELS)
				continue;
			d.rows = b->depth >= d.rows ? b->depth + 1u : d.rows;
			n++;
		}
		if (n <= BOXES)
			return d;
	}
}

static void
flame_text(struct svg *s, int x, int y, int w, const char *text)
{
	unsigned columns = (unsigned)(w - 600) / SVG_LETTER;
	size_t inner = strlen(text) > columns ? panel_inner(text) : 0;
	char *cut = inner ? malloc(strlen(text + inner) + 4) : NULL;

	if (cut)
		strcpy(stpcpy(cut, "\xe2\x80\xa6"), text + inner);
	svg_text(s, x + 300, y + 1150, SVG_START, "b", columns, cut ? cut : text);
	free(cut);
}

static void
flame_box(struct svg *s, const struct panel *p, const struct panel_box *b, int y)
{
	char class[8], name[TITLE + 4], n[SVG_TEXT], share[SVG_TEXT], self[SVG_TEXT], before[SVG_TEXT], share_a[SVG_TEXT], points[SVG_TEXT];
	char changed[4 * SVG_TEXT] = "";
	const struct panel_change *change = p->change ? &p->change[b - p->box] : NULL;
	int x = flame_x(p, b->from), w = flame_x(p, b->from + b->total) - x;
	const char *text = p->text[b->text];
	size_t len = strlen(text);

	if (len > TITLE)		/* between characters */
		for (len = TITLE; len && ((uint8_t)text[len] & 0xc0) == 0x80; len--)
			;
	snprintf(name, sizeof name, "%.*s%s", (int)len, text, text[len] ? "\xe2\x80\xa6" : "");
	flame_class(class, b->kind, text);
	if (change)
		snprintf(changed, sizeof changed, " · A: %s, %s · %s points%s", svg_exact(before, change->before),
		    svg_percent(share_a, change->before, p->before), svg_points(points, change->ppm), change->noise ? ", noise" : "");
	svg_tip(s, LEFT + x, y, w > 200 ? w - 40 : w > NARROW ? w : NARROW, ROW - 60, change ? svg_change_class(change) : class,
	    "%s · %s %s%s · %s · self %s%s", name, svg_exact(n, b->total), p->unit, flame_plural(p, b->total),
	    svg_percent(share, b->total, p->top), svg_exact(self, b->self), changed);
	if (w > WORDY)
		flame_text(s, LEFT + x, y, w, text);
}

/* What colours mean, and the share of the samples that end in such boxes. */
static int
flame_legend(struct svg *s, const struct panel *p, int y)
{
	char text[SVG_TEXT], label[2 * SVG_TEXT], class[8];
	bool is[KINDS] = { false };
	int x = SVG_LEFT;

	for (uint32_t i = 0; i < p->nboxes; i++)
		is[p->box[i].kind % KINDS] = true;
	for (unsigned i = 0; i < p->nbands; i++) {
		if (!is[i % KINDS])
			continue;
		snprintf(class, sizeof class, "f%u0", i % KINDS);
		snprintf(label, sizeof label, p->band[i].total ? "%s %s" : "%s", p->band[i].label, svg_percent(text, p->band[i].total, p->top));
		svg_key(s, x, y, class, 0, label, NULL);
		x += 11000;
	}
	return y + 2200;
}

int
svg_flame(struct svg *s, const struct scene *sc, int y)
{
	const struct panel *p = sc->p;
	struct flame_drawn d = p->top ? flame_drawn(p) : (struct flame_drawn){ 0 };
	char more[160] = "", width[SVG_TEXT];
	size_t n = 0;

	if (d.narrow)
		n = (size_t)snprintf(more, sizeof more, "%" PRIu32 " box%s of less than %s %s%s not drawn", d.narrow,
		    d.narrow == 1 ? "" : "es", svg_exact(width, d.least), p->unit, flame_plural(p, d.least));
	if (d.deep)
		snprintf(more + n, sizeof more - n, "%s%" PRIu32 " box%s above level %d not drawn", n ? ", " : "", d.deep,
		    d.deep == 1 ? "" : "es", LEVELS);
	if (!svg_begin(s, sc, &y, *more ? more : NULL))
		return p->change ? svg_change_gone(s, p, y) : y;
	if (s->f && !s->part) {
		fputs("<style>", s->f);
		svg_flame_style(s->f, s->draw);
		if (p->change)
			svg_change_style(s->f, s->draw);
		fputs("</style>\n", s->f);
	}
	y = p->change ? svg_change_legend(s, y) : flame_legend(s, p, y);
	for (uint32_t i = 0; i < p->nboxes; i++) {
		const struct panel_box *b = &p->box[i];

		if (b->total >= d.least && b->depth < LEVELS)
			flame_box(s, p, b, y + ROW * (int)(s->draw->icicle ? b->depth : d.rows - 1 - b->depth));
	}
	y += ROW * (int)d.rows + 1500;
	return p->change && !s->part ? svg_change_gone(s, p, y) : y;	/* a page has it in its table of functions */
}
