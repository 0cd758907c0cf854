/* SPDX-License-Identifier: ISC */
/* hold.h - holds records until the stage knows what to do with them, within a limit of memory */
#ifndef HOLD_H
#define HOLD_H

#include "tool/tool.h"

struct hold {			/* initially zero */
	uint8_t	*p;		/* for each record: struct hold_head, then its bytes, then its payload */
	size_t	 n, cap;
};
/* What to do with a record that was held: as put() of a struct out that is not `stable'. */
typedef int	hold_fn(void *arg, struct pp_source *in, const struct pp_rec *);

/* Hold a copy of the record and its payload.  1; 0: there would be more than `limit' bytes; -1: reading the payload failed. */
int	hold_put(struct hold *, size_t limit, struct pp_source *in, const struct pp_rec *);
/*
 * Give all that is held to fn, in order, and free the memory.  What fn refuses is reported with its place in the input.  1, or
 * -1: fn returned that, or no memory.
 */
int	hold_release(struct hold *, struct tool *, hold_fn *fn, void *arg);

#endif
