/* SPDX-License-Identifier: ISC */
/* told.h - follow a file whose writer says itself when there is more of it, instead of asking the system for one */
#ifndef PP_TOLD_H
#define PP_TOLD_H

#include "perfpipe_inline.h"

struct pp_told {
	/* Wait until the file may have more bytes: 1.  0: it is complete, also when it is asked again.  -1: it will never be. */
	int	(*wait)(void *arg);
	void	*arg;
};
/*
 * Between opening with PP_OPEN_FOLLOW | PP_OPEN_LATER and pp_begin().  The struct must outlive the source.  The records are the same as those
 * of the complete file, or the source fails: where what was read at first is no longer so.
 */
void	pp_follow_told(struct pp_source *, const struct pp_told *);

#endif
