/* SPDX-License-Identifier: ISC */
/* stats.h - --stats: how much came in, what was kept, and why the rest was dropped */
#ifndef PFILTER_STATS_H
#define PFILTER_STATS_H

#include "decide.h"
#include "side.h"

struct stats {
	const struct decide *decide;
	uint64_t	 others;	/* records of type 64 and up, which are not decided */
	const struct side *side;	/* main, and with nsides 2 the rest */
	int		 nsides;
	uint64_t	 early;		/* decided before their turn */
	bool		 dry_run;	/* nothing was written */
};
void	stats_print(const struct stats *, bool json, FILE *);

#endif
