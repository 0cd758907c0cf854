/* SPDX-License-Identifier: ISC */
/* draw.h - --live: 24 lines on a terminal, drawn again and again, of the last 60 intervals. */
#ifndef PSTAT_LIVE_DRAW_H
#define PSTAT_LIVE_DRAW_H

#include "live/interval.h"
#include "sort/sort.h"

struct draw;
/* Of standard error; sort: whose keys it shows in place of comms and processes; NULL: none. */
struct draw *draw_new(struct counts *, uint64_t every, const struct sort *);
/* An interval is over. */
void	draw_add(struct draw *, const struct interval *, int64_t behind);
/* Nothing came for so long. */
void	draw_wait(struct draw *);
/* Remove it from the terminal until it is drawn again: make_way of struct tool, with a struct draw. */
void	draw_erase(void *);
/* Remove it from the terminal. */
void	draw_free(struct draw *);

#endif
