/* SPDX-License-Identifier: ISC */
/*
 * screen.h - the report on one screen.
 *
 *	screen.c	the lines above the tables
 *	screen_tables.c	the tables of types, events and tasks, which stand side by side if the screen is wide enough
 *	screen_losses.c	losses by time
 *	screen_glance.c	findings and contents that a glance shows
 *	screen_plain.c	any other table
 */
#ifndef PSTAT_SCREEN_H
#define PSTAT_SCREEN_H

#include "kept.h"

enum { SCREEN_NARROW = 80, SCREEN_WIDTH = 100 };	/* columns at least; of a file or pipe */

struct screen {
	FILE		*f;
	const struct report *r;
	size_t		 width;		/* columns */
	struct kept	 whole, lost, events;
	uint64_t	 samples;	/* all */
	bool		 unit;		/* sums of periods mean something */
	uint64_t	 period;
};

void	screen_types(const struct screen *);
void	screen_events(const struct screen *);
void	screen_tasks(const struct screen *);
/* A line of one character for each part of the recording's time: how much was lost; nothing if nothing was. */
void	screen_losses(const struct screen *);
/* What a glance has found of that which --check and --privacy find; nothing without their tables. */
void	screen_glance(const struct screen *);
/* Print all tables that are SCREEN_TABLE.  Are there any? */
bool	screen_plain(const struct screen *, bool print);

/* Print text that is escaped already; if it is wider, what its middle has too much becomes a ~.  `fill': with blanks to the width. */
void	screen_middle(FILE *, const char *text, size_t width, bool fill);
double	screen_percent(uint64_t part, uint64_t whole);
/* A time in ns as "3.2 s", with 4 digits. */
enum { SCREEN_DURATION = 24 };
void	screen_duration(char to[static SCREEN_DURATION], double ns);
/* Print text of the stream, escaped as by vis(3), cut to `width' columns (0: not cut).  The number of columns. */
size_t	screen_cut(FILE *, const char *p, size_t n, size_t width);
/* The same, filled with blanks to that width. */
void	screen_cell(FILE *, const char *p, size_t n, size_t width);

#endif
