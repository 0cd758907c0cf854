/* SPDX-License-Identifier: ISC */
/*
 * svg.h - the elements of an SVG, and the panels made of them.
 *
 *	svg.c		elements, texts, colours; draw_svg(), draw_svg_part(), draw_style()
 *	svg_axis.c	time along x, with breaks
 *	svg_heat.c, svg_stack.c, svg_behind.c, svg_hist.c, svg_fill.c, svg_flame.c	a kind of panel each
 *	svg_change.c	svg_flame.c of a comparison
 *
 * Coordinates are hundredths of a pixel, all arithmetic is of integers: the same panel gives the same bytes on each machine.
 * What was recorded decides no place but by its numbers: a name is cut, and nothing moves for it.
 */
#ifndef PSTAT_SVG_H
#define PSTAT_SVG_H

#include "picture/number.h"
#include "picture/scene.h"

enum {
	SVG_LEFT = 15000, SVG_WIDTH = 92000, SVG_RIGHT = 7000,	/* margins, and what is between them: of all panels */
	SVG_CELLS = 6500,		/* of a panel, which is 1 MB at most: more are drawn coarser */
	SVG_LABEL = 22,			/* columns of a name beside a row */
	SVG_LETTER = 620,		/* about as wide is a character of a number */
	SVG_LINE = 1500,		/* between lines of text */
};

struct svg {
	FILE		*f;		/* NULL: only count and measure */
	const struct draw *draw;
	bool		 part;		/* for a page: cells have the member data-o */
	unsigned	 id;		/* of the panel: makes its ids its own */
	unsigned	 cells;		/* written so far */
};

/* Draw a panel below y, and return where it ends. */
typedef int	svg_panel(struct svg *, const struct scene *, int y);
#define PANEL(NAME, name, timed) svg_panel svg_##name;
#include "picture/kinds.def"
/*
 * What every panel begins with, below *y, which becomes its end: title, subtitle, with which `more' (NULL: nothing) goes on, notes; false:
 * and why there is nothing else.
 */
bool	svg_begin(struct svg *, const struct scene *, int *y, const char *more);
/* Rules of CSS for the theme; if that is the reader's: for both. */
void	svg_themed(FILE *, const struct draw *, void (*rules)(FILE *, bool dark));
/* The colours of PANEL_FLAME, which it has in itself, but not in a part of a page: this has them in its style, and the notes. */
void	svg_flame_style(FILE *, const struct draw *);

/*
 * The one way into the SVG, and the page around it, for what was recorded.  XML's own characters become entities, and bytes that
 * are not of UTF-8 or that act on other text are shown as \xNN.  It ends with an ellipsis after so many columns, 0: it is whole.
 */
void	svg_escape(FILE *, const char *text, unsigned columns);
/* The same text as a string of JSON in HTML; with an ellipsis after so many bytes. */
void	svg_json(FILE *, const char *text, size_t most);
/* The panel of at most so many cells: so many columns or parts of them are one (scene_new()), its cells, its height. */
struct svg_fit { unsigned by, cells; int height; };
struct svg_fit svg_fit(const struct panel *, const struct draw *, unsigned most);

/* ---- a flame graph that compares ------------------------------------------------------------------- */

/* The rules of its colours, as svg_flame_style(); the class of a box; what the colours mean, below y, and where that ends. */
void	svg_change_style(FILE *, const struct draw *);
const char *svg_change_class(const struct panel_change *);
int	svg_change_legend(struct svg *, int y);
/* What only A has, as a table; where that ends. */
int	svg_change_gone(struct svg *, const struct panel *, int y);
/* "+1.23": millionths as points. */
const char *svg_points(char to[SVG_TEXT], int32_t ppm);

/* ---- elements ------------------------------------------------------------------------------------ */

enum svg_anchor { SVG_START, SVG_MIDDLE, SVG_END };

/* class: words of the table in svg.c. */
void	svg_rect(struct svg *, int x, int y, int w, int h, const char *class);
void	svg_line(struct svg *, int x1, int y1, int x2, int y2, const char *class);
/* A small text (class "s"; "s o": over what is drawn), or the head ("h"); any bytes, cut to so many columns, 0: not. */
void	svg_text(struct svg *, int x, int y, enum svg_anchor, const char *class, unsigned columns, const char *text);
/* What a colour stands for: the name of a band, cut to so many columns, and below it (NULL: nothing) its figure. */
void	svg_key(struct svg *, int x, int y, const char *class, unsigned columns, const char *label, const char *figure);
/* The name of a band, cut to so many columns; of a comm and its pid, the comm is cut. */
void	svg_label(struct svg *, int x, int y, enum svg_anchor, unsigned columns, const char *label);
void	svg_textf(struct svg *, int x, int y, enum svg_anchor, const char *format, ...) __attribute__((format(printf, 5, 6)));

/* A line over the plot, and at its left what it is, `below' its y. */
void	svg_level(struct svg *, int y, int below, const char *text);
/* Is there space for a text around x, so far behind the last one, which ended at *before?  Then *before is its end. */
bool	svg_room(const char *text, int x, int apart, int *before);

/* A rectangle that says what it is about. */
struct svg_cell {
	int		 x, y, w, h;
	char		 kind;		/* 'c': a step of the colour bar; 'k': a hue; others: the class "lost" ... in `class' */
	unsigned	 number;	/* of the step or hue */
	const char	*class;
	uint64_t	 n;
	const char	*what;		/* "sample": the noun of n, which gets an s */
	const char	*label;	/* NULL: none */
	const char	*option;	/* of pfilter; NULL: none */
	bool		 timed;
	uint64_t	 from, to;	/* the first and the last ns */
};
void	svg_cell(struct svg *, const struct svg_cell *);
/* An element that is only a <title> over this area. */
void	svg_tip(struct svg *, int x, int y, int w, int h, const char *class, const char *format, ...)
	__attribute__((format(printf, 7, 8)));

/* The bar that explains colours, its right end at x. */
void	svg_bar(struct svg *, int x, int y, const struct scene *);
/* Hatching over this area. */
void	svg_hatch(struct svg *, int x, int y, int w, int h);

/* ---- time ----------------------------------------------------------------------------------------- */

struct svg_axis {
	const struct axis *axis;
	int		*left, *right;	/* of each column */
	int		 x, width;	/* of all */
	int		 gap;		/* of a break */
};
void	svg_axis_init(struct svg_axis *, const struct axis *, int x, int width);
void	svg_axis_free(struct svg_axis *);
/* Where a time is; one in a break: where this begins. */
int	svg_axis_x(const struct svg_axis *, uint64_t ns);
/* Step 0 over all columns up to a break: nothing, and not: no recording. */
void	svg_axis_ground(struct svg *, const struct svg_axis *, int y, int height);
/*
 * What is below a plot from `top' to y: what was lost and where it was throttled, the breaks over all, and seconds, whose lines
 * begin at `from'.  Returns where it ends.
 */
int	svg_below(struct svg *, const struct panel *, const struct svg_axis *, int top, int from, int y);

#endif
