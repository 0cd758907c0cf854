/* SPDX-License-Identifier: ISC */
/* table.h - a hash table of structs that begin with a struct link.  Several may have the same key; callers compare the rest. */
#ifndef PP_TABLE_H
#define PP_TABLE_H

#include "perfpipe_inline.h"

struct link {
	struct link	*next;
	uint64_t	 key;
};
struct table {			/* by pp_table_init(): empty */
	struct link	**slot;
	unsigned	 bits;		/* slots: 1 << bits; 0: none */
	size_t		 n;
	uint64_t	 mul;		/* random and odd: a recording cannot choose its collisions */
};

void	pp_table_init(struct table *);
/* Free the table; all: and its elements, by free(). */
void	pp_table_free(struct table *, bool all);
/* The first element with the key, and the next with the same key; NULL: none. */
struct link *pp_table_first(const struct table *, uint64_t key);
struct link *pp_table_next(struct link *);
/* 1, or -1: no memory. */
int	pp_table_add(struct table *, struct link *, uint64_t key);
void	pp_table_remove(struct table *, struct link *);
/* Hash n bytes to a key, continuing from h. */
uint64_t pp_table_hash(const struct table *, uint64_t h, const uint8_t *, size_t n);

#endif
