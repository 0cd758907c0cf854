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

#endif
