/* SPDX-License-Identifier: ISC */
/*
 * merge.h - several recordings as one stream in time order.
 *
 * The head (attrs without collisions of ids, features, tracing data) is that of pcat's join.  merge_order.h decides which
 * records are written next; this module reads the inputs that it waits for (the wanted inputs).
 *
 * Inputs may be live.  While no wanted input has data, the others are read ahead, up to half of the bound of memory.
 */
#ifndef PSORT_MERGE_H
#define PSORT_MERGE_H

#include "join/join.h"
#include "sort.h"

/*
 * Merge the tool's inputs, or the parts of its manifest, into t->out_name.  Records beyond the bound of memory go to the spill,
 * whose errors are in spill_err.  Call it after tool_check().  0, or 1: failure, after a message.  Inputs that cannot be merged
 * exit 2.  It sets opened, tick and arg of the options.
 */
int	merge_run(struct tool *, struct join_options *, const struct sort_how *, struct spill *,
	    const struct pp_err *spill_err);

#endif
