/* SPDX-License-Identifier: ISC */
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "picture/svg.h"
#include "tool/tool.h"
#include "tool/utf8.h"

/* ---- text ------------------------------------------------------------------------------------------ */

/* The character at s, of *len bytes; -1: the byte is not of valid UTF-8. */
static int32_t
svg_char(const char *s, unsigned *len)
{
	const uint8_t *p = (const uint8_t *)s;
	size_t n = *p < 0x80 ? 1 : utf8_len(p, strnlen(s, 4));

	*len = n ? (unsigned)n : 1;
	return n ? (int32_t)utf8_char(p, n) : -1;
}

/* Does it act on other text, or is it not allowed in XML 1.0? */
static bool
svg_acts(int32_t c)
{
	return c < 0x20 || c == 0x7f ||
	    (c >= 0x80 && ((c & 0xfffe) == 0xfffe || (c >= 0xfdd0 && c < 0xfdf0) || tool_hidden((uint32_t)c)));
}

/* How wide it is, about, in tenths of a column: which font there is, only the reader knows. */
static unsigned
svg_width(int32_t c)
{
	if (c < 0x80)
		return strchr("mwMW@%", c) ? 16 : c >= 'A' && c <= 'Z' ? 12 : strchr("ijl.,:;'|!I", c) ? 6 : 10;
	if (c >= 0xfb50 && c < 0xfe00)		/* one may be a whole sentence */
		return 60;
	return c >= 0x1100 && (c <= 0x115f || (c >= 0x2e80 && c < 0xa4d0) || (c >= 0xac00 && c < 0xd7a4) || (c >= 0xf900 && c < 0xfb00) ||
	    (c >= 0xfe30 && c < 0xfe70) || (c >= 0xff00 && c < 0xff61) || c >= 0x1f000) ? 18 : 12;
}

void
svg_escape(FILE *f, const char *text, unsigned columns)
{
	static const struct { char c; const char *entity; } entities[] = {
		{ '&', "&amp;" }, { '<', "&lt;" }, { '>', "&gt;" }, { '"', "&quot;" }, { '\'', "&#39;" },
	};
	unsigned used = 0, len;

	for (const char *s = text; *s; s += len) {
		int32_t c = svg_char(s, &len);
		bool hex = svg_acts(c);
		unsigned needs = !columns ? 0 : hex ? 40 * len : svg_width(c);
		const char *entity = NULL;

		if (columns && used + needs + (s[len] ? 10 : 0) > 10 * columns) {
			fputs("\xe2\x80\xa6", f);
			return;
		}
		used += needs;
		for (size_t i = 0; i < sizeof entities / sizeof *entities; i++)
			if (c == entities[i].c)
				entity = entities[i].entity;
		if (entity)
			fputs(entity, f);
		else if (hex)
			for (unsigned i = 0; i < len; i++)
				fprintf(f, "\\x%02x", (uint8_t)s[i]);
		else if (len == 1)
			fputc(c, f);
		else
			fwrite(s, 1, len, f);
	}
}

void
svg_json(FILE *f, const char *text, size_t most)
{
	const char *s = text;
	unsigned len;

	fputc('"', f);
	for (; *s && (size_t)(s - text) < most; s += len) {
		int32_t c = svg_char(s, &len);

		if (svg_acts(c))
			for (unsigned i = 0; i < len; i++)
				fprintf(f, "\\\\x%02x", (uint8_t)s[i]);
		else if (len == 1 && strchr("\"\\<>&", c))
			fprintf(f, "\\u%04x", (unsigned)c);
		else
			fwrite(s, 1, len, f);
	}
	fputs(*s ? "\xe2\x80\xa6\"" : "\"", f);
}

/* ---- elements -------------------------------------------------------------------------------------- */

/* Hundredths of a pixel as pixels, in front of them a word. */
static void
svg_px(FILE *f, const char *before, int n)
{
	unsigned u = n < 0 ? 0u - (unsigned)n : (unsigned)n;
	char text[SVG_TEXT], *end = text + sizeof text, *p = end;

	if (u % 100) {
		p = u % 10 ? svg_digits(p, u % 100, 2) : svg_digits(p, u % 100 / 10, 1);
		*--p = '.';
	}
	p = svg_digits(p, u / 100, 1);
	if (n < 0)
		*--p = '-';
	fputs(before, f);
	fwrite(p, 1, (size_t)(end - p), f);
}

