/* SPDX-License-Identifier: ISC */
/*
 * merge.h - several recordings as one stream in time order.
 *
 * The head (attrs with ids that do not collide, features, tracing data) is pcat's join.  What goes out when is said by
 * merge_order.h; here the inputs are read: those that are waited for, as soon as any of them has something.
 *
 * Inputs may be live.  While those that are waited for have nothing to read, what the others write is read ahead, up
 * to half of the bound of memory.
 */
#ifndef PSORT_MERGE_H
#define PSORT_MERGE_H

#include "tool/join.h"
#include "sort.h"

/*
 * Write the merge of these inputs ("-" is stdin) to t->out_name, over the bound of memory by way of the spill, whose
 * errors are in spill_err.  Call it behind tool_check().  0, or 1: what was wrong has been said; what can't be merged
 * is said and exits 2.  The options' opened, tick and arg are the merge's.
 */
int	merge_run(struct tool *, struct join_options *, const struct sort_how *, char **names, int n, struct spill *,
	    const struct pp_err *spill_err);

#endif
