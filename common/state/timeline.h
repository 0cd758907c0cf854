/* SPDX-License-Identifier: ISC */
/*
 * timeline.h - records in perf's time order (perf-pipe(5)), within a bound of memory.
 *
 *	pp_timeline	each record has its turn in time order: perfpipe.h
 *	pp_arrival	each record is decided on when its turn comes, and goes out in order of arrival
 *
 * A record waits until its round is out (round.c), or until the bound is reached.  The rule for that case is one for all:
 * the third that came first goes, with all that is not newer than the newest record of it.  What arrives later and is older
 * than that has missed its turn: it is counted as early decided, and its turn comes by the rounds all the same.
 */
#ifndef PP_TIMELINE_H
#define PP_TIMELINE_H

#include "state/round.h"

/* Show all that waits to `fn', in time order or (not `sorted') in order of arrival; it goes on waiting.  1 or -1. */
int	pp_timeline_each(struct pp_timeline *, bool sorted, pp_deliver *fn, void *arg);

/* ---- decided in time order, out in order of arrival ------------------------------------------------ */

/*
 * Most records change nothing of what others are decided by: in which order these are decided does not matter, as long as
 * each is behind the changes that are older.  So only the records that make changes (`ordered') are put in order, and the
 * others between them:
 *
 *	arrival		s5 s9 C4 s6 s2 C7 s3
 *	decided		s2 s3 | C4 | s5 s6 | C7 | s9
 */
struct pp_verdict {		/* what was decided on a record; kept with it until it is emitted.  front and to 0: it is not */
	uint32_t	 front;		/* its user's */
	uint8_t		 to;		/* a bit for each output */
	bool		 owed;		/* its user's */
};

struct pp_turn {		/* of the record that is decided on */
	uint64_t	 nr;		/* its number among those put, from 1 */
	uint64_t	 offset;	/* where it stands in the input */
	uint64_t	 since;		/* no ordered record is between this time, or its own if that is less, and it */
};

struct pp_arrival;
struct pp_arrival_user {
	/* Has a timed record, which has just arrived, a part in anything?  If not it is neither decided on nor emitted.  NULL: yes. */
	bool	(*wanted)(void *arg, const struct pp_event *, const struct pp_rec *);
	/* The turn of a record; of one without a time at once, as perf delivers it.  1, or -1: it is not sound. */
	int	(*turn)(void *arg, const struct pp_turn *, const struct pp_event *, const struct pp_rec *, struct pp_verdict *);
	/*
	 * In order of arrival; a record with a payload overtakes (pp_arrival_put()).  `stable': r->raw stays as it is until
	 * flush(), or until the source refills; a payload can be fetched from the source.  1, or -1.
	 */
	int	(*emit)(void *arg, const struct pp_rec *, const struct pp_verdict *, bool stable);
	/* Be done with the bytes of all that was emitted.  1, or -1. */
	int	(*flush)(void *arg);
	/* Bytes that are kept elsewhere for records that are not yet emitted: they count, too. */
	size_t	(*more)(void *arg);
	void	*arg;
	struct pp_verdict own;		/* on records of perf's own (type 64 and up), for which turn() is not called */
	bool	 ordered[PP_USER_TYPE_START];	/* by type */
};

/*
 * Records of this source, within about `memory' bytes.  It reads into blocks of ours from now on (pp_read_into()), and the
 * records stay where they lie.  NULL: no memory (pp_err).
 */
struct pp_arrival *pp_arrival_new(struct pp_source *, const struct pp_arrival_user *, size_t memory, struct pp_err *);
void	pp_arrival_free(struct pp_arrival *);
/*
 * A record; `stands': it, or what it was made of, as the source yielded it.  A record with a payload does not wait: it is
 * emitted at once, behind those of perf's own that came before it, but for FINISHED_ROUND and FINISHED_INIT.  1, or -1: it is
 * not sound (pp_err without a place), or something failed before.
 */
int	pp_arrival_put(struct pp_arrival *, const struct pp_rec *, const struct pp_rec *stands);
/* The end, also after pp_arrival_put() failed: decide on all that waits, and emit what can be.  1, or -1. */
int	pp_arrival_finish(struct pp_arrival *);
/* Records that were decided on by what was known too early, because the bound was reached. */
uint64_t pp_arrival_early(const struct pp_arrival *);

#endif