/* What a rectangle begins with. */
static void
svg_box(FILE *f, int x, int y, int w, int h)
{
	svg_px(f, "<rect x=\"", x);
	svg_px(f, "\" y=\"", y);
	svg_px(f, "\" width=\"", w > 0 ? w : 0);
	svg_px(f, "\" height=\"", h > 0 ? h : 0);
	fputs("\" ", f);
}

void
svg_rect(struct svg *s, int x, int y, int w, int h, const char *class)
{
	if (!s->f)
		return;
	svg_box(s->f, x, y, w, h);
	fprintf(s->f, "class=\"%s\"/>\n", class);
}

void
svg_line(struct svg *s, int x1, int y1, int x2, int y2, const char *class)
{
	if (!s->f)
		return;
	fprintf(s->f, "<path class=\"%s\" ", class);
	svg_px(s->f, "d=\"M", x1);
	svg_px(s->f, " ", y1);
	if (x1 == x2)
		svg_px(s->f, "V", y2);
	else {
		svg_px(s->f, "L", x2);
		svg_px(s->f, " ", y2);
	}
	fputs("\"/>\n", s->f);
}

/* What a text begins with. */
static void
svg_start(FILE *f, int x, int y, enum svg_anchor anchor, const char *class)
{
	static const char *const anchors[] = { "", " m", " r" };

	fprintf(f, "<text class=\"%s%s\" ", class, anchors[anchor]);
	svg_px(f, "x=\"", x);
	svg_px(f, "\" y=\"", y);
	fputs("\">", f);
}

void
svg_text(struct svg *s, int x, int y, enum svg_anchor anchor, const char *class, unsigned columns, const char *text)
{
	if (!s->f)
		return;
	svg_start(s->f, x, y, anchor, class);
	svg_escape(s->f, text, columns);
	fputs("</text>\n", s->f);
}

void
svg_label(struct svg *s, int x, int y, enum svg_anchor anchor, unsigned columns, const char *label)
{
	const char *pid = panel_number(label);
	size_t n;

	if (!s->f || !label)
		return;
	n = pid ? strlen(pid) : 0;
	svg_start(s->f, x, y, anchor, "s");
	if (n > 1 && n < columns) {
		char *comm = tool_need(strndup(label, (size_t)(pid - label)));

		fputs("<tspan>", s->f);		/* letters from right to left would take the pid to their other side */
		svg_escape(s->f, comm, columns - (unsigned)n);
		fprintf(s->f, "</tspan>%s", pid);
		free(comm);
	} else
		svg_escape(s->f, label, columns);
	fputs("</text>\n", s->f);
}

void
svg_key(struct svg *s, int x, int y, const char *class, unsigned columns, const char *label, const char *figure)
{
	svg_rect(s, x, y, 1000, 1000, class);
	svg_label(s, x + 1500, y + 900, SVG_START, columns, label);
	if (figure)
		svg_text(s, x + 1500, y + 2200, SVG_START, "s", 0, figure);
}

void
svg_textf(struct svg *s, int x, int y, enum svg_anchor anchor, const char *format, ...)
{
	char text[256];
	va_list ap;

	va_start(ap, format);
	vsnprintf(text, sizeof text, format, ap);
	va_end(ap);
	svg_text(s, x, y, anchor, "s", 0, text);
}

void
svg_tip(struct svg *s, int x, int y, int w, int h, const char *class, const char *format, ...)
{
	char text[512];
	va_list ap;

	s->cells++;
	if (!s->f)
		return;
	va_start(ap, format);
	vsnprintf(text, sizeof text, format, ap);
	va_end(ap);
	svg_box(s->f, x, y, w, h);
	fprintf(s->f, "class=\"%s\"><title>", class);
	svg_escape(s->f, text, 0);
	fputs("</title></rect>\n", s->f);
}

