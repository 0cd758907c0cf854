/* SPDX-License-Identifier: ISC */
/*
 * emit.h - what one stream and a merge share: records wait in a queue by their time, over its bound of memory in a
 * spill, and go out when they are released.
 *
 *	records -> queue (state/round.c) -> output
 *	              \-> spill (spill.c) ->/		when the queue is over its bound
 *
 * What is in the spill came before what is in the queue, so of the same time it goes first.
 */
#ifndef PSORT_EMIT_H
#define PSORT_EMIT_H

#include "state/round.h"
#include "disorder.h"
#include "sort.h"

/* A window is released by so many parts: each release looks at all that waits. */
enum { WINDOW_STEPS = 8 };
/* So many FINISHED_ROUNDs release all that stands in front of them. */
enum { MARKS_ALL = 2 };

struct emit {
	struct tool	*t;
	const struct sort_how *how;
	bool		 swap;
	struct pp_round	*round;
	struct spill	*spill;
	size_t		 limit;			/* bytes in the queue */
	bool		 grew;			/* by an emit_buffer(), since this was last set to false */
	size_t		 pending;		/* bytes that were released, and lie there until they are written */
	bool		 fresh;			/* write FINISHED_ROUNDs of our own */
	size_t		 unmarked;		/* bytes of records with a time since the last mark */
	unsigned	 marks;			/* written one behind the other since these; nothing was written: MARKS_ALL */
	struct unique	*unique;		/* NULL: keep duplicates */
	uint64_t	 duplicates;
	/* Where what is released goes; NULL: to the output, if it is new.  `stable': until emit_flush(), else for the call. */
	int		(*to)(void *arg, uint64_t time, const uint8_t *p, size_t n, bool stable);
	void		*arg;
};

struct emit_counts {				/* of the input */
	uint64_t timed, untimed, others;	/* records: with a time, without, of perf's own */
	uint64_t rounds, idle_rounds;		/* marks; those before the first time */
	uint64_t late;
};

/* `err' is for what fails here.  1, or -1: no memory.  Then, too, close it. */
int	emit_open(struct emit *, struct tool *, const struct sort_how *, struct spill *, struct pp_err *);
void	emit_close(struct emit *);
/* Take in a record, by a copy if it does not lie in the last emit_buffer(). */
static inline int
emit_add(struct emit *e, uint64_t time, const uint8_t *p, size_t n)
{
	return pp_round_add(e->round, time, p, n);
}
/* The same, with that time also in its own field of the time, if it has one. */
int	emit_add_stamped(struct emit *, const struct pp_event *, const struct pp_rec *, uint64_t time);
/* Is the queue over its bound?  Then, when nothing more of it can be released, emit_bound() puts it into the spill. */
static inline bool
emit_is_full(const struct emit *e)
{
	return pp_round_memory(e->round) > e->limit;
}
int	emit_spill(struct emit *);
static inline int
emit_bound(struct emit *e)
{
	return emit_is_full(e) ? emit_spill(e) : 1;
}
/* The round has released up to this time: also what of it is in the spill; a mark; then emit_reclaim(). */
int	emit_released(struct emit *, uint64_t limit);
/* Release up to this time, and no more than that. */
int	emit_release(struct emit *, uint64_t limit);
/* emit_flush(), if there is enough to give back. */
int	emit_reclaim(struct emit *);
/* Was it there already (at that time, and duplicates are not kept)?  Then it is counted as one. */
bool	emit_is_twice(struct emit *, uint64_t time, const uint8_t *p, size_t n);
/* Write a record; a mark in front if it is time for one. */
int	emit_put(struct emit *, const uint8_t *p, size_t n, bool stable);
int	emit_mark(struct emit *);		/* a FINISHED_ROUND of our own */
void	emit_marked(struct emit *);		/* one of the input was written */
/*
 * A record without a time is about to be written.  perf delivers it at once, but what was written before only when a second
 * mark is there: write as many as it takes, so that all stays where it stands for who reads on.
 */
int	emit_catch_up(struct emit *);
/* Write a record with its payload, which is the source's next.  1, or -1: the source or the output has failed. */
int	emit_payload(struct emit *, struct pp_source *, const struct pp_rec *);
/*
 * So much of a payload is missing: zeros in its place, or readers take what is written behind it for the rest of it.
 * 1, or -1: that would be too much.
 */
int	emit_fill(struct emit *, uint64_t missing);
/* Write what is released in pieces as large as can be, until the first spill. */
void	emit_side_by_side(struct emit *);
/* For pp_read_into(): memory of the queue, so that records need no copy.  All that was put has been written. */
uint8_t	*emit_buffer(void *emit);
/* Write all, and give back the memory. */
int	emit_flush(struct emit *);
/* Warn of what was late, and note what had no marks. */
void	emit_say(const struct emit *, const char *input, const struct emit_counts *);
void	emit_say_stats(const struct emit *, const struct emit_counts *, const struct disorder *);

#endif
