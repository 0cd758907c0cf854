/* SPDX-License-Identifier: ISC */
/*
 * kin.h - with an index: the tasks that --comms or --inherit can ever select, from a pass over the side-band alone
 *
 * They are those that ever have a name of --comms, by COMM or as the child of one that ever had it; or that descend from a task of
 * --pid.  The order of the records does not matter, so they are rather too many than too few.
 */
#ifndef PFILTER_KIN_H
#define PFILTER_KIN_H

#include "index/use.h"
#include "state_keys.h"

/*
 * Read the input once, and leave out all chunks that can be.  The ranges of their pids and tids, ascending, which the caller frees.
 * NULL: there is no such key, no index, or too many tasks.
 */
struct ppi_range *kin_find(struct tool *, struct state_keys *, size_t *n);

#endif