void
svg_cell(struct svg *s, const struct svg_cell *c)
{
	char from[SVG_TEXT], to[SVG_TEXT];

	s->cells++;
	if (!s->f)
		return;
	svg_box(s->f, c->x, c->y, c->w, c->h);
	if (c->class)
		fprintf(s->f, "class=\"%s\"", c->class);
	else
		fprintf(s->f, "class=\"%c%u\"", c->kind, c->number);
	if (s->part && c->option) {
		fputs(" data-o=\"", s->f);
		svg_escape(s->f, c->option, 0);
		fputc('"', s->f);
	}
	fprintf(s->f, "><title>%" PRIu64 " %s%s", c->n, c->what, c->n == 1 ? "" : "s");
	if (c->label) {
		fputs(" · ", s->f);
		svg_escape(s->f, c->label, 80);
	}
	if (c->option || c->timed)
		fputs(" ·", s->f);
	if (c->option) {
		fputc(' ', s->f);
		svg_escape(s->f, c->option, 0);
	}
	if (c->timed)
		fprintf(s->f, " --time %s,%s", svg_time(from, c->from), svg_time(to, c->to));
	fputs("</title></rect>\n", s->f);
}

void
svg_hatch(struct svg *s, int x, int y, int w, int h)
{
	if (!s->f || w <= 0 || h <= 0)
		return;
	svg_box(s->f, x, y, w, h);
	fprintf(s->f, "class=\"no\" fill=\"url(#h%u)\"/>\n", s->id);
}

void
svg_bar(struct svg *s, int x, int y, const struct scene *sc)
{
	static const char *const names[] = { [SCALE_LINEAR] = "linear", [SCALE_LOG] = "logarithmic", [SCALE_RANK] = "by rank" };
	char text[SVG_TEXT], class[] = "c0";
	unsigned n = 1;
	int box = 3000;
	enum { APART = 700 };

	for (unsigned i = 1; i < DRAW_STEPS; i++) {
		int needs = (int)strlen(svg_short(text, scale_low(sc->scale, i))) * SVG_LETTER + APART;

		n += scale_low(sc->scale, i) > 0;
		box = needs > box ? needs : box;
	}
	x -= (int)n * box;
	for (unsigned i = 0; i < DRAW_STEPS; i++) {
		uint64_t low = scale_low(sc->scale, i);

		if (i && !low)
			continue;
		class[1] = (char)('0' + i);
		svg_rect(s, x, y, box, 1000, class);
		svg_text(s, x + box / 2, y + 2100, SVG_MIDDLE, "s", 0, svg_short(text, low));
		x += box;
	}
	svg_textf(s, x - (int)n * box - 800, y + 900, SVG_END, "samples a cell, up to %s; colours: %s", svg_exact(text, sc->p->top),
	    names[scale_how(sc->scale)]);
}

static void
svg_head(struct svg *s, const struct scene *sc, int y, const char *more)
{
	const struct panel *p = sc->p;
	char note[64] = "";

	if (sc->by > 1)
		snprintf(note, sizeof note, "%s%" PRIu64 " %s drawn as one", more ? ", " : "", sc->by, panel_has_parts(p) ? "rows" : "columns");
	svg_text(s, SVG_LEFT, y + 2200, SVG_START, "h", 110, p->title ? p->title : "");
	if (!s->f)
		return;
	svg_start(s->f, SVG_LEFT, y + 3800, SVG_START, "s");
	svg_escape(s->f, p->subtitle ? p->subtitle : "", 170 - (more ? (unsigned)strlen(more) : 0) - (unsigned)strlen(note));
	fputs(more || *note ? " · " : "", s->f);
	svg_escape(s->f, more ? more : "", 0);
	fprintf(s->f, "%s</text>\n", note);
}

bool
svg_begin(struct svg *s, const struct scene *sc, int *y, const char *more)
{
	svg_head(s, sc, *y, more);
	*y += 5000;
	for (unsigned i = 0; !s->part && i < sc->p->nnotes; i++, *y += SVG_LINE)
		svg_text(s, SVG_LEFT, *y + 300, SVG_START, "s", 170, sc->p->note[i]);
	if (!sc->none)
		return true;
	svg_text(s, SVG_LEFT, *y + 1200, SVG_START, "s", 0, sc->none->svg);
	*y += 4000;
	return false;
}

void
svg_level(struct svg *s, int y, int below, const char *text)
{
	svg_line(s, SVG_LEFT, y, SVG_LEFT + SVG_WIDTH, y, "g");
	svg_text(s, SVG_LEFT - 600, y + below, SVG_END, "s", 0, text);
}

bool
svg_room(const char *text, int x, int apart, int *before)
{
	int half = (int)strlen(text) * SVG_LETTER / 2;

	if (x - half < *before + apart)
		return false;
	*before = x + half;
	return true;
}

