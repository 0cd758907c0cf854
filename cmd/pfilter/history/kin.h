/* SPDX-License-Identifier: ISC */
/*
 * kin.h - with an index: the tasks that --comms or --inherit can ever select, from a pass over the side-band alone
 *
 * These are the tasks that ever have a name of --comms, by a COMM or from a parent that ever had it, and the descendants of tasks
 * of --pid.  The order of the records is ignored, so they can be too many, but not too few.
 */
#ifndef PFILTER_KIN_H
#define PFILTER_KIN_H

#include "index/use.h"
#include "state_keys.h"

/*
 * Read the side-band of the input once, by its index.  Returns n ranges of the pids and tids of these tasks, ascending, which the
 * caller frees.  NULL: there is no such key, no index, or too many tasks.
 */
struct ppi_range *kin_find(struct tool *, struct state_keys *, size_t *n);

#endif
