/* SPDX-License-Identifier: ISC */
/*
 * timeline.h - records in perf's time order (perf-pipe(5)), within a limit of memory
 *
 *	pp_timeline	delivers records in time order: perfpipe.h
 *	pp_arrival	decides on records in time order, and emits them in order of arrival
 *
 * A record waits until its round is complete (round.c), or until the limit is reached.  At the limit both do the same: they
 * release the third of the waiting records that arrived first, and all that are not newer than the newest of these.  A record
 * that arrives later and is older than that is counted by pp_arrival_early(), and is still delivered with its round.
 *
 * Functions that return int return 1, or -1 with the reason in the pp_err.
 */
#ifndef PP_TIMELINE_H
#define PP_TIMELINE_H

#include "state/round.h"

/* Call fn for all waiting records, in time order or (not `sorted') in order of arrival; they continue to wait. */
int	pp_timeline_each(struct pp_timeline *, bool sorted, pp_deliver *fn, void *arg);

/*
 * pp_timeline_put() in two steps: space for a record of n bytes (NULL: failure), and, when the caller has written it, the rest.
 */
uint8_t	*pp_timeline_space(struct pp_timeline *, uint64_t time, size_t n);
int	pp_timeline_written(struct pp_timeline *, uint64_t time, size_t n);

/* pp_round_saw() and pp_round_limit() of its queue. */
void	pp_timeline_saw(struct pp_timeline *, uint64_t time);
uint64_t pp_timeline_limit(const struct pp_timeline *);

/* ---- decided in time order, emitted in order of arrival --------------------------------------------- */

/*
 * Most records do not change what others are decided by: these may be decided in any order, as long as each comes after the
 * older changes.  So only the records that change something (`ordered') are sorted, and the others are placed between them:
 *
 *	arrival		s5 s9 C4 s6 s2 C7 s3
 *	decided		s2 s3 | C4 | s5 s6 | C7 | s9
 */
struct pp_verdict {		/* kept until the record is emitted; front and to both 0: it is not emitted */
	uint32_t	 front;		/* for the user */
	uint8_t		 to;		/* a bit for each output */
	bool		 owed;		/* for the user */
};

struct pp_turn {		/* of the record to be decided on */
	uint64_t	 nr;		/* its number among all records put, from 1 */
	uint64_t	 offset;	/* in the input */
	uint64_t	 since;		/* no ordered record is between min(since, the record's time) and the record's time */
	uint8_t		 marks;		/* by pp_arrival_mark() */
};

/*
 * A verdict that is known when a record arrives.  It holds unless a record that changes what it depends on has its turn in between.
 * What that is, is for the user to say: it is numbered, and what shares a number is mistaken for one, which costs time only.
 */
enum { PP_GUESS_KEYS = 1 << 13, PP_CHANGED_MANY = 256, PP_NO_GUESS = -1 };
typedef int64_t	pp_guess;	/* PP_NO_GUESS, or pp_guess_of() */
/*
 * It depends on one and two, below PP_GUESS_KEYS; `why' is for the user, below 64, and `to' that of the pp_verdict, below 4, whose front
 * and owed are 0.
 */
static inline pp_guess
pp_guess_of(unsigned one, unsigned two, unsigned why, unsigned to)
{
	return (pp_guess)((uint64_t)(to << 6 | why) << 32 | two << 16 | one);
}
/* The same guess for another reason. */
static inline pp_guess
pp_guess_with(pp_guess g, unsigned why, unsigned to)
{
	return (pp_guess)((uint64_t)(to << 6 | why) << 32 | (uint32_t)g);
}
static inline unsigned
pp_guess_why(pp_guess g)
{
	return g >> 32 & 63;
}
struct pp_changed {		/* begins zeroed */
	bool		 any, all;	/* any: something has; all: everything may have */
	bool		 key[PP_GUESS_KEYS];
	unsigned	 n;		/* that are set; number[]: the first of them */
	uint16_t	 number[PP_CHANGED_MANY];
};
static inline void
pp_changes_key(struct pp_changed *c, unsigned key)
{
	c->any = true;
	if (!c->key[key] && c->n++ < PP_CHANGED_MANY)
		c->number[c->n - 1] = (uint16_t)key;
	c->key[key] = true;
}
static inline void
pp_changes_all(struct pp_changed *c)
{
	c->any = c->all = true;
}

