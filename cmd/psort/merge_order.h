/* SPDX-License-Identifier: ISC */
/*
 * merge_order.h - what of several inputs goes out, and when.
 *
 * All records with a time wait in one queue (emit.h), over its bound in one spill.  Each input has a bound of its own,
 * below which nothing of it will come: by its rounds, or by a window, or at its end.  What is not above the smallest of
 * these bounds goes out; of the same time in the order of the inputs.
 *
 * What has no time stands in its place, in front of what still waits for its round: it goes out in front of the next
 * record of its input that has one.  So the tasks and maps that begin a later piece of a recording do not go in front
 * of the pieces before.
 */
#ifndef PSORT_MERGE_ORDER_H
#define PSORT_MERGE_ORDER_H

#include "tool/join.h"
#include "emit.h"
#include "merge_known.h"

struct merge_input {
	uint64_t	 bound;		/* no record before this time will come; UINT64_MAX: none at all */
	uint64_t	 max, next;	/* the largest time; the bound after the next mark */
	uint64_t	 prev;		/* time of the last record */
	uint64_t	 waiting;	/* records in the queue */
	bool		 ended;
	bool		 stalled;	/* nothing is read until `held' is out: its last one has a payload, or it is full */
	uint8_t		*held;		/* struct held, and the record: what has no time */
	size_t		 at, n, cap;	/* of that: the first, the end, the room */
	struct emit_counts count;
	struct disorder	*disorder;	/* NULL: do not count */
};

struct tie {
	const uint8_t	*p;
	uint64_t	 seq;
	uint32_t	 in;
	uint16_t	 size;
	bool		 stable;
};
struct ties {			/* released records of one time, which wait for others of it */
	uint64_t	 time, seq;
	struct tie	*e;
	size_t		 n, cap;
	uint8_t		*copy;		/* bytes of those that are not stable; room for `room' of them */
	size_t		 used, room;
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
	bool		 watches;	/* join_watches() */
	size_t		 held_max;	/* bytes of an input */
	size_t		 added;		/* bytes since the last release */
	uint8_t		*tagged;	/* a record to be queued */
};

/* j is open, and t->out.  1, or -1: no memory.  Then, too, close it. */
int	order_open(struct merge_order *, struct tool *, struct join *, const struct sort_how *, struct spill *,
	    struct pp_err *);
void	order_close(struct merge_order *);
/* A record of an input, FINISHED_ROUND too.  1, 0: the input has ended by it, -1. */
int	order_take(struct merge_order *, unsigned i, const struct pp_rec *);
/* The input has ended.  1, or -1. */
int	order_end(struct merge_order *, unsigned i);
/* No input can be read on: put all that was read, and a mark.  1, or -1. */
int	order_finish(struct merge_order *);
/* Put all that can go.  1, or -1. */
int	order_release(struct merge_order *);
/* Is there much of it, or does an input wait for that? */
bool	order_is_due(const struct merge_order *);
/* Can the input be read?  Is it one that the others wait for, if `bound' is order_bound(), the smallest of all? */
bool	order_can_read(const struct merge_order *, unsigned i);
uint64_t order_bound(const struct merge_order *);
bool	order_is_wanted(const struct merge_order *, unsigned i, uint64_t bound);
/* All that went out is in order with all that will come: mark that, for who reads on. */
int	order_mark(struct merge_order *);
/* Warn of what was late; count. */
void	order_say(const struct merge_order *);

#endif
