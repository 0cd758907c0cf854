/* SPDX-License-Identifier: ISC */
/* line.h - intervals as lines. */
#ifndef PSTAT_LIVE_LINE_H
#define PSTAT_LIVE_LINE_H

#include <stdio.h>

#include "live/interval.h"
#include "sort/sort.h"

struct lines {
	FILE		*f;
	struct pp_err	*err;		/* says why a line could not be written */
	uint64_t	 every;		/* ns */
	bool		 json;
	char		 between;	/* the rows of sort, as csv or tsv with that between cells; 0: lines */
	const struct sort *sort;	/* whose keys they have; NULL: none */
	uint64_t	 n;		/* lines so far */
};
/* behind: how far the clock of the recording, now, is ahead of the end of the interval, ns; -1: unknown. */
void	line_interval(struct lines *, const struct interval *, int64_t behind);
/* Nothing came for that long. */
void	line_waiting(struct lines *);

#endif
