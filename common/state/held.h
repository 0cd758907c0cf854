/* SPDX-License-Identifier: ISC */
/*
 * held.h - records of one source in order of arrival, until they are emitted: for timeline_arrival.c.
 *
 *	blocks	the bytes of those that may be emitted (block.h)
 *	ring	an entry for each record; its number counts all records put
 *
 * Entries leave in order, bytes as soon as it is known that they are not needed.
 */
#ifndef PP_HELD_H
#define PP_HELD_H

#include "state/block.h"

struct pp_held {
	uint64_t	 place;		/* in the blocks, if pp_held_goes() */
	uint64_t	 off;		/* where it stood in the input */
	uint32_t	 front;		/* of the verdict; before that: index of the event */
	uint8_t		 to;
	bool		 owed;
	enum { PP_WAITS, PP_DECIDED, PP_UNSOUND } __attribute__((packed)) state;
};

struct pp_ring {			/* begins zeroed */
	struct pp_blocks blocks;
	struct pp_held	*e;
	size_t		 cap;		/* a power of two */
	uint64_t	 first, next;	/* numbers of the first entry, and of the next record to come */
};

static inline struct pp_held *
pp_ring_at(const struct pp_ring *g, uint64_t n)
{
	return &g->e[n & (g->cap - 1)];
}

/* Is there an entry for one more?  If not, the bytes that pp_ring_grow() takes; it returns 1, or -1: no memory. */
static inline bool
pp_ring_full(const struct pp_ring *g)
{
	return g->next - g->first >= g->cap;
}
size_t	pp_ring_growth(const struct pp_ring *);
int	pp_ring_grow(struct pp_ring *);

/* Is the record emitted, or may it be? */
static inline bool
pp_held_goes(const struct pp_held *e)
{
	return e->state != PP_DECIDED || e->to || e->front;
}

/* The bytes of a record that goes. */
static inline const uint8_t *
pp_ring_bytes(const struct pp_ring *g, const struct pp_held *e)
{
	return pp_blocks_at(&g->blocks, e->place);
}

/* Its bytes are not needed any more; they stay until pp_blocks_reclaim(). */
static inline void
pp_ring_drop(struct pp_ring *g, const struct pp_held *e)
{
	pp_block_drop(&g->blocks, pp_block_of(&g->blocks, e->place), 1);
}

/*
 * The source needs another buffer.  If only few bytes of the last one are needed they are copied, that they do not keep all
 * of it.  NULL: no memory.
 */
uint8_t	*pp_ring_buffer(struct pp_ring *);
/* Bytes in use, without spare blocks. */
size_t	pp_ring_memory(const struct pp_ring *);
void	pp_ring_free(struct pp_ring *);

#endif
