/* SPDX-License-Identifier: ISC */
/*
 * behind.h - how far the records of a stream are out of the order of time, by place, and what fills it: disorder, fill.
 *
 * The counts are those of count.c, so these pictures say what the lines `order' and `content' of the screen say.
 */
#ifndef PSTAT_BEHIND_H
#define PSTAT_BEHIND_H

#include "count.h"
#include "picture/panel.h"

enum {
	BEHIND_PLACES = 512,		/* at most; their width doubles as the stream grows */
	BEHIND_ROUNDS = 4096,		/* offsets of FINISHED_ROUND that are kept; of more, none */
};

struct behind;
struct behind *behind_new(struct counts *);
/* After count_init() and before the input is counted. */
void	behind_begin(struct behind *);
void	behind_free(struct behind *);
/* After the input was counted: set what PANEL_BEHIND has; the panel owns it. */
void	behind_panel(const struct behind *, struct panel *);
/* Set what PANEL_FILL has. */
void	fill_panel(const struct counts *, struct panel *);

#endif
