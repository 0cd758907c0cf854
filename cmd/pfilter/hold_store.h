/* SPDX-License-Identifier: ISC */
/*
 * hold_store.h - where records wait for hold.c: copies, in order of arrival.
 *
 *	blocks	the bytes: neighbours stay neighbours, so they are written in one piece
 *	ring	an entry for each, by number: numbers count all records put
 *
 * Records leave in order.  A block may be filled again when its records have left and are flushed.
 */
#ifndef PFILTER_HOLD_STORE_H
#define PFILTER_HOLD_STORE_H

#include "perfpipe_inline.h"

struct held {
	const uint8_t	*raw;
	uint64_t	 off, time;	/* where it stood in the input; its time, 0: none */
	int		 verdict;
	uint32_t	 event;		/* index */
};

struct block;
struct store {				/* begins zeroed but for flush */
	struct held	*ring;
	size_t		 cap;		/* a power of two */
	uint64_t	 first, next;	/* numbers of the first that is here, and of the next one to come */
	struct block	*oldest, *newest;	/* those that hold something, and that which is filled */
	struct block	*written, *spare;	/* not yet flushed; to be used again */
	size_t		 nblocks;	/* from `oldest' on */
	int		(*flush)(void *arg);	/* be done with the bytes of those that have left */
	void		*arg;
};

static inline struct held *
store_at(const struct store *s, uint64_t n)
{
	return &s->ring[n & (s->cap - 1)];
}

/* Is there an entry for one more?  If not, how many bytes store_grow() will take; it returns -1 if there is no memory. */
static inline bool
store_full(const struct store *s)
{
	return s->next - s->first >= s->cap;
}
size_t	store_growth(const struct store *);
int	store_grow(struct store *);
/* Copy a record, whose number is s->next - 1 then; not if the store is full.  NULL: no memory, or flush() failed. */
struct held *store_put(struct store *, const struct pp_rec *, uint64_t time);
/* s->first has grown: the blocks of those that have left may go, too. */
void	store_left(struct store *);
/* The latest time of what is in the oldest of the blocks. */
uint64_t store_latest(const struct store *, size_t nblocks);
size_t	store_block_bytes(const struct store *);
size_t	store_memory(const struct store *);
void	store_free(struct store *);

#endif
