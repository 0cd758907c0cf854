/* SPDX-License-Identifier: ISC */
/*
 * hold.h - decide in time order, write in order of arrival.
 *
 * What depends on history (comm, maps, ancestors) is known only in time order, so records wait, as perf makes them wait
 * (round.c), until their turn to be decided; and then for those that arrived before them.
 */
#ifndef PFILTER_HOLD_H
#define PFILTER_HOLD_H

#include "perfpipe.h"

struct hold;
struct hold_user {
	/* In time order (records without a time at once, as perf delivers them): a verdict >= 0, or -1. */
	int	(*decide)(void *arg, const struct pp_event *ev, const struct pp_rec *r);
	/*
	 * In order of arrival, with what decide() said of it, whatever that is; for records of perf's own (type 64 and
	 * up), of which decide() is not asked, 0.  `stable': r->raw lies in the source's buffer, and its payload, if it
	 * has one, can be fetched from the source.  1, or -1.
	 */
	int	(*emit)(void *arg, const struct pp_rec *r, int verdict, bool stable);
	void	*arg;
};

/* Holds about `memory' bytes at most; over that the oldest are decided early, and counted.  NULL: no memory. */
struct hold *hold_new(struct pp_source *in, const struct hold_user *, size_t memory, struct pp_err *);
/* A record of the source; one with a payload, or of perf's own that waits for nothing, may be emitted at once. */
int	hold_put(struct hold *, const struct pp_rec *);
int	hold_finish(struct hold *);		/* the end: decide and emit all */
uint64_t hold_early(const struct hold *);	/* records that were decided before their turn */
void	hold_free(struct hold *);

#endif
