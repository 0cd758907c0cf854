/* SPDX-License-Identifier: ISC */
/* stats.h - --stats: numbers of records read, kept, and dropped by reason */
#ifndef PFILTER_STATS_H
#define PFILTER_STATS_H

#include "decide.h"
#include "side.h"

struct stats {
	const struct decide *decide;
	uint64_t	 others;	/* records of type 64 and up, which get no verdict */
	const struct side *side;	/* [0] kept, [1] rejected if nsides is 2 */
	int		 nsides;
	uint64_t	 early;		/* verdicts made early: filter_early() */
	bool		 dry_run;	/* nothing was written */
};
void	stats_print(const struct stats *, bool json, FILE *);

#endif
