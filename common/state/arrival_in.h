/* SPDX-License-Identifier: ISC */
/*
 * arrival_in.h - the parts of pp_arrival (timeline.h); for arrival*.c only
 *
 *	arrival.c		records as they are put, and the limit of memory
 *	arrival_decide.c	looks at them, decides on them in time order, emits them in order of arrival
 *	arrival_guess.c		verdicts that were known when the records arrived
 *
 *	ring	records not emitted yet, in order of arrival (held.h)
 *	turns	the numbers of records not decided on yet (turns.h), without those that have a guess
 *	ahead	of these, the numbers of records not looked at yet
 *
 * After decisions the ring is emitted up to the first record that is not decided on.
 */
#ifndef PP_ARRIVAL_IN_H
#define PP_ARRIVAL_IN_H

#include "state/held.h"
#include "state/timeline.h"
#include "state/turns.h"

struct numbers {
	uint64_t	*v;
	size_t		 n, cap;	/* cap: bytes */
};

struct pp_arrival {
	struct pp_source *in;
	struct pp_arrival_user user;
	struct pp_err	*err;
	struct pp_ring	 ring;
	struct pp_turn	 at;
	size_t		 memory;
	size_t		 elsewhere;	/* bytes of it, half of it at most */
	size_t		 unlooked;	/* bytes put since the last check */
	unsigned	 decided;	/* since the last attempt */
	const struct pp_rec *stands;	/* the record being put, as the source yielded it */

	struct numbers	 own;		/* numbers of records of types 64 and up, but rounds; some have left the ring */

	/* time order: perf-pipe(5) */
	struct pp_turns	 turns;
	uint64_t	 waits;		/* records not decided on yet */
	uint64_t	 max, limit;	/* latest time known; time up to which the next FINISHED_ROUND releases */
	uint64_t	 absent;	/* latest time of records that a reader would queue now, but that are not here; 0: none */
	uint64_t	 early_limit;	/* all records up to this time were decided on early; 0: none */
	uint64_t	 early;
	struct pp_round	*ahead;		/* NULL: nothing is looked at */
	uint64_t	 settled;	/* the last release was up to this time */
	uint64_t	 whole;		/* of records up to this time, all that is `ahead' has arrived */
	uint64_t	 too_short;

	uint64_t	 unsure;	/* number of an entry in front of which there is no guess */
	struct pp_waiting *misses;	/* used during one release */
	size_t		 nmisses, capmisses;
	struct pp_changed changed;	/* since the last release, by what had its turn at once */

	uint64_t	 compact;	/* pp_ring_compact() is of use again from that number of the ring on */

	bool		 failed;	/* nothing can be emitted any more */
	bool		 bad;		/* a record was malformed: records that arrived before it can still be emitted */
};

/* ---- arrival_guess.c ----------------------------------------------------------------------------------- */

/* An ordered record has its turn, out of a release: what does it change? */
void	arrival_changes(struct pp_arrival *, const struct pp_rec *);
/* After pp_turns_begin(): guesses up to that time that hold are verdicts; those that do not are others of `turns'.  1, or -1. */
int	arrival_settle_guesses(struct pp_arrival *, uint64_t limit);
/* An entry has no guess any more, and waits. */
void	arrival_miss(struct pp_arrival *, struct pp_held *);
/* The same of all that have one. */
void	arrival_miss_all(struct pp_arrival *);
/* The newest time of guesses with numbers below that. */
uint64_t arrival_newest_guess(const struct pp_arrival *, uint64_t number);

/* ---- arrival_decide.c; those that return int return 1, or -1 with the reason in the pp_err ------------ */

/* The pp_turn_fn: decide on these records, which are next in time order. */
int	arrival_turn(void *arg, const struct pp_waiting *, size_t n, uint64_t since);
/* Decide on the entry with that number now. */
void	arrival_turn_of(struct pp_arrival *, struct pp_held *, uint64_t n);
/* Decide on all records up to the time `limit', after a look at all up to the time `look'; emit. */
int	arrival_settle_to(struct pp_arrival *, uint64_t look, uint64_t limit);
/* All records up to that time have arrived: look at them, and decide on those that are old enough; emit. */
int	arrival_settle(struct pp_arrival *, uint64_t limit);
/* Emit the records that are decided on, up to the first that is not. */
int	arrival_emit(struct pp_arrival *);

#endif
