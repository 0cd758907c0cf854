/* SPDX-License-Identifier: ISC */
/*
 * picture.h - what the pictures of --picture show, collected in the one pass over the records, and made into panels.
 *
 *	kinds.def	which there are
 *	picture.c	collects, into bins of time (tally/spans.h) and counts by bin and key (tally/grid.h)
 *	panels.c	makes panels of it (panel.h), for those who draw (draw.h): by a scene (scene.h), as SVG (svg.h), as text (term.h)
 *	behind.c, hist.c, flame.c	the pictures that need no bins of time
 *	show.c		the part, and its options
 *	option.c	what pfilter selects a band by
 *	tables.c	the same figures as tables of the report
 */
#ifndef PSTAT_PICTURE_H
#define PSTAT_PICTURE_H

#include "count/summary.h"
#include "picture/draw.h"
#include "sort/sort.h"

struct pictures;

const struct panels *pictures_panels(const struct pictures *);
const struct draw *pictures_draw(const struct pictures *);
/* Before they begin: fn() gets the stacks of the flame graph when these have begun, before a record of the kernel is counted. */
void	pictures_tell_stacks(struct pictures *, void (*fn)(void *arg, struct stacks *), void *arg);

#endif
