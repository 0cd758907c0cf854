/* SPDX-License-Identifier: ISC */
/*
 * merge.h - several recordings as one stream in time order.
 *
 * The head (attrs with ids that do not collide, features, tracing data) is pcat's join.  Behind it each input is put in
 * order by its own rounds, and what is released waits in a queue; the smallest of the queues' heads goes out as soon
 * as no input can have an earlier one: it has a later head, or has released up to that time, or has ended.
 *
 * Inputs may be live.  While those that are waited for have nothing to read, what the others write is read ahead, up
 * to `memory' bytes in all.  The heads of the inputs are read one after the other.
 */
#ifndef PSORT_MERGE_H
#define PSORT_MERGE_H

#include "../pcat/join.h"

struct merge_options {
	struct join_options join;	/* opened, tick and arg are the merge's */
	uint64_t	 memory;	/* to read ahead, bytes; 0: MERGE_MEMORY */
};
enum { MERGE_MEMORY = 64 << 20 };

/*
 * Write the merge of these inputs ("-" is stdin) to t->out_name.  Call it behind tool_check().  0, or 1: what was wrong
 * has been said; what can't be merged is said and exits 2.
 */
int	merge_run(struct tool *, const struct merge_options *, char **names, int n);

#endif
