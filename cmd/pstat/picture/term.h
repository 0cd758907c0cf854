/* SPDX-License-Identifier: ISC */
/*
 * term.h - panels as text: what draw_term() of draw.h consists of.
 *
 *	term.c		lines, titles, legends
 *	term_time.c	the axis of time as characters
 *	term_heat.c	PANEL_HEAT
 *	term_stack.c	PANEL_STACK, PANEL_FILL
 *	term_behind.c	PANEL_BEHIND
 *	term_hist.c	PANEL_HIST
 *	term_flame.c	PANEL_FLAME
 *
 * A line is put together as cells and then written, so none is wider than the terminal whatever the names in it are, and colours
 * end with it.
 */
#ifndef PSTAT_TERM_H
#define PSTAT_TERM_H

#include "picture/number.h"
#include "picture/scene.h"

enum { TERM_NARROW = 80, TERM_WIDE = 1000 };	/* columns that a picture has at least, at most */
enum { TERM_PLAIN = -1, TERM_FAINT = 243, TERM_RED = 167, TERM_ORANGE = 208 };	/* colours, of 256 */

struct term {
	FILE		*f;
	const struct draw *d;
	unsigned	 width;		/* of the terminal */
	bool		 ascii;
	unsigned	 theme;		/* of the terminal: as in struct draw; auto: unknown */
	const uint8_t	*ramp;		/* colours of the steps */
	unsigned	 left, right;	/* columns at the left and the right of the plot: labels, shares */
	unsigned	 plot;		/* columns of the plot */
	/* of the panel in work */
	const struct scene *s;
	const struct panel *p;		/* that of the scene */
	unsigned	 wide, *at;	/* characters of its columns, or places; where in the plot each begins */
	struct term_cell {
		uint32_t	 c[3];	/* the character and what combines with it; 0: the second half of a wide one */
		int16_t		 ink, paper;
	}		*cell;
	unsigned	 end;		/* of the line */
};

/* ---- lines ---------------------------------------------------------------------------------------- */

/* Put a character, one column wide, at a column.  Beyond the width there is nothing. */
void	term_put(struct term *, unsigned at, uint32_t c, int ink, int paper);
/* The same over a column of the plot, as wide as it is. */
void	term_column(struct term *, unsigned column, uint32_t c, int ink);
/* Put text of the recording, made harmless and cut to `room' columns.  The columns it takes. */
unsigned term_name(struct term *, unsigned at, unsigned room, const char *text, int ink);
unsigned term_columns(const struct term *, const char *text);
/* Put a text of ours, which is ASCII, or so that its last column is before `end'. */
void	term_text(struct term *, unsigned at, const char *text, int ink);
void	term_right(struct term *, unsigned end, const char *text, int ink);
/* Put a mark and the text behind it, if they begin not before free_from and end before `end'; returns from where it is free. */
unsigned term_tick(struct term *, unsigned at, unsigned free_from, unsigned end, const char *text);
/* Write the line.  The next one is empty. */
void	term_line(struct term *);
/* Write a text of any length as lines. */
void	term_words(struct term *, const char *text);
/* What every panel begins with: title, subtitle, with time how long a character is and `more', notes; false: and why there is nothing else. */
bool	term_begin(struct term *, const char *more);

/* A part of a stack: a letter if there are no colours. */
uint32_t term_part(const struct term *, unsigned band);
int	term_hue(const struct term *, unsigned band);
/* A bar so high, 1 to 8. */
uint32_t term_bar(const struct term *, unsigned step);
/* A character of which the lowest so many of 4 dots are set, at its left and its right; `full' is its character in ASCII. */
uint32_t term_dots(const struct term *, unsigned left, unsigned right, char full);
/* Bands that have anything, with their shares, as many to a line as there is space for. */
void	term_legend(struct term *, bool bytes);

/* ---- columns -------------------------------------------------------------------------------------- */

/* So many columns, places, buckets have to be one (scene_new()): for all to have a character, a line. */
uint64_t term_time_by(const struct term *, const struct panel *);
uint64_t term_behind_by(const struct term *, const struct panel *);
unsigned term_behind_plot(const struct term *);
uint64_t term_hist_by(const struct panel *);

/* ---- time ----------------------------------------------------------------------------------------- */

/* Find t->wide and t->at: there are as many characters to a column as fit. */
void	term_time(struct term *);
uint64_t term_sum(const uint32_t *count, unsigned from, unsigned to);
/* Put the marks of gaps into a line of the plot. */
void	term_gaps(struct term *);
/* Write what is below the plot: losses, throttling, round seconds, what the gaps are. */
void	term_below(struct term *);

/* ---- kinds ---------------------------------------------------------------------------------------- */

#define PANEL(NAME, name, timed) void term_##name(struct term *);
#include "picture/kinds.def"

/* The theme that the terminal says it has (COLORFGBG): that of struct draw; auto: it says none. */
unsigned term_theme(void);
/* Do the locale, the kind of terminal and the user (NO_COLOR) permit no more than ASCII? */
bool	term_ascii(void);

#endif
