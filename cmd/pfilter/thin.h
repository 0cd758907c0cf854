/* SPDX-License-Identifier: ISC */
/*
 * thin.h - fewer samples: --every, --sample, --max-rate, --max-samples, and periods that make up for it.
 */
#ifndef PFILTER_THIN_H
#define PFILTER_THIN_H

#include "reason.h"
#include "tool.h"

struct thin {			/* zeroed: nothing */
	uint64_t every;			/* keep one of so many; 0: all */
	uint64_t share;			/* keep what hashes below this, of 2^64; 0: all */
	uint64_t seed;
	bool	 has_seed;
	uint64_t max_rate;		/* samples a second; 0: any */
	uint64_t max_samples;		/* of each event */
	bool	 has_max_samples;
	bool	 stop;			/* read no further when all events have theirs */
	bool	 scale;			/* --scale-period */
};

/* --sample: a share above 0, up to 1, as 0.1 or 10%; a wrong one exits 2. */
void	thin_share(const struct tool *, struct thin *, const char *text);

#endif
