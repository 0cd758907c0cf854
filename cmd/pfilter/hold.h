/* SPDX-License-Identifier: ISC */
/*
 * hold.h - decide in time order, write in order of arrival.
 *
 * What depends on history (comm, maps, ancestors) is known only in time order, so records wait, as perf makes them wait
 * (round.c), until their turn to be decided; and then for those that arrived before them.  On a live stream output is
 * behind by a round or two.
 *
 * Most records only ask and change nothing: it does not matter which of these is decided first, as long as each is behind
 * the changes that were before it.  So it is the few that make changes (`ordered') that are put in order, and the others
 * between them:
 *
 *	arrival		s5 s9 C4 s6 s2 C7 s3
 *	decided		s2 s3 | C4 | s5 s6 | C7 | s9
 */
#ifndef PFILTER_HOLD_H
#define PFILTER_HOLD_H

#include "perfpipe_inline.h"

struct hold;
struct hold_user {
	/*
	 * What can be said of a timed record when it arrives: 0 if it will have no part in anything (it is not decided nor
	 * emitted then), or -1.
	 */
	int	(*arrive)(void *arg, const struct pp_event *ev, const struct pp_rec *r);
	/* In time order (records without a time at once, as perf delivers them): a verdict >= 0, or -1: not sound. */
	int	(*decide)(void *arg, const struct pp_event *ev, const struct pp_rec *r);
	/*
	 * In order of arrival, but for payloads (hold_new()), with what decide() said of it, unless that is 0; for records of
	 * perf's own (type 64 and up), of which decide() is not asked, HOLD_OWN.  `stable': r->raw stays as it is until
	 * `flush', or the source's next refill; a payload can be fetched from the source.  1, or -1.
	 */
	int	(*emit)(void *arg, const struct pp_rec *r, int verdict, bool stable);
	/* Be done with the bytes of all that was emitted.  1, or -1. */
	int	(*flush)(void *arg);
	/* Bytes that are kept elsewhere for records that wait to be emitted: they count, too. */
	size_t	(*more)(void *arg);
	void	*arg;
	bool	 ordered[PP_USER_TYPE_START];	/* by type: deciding on it changes what is decided on others */
};
enum { HOLD_OWN = INT32_MAX };

/*
 * Holds about `memory' bytes at most.  Over that the oldest are decided before their turn.  A record with a payload is not
 * held: it is emitted at once, and those of perf's own that came before it too, but for FINISHED_ROUND and FINISHED_INIT.
 * NULL: no memory.
 */
struct hold *hold_new(struct pp_source *in, const struct hold_user *, size_t memory, struct pp_err *);
/*
 * A record; `stands': it, or what it was made of, as the source gave it.  -1: it is not sound (pp_err without a place), or something
 * failed before.
 */
int	hold_put(struct hold *, const struct pp_rec *, const struct pp_rec *stands);
/* The end, also after a failure of hold_put(): decide and emit all that can be. */
int	hold_finish(struct hold *);

struct hold_place {
	uint64_t nr;			/* which one of those put it is, from 1, if all were to be held */
	uint64_t offset;		/* where it stands in the input */
	uint64_t since;			/* nothing that is `ordered' came between this time, or its own if less, and it */
};
/* Of the record that is being decided. */
const struct hold_place *hold_place(const struct hold *);
/* Records that were decided by what was known too early, as later ones had been decided before their turn. */
uint64_t hold_early(const struct hold *);
void	hold_free(struct hold *);

#endif
