/* SPDX-License-Identifier: ISC */
/* naming.h - what frames are called: --symbols.  The parts that count stacks and functions share it. */
#ifndef PSTAT_STACKS_NAMING_H
#define PSTAT_STACKS_NAMING_H

#include "count/part.h"
#include "symbol/frames.h"

struct naming {				/* the part naming */
	const struct tool *tool;
	struct symbols	*symbols;
	struct frames	*frames;
	bool		 chains;	/* all frames are counted, not only the innermost */
	bool		 held;		/* numbers of frames are remembered to the end: they may not be forgotten */
};

/* NULL: --symbols was not given. */
static inline struct naming *
pass_naming(const struct pass *p)
{
	return p->part[PART_naming];
}

#endif
