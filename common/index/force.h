/* SPDX-License-Identifier: ISC */
/*
 * force.h - which records about the state of the machine are still in force: those that a reader who begins here has to be given
 *
 * Records are added in the order in which readers take them.  What is left of them, in that order, makes the same state (state/state.h)
 * and tells the same of files: dropped are
 *	- all of a task that has ended, if so many have ended since that the state has forgotten it, or whose number was given to another
 *	  one, if no task that is left descends from it (by its FORKs, it has the name, the maps and the descent of its parent);
 *	- the maps of a process of which no task is left, unless one was the first of its file;
 *	- a name, or a map, that was replaced before anybody could inherit it; not a name without a time by one with a time.
 * All others stay.  Whether the state is the same is for the caller to compare: pp_state_same().
 */
#ifndef PPI_FORCE_H
#define PPI_FORCE_H

#include "perfpipe_inline.h"

struct force;
struct force *force_new(bool swap);		/* NULL: no memory */
void	force_free(struct force *);
/* time: 0: it has none.  n: of the bytes at p, a record with its payload, if it has one.  1, or -1: no memory. */
int	force_add(struct force *, uint64_t time, const uint8_t *p, size_t n);
/* Bytes in use. */
size_t	force_memory(const struct force *);
/* Call fn for all that are in force, until it returns -1.  1, or -1. */
int	force_each(const struct force *, int (*fn)(void *arg, uint64_t time, const uint8_t *p, size_t n), void *arg);

#endif
