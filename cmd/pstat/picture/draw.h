/* SPDX-License-Identifier: ISC */
/* draw.h - panels drawn: as SVG, and as text. */
#ifndef PSTAT_DRAW_H
#define PSTAT_DRAW_H

#include <stdio.h>

#include "picture/panel.h"

/* SCALE_AUTO: linear, or by rank if that would make nearly all cells the same colour. */
enum draw_scale { SCALE_AUTO, SCALE_LINEAR, SCALE_LOG, SCALE_RANK };
struct draw {
	enum { THEME_AUTO, THEME_LIGHT, THEME_DARK } theme;	/* auto: as the reader's system, or the terminal's */
	enum draw_scale	 scale;
	unsigned	 cells;		/* of draw_svg_part(), at most; 0: as many as draw_svg() has */
	bool		 icicle;	/* PANEL_FLAME: all is at the top */
	bool		 text;		/* draw_term(), not draw_svg() */
	unsigned	 width;		/* columns of the terminal, 80 at least */
	bool		 ascii;		/* no other characters, no colours */
};

/* All panels under each other in one SVG.  A failure to write is left in the FILE. */
void	draw_svg(FILE *, const struct panels *, const struct draw *);
/* One panel as an <svg> element for a page that has the style of draw_style() and may have a script: in data-o, cells have their option of pfilter. */
void	draw_svg_part(FILE *, const struct panel *, const struct draw *, unsigned id);
/* The rules of CSS for it: colours as custom properties, for both themes. */
void	draw_style(FILE *, const struct draw *);
void	draw_term(FILE *, const struct panels *, const struct draw *);

/* show.c: how pictures are drawn by the options; and that, as SVG or text, into the output of the report. */
struct asked;
struct tool;
void	draw_choose(struct draw *, const struct asked *, const struct tool *);
void	draw_panels(FILE *, const struct panels *, const struct draw *, const struct report *);

/* ---- coarse.c: a panel of fewer cells ------------------------------------------------------------- */

/* A panel in which `by' columns are one; if its columns are seconds with bands for their parts: bands.  NULL: it cannot be. */
struct panel *coarse_new(const struct panel *, unsigned by);
/* The same of a panel with time, and of columns in any case. */
struct panel *coarse_columns(const struct panel *, uint64_t by);
void	coarse_free(struct panel *);

/* ---- scale.c: what both need ---------------------------------------------------------------------- */

enum { DRAW_STEPS = 9 };		/* step 0: nothing; 1 to 8: from few to many */
/* The step of a count, of which the largest is top.  SCALE_RANK: by the share of the cells that have less, so it needs them. */
struct scale;
struct scale *scale_new(enum draw_scale, const struct panel *);
unsigned scale_step(const struct scale *, uint32_t count);
/* The scale that it is: not SCALE_AUTO. */
enum draw_scale scale_how(const struct scale *);
/* The smallest count of a step, for the bar that explains the colours; 0: no cell has this step. */
uint64_t scale_low(const struct scale *, unsigned step);
void	scale_free(struct scale *);
/* The last ns of a column. */
uint64_t axis_end(const struct axis *, unsigned column);
/* Are these columns, to the last one, covered by the recording only in part? */
bool	axis_is_part(const struct axis *, unsigned column, unsigned last);
/* The first and the last ns of a cell of the band, of columns to the last one; false: it is outside of the recording. */
bool	panel_cell(const struct panel *, unsigned band, unsigned column, unsigned last, uint64_t *from, uint64_t *to);
/* A round number of ns, so that at most n of them are in the span: 1, 2, 5 times a power of ten. */
uint64_t scale_round(uint64_t span, unsigned n);
/* n * part / whole, rounded down; UINT64_MAX if that is larger. */
uint64_t scale_part(uint64_t n, uint64_t part, uint64_t whole);
/* The logarithm to base 2, in 1/65536; 0 of 0. */
uint32_t scale_log2(uint64_t n);
/* The place of a value on the axis of PANEL_HIST: the logarithm of the value that follows it, as 0 has none. */
uint32_t scale_place(uint64_t value);
/* So many values of low to high: how many that is to a doubling of the value, on that axis. */
uint64_t scale_density(uint64_t count, uint64_t low, uint64_t high);

#endif
