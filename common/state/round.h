/* SPDX-License-Identifier: ISC */
/* round.h - perf's time order: a record waits until the rounds say that no older one comes */
#ifndef PP_ROUND_H
#define PP_ROUND_H

#include "perfpipe_inline.h"

struct pp_round {		/* the part that the inline functions need; the rest is in round.c */
	struct pp_waiting { uint64_t time, place; } *next, *end;	/* where the next one goes; the end of that array */
	const uint8_t	*buf;		/* the last pp_round_buffer(); NULL: none */
	size_t		*live;		/* records in it that wait */
	uint64_t	 place;		/* of its first byte */
	uint64_t	 newest;	/* the largest time that a fast pp_round_add() may come behind */
	uint64_t	 max;		/* the largest time known */
	uint64_t	 last;		/* time of the last record delivered */
};
/* `deliver' is called for each record in time order; its bytes are valid until pp_round_reclaim(). */
struct pp_round *pp_round_new(pp_deliver *, void *arg, struct pp_err *);
void	pp_round_free(struct pp_round *);
/* Queue `n' bytes at that time: a copy, or as they are if they lie in the last buffer of pp_round_buffer(). */
int	pp_round_add_slow(struct pp_round *, uint64_t time, const void *p, size_t n);
static inline int
pp_round_add(struct pp_round *q, uint64_t time, const void *p, size_t n)
{
	uint64_t at = (uintptr_t)p - (uintptr_t)q->buf;

	if (time < q->newest || at >= PP_BUFFER_SIZE || q->next == q->end)
		return pp_round_add_slow(q, time, p, n);
	*q->next++ = (struct pp_waiting){ time, q->place + (at << 16) + n };
	++*q->live;
	q->newest = time;
	if (time > q->max)
		q->max = time;
	return 1;
}
/* For pp_read_into(): a buffer that lives until pp_round_reclaim() finds nothing in it that still waits. */
uint8_t	*pp_round_buffer(void *round);
/*
 * From here on, deliver records that lie side by side by one call of `side': `n' bytes, and the time of the last one.
 * NULL: one by one.
 */
void	pp_round_side_by_side(struct pp_round *, pp_deliver *side);
/* A FINISHED_ROUND: deliver all up to the largest time known at the one before (perf-pipe(5)). */
int	pp_round_finished(struct pp_round *);
/* End of the stream: deliver everything. */
int	pp_round_final(struct pp_round *);
/* Give back the memory of what was delivered.  Call it now and then. */
void	pp_round_reclaim(struct pp_round *);
/* Records that were older than what had been delivered. */
uint64_t pp_round_late(const struct pp_round *);
/* Deliver all up to that time, whatever the marks said. */
int	pp_round_release(struct pp_round *, uint64_t limit);
/* The time up to which the next pp_round_finished() delivers; that of the last record delivered (0: none yet). */
uint64_t pp_round_limit(const struct pp_round *);
static inline uint64_t
pp_round_last(const struct pp_round *q)
{
	return q->last;
}
/*
 * To bound memory: the bytes that the queue holds, and will need to deliver them.  pp_round_spill() gives all that
 * waits to `to', in order, valid for the call only; by the rule of the rounds these records go on waiting, with the
 * caller, who delivers each before those of the same time that the queue has (they came earlier), and says so by
 * pp_round_spilled() with its time.
 */
size_t	pp_round_memory(const struct pp_round *);
int	pp_round_spill(struct pp_round *, pp_deliver *to, void *arg);
void	pp_round_spilled(struct pp_round *, uint64_t time);

/*
 * A round of numbers, instead of bytes: pp_round_new() without a function.  pp_round_take() takes those up to that time out, in
 * order: they stay at *e until something is added or taken again, `place' is the number.  1, or -1: no memory.
 */
int	pp_round_add_number_slow(struct pp_round *, uint64_t time, uint64_t number);
static inline int
pp_round_add_number(struct pp_round *q, uint64_t time, uint64_t number)
{
	if (time < q->newest || q->next == q->end)
		return pp_round_add_number_slow(q, time, number);
	*q->next++ = (struct pp_waiting){ time, number };
	q->newest = time;
	if (time > q->max)
		q->max = time;
	return 1;
}
int	pp_round_take(struct pp_round *, uint64_t limit, const struct pp_waiting **e, size_t *n);
/* How many wait that came before the first with that number or a larger one. */
size_t	pp_round_below(const struct pp_round *, uint64_t number);

/* Records that wait. */
size_t	pp_round_waiting(const struct pp_round *);
/* pp_round_memory() without spare blocks, and what is unused in the others; of that, what is in blocks. */
size_t	pp_round_used(const struct pp_round *);
size_t	pp_round_held(const struct pp_round *);
/* The largest time of those n (pp_round_waiting() at most) that came first. */
uint64_t pp_round_newest_of(const struct pp_round *, size_t n);
/*
 * Show all that wait to `fn', in time order or (not `sorted') in order of arrival; they go on waiting.  1, or -1: what fn
 * returned, or no memory (pp_err).
 */
int	pp_round_each(struct pp_round *, bool sorted, pp_deliver *fn, void *arg);

#endif
