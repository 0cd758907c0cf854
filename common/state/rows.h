/* SPDX-License-Identifier: ISC */
/*
 * rows.h - many structs of one size, each with a number of 32 bits and found by a key of 32 bits; private to state*.c
 *
 * They refer to each other by numbers, which take half of a pointer; 0 is none.  They lie in chunks, so that there is nothing
 * between them and a pointer to one stays valid until it is dropped.  What is dropped is used again by the next one; its memory
 * is given back at the end.  Several may have the same key.
 */
#ifndef PP_ROWS_H
#define PP_ROWS_H

#include "perfpipe_inline.h"

enum { ROWS_SHIFT = 9 };		/* rows of a chunk: 1 << ROWS_SHIFT */

struct row {				/* what each of the structs begins with */
	uint32_t	 next;		/* of the same slot, or of the unused rows */
	uint32_t	 key;
};
struct rows {				/* by pp_rows_init(): empty */
	uint8_t		**chunk;
	size_t		 size;		/* of a struct */
	uint32_t	 used;		/* rows that were ever in use, and row 0 */
	uint32_t	 cap;		/* rows that the chunks have */
	uint32_t	 unused;	/* the first of those that were dropped; 0: none */
	uint32_t	 n;		/* rows in use */
	uint32_t	 listed;	/* those that a key finds */
	unsigned	 bits;		/* slots: 1 << bits; 0: none */
	uint32_t	*slot;
	uint64_t	 mul;		/* random and odd: a recording cannot choose its collisions */
};

void	 pp_rows_init(struct rows *, size_t size);
void	 pp_rows_free(struct rows *);
/* A row of zeros with that key, and its number; 0: no memory. */
uint32_t pp_rows_add(struct rows *, uint32_t key);
/* No key finds it any more; it stays what it is. */
void	 pp_rows_unlist(struct rows *, uint32_t);
/* Drop a row that no key finds. */
void	 pp_rows_drop(struct rows *, uint32_t);
/* Bytes of the rows in use, and of what finds them. */
size_t	 pp_rows_memory(const struct rows *);

/* The row of a number that is not 0; size: a constant, so that the compiler can do better than to multiply. */
static inline void *
rows_at(const struct rows *r, uint32_t i, size_t size)
{
	return r->chunk[i >> ROWS_SHIFT] + (i & ((1u << ROWS_SHIFT) - 1)) * size;
}

/* The row of that number or, behind it in its slot, the first with the key; 0: none. */
static inline uint32_t
rows_seek(const struct rows *r, uint32_t i, uint32_t key, size_t size)
{
	const struct row *row;

	for (; i; i = row->next)
		if ((row = rows_at(r, i, size))->key == key)
			break;
	return i;
}

static inline uint32_t
rows_first(const struct rows *r, uint32_t key, size_t size)
{
	return r->bits ? rows_seek(r, r->slot[key * r->mul >> (64 - r->bits)], key, size) : 0;
}

#endif
