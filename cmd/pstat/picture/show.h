/* SPDX-License-Identifier: ISC */
/* show.h - how pictures are shown: --term, --theme, --scale. */
#ifndef PSTAT_SHOW_H
#define PSTAT_SHOW_H

#include "picture/draw.h"
#include "picture/picture.h"

struct show {
	const struct pictures *pictures;
	struct draw	 draw;
	bool		 term;		/* as text */
	bool		 given;		/* some of these options was */
};
/* The arguments of the options; wrong ones exit 2. */
void	show_term(struct show *, const struct tool *);
void	show_theme(struct show *, const struct tool *);
void	show_scale(struct show *, const struct tool *);
/* After all options: text also if the output is a terminal. */
void	show_choose(struct show *, const struct tool *);
/* Draw on the output, of that width (0: it is no terminal). */
void	show(FILE *, const struct show *, unsigned width);

#endif