/* ---- colours --------------------------------------------------------------------------------------- */

#define INK_LOST "#d0021b", "#ff5a5f"
#define INK_THROTTLED "#b26a00", "#f0a24e"
static const struct svg_colour {
	const char	*name, *light, *dark;
} colours[] = {
	{ "bg", "#ffffff", "#14161a" }, { "fg", "#222222", "#e6e6e6" }, { "dim", "#555555", "#a0a4aa" },
	{ "grid", "#d8d8d4", "#33373d" }, { "line", "#888888", "#777777" }, { "life", "#9fb6c2", "#41586a" },
#define STRIP(NAME, name, ...) { #name, INK_##NAME },
	PANEL_STRIPS(STRIP)
#undef STRIP
	/* few is near the page, many is far from it; 1 stands out from 0 */
	{ "c0", "#f3f3f0", "#1c1f24" }, { "c1", "#bfd9e6", "#1d4360" }, { "c2", "#9fc6da", "#22567a" }, { "c3", "#7fb2cd", "#2a6c92" },
	{ "c4", "#5a9abc", "#3884aa" }, { "c5", "#3d7fa6", "#56a5c3" }, { "c6", "#28658d", "#86c5d6" }, { "c7", "#1a486d", "#bbe1e6" },
	{ "c8", "#0f2c49", "#f2fbf7" },
	{ "k0", "#3a78a8", "#6aa9dc" }, { "k1", "#d9822b", "#f0a24e" }, { "k2", "#3f9b57", "#69c383" }, { "k3", "#b84a62", "#e0788f" },
	{ "k4", "#7b62b5", "#a992e0" }, { "k5", "#8a6d4b", "#bf9d74" }, { "k6", "#9a9a9a", "#8a8f98" }, { "k7", "#3aa0a0", "#5fc9c9" },
};
enum { COLOURS = sizeof colours / sizeof *colours };

void
svg_themed(FILE *f, const struct draw *d, void (*rules)(FILE *, bool dark))
{
	rules(f, d->theme == THEME_DARK);
	if (d->theme != THEME_AUTO)
		return;
	fputs("@media(prefers-color-scheme:dark){", f);
	rules(f, true);
	fputs("}", f);
}

static void
svg_properties(FILE *f, bool dark)
{
	fputs(":root{", f);
	for (size_t i = 0; i < COLOURS; i++)
		fprintf(f, "--%s:%s%s", colours[i].name, dark ? colours[i].dark : colours[i].light, i < COLOURS - 1 ? ";" : "}");
}

/* A rule; readers that know no custom properties get the colour itself. */
static void
svg_rule(FILE *f, const char *class, const char *property, const char *colour, bool dark)
{
	for (size_t i = 0; i < COLOURS; i++)
		if (!strcmp(colours[i].name, colour))
			fprintf(f, ".pic .%s{%s:%s;%s:var(--%s)}", class, property, dark ? colours[i].dark : colours[i].light, property, colour);
}

void
draw_style(FILE *f, const struct draw *d)
{
	static const struct { const char *class, *property, *colour; } rules[] = {
		{ "bg", "fill", "bg" }, { "s", "fill", "dim" }, { "h", "fill", "fg" }, { "g", "stroke", "grid" }, { "x", "stroke", "line" }, { "fg", "stroke", "fg" },
		{ "hatch", "stroke", "bg" }, { "o", "stroke", "bg" }, { "life", "fill", "life" },
#define STRIP(NAME, name, ...) { #name, "fill", #name },
		PANEL_STRIPS(STRIP)
#undef STRIP
	};
	bool dark = d->theme == THEME_DARK;

	svg_themed(f, d, svg_properties);
	fputs("\n.pic text{font:10.5px system-ui,sans-serif}.pic .h{font-size:14px;font-weight:600}.pic .r{text-anchor:end}"
	    ".pic .m{text-anchor:middle}.pic tspan{unicode-bidi:isolate}.pic .g,.pic .x,.pic .fg,.pic .hatch{fill:none}.pic .no{stroke:none}.pic .o{paint-order:stroke;stroke-width:3px}"
	    ".pic .s,.pic .h,.pic .hatch{pointer-events:none}.pic rect.no:not([fill]){fill:transparent}\n", f);
	for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
		svg_rule(f, rules[i].class, rules[i].property, rules[i].colour, dark);
	for (size_t i = 0; i < COLOURS; i++)
		if (strchr("ck", colours[i].name[0]) && strlen(colours[i].name) == 2)
			svg_rule(f, colours[i].name, "fill", colours[i].name, dark);
	fputs("\n", f);
}

