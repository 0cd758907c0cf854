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
 */
#ifndef PP_MAPS_H
#define PP_MAPS_H

#include "state.h"

struct maps_node;

struct maps_pool {		/* the memory of nodes */
	struct maps_node *batches;	/* what was allocated, linked by the left pointer of its first node */
	struct maps_node *free;		/* unused nodes, linked by their left pointer */
	size_t		 nfree;
	size_t		 bytes;		/* of the nodes in use */
	uint64_t	 seed;		/* of the random numbers; the caller sets it to random bytes */
	uint64_t	 version;	/* the last version number used */
};

struct pp_maps {			/* begins zeroed */
	struct maps_node *root;		/* NULL: no maps */
	struct maps_index *index;	/* NULL: no search took many steps yet; 16 bytes a map, which are not in the pool */
};

void	pp_maps_pool_end(struct maps_pool *);
/* Insert a map and remove what it overlaps.  1, or -1: no memory, nothing is changed. */
int	pp_maps_insert(struct maps_pool *, struct pp_maps *, const struct pp_map *);
/* Make `to', which must be empty, share the maps of `from'. */
void	pp_maps_share(struct pp_maps *to, const struct pp_maps *from);
/* Release the maps, and leave none. */
void	pp_maps_drop(struct maps_pool *, struct pp_maps *);
/* Only free the index, when the pool ends. */
void	pp_maps_end(struct pp_maps *);
/* A reference to the maps as they are now; later changes do not affect it.  NULL: there are none. */
struct maps_node *pp_maps_hold(const struct pp_maps *);
void	pp_maps_release(struct maps_pool *, struct maps_node *);
/*
 * Call fn, as pp_maps_each() does, for the maps that are not in `base' with the same contents.  The cost is proportional to the
 * number of changes between the two.
 */
int	pp_maps_each_new(const struct pp_maps *, const struct maps_node *base, int (*)(void *arg, const struct pp_map *), void *arg);

#endif
