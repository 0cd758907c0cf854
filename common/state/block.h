/* SPDX-License-Identifier: ISC */
/*
 * block.h - memory for records that wait: blocks of 256 KiB, which a source reads into, or which take copies
 *
 * A block is freed when none of its records is needed, in whatever order that happens.  No function looks at all blocks: the
 * cost of a record does not depend on how many wait.
 *
 * A record has a place, a number that stays the same: number of the block, byte in it (PP_BLOCK_SHIFT bits), size in bytes (16
 * bits).
 */
#ifndef PP_BLOCK_H
#define PP_BLOCK_H

#include "perfpipe_inline.h"

enum { PP_BLOCK_SHIFT = 18, PP_BLOCK_SIZE = 1 << PP_BLOCK_SHIFT };
_Static_assert(PP_BLOCK_SIZE == (int)PP_BUFFER_SIZE, "a source reads into blocks");

struct pp_block {
	size_t		 live;		/* number of records that are needed */
	size_t		 used;		/* bytes up to the end of the last record kept */
	uint64_t	 number;
	struct pp_block	*next;		/* in the list `idle' or `spare' */
	uint8_t		 data[PP_BLOCK_SIZE];
};

struct pp_blocks {			/* begins zeroed */
	struct pp_block	**all;		/* by number, all[0] is number `base'; NULL: none of its records is needed */
	size_t		 first, n, cap;	/* all[first] to all[n - 1] are in use */
	uint64_t	 base;
	struct pp_block	*reading;	/* the source's buffer; NULL: the source uses its own */
	struct pp_block	*filling;	/* takes copies; NULL: none */
	struct pp_block	*idle;		/* blocks with no needed record; their bytes stay until pp_blocks_reclaim() */
	struct pp_block	*spare;		/* to be used again: as many as are in use, or a few */
	size_t		 nspare;
	size_t		 mem;		/* bytes of all blocks, with the spare ones */
	size_t		 tails;		/* bytes of `mem' behind the last record in blocks that take no more */
};

/* A block for the source to read into.  The previous one stays while a record in it is needed.  NULL: no memory. */
struct pp_block *pp_blocks_buffer(struct pp_blocks *);
/*
 * Keep a record of n bytes (at most 65535): in place if it lies in the last buffer of pp_blocks_buffer(), else as a copy.  1
 * and its place; -1: no memory.
 */
static inline int pp_blocks_keep(struct pp_blocks *, const void *p, size_t n, uint64_t *place);
/* The same, always as a copy. */
int	pp_blocks_copy(struct pp_blocks *, const void *p, size_t n, uint64_t *place);
/* Space for n bytes, which the caller writes, and its place.  NULL: no memory. */
static inline uint8_t *pp_blocks_space(struct pp_blocks *, size_t n, uint64_t *place);
/* A new block to be filled.  NULL: no memory. */
struct pp_block *pp_blocks_fill(struct pp_blocks *);
/* Recycle the idle blocks.  Addresses from pp_block_at() in them become invalid. */
void	pp_blocks_reclaim(struct pp_blocks *);
/* Free the spare blocks. */
void	pp_blocks_shrink(struct pp_blocks *);
void	pp_blocks_free(struct pp_blocks *);
/* Bytes of the spare blocks; of the others; of these without their unused parts. */
static inline size_t
pp_blocks_spare(const struct pp_blocks *b)
{
	return b->nspare * sizeof *b->spare;
}
static inline size_t
pp_blocks_memory(const struct pp_blocks *b)
{
	return b->mem - pp_blocks_spare(b) + b->cap * sizeof *b->all;
}
size_t	pp_blocks_held(const struct pp_blocks *);

/* The number of the block of a place. */
static inline uint64_t
pp_place_number(uint64_t place)
{
	return place >> (PP_BLOCK_SHIFT + 16);
}

static inline struct pp_block *
pp_block_of(const struct pp_blocks *b, uint64_t place)
{
	return b->all[pp_place_number(place) - b->base];
}

/* The address of the record at a place in that block; valid until pp_blocks_reclaim() after its pp_block_drop(). */
static inline const uint8_t *
pp_block_at(const struct pp_block *k, uint64_t place)
{
	return k->data + (place >> 16 & (PP_BLOCK_SIZE - 1));
}

static inline const uint8_t *
pp_blocks_at(const struct pp_blocks *b, uint64_t place)
{
	return pp_block_at(pp_block_of(b, place), place);
}

/* No record of the block is needed any more. */
void	pp_blocks_idle(struct pp_blocks *, struct pp_block *);
/* n records of the block are not needed any more. */
static inline void
pp_block_drop(struct pp_blocks *b, struct pp_block *k, size_t n)
{
	if (!(k->live -= n))
		pp_blocks_idle(b, k);
}

static inline uint8_t *
pp_blocks_space(struct pp_blocks *b, size_t n, uint64_t *place)
{
	struct pp_block *k = b->filling;
	size_t at;

	if ((!k || k->used + n > PP_BLOCK_SIZE) && !(k = pp_blocks_fill(b)))
		return NULL;
	at = k->used;
	k->live++;
	k->used = at + n;
	*place = (k->number << PP_BLOCK_SHIFT | at) << 16 | n;
	return k->data + at;
}

static inline int
pp_blocks_keep(struct pp_blocks *b, const void *p, size_t n, uint64_t *place)
{
	struct pp_block *k = b->reading;
	uint64_t at = k ? (uintptr_t)p - (uintptr_t)k->data : PP_BLOCK_SIZE;

	if (at >= PP_BLOCK_SIZE)
		return pp_blocks_copy(b, p, n, place);
	k->live++;
	k->used = at + n;
	*place = (k->number << PP_BLOCK_SHIFT | at) << 16 | n;
	return 1;
}

#endif
