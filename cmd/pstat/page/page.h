/* SPDX-License-Identifier: ISC */
/* page.h - the page of two recordings, for --diff --report; that of one is a part (in.h). */
#ifndef PSTAT_PAGE_H
#define PSTAT_PAGE_H

#include "picture/draw.h"

struct page_change {
	const struct panel *flame;	/* call chains of B, with the change of each box */
	const struct panel *of[2];	/* PANEL_FLAME of A and B: both have the boxes of both, in the same order, each its own samples */
	const struct draw *draw;
	const char	*events, *cpumode;	/* they are only of these samples; NULL: of all */
	/* Half of the interval in which the difference of the shares is, of n in all: diff_error(). */
	double		(*error)(uint64_t n_a, uint64_t all_a, uint64_t n_b, uint64_t all_b);
};
/* A report with the tables diff_of and diff.  1, or -1: out of memory. */
int	page_change(FILE *, const struct report *, const struct page_change *);

#endif
