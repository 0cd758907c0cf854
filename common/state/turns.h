/* SPDX-License-Identifier: ISC */
/*
 * turns.h - the order in which records are decided on, by their numbers; for arrival*.c
 *
 * Most records do not change what others are decided by: these may be decided in any order, as long as each comes after the
 * older changes.  So only the records that change something (`ordered') are sorted (round.h); the others are placed between
 * them, in order of arrival:
 *
 *	arrival		s5 s9 C4 s6 s2 C7 s3
 *	turns		s2 s3 | C4 | s5 s6 | C7 | s9
 */
#ifndef PP_TURNS_H
#define PP_TURNS_H

#include "state/round.h"

/*
 * Called for n records to be decided on, in this order; `place' is the number.  No ordered record is between min(since, the
 * record's time) and the record's time.  1; -1 ends the release.
 */
typedef int	pp_turn_fn(void *arg, const struct pp_waiting *, size_t n, uint64_t since);

struct pp_turns {			/* begins zeroed, except fn, arg, err */
	pp_turn_fn	*fn;
	void		*arg;
	struct pp_err	*err;
	struct pp_round	*round;		/* the ordered records */
	struct pp_waiting *others;
	size_t		 nothers, capothers;
	size_t		 fresh;		/* others[fresh] and following were added after the last release; ... */
	uint64_t	 fresh_min;	/* ... their earliest time */
	uint64_t	 min;		/* earliest time of all others */
	uint64_t	 released;	/* all records up to this time have been decided on */
	/* used during one release: the ordered records, and the others between them */
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
/* Add a record; its number is greater than all before.  1, or -1: no memory. */
static inline int
pp_turns_add(struct pp_turns *t, uint64_t time, uint64_t number, bool ordered)
{
	/* A late record is sorted too. */
	if (time < t->fresh_min)
		t->fresh_min = time;
	if (ordered || time < t->released)
		return pp_round_add_number(t->round, time, number);
	if (t->nothers == t->capothers && pp_turns_grow(t) < 0)
		return -1;
	t->others[t->nothers++] = (struct pp_waiting){ time, number };
	return 1;
}
/* Add n records that are not ordered, and whose numbers are not greater than all before; they ascend. */
int	pp_turns_add_older(struct pp_turns *, const struct pp_waiting *, size_t n);
/*
 * Call fn for all records up to that time.  In two steps: pp_turns_begin() sets `marks' to the ordered records among them, and others
 * may be added before pp_turns_end().  1, or -1.
 */
int	pp_turns_release(struct pp_turns *, uint64_t limit);
int	pp_turns_begin(struct pp_turns *, uint64_t limit);
int	pp_turns_end(struct pp_turns *, uint64_t limit);
/* The newest time of the waiting records with numbers below that. */
uint64_t pp_turns_newest(const struct pp_turns *, uint64_t number);
/* Bytes in use. */
size_t	pp_turns_memory(const struct pp_turns *);

#endif
