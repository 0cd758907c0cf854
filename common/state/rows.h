/* SPDX-License-Identifier: ISC */
/*
 * rows.h - many structs of one size or two, each with a number of 32 bits and found by a key of 32 bits; private to state*.c
 *
 * They refer to each other by numbers, which take half of a pointer; 0 is none.  They lie in chunks, so that there is nothing
 * between them and a pointer to one stays valid until it is dropped.  A number is the chunk and, in words of 8 bytes, the place in it.  What is dropped is used again by the next one; its memory
 * is given back at the end.  Several may have the same key.
 *
 * Structs of two sizes have one table to find them.  Chunks of the second size have odd numbers, so that the number of a row tells
 * its size.
 */
#ifndef PP_ROWS_H
#define PP_ROWS_H

#include "perfpipe_inline.h"

enum { ROWS_SHIFT = 12, ROWS_WORDS = 1 << ROWS_SHIFT };	/* words of a chunk */

struct row {				/* what each of the structs begins with */
	uint32_t	 next;		/* of the same slot, or of the unused rows */
	uint32_t	 key;
};
struct rows {				/* by pp_rows_init(): empty */
	uint64_t	**chunk;	/* NULL: none of that number */
	uint32_t	 cap;		/* numbers of chunks in `chunk' */
	struct rows_of {
		uint32_t words;		/* of a struct */
		uint32_t n;		/* rows in use */
		uint32_t used;		/* rows that were ever in use, and row 0 */
		uint32_t chunks;
		uint32_t unused;	/* the first of those that were dropped; 0: none */
	}		 of[2];
	uint32_t	 listed;	/* rows that a key finds */
	unsigned	 bits;		/* slots: 1 << bits; 0: none */
	uint32_t	*slot;
	uint64_t	 mul;		/* random and odd: a recording cannot choose its collisions */
};

void	 pp_rows_init(struct rows *, size_t size, size_t second);
void	 pp_rows_free(struct rows *);
/* A row of zeros with that key, of the second size or not, and its number; 0: no memory. */
uint32_t pp_rows_add(struct rows *, uint32_t key, bool second);
/* No key finds it any more; it stays what it is. */
void	 pp_rows_unlist(struct rows *, uint32_t);
/* Drop a row that no key finds. */
void	 pp_rows_drop(struct rows *, uint32_t);
/* Bytes of the rows in use, and of what finds them. */
size_t	 pp_rows_memory(const struct rows *);

/* Is the row of that number of the second size? */
static inline bool
rows_second(uint32_t i)
{
	return i >> ROWS_SHIFT & 1;
}

/* The row of a number that is not 0. */
static inline void *
rows_at(const struct rows *r, uint32_t i)
{
	return r->chunk[i >> ROWS_SHIFT] + (i & (ROWS_WORDS - 1));
}

/* The row of that number or, behind it in its slot, the first with the key; 0: none. */
static inline uint32_t
rows_seek(const struct rows *r, uint32_t i, uint32_t key)
{
	const struct row *row;

	for (; i; i = row->next)
		if ((row = rows_at(r, i))->key == key)
			break;
	return i;
}

static inline uint32_t
rows_first(const struct rows *r, uint32_t key)
{
	return r->bits ? rows_seek(r, r->slot[key * r->mul >> (64 - r->bits)], key) : 0;
}

/* The number of the i-th row of a size that was ever in use; the first one is row 0 of the first size, which is none. */
static inline uint32_t
rows_number(const struct rows *r, uint32_t i, bool second)
{
	uint32_t words = r->of[second].words, n = ROWS_WORDS / words;

	return (2 * (i / n) + second) << ROWS_SHIFT | i % n * words;
}

#endif
