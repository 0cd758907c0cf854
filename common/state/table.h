/* SPDX-License-Identifier: ISC */
/*
 * table.h - a hash table of things that begin with a struct link.  Several may have the same key: who looks something
 * up compares.
 */
#ifndef PP_TABLE_H
#define PP_TABLE_H

#include <stddef.h>
#include <stdint.h>

struct link {
	struct link	*next;
	uint64_t	 key;
};
struct table {			/* empty: all zeros but mul */
	struct link	**slot;		/* freed by the owner, like what stands in it */
	unsigned	 bits;		/* slots: 1 << bits; 0: none */
	size_t		 n;
	uint64_t	 mul;		/* random and odd: a recording can't choose where its keys fall */
};

/* The first that has the key, and the next one of the same key; NULL: no more. */
struct link *table_first(const struct table *, uint64_t key);
struct link *table_next(struct link *);
/* 1, or -1: no memory. */
int	table_add(struct table *, struct link *, uint64_t key);
void	table_remove(struct table *, struct link *);
/* A key for bytes, going on from h. */
uint64_t table_hash(const struct table *, uint64_t h, const uint8_t *, size_t n);

#endif
