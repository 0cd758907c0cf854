/* SPDX-License-Identifier: ISC */
/*
 * held.h - the records of a source in order of arrival, until they are emitted; for arrival*.c
 *
 *	blocks	the bytes of records that may be emitted (block.h)
 *	ring	an entry for each record, whose number counts all records put
 *
 * Entries are removed in order, bytes as soon as they are known to be unneeded.
 */
#ifndef PP_HELD_H
#define PP_HELD_H

#include "state/block.h"

struct pp_held {
	uint64_t	 place;		/* in the blocks; valid if pp_held_goes() */
	uint64_t	 off;		/* offset in the input */
	uint64_t	 time;		/* while it waits */
	union {
		uint32_t front;		/* PP_DECIDED: of the verdict */
		uint32_t marks;		/* PP_WAITS: PP_LOOKED ... */
		uint32_t keys;		/* PP_GUESSED: of its pp_guess, here and below */
	};
	uint8_t		 to;		/* PP_GUESSED: to << 6 | why */
	enum { PP_WAITS, PP_GUESSED, PP_DECIDED, PP_UNSOUND } __attribute__((packed)) state;
	union {
		uint16_t event;		/* while it waits: the index of its event, of 65,536 at most */
		bool	 owed;		/* PP_DECIDED: of the verdict */
	};
};
enum { PP_LOOKED = 1, PP_MARKED = 2, PP_MARKED_2 = 4 };

struct pp_ring {			/* begins zeroed */
	struct pp_blocks blocks;
	struct pp_held	*e;
	size_t		 cap;		/* a power of 2 */
	uint64_t	 first, next;	/* number of the first entry; number of the next record */
};

static inline struct pp_held *
pp_ring_at(const struct pp_ring *g, uint64_t n)
{
	return &g->e[n & (g->cap - 1)];
}

/*
 * Is there no entry for one more record?  pp_ring_growth(): bytes that pp_ring_grow() allocates.  pp_ring_grow(): 1, or -1: no
 * memory.
 */
static inline bool
pp_ring_full(const struct pp_ring *g)
{
	return g->next - g->first >= g->cap;
}
size_t	pp_ring_growth(const struct pp_ring *);
int	pp_ring_grow(struct pp_ring *);

/* Will the record be emitted, or is this not decided yet? */
static inline bool
pp_held_goes(const struct pp_held *e)
{
	return e->state != PP_DECIDED || e->to || e->front;
}

/* The bytes of a record for which pp_held_goes(). */
static inline const uint8_t *
pp_ring_bytes(const struct pp_ring *g, const struct pp_held *e)
{
	return pp_blocks_at(&g->blocks, e->place);
}

/* The bytes of the record are not needed any more; they stay until pp_blocks_reclaim(). */
static inline void
pp_ring_drop(struct pp_ring *g, const struct pp_held *e)
{
	pp_block_drop(&g->blocks, pp_block_of(&g->blocks, e->place), 1);
}

/*
 * A new buffer for the source.  The needed bytes of the previous one are copied if they are few, so that the block can be
 * freed.  NULL: no memory.
 */
uint8_t	*pp_ring_buffer(struct pp_ring *);
/*
 * Copy the needed bytes together, if that frees half of the blocks at least; addresses from pp_ring_bytes() become invalid at
 * pp_blocks_reclaim().  1; 0: it would not; -1: no memory.
 */
int	pp_ring_compact(struct pp_ring *);
/* Bytes in use, without spare blocks. */
size_t	pp_ring_memory(const struct pp_ring *);
void	pp_ring_free(struct pp_ring *);

#endif
