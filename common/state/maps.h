/* SPDX-License-Identifier: ISC */
/*
 * maps.h - the maps of one process as a search tree, shared between processes until one changes it; private to state*.c (others
 * use struct pp_maps through state.h)
 *
 * A treap: ordered by address, and a heap by a random number, so it is balanced for any addresses.  Nodes have a reference
 * count; a change copies the shared nodes on its path, so a fork costs nothing and a change after it a logarithmic number of
 * nodes.
 *
 * A search of many maps waits for memory at most steps.  So when searches since the last change took as many steps as there are maps,
 * an index is made for the next ones: an array of the first addresses, in which most steps are in the cache, and one of the nodes.
 *
 * Nodes and indexes have numbers of 32 bits, which take half of a pointer; 0 is none.  All nodes lie in one array, which moves when it
 * grows; the number of one is its place there in words of 8 bytes, so that a step of a search need not multiply.
 */
#ifndef PP_MAPS_H
#define PP_MAPS_H

#include "state.h"

struct maps_pool {		/* the memory of nodes and indexes; begins zeroed */
	uint64_t	*word;		/* of nodes; the first one is none */
	struct maps_index *index;	/* by number; [0] is none */
	uint32_t	 used, cap;	/* words that were ever in use, and the space for them */
	uint32_t	 free, nfree;	/* unused nodes, linked by `left' */
	uint32_t	 nindex, free_index;
	size_t		 bytes;		/* of the nodes in use, and of indexes */
	uint64_t	 seed;		/* of the random numbers; the caller sets it to random bytes */
	uint64_t	 version;	/* the last version number used */
};

struct pp_maps {			/* begins zeroed */
	uint64_t	 version : 56;	/* pp_maps_version() */
	uint64_t	 serial_high : 8;	/* of a process: process_serial() */
	uint32_t	 root;		/* a node; 0: no maps */
	uint32_t	 index;		/* 0: no search took many steps yet */
};

void	pp_maps_pool_end(struct maps_pool *);
/* Insert a map and remove what it overlaps.  1, or -1: no memory, nothing is changed. */
int	pp_maps_insert(struct maps_pool *, struct pp_maps *, const struct pp_map *);
/* Make `to', which must be empty, share the maps of `from'. */
void	pp_maps_share(struct maps_pool *, struct pp_maps *to, const struct pp_maps *from);
/* Release the maps, and leave none. */
void	pp_maps_drop(struct maps_pool *, struct pp_maps *);
/* A reference to the maps as they are now, the number of their root; later changes do not affect it.  0: there are none. */
uint32_t pp_maps_hold(struct maps_pool *, const struct pp_maps *);
void	pp_maps_release(struct maps_pool *, uint32_t);
/* Call fn for each map in the pool, whoever has it, in any order. */
void	pp_maps_pool_each(const struct maps_pool *, void (*fn)(void *arg, const struct pp_map *), void *arg);
/*
 * Call fn, as pp_maps_each() does, for the maps that are not in `base' with the same contents.  The cost is proportional to the
 * number of changes between the two.
 */
int	pp_maps_each_new(const struct pp_state *, const struct pp_maps *, uint32_t base, int (*)(void *arg, const struct pp_map *), void *arg);

#endif
