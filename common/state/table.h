/* SPDX-License-Identifier: ISC */
/*
 * table.h - a hash table of things that begin with a struct link.  Several may have the same key: who looks something
 * up compares.
 */
#ifndef PP_TABLE_H
#define PP_TABLE_H

#include "perfpipe_inline.h"

struct link {
	struct link	*next;
	uint64_t	 key;
};
struct table {			/* by pp_table_init() */
	struct link	**slot;
	unsigned	 bits;		/* slots: 1 << bits; 0: none */
	size_t		 n;
	uint64_t	 mul;		/* random and odd: a recording can't choose where its keys fall */
};

/* Make an empty table.  1, or -1: no random bytes. */
int	pp_table_init(struct table *, struct pp_err *);
/* Free the table, and with `all' what stands in it, too, by free(). */
void	pp_table_free(struct table *, bool all);
/* The first that has the key, and the next one of the same key; NULL: no more. */
struct link *pp_table_first(const struct table *, uint64_t key);
struct link *pp_table_next(struct link *);
/* 1, or -1: no memory. */
int	pp_table_add(struct table *, struct link *, uint64_t key);
void	pp_table_remove(struct table *, struct link *);
/* A key for bytes, going on from h. */
uint64_t pp_table_hash(const struct table *, uint64_t h, const uint8_t *, size_t n);

#endif
