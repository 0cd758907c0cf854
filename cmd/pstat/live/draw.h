/* SPDX-License-Identifier: ISC */
/* draw.h - --live: 24 lines on a terminal, drawn again and again, of the last 60 intervals. */
#ifndef PSTAT_LIVE_DRAW_H
#define PSTAT_LIVE_DRAW_H

#include "live/interval.h"

struct draw;
/* Of standard error. */
struct draw *draw_new(struct counts *, uint64_t every);
/* An interval is over. */
void	draw_add(struct draw *, const struct interval *, int64_t behind);
/* Nothing came for so long. */
void	draw_wait(struct draw *);
/* Remove it from the terminal. */
void	draw_free(struct draw *);

#endif
