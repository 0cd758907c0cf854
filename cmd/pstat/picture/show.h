/* SPDX-License-Identifier: ISC */
/* show.h - how pictures are shown: --term, --theme, --scale. */
#ifndef PSTAT_SHOW_H
#define PSTAT_SHOW_H

#include "count/asked.h"

/* The arguments of the options; wrong ones exit 2. */
void	show_term(struct asked *, const struct tool *);
void	show_theme(struct asked *, const struct tool *);
void	show_scale(struct asked *, const struct tool *);

#endif