struct pp_arrival;
struct pp_arrival_user {
	/* False: discard this record with a time when it arrives; it is neither decided on nor emitted.  NULL: none is discarded. */
	bool	(*wanted)(void *arg, const struct pp_event *, const struct pp_rec *);
	/*
	 * Decide on a record.  It is called in time order; for a record without a time at once, as perf delivers it.  -1: the
	 * record is malformed.
	 */
	int	(*turn)(void *arg, const struct pp_turn *, const struct pp_event *, const struct pp_rec *, struct pp_verdict *);
	/*
	 * Emit a record.  It is called in order of arrival, but see pp_arrival_put() for payloads.  stable: r->raw is valid
	 * until flush(), or until the source refills; a payload can be read from the source.
	 */
	int	(*emit)(void *arg, const struct pp_rec *, const struct pp_verdict *, bool stable);
	/* Write or copy the bytes of all records emitted. */
	int	(*flush)(void *arg);
	/* Bytes kept elsewhere for records not emitted yet; they count against the limit. */
	size_t	(*more)(void *arg);
	void	*arg;
	struct pp_verdict own;		/* the verdict on records of types 64 and up: turn() is not called for these */
	bool	 ordered[PP_USER_TYPE_START];	/* by type: the record changes what others are decided by */
	/*
	 * Look at a record whose type is in looks[], in time order; one without a time at once.  NULL: nothing is looked at.  When a record has its
	 * turn, all up to `ahead' ns after it were looked at.  looked(): all that can be looked at were, and those up to the time
	 * `decided' have had their turn.  -1: the record is malformed; looked(): no memory.
	 */
	int	(*look)(void *arg, const struct pp_turn *, const struct pp_event *, const struct pp_rec *);
	int	(*looked)(void *arg, uint64_t decided);
	uint64_t ahead;
	/*
	 * No record later than until() has its turn: what comes later decides on it.  NULL: none waits for more than `ahead'.  At the end, and
	 * at the limit of memory, records have their turn all the same; so passes() is called before all turns up to that time, the end
	 * being UINT64_MAX.
	 */
	uint64_t (*until)(void *arg);
	void	(*passes)(void *arg, uint64_t time);
	bool	 looks[PP_USER_TYPE_START];
	/*
	 * Guess the verdict on a record with a time that is not `ordered', when it arrives.  It has no turn if the guess holds, else
	 * missed() is called, and turn() when its turn has come.  changes() says what an ordered record changes; it is
	 * called before the turns of all that are released with that record.  NULL: nothing is guessed; not together with look().
	 */
	pp_guess (*guess)(void *arg, const struct pp_event *, const struct pp_rec *);
	void	(*changes)(void *arg, const struct pp_rec *, struct pp_changed *);
	void	(*missed)(void *arg, uint8_t why);
};

/*
 * memory: the limit in bytes, approximately.  The source reads into blocks of the timeline from now on (pp_read_into()), and
 * records stay there.  NULL: no memory.
 */
struct pp_arrival *pp_arrival_new(struct pp_source *, const struct pp_arrival_user *, size_t memory, struct pp_err *);
void	pp_arrival_free(struct pp_arrival *);
/*
 * Add a record; `stands': the record as the source yielded it, from which r was made.  A record with a payload does not wait:
 * it is emitted at once, after the earlier records of types 64 and up except FINISHED_ROUND and FINISHED_INIT.  -1: the record
 * is malformed (the pp_err has no offset), or an earlier call failed.
 */
int	pp_arrival_put(struct pp_arrival *, const struct pp_rec *, const struct pp_rec *stands);
/*
 * Here in the input there are records with times, from `first' to `last', that are of no use and were not read: they count for the time
 * order, as those do that are not `wanted'.
 */
void	pp_arrival_absent(struct pp_arrival *, uint64_t first, uint64_t last);
/* So many bytes of the limit are in use elsewhere, and are no longer there for records; half of it always is. */
void	pp_arrival_elsewhere(struct pp_arrival *, size_t bytes);
/*
 * The end of the input, also after pp_arrival_put() has failed: decide on all waiting records, and emit them as far as
 * possible.
 */
int	pp_arrival_finish(struct pp_arrival *);
/* The number of records decided on too early, because of the memory limit. */
uint64_t pp_arrival_early(const struct pp_arrival *);
/* The number of those decided on before all up to `ahead' after them had arrived, for the same reason. */
uint64_t pp_arrival_short(const struct pp_arrival *);
/*
 * look() and passes() call it: when the record with that number, this one or one that waits, has its turn, it has these marks, bits 1
 * and 2.  False: it has had its turn, or has no time.
 */
bool	pp_arrival_mark(struct pp_arrival *, uint64_t nr, unsigned marks);
/* With until(): look() calls it for a record, this one or one that waits, that is not needed: it has no turn, and is not emitted.
 * False: it has had its turn. */
bool	pp_arrival_forget(struct pp_arrival *, uint64_t nr);

#endif
