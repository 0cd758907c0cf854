/* SPDX-License-Identifier: ISC */
/*
 * maps.h - the maps of one process as a search tree, shared between processes until one changes it.
 * Private to state*.c; callers see struct pp_maps only through state.h.
 *
 * A treap: ordered by address, heap-ordered by a random number, so it is balanced whatever the addresses
 * are.  Nodes are counted by who points at them; a change copies the nodes on its path that others also
 * use, so a fork costs nothing and a change after it a logarithmic number of nodes.
 */
#ifndef PP_MAPS_H
#define PP_MAPS_H

#include "state.h"

struct maps_node;

struct maps_pool {		/* where nodes come from */
	struct maps_node *free;		/* kept ready, linked by their left pointer */
	size_t		 nfree;
	uint64_t	 seed;		/* of the heap order; start with random bytes */
	uint64_t	 version;	/* the last one given out */
};

struct pp_maps {
	struct maps_node *root;
	uint64_t	 version;
};

void	pp_maps_pool_end(struct maps_pool *);
/* Put a map in, pushing out what it overlaps.  1, or -1: no memory, nothing changed. */
int	pp_maps_insert(struct maps_pool *, struct pp_maps *, const struct pp_map *);
/* Make `to', which must be empty, the same as `from'. */
void	pp_maps_share(struct pp_maps *to, const struct pp_maps *from);
/* The maps as they are now, whatever changes later: the root of a tree, or NULL if there are none. */
struct maps_node *pp_maps_hold(const struct pp_maps *);
void	pp_maps_release(struct maps_pool *, struct maps_node *);
/* Show those maps that `base' has not just so, as pp_maps_each(); in little time if one was made of the other by few changes. */
int	pp_maps_each_new(const struct pp_maps *, const struct maps_node *base, int (*)(void *arg, const struct pp_map *), void *arg);

#endif
