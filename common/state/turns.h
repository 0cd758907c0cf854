/* SPDX-License-Identifier: ISC */
/*
 * turns.h - in which order records have their turn, by their numbers: for timeline_arrival.c.
 *
 * Records that change nothing of what others are decided by may be decided in any order, as long as each is behind the
 * changes that are older.  So only the records that make changes (`ordered') are sorted (round.h); the others are put between
 * them, in order of arrival:
 *
 *	arrival		s5 s9 C4 s6 s2 C7 s3
 *	turns		s2 s3 | C4 | s5 s6 | C7 | s9
 */
#ifndef PP_TURNS_H
#define PP_TURNS_H

#include "state/round.h"

/*
 * The turn of these records, in this order; `place' is the number.  Nothing ordered is between the time `since', or their own if
 * that is less, and theirs.  1, or -1, which ends the release.
 */
typedef int	pp_turn_fn(void *arg, const struct pp_waiting *, size_t n, uint64_t since);

struct pp_turns {			/* begins zeroed but for fn, arg, err */
	pp_turn_fn	*fn;
	void		*arg;
	struct pp_err	*err;
	struct pp_round	*round;		/* the numbers of those ordered */
	struct pp_waiting *others;
	size_t		 nothers, capothers;
	size_t		 fresh;		/* others[fresh] and on came behind the last release; */
	uint64_t	 fresh_min;	/* their earliest time */
	uint64_t	 min;		/* earliest time of all */
	uint64_t	 released;	/* all up to this time had their turn */
	/* of one release: the ordered ones, and the others that they are between */
	const struct pp_waiting *marks;
	size_t		 nmarks;
	struct pp_waiting *due;
	uint32_t	*bucket;
	uint64_t	*end;
	size_t		 capdue, capend;
};

/* 1, or -1: no memory. */
int	pp_turns_start(struct pp_turns *, pp_turn_fn *, void *arg, struct pp_err *);
void	pp_turns_free(struct pp_turns *);
int	pp_turns_grow(struct pp_turns *);
/* The record with that number, which is greater than those before, waits.  1, or -1: no memory. */
static inline int
pp_turns_add(struct pp_turns *t, uint64_t time, uint64_t number, bool ordered)
{
	/* One that is late has a place of its own, too. */
	if (time < t->fresh_min)
		t->fresh_min = time;
	if (ordered || time < t->released)
		return pp_round_add_number(t->round, time, number);
	if (t->nothers == t->capothers && pp_turns_grow(t) < 0)
		return -1;
	t->others[t->nothers++] = (struct pp_waiting){ time, number };
	return 1;
}
/* The turn of all up to that time.  1 or -1. */
int	pp_turns_release(struct pp_turns *, uint64_t limit);
/* The newest time of those that wait and have numbers below that. */
uint64_t pp_turns_newest(const struct pp_turns *, uint64_t number);
/* Bytes in use. */
size_t	pp_turns_memory(const struct pp_turns *);

#endif
