/* SPDX-License-Identifier: ISC */
/*
 * needed.h - --sideband=needed: the maps and names of a task go out at its first kept sample, and never if there is none.
 */
#ifndef PFILTER_NEEDED_H
#define PFILTER_NEEDED_H

#include "out.h"
#include "state.h"

struct needed;
struct needed *needed_new(struct pp_source *in, struct state *, struct pp_err *);
void	needed_free(struct needed *);
/*
 * In time order, a record that is about to be kept (a sample), or a side-band record, before it changes the state:
 * is that side-band record needed (1) or not (0)?  For a sample: the records that must go out in front of it are
 * given to `put', made with its time.  -1: no memory, or what put said.
 */
int	needed_sideband(struct needed *, const struct pp_event *ev, const struct pp_rec *);
int	needed_sample(struct needed *, const struct pp_event *ev, const struct pp_rec *, int (*put)(void *arg, const struct pp_rec *),
	    void *arg);

#endif