/* ---- panels ---------------------------------------------------------------------------------------- */

static svg_panel *const kinds[] = {
#define PANEL(NAME, name, timed) [PANEL_##NAME] = svg_##name,
#include "kinds.def"
};

struct svg_fit
svg_fit(const struct panel *p, const struct draw *d, unsigned most)
{
	struct svg_fit fit = { .by = 1 };

	/* 2, 5, 10, 20, 50 ... columns become one: widths stay round */
	for (unsigned next = 2, part = 0;; fit.by = next, next = part++ % 3 == 0 ? next / 2 * 5 : 2 * next) {
		struct scene *sc = scene_new(p, d->scale, fit.by, false);
		struct svg measure = { .draw = d };

		fit.height = kinds[p->kind](&measure, sc, 0);
		fit.cells = measure.cells;
		scene_free(sc);
		if (fit.cells <= most || !panel_is_timed(p) || !p->axis || p->axis->width > UINT64_MAX / next ||
		    (panel_has_parts(p) ? p->nbands : p->axis->n) < next)
			return fit;
	}
}

static int
svg_one(struct svg *s, const struct panel *p, int y, unsigned by)
{
	struct scene *sc = scene_new(p, s->draw->scale, by, false);

	fprintf(s->f, "<defs><pattern id=\"h%u\" width=\"5\" height=\"5\" patternUnits=\"userSpaceOnUse\">"
	    "<path class=\"hatch\" d=\"M-1 6L6 -1M-1 1L1 -1M4 6L6 4\"/></pattern></defs>\n", s->id);
	y = kinds[p->kind](s, sc, y);
	scene_free(sc);
	return y;
}

/* What all panels have of a text, with something between them. */
static void
svg_texts(FILE *f, const struct panel *p, unsigned n, bool titles, const char *between)
{
	for (unsigned i = 0; i < n; i++) {
		const char *text = titles ? p[i].title : p[i].desc;

		fputs(i ? between : "", f);
		svg_escape(f, text ? text : "", 0);
	}
}

/* n panels: id 0: by themselves; else one as a part of a page. */
static void
svg_document(FILE *f, const struct panel *p, unsigned n, const struct draw *d, unsigned id, unsigned most)
{
	struct svg s = { .f = f, .draw = d, .part = id > 0, .id = id };
	int width = (SVG_LEFT + SVG_WIDTH + SVG_RIGHT) / 100, y = 0;
	unsigned *by = tool_alloc(n, sizeof *by);

	for (unsigned i = 0; i < n; i++) {
		struct svg_fit fit = svg_fit(&p[i], d, most);

		by[i] = fit.by;
		y += fit.height;
	}
	fprintf(f, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" class=\"pic\" role=\"img\""
	    " aria-labelledby=\"t%u d%u\">\n<title id=\"t%u\">", width, y / 100, width, y / 100, id, id, id);
	svg_texts(f, p, n, true, "; ");
	fprintf(f, "</title>\n<desc id=\"d%u\">", id);
	svg_texts(f, p, n, false, "\n");
	fputs("</desc>\n", f);
	if (!s.part) {
		fputs("<style>", f);
		draw_style(f, d);
		fputs("</style>\n", f);
	}
	fputs("<rect class=\"bg\" width=\"100%\" height=\"100%\"/>\n", f);
	y = 0;
	for (unsigned i = 0; i < n; i++) {
		s.id = id ? id : i + 1;
		fputs(s.part ? "" : "<g>\n", f);
		y = svg_one(&s, &p[i], y, by[i]);
		fputs(s.part ? "" : "</g>\n", f);
	}
	fputs("</svg>\n", f);
	free(by);
}

void
draw_svg(FILE *f, const struct panels *all, const struct draw *d)
{
	svg_document(f, all->panel, all->n, d, 0, SVG_CELLS);
}

void
draw_svg_part(FILE *f, const struct panel *p, const struct draw *d, unsigned id)
{
	svg_document(f, p, 1, d, id, d->cells ? d->cells : SVG_CELLS);
}
