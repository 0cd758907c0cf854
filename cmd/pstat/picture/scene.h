/* SPDX-License-Identifier: ISC */
/*
 * scene.h - what there is to draw of a panel, decided once: SVG and text only place it.
 *
 * A panel (panel.h) has all that was counted.  Its scene has as many columns as the form has space for, and what follows from that:
 * steps of colour, ticks, breaks; and what both forms say in their own words: why there is nothing, what the shares are of.
 */
#ifndef PSTAT_SCENE_H
#define PSTAT_SCENE_H

#include "picture/draw.h"

enum { DRAW_STEPS = 9 };		/* step 0: nothing; 1 to 8: from few to many */

struct scene {
	const struct panel *p;		/* what is drawn: a copy of the panel, or of fewer columns */
	const struct panel *fine;	/* the panel */
	uint64_t	 by;		/* so many columns are one, or bands that are parts of them, places, buckets */
	unsigned	*from;		/* the first column of `fine' of each column, and their number; NULL: columns are the same */
	struct scale	*scale;		/* of PANEL_HEAT */
	const struct scene_none {
		const char *svg, *text;	/* as they say it */
	}		*none;		/* why there is nothing to draw; NULL: there is */
	uint64_t	 whole;		/* what the shares of bands are of */
	struct scene_bar {
		uint64_t	 low, high;	/* its values */
		uint64_t	 count, height;
	}		*bar;		/* of PANEL_HIST, by value, also those of 0 */
	unsigned	 nbars;
	uint64_t	 top;		/* the largest height */
	bool		 even;		/* heights are counts; else counts for each doubling of the value, as bars differ in width */
	struct panel	 made;		/* that of p */
	struct axis	 axis;
};

/*
 * So many columns, places or buckets are one, 1 at least; of an SVG, so many bands if they are parts of the columns.  An SVG shows CPUs of
 * which all samples are idle, text does not.
 */
struct scene *scene_new(const struct panel *, enum draw_scale, uint64_t by, bool text);
void	scene_free(struct scene *);

/* The first column of `fine' of that column; of the one behind the last: their number. */
static inline unsigned
scene_from(const struct scene *s, unsigned column)
{
	return s->from ? s->from[column] : column;
}

/* The band of a row, the first of which is at the top; and the row of a band. */
static inline unsigned
scene_band(const struct panel *p, unsigned row)
{
	return p->upward ? p->nbands - 1 - row : row;
}

/* The bar of a value, if bars have so many buckets; from one bar of all on. */
unsigned scene_bar(uint64_t value, uint64_t by);
/* What psort --window needs, rounded up to two digits or more: so many of the unit. */
struct number_unit;
uint64_t scene_window(const struct panel *, const struct number_unit **);

/* ---- time ----------------------------------------------------------------------------------------- */

/* The last ns of a column. */
uint64_t axis_end(const struct axis *, unsigned column);
/* The first column that begins after that time; their number: none does. */
unsigned axis_after(const struct axis *, uint64_t ns);
/* Does a break follow the column: time without columns? */
bool	axis_breaks(const struct axis *, unsigned column);
/* Are these columns, to the last one, covered by the recording only in part? */
bool	axis_is_part(const struct axis *, unsigned column, unsigned last);
/* Times that are a multiple of `step' behind `origin', in the columns: the next one.  All is 0 at first; false: there is none. */
struct axis_tick {
	unsigned	 column;
	uint64_t	 since, next;	/* ns behind the origin */
};
bool	axis_tick(const struct axis *, uint64_t origin, uint64_t step, struct axis_tick *);

/* The first and the last ns of a cell; false: it is outside of the recording.  Only that of a band that is a part is less than the column. */
bool	scene_cell(const struct scene *, unsigned band, unsigned column, uint64_t *from, uint64_t *to);
/* Its step of colour; -1: it is outside of the recording. */
int	scene_step(const struct scene *, unsigned band, unsigned column);

/* ---- scale.c -------------------------------------------------------------------------------------- */

/* The step of a count, of which the largest is top.  SCALE_RANK: by the share of the cells that have less, so it needs them. */
struct scale;
struct scale *scale_new(enum draw_scale, const struct panel *);
unsigned scale_step(const struct scale *, uint32_t count);
/* The scale that it is: not SCALE_AUTO. */
enum draw_scale scale_how(const struct scale *);
/* The smallest count of a step, for the bar that explains the colours; 0: no cell has this step. */
uint64_t scale_low(const struct scale *, unsigned step);
void	scale_free(struct scale *);

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
