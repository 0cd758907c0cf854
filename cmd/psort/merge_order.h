/* SPDX-License-Identifier: ISC */
/*
 * merge_order.h - the order in which records of several inputs are written.
 *
 * All records with a time are held in one queue (emit.h), and beyond its bound of memory in one spill.  Each input has a
 * watermark (`bound'), by its rounds, by a window or at its end.  Records up to the smallest watermark are written, those of
 * the same time in the order of the inputs.  A record that several inputs have (each piece has all records about the state) is
 * written once, after all records that precede it in any of these inputs.
 *
 * A record without a time keeps its place: it is written before the next record with a time of the same input.  So the
 * snapshot at the start of a later part is not written before the earlier parts.
 */
#ifndef PSORT_MERGE_ORDER_H
#define PSORT_MERGE_ORDER_H

#include "join/join.h"
#include "emit.h"
#include "merge_known.h"

struct merge_input {
	uint64_t	 bound;		/* no record before this time will come; UINT64_MAX: none at all */
	uint64_t	 max, next;	/* the largest time; the bound after the next FINISHED_ROUND */
	uint64_t	 prev;		/* time of the last record */
	uint64_t	 waiting;	/* records in the queue */
	bool		 ended;
	bool		 stalled;	/* do not read until `held' is put: its last record has a payload, or it is full */
	uint8_t		*held;		/* records without a time: struct held and the record */
	size_t		 at, n, cap;	/* of `held': offset of the first, end, size */
	size_t		 tie, tie_state, tie_end;	/* of its ties: the next, the next about the state, their end */
	struct emit_counts count;
	struct disorder	*disorder;	/* NULL: do not count */
};

struct tie {
	const uint8_t	*p;
	uint64_t	 seq;
	uint32_t	 in;
	uint16_t	 size;
	bool		 stable;
	bool		 state;		/* it is about the state, so that several inputs may have it */
	bool		 again;		/* another input has had it */
};
struct ties {			/* released records of one time, to be sorted by input */
	uint64_t	 time, seq;
	struct tie	*e;
	size_t		 n, cap;
	size_t		*order;		/* numbers of all, by input and in the order of that, while they are put */
	uint8_t		*copy;		/* bytes of those that are not stable; `space': its size */
	size_t		 used, space;
};

struct merge_order {
	struct tool	*t;
	struct join	*j;
	const struct sort_how *how;
	struct emit	 e;
	struct ties	 ties;
	struct known	*known;		/* NULL: one input */
	struct merge_input *in;
	unsigned	 n;
	unsigned	 first;		/* the first input with the smallest bound, and that bound; n: all inputs have ended */
	uint64_t	 bound;
	bool		 watches;	/* join_watches() */
	size_t		 held_max;	/* bytes of `held' of an input */
	size_t		 added;		/* bytes since the last release */
	size_t		 unchecked;	/* bytes since the last check of the memory in use */
};

/* ---- merge_ties.c; 1, or -1 ---- */

/* Add a released record, of the time of the others. */
int	order_add_tie(struct merge_order *, struct tie *);
/* Put all ties. */
int	order_put_ties(struct merge_order *);
/*
 * Put the ties of the inputs up to this one, which may get more of that time.  Unless `now', wait if one of these ties is about the
 * state: another input may have it, too.
 */
int	order_put_first_ties(struct merge_order *, unsigned upto, bool now);
/* Copy the ties that are left, since the queue's memory is freed.  If they are too large, put them. */
int	order_keep_ties(struct merge_order *);
/* merge_order.c: put the held records that precede a released record, and the record. */
int	order_put_timed(struct merge_order *, const struct tie *, uint64_t time);
/* Put the held records of an input that precede that time. */
int	order_put_held(struct merge_order *, unsigned i, uint64_t time);

/* ---- merge_order.c ---- */

/* j and t->out are open.  1, or -1: no memory.  In both cases call order_close(). */
int	order_open(struct merge_order *, struct tool *, struct join *, const struct sort_how *, struct spill *,
	    struct pp_err *);
void	order_close(struct merge_order *);
/* Process a record of an input, or its FINISHED_ROUND.  1, 0: the input has ended with it, -1. */
int	order_take(struct merge_order *, unsigned i, const struct pp_rec *);
/* The input has ended.  1, or -1. */
int	order_end(struct merge_order *, unsigned i);
/* No input can be read further: put all records that were read, and a FINISHED_ROUND.  1, or -1. */
int	order_finish(struct merge_order *);
/* Put all records up to the smallest bound.  1, or -1. */
int	order_release(struct merge_order *);
/* Is order_release() due: is there enough to release, or is an input stalled? */
bool	order_is_due(const struct merge_order *);
/* Can the input be read?  Is it one that the others wait for? */
static inline bool
order_can_read(const struct merge_order *m, unsigned i)
{
	return !m->in[i].ended && !m->in[i].stalled;
}
static inline bool
order_is_wanted(const struct merge_order *m, unsigned i)
{
	return m->in[i].bound <= m->bound && order_can_read(m, i);
}
/* Put a FINISHED_ROUND: no later record is older than those put so far. */
int	order_mark(struct merge_order *);
/* Warn of late records, and with -v print counts. */
void	order_say(const struct merge_order *);

#endif
