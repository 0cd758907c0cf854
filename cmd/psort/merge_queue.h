/* SPDX-License-Identifier: ISC */
/*
 * merge_queue.h - one input of a merge: its rounds, and the queue of what they released.
 *
 * Each entry has a key, and keys never go down: the time; of a record that came too late, the time of the one before.
 * What has no time stands in its place, in front of what still waits for its round, and has the key of the record
 * behind it: so the tasks and maps that begin a later piece of a recording do not go in front of the pieces before.
 */
#ifndef PSORT_MERGE_QUEUE_H
#define PSORT_MERGE_QUEUE_H

#include <sys/queue.h>

#include "perfpipe.h"

struct merge_entry {
	uint64_t	 key;
	uint64_t	 payload;	/* bytes that are still in the source, which waits for it */
	uint16_t	 size;
	bool		 timed;
	uint8_t		 raw[];		/* size bytes, padded to 8 */
};

struct merge_block;
struct merge_queue {
	struct pp_round	*round;
	STAILQ_HEAD(, merge_block) blocks, spent;
	struct merge_block *open_block;	/* where the first entry without key stands; NULL: all have one */
	size_t		 open_at;
	size_t		 open_bytes;
	size_t		 nspent;
	uint64_t	 last;		/* the largest key so far: what comes has no smaller one */
	uint64_t	 held;		/* bytes in the rounds and in the queue */
	size_t		 delivered;	/* bytes since the rounds gave back memory */
	bool		 stalled;	/* the last entry has a payload */
	struct pp_err	*err;
};

int	merge_queue_init(struct merge_queue *, struct pp_err *);
void	merge_queue_free(struct merge_queue *);
/* Take in a record, with its time or (timed false) in its place.  Not FINISHED_ROUND.  1, or -1: no memory. */
int	merge_queue_add(struct merge_queue *, const struct pp_rec *, bool timed, uint64_t time);
int	merge_queue_finished(struct merge_queue *);	/* a FINISHED_ROUND */
int	merge_queue_final(struct merge_queue *);	/* the end */
/* The first entry if its key is known, else NULL.  Its bytes stay until merge_queue_reclaim(). */
struct merge_entry *merge_queue_head(const struct merge_queue *);
void	merge_queue_pop(struct merge_queue *);
/* Is there much to give back?  Then flush what was put, and reclaim. */
bool	merge_queue_spent(const struct merge_queue *);
void	merge_queue_reclaim(struct merge_queue *);

#endif
