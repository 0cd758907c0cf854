/* SPDX-License-Identifier: ISC */
/*
 * prune.h - conditions by which an index (index/use.h) tells the chunks that hold no sample to keep; these chunks are not read
 *
 * The conditions are those of --event, --pid, --tid, --cpu, --time, --comms and --inherit.  Each kept sample meets all of them; a
 * sample that meets them may still be dropped.
 */
#ifndef PFILTER_PRUNE_H
#define PFILTER_PRUNE_H

#include "filter.h"
#include "index/use.h"

struct prune;
/* Before tool_open_input(): sets `ask' or `why' of the tool's index.  The caller frees it, after tool_close(). */
struct prune *prune_new(struct tool *, struct filter *);
/* Does prune_pass() read the input by its name?  Call prune_pass() after tool_lock() and before tool_begin_input(). */
bool	prune_needs_pass(const struct prune *);
void	prune_pass(struct prune *);
void	prune_free(struct prune *);

#endif
