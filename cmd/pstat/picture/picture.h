/* SPDX-License-Identifier: ISC */
/*
 * picture.h - what the pictures of --picture show, collected in the one pass over the records, and made into panels.
 *
 *	spans.h, grid.h	bins of time, and counts by bin and key
 *	behind.h	the order of the stream, and what it is full of
 *	picture.c	collects
 *	panels.c	makes panels of it (panel.h), for those who draw (draw.h)
 *	option.c	what pfilter selects a band by
 *	tables.c	the same figures as tables of the report
 */
#ifndef PSTAT_PICTURE_H
#define PSTAT_PICTURE_H

#include "count/summary.h"
#include "picture/draw.h"
#include "sort/sort.h"

struct pictures;

/* By --picture, --time-quantum, --event, --cpumode; wrong ones exit 2. */
struct pictures *pictures_new(struct tool *, struct counts *, const struct asked *);
/* Does some picture depend on the keys of --sort? */
bool	pictures_sorted(const struct pictures *);
/* Add the figures as tables to the report. */
void	pictures_add(struct pictures *, struct report *);
/* After count_init() and sort_begin(), before the input is counted; sort: of --sort, NULL without. */
void	pictures_begin(struct pictures *, struct sort *);
/* After the input was counted, summary_make() and sort_end().  False: a limit was met that affects what is shown. */
bool	pictures_end(struct pictures *, const struct summary *);
const struct panels *pictures_panels(const struct pictures *);
const struct draw *pictures_draw(const struct pictures *);
void	pictures_free(struct pictures *);

#endif
