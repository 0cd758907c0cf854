/* SPDX-License-Identifier: ISC */
/*
 * round.h - perf's time order: a record waits until the rounds guarantee that no older one follows
 *
 * Functions that return int return 1, or -1 with the reason in the pp_err of pp_round_new(), unless stated otherwise.  Times
 * are in ns.
 */
#ifndef PP_ROUND_H
#define PP_ROUND_H

#include <sys/uio.h>

#include "perfpipe_inline.h"

struct pp_round {		/* the part that the inline functions need; the rest is in round.c */
	struct pp_waiting { uint64_t time, place; } *next, *end;	/* where the next record is added; the end of that array */
	const uint8_t	*buf;		/* the last result of pp_round_buffer(); NULL: none */
	size_t		*live;		/* number of records in it that wait */
	uint64_t	 place;		/* of its first byte */
	uint64_t	 newest;	/* pp_round_add() is fast for times from this one on */
	uint64_t	 max;		/* the largest time added */
	uint64_t	 last;		/* time of the last record delivered */
};
/* deliver: called for each record in time order, with bytes that are valid until pp_round_reclaim().  NULL: no memory. */
struct pp_round *pp_round_new(pp_deliver *, void *arg, struct pp_err *);
void	pp_round_free(struct pp_round *);
/* Add a record of n bytes: in place if it lies in the last buffer of pp_round_buffer(), else as a copy. */
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
/* Always as a copy, and where that is: until it is delivered, the caller may change it. */
int	pp_round_add_copy(struct pp_round *, uint64_t time, const void *p, size_t n, uint8_t **copy);
/* The same of a record that the caller writes there now.  NULL: failure. */
uint8_t	*pp_round_add_space(struct pp_round *, uint64_t time, size_t n);
/* A function for pp_read_into(): a buffer that stays valid until pp_round_reclaim() finds no waiting record in it. */
uint8_t	*pp_round_buffer(void *round);
/*
 * From here on, deliver records many at once to `side': n pieces of memory, of `bytes' in all, with the time of the last record.
 * Records that are adjacent are one piece.  twins: each is one; the first and the last of a release, and those of one time, are
 * delivered one by one.
 * NULL: all one by one.
 */
typedef int pp_side(void *arg, uint64_t last, const struct iovec *, size_t n, size_t bytes);
void	pp_round_side_by_side(struct pp_round *, pp_side *, bool twins);
/* From here on, deliver up to PP_ROUND_MANY records at once: the record at p[i], with the size pp_waiting_size(&e[i]). */
enum { PP_ROUND_MANY = 32 };
typedef int pp_many(void *arg, const struct pp_waiting *e, uint8_t *const *p, size_t n);
void	pp_round_many(struct pp_round *, pp_many *);
static inline size_t
pp_waiting_size(const struct pp_waiting *e)
{
	return e->place & 0xffff;
}
/* A FINISHED_ROUND: deliver all up to the largest time that was known at the previous one (perf-pipe(5)). */
int	pp_round_finished(struct pp_round *);
/*
 * A record that a reader queues, but this queue does not, has that time: the next pp_round_finished() takes account of it, as the
 * reader does.
 */
void	pp_round_saw(struct pp_round *, uint64_t time);
/* The end of the stream: deliver all. */
int	pp_round_final(struct pp_round *);
/* Free the memory of delivered records.  Call it from time to time. */
void	pp_round_reclaim(struct pp_round *);
/* Deliver all up to that time, without regard to rounds. */
int	pp_round_release(struct pp_round *, uint64_t limit);
/* The watermark of the next pp_round_finished(); the time of the last record delivered (0: none). */
uint64_t pp_round_limit(const struct pp_round *);
static inline uint64_t
pp_round_last(const struct pp_round *q)
{
	return q->last;
}
/*
 * To limit memory.  pp_round_memory(): the bytes that the queue has, and will need to deliver them.  pp_round_spill(): give all
 * waiting records to `to' in time order, valid during the call only.  The caller then holds them: it delivers each when its
 * round is complete, before the queued records of the same time (they arrived later), and calls pp_round_spilled() with its
 * time.
 */
size_t	pp_round_memory(const struct pp_round *);
int	pp_round_spill(struct pp_round *, pp_deliver *to, void *arg);
void	pp_round_spilled(struct pp_round *, uint64_t time);

/*
 * A queue of numbers instead of records: pp_round_new() without a function.  pp_round_take() removes those up to a time; *e has
 * them in time order, with the number as `place', until the next add or take.
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
/* How many of the waiting numbers were added before the first one that is `number' or greater. */
size_t	pp_round_below(const struct pp_round *, uint64_t number);

/* The number of records that wait. */
size_t	pp_round_waiting(const struct pp_round *);
/* Bytes of spare blocks, which pp_round_memory() does not count; pp_round_shrink() frees them. */
size_t	pp_round_spare(const struct pp_round *);
void	pp_round_shrink(struct pp_round *);
/* pp_round_memory() without the unused parts of blocks; the part of it that is in blocks. */
size_t	pp_round_used(const struct pp_round *);
size_t	pp_round_held(const struct pp_round *);
/* The largest time of the first n (at most pp_round_waiting()) records in order of arrival. */
uint64_t pp_round_newest_of(const struct pp_round *, size_t n);
/*
 * Call fn for all waiting records, in time order or (not `sorted') in order of arrival; they continue to wait.  1; -1: fn
 * returned that, or no memory.
 */
int	pp_round_each(struct pp_round *, bool sorted, pp_deliver *fn, void *arg);

#endif
