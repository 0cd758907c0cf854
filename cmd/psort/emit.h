/* SPDX-License-Identifier: ISC */
/*
 * emit.h - the output side of sorting and of merging: holds records until they are released, in a queue by their time, and in a
 * spill when the queue is over its bound of memory.
 *
 *	records -> queue (state/round.h) -> output
 *	              \-> spill (spill.h) ->/		when the queue is over its bound
 *
 * Records of one time stay in order of arrival: the queue sorts stably, and what is in the spill arrived before what is in the
 * queue, so it is written first.  Records of one time of several inputs: merge_order.h.
 */
#ifndef PSORT_EMIT_H
#define PSORT_EMIT_H

#include "state/round.h"
#include "disorder.h"
#include "sort.h"

/* Releases per window; there are few, because each release examines all held records. */
enum { WINDOW_STEPS = 8 };
/* FINISHED_ROUNDs in a row after which perf has delivered all records before them. */
enum { MARKS_ALL = 2 };

struct emit {
	struct tool	*t;
	const struct sort_how *how;
	bool		 swap;
	struct pp_round	*round;
	struct spill	*spill;
	size_t		 limit;			/* bytes in the queue */
	bool		 grew;			/* emit_buffer() was called since this was set to false */
	size_t		 pending;		/* bytes in the queue that are released but not written */
	bool		 fresh;			/* write new FINISHED_ROUNDs */
	size_t		 unmarked;		/* bytes of records with a time written since the last FINISHED_ROUND */
	unsigned	 marks;			/* FINISHED_ROUNDs written since such a record; at first MARKS_ALL */
	struct unique	*unique;		/* NULL: keep duplicates */
	uint64_t	 duplicates;
	/* Gets released records; NULL: write those that are new.  `stable': p is valid until emit_flush(), else for the call. */
	int		(*to)(void *arg, uint64_t time, const uint8_t *p, size_t n, bool stable);
	pp_many		*many;			/* the same, stable, for many at once */
	void		*arg;
};

struct emit_counts {				/* of the input */
	uint64_t timed, untimed, others;	/* records with a time, without a time, written by perf */
	uint64_t rounds, idle_rounds;		/* FINISHED_ROUNDs; those before the first record with a time */
	uint64_t late;
	uint64_t moved;				/* of tasks and maps, without a time: they precede what perf has before them */
};

/* `err' gets errors of the queue.  1, or -1: no memory.  In both cases call emit_close(). */
int	emit_open(struct emit *, struct tool *, const struct sort_how *, struct spill *, struct pp_err *);
void	emit_close(struct emit *);
/* Queue a record, or a copy of it if it is not in the last emit_buffer(). */
static inline int
emit_add(struct emit *e, uint64_t time, const uint8_t *p, size_t n)
{
	return pp_round_add(e->round, time, p, n);
}
/* Queue a copy of a record, and set its own time, if it has the field.  *copy: as pp_round_add_copy(). */
int	emit_add_stamped(struct emit *, const struct pp_event *, const struct pp_rec *, uint64_t time, uint8_t **copy);
/* Is the queue over its bound?  If so, and no more can be released, emit_bound() moves it to the spill. */
static inline bool
emit_is_full(const struct emit *e)
{
	return pp_round_memory(e->round) + pp_round_spare(e->round) > e->limit;
}
int	emit_spill(struct emit *);
static inline int
emit_bound(struct emit *e)
{
	return emit_is_full(e) ? emit_spill(e) : 1;
}
/* After the queue released up to this time: release it from the spill, too, write a FINISHED_ROUND, call emit_reclaim(). */
int	emit_released(struct emit *, uint64_t limit);
/* Release records up to this time, without a FINISHED_ROUND. */
int	emit_release(struct emit *, uint64_t limit);
/* Call emit_flush(), if it frees enough memory. */
int	emit_reclaim(struct emit *);
/* Is the record a duplicate to be dropped?  It is counted. */
bool	emit_is_twice(struct emit *, uint64_t time, const uint8_t *p, size_t n);
/* Write a record, and a FINISHED_ROUND before it if one is due. */
int	emit_put(struct emit *, const uint8_t *p, size_t n, bool stable);
/* The same for n stable pieces, of `bytes' in all, each of one record or of several. */
int	emit_put_pieces(struct emit *, const struct iovec *, size_t n, size_t bytes);
int	emit_mark(struct emit *);		/* write a new FINISHED_ROUND */
void	emit_marked(struct emit *);		/* note that one of the input was written */
/*
 * Call it before a record without a time is written.  perf delivers that record at once, but the records before it only at
 * the second FINISHED_ROUND: this writes the missing ones, so that a reader keeps the order.
 */
int	emit_catch_up(struct emit *);
/* Write a record with its payload, the next bytes of the source.  1, or -1: the source or the output has failed. */
int	emit_payload(struct emit *, struct pp_source *, const struct pp_rec *);
/*
 * Write zeros for missing bytes of a payload; otherwise readers take the next records for the payload.  1, or -1: too
 * many bytes are missing.
 */
int	emit_fill(struct emit *, uint64_t missing);
/* Until the first spill: release records that are adjacent in memory as one piece, and many at once. */
void	emit_side_by_side(struct emit *);
/* Release many records at once; e->to and e->many are set. */
void	emit_many(struct emit *);
/* For pp_read_into(): memory of the queue, so that records need no copy.  All records put before must be written. */
uint8_t	*emit_buffer(void *emit);
/* Write all released records, and free their memory. */
int	emit_flush(struct emit *);
/* Warn of late records, and with -v print if there were no FINISHED_ROUNDs. */
void	emit_say(const struct emit *, const char *input, const struct emit_counts *);
void	emit_say_stats(const struct emit *, const struct emit_counts *, const struct disorder *);

#endif
