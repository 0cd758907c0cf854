/* SPDX-License-Identifier: ISC */
/*
 * tree.h - stacks that begin alike, as a tree: each node is called from its parent
 *
 * Node 0 is the root.  A node has a higher number than its parent, and its total is its own samples and those of its children
 * (tree_totals()).  Names are numbers of the caller's.
 *
 * Memory is bounded: when there are as many nodes as there may be, those of few samples that have no children go into a node
 * of the name `other' below their parent, until half is left; the sum of all samples stays what it was.  Numbers of nodes change
 * then.
 */
#ifndef PP_TREE_H
#define PP_TREE_H

#include <stdbool.h>
#include <stdint.h>

enum { TREE_NODES = (1 << 21) - (1 << 15), TREE_NONE = 0 };

struct tree_node {
	uint32_t	 parent, name;
	uint64_t	 self;		/* samples that end here */
};
/* Numbers change: the samples of node i, of n, are now those of to[i]. */
typedef void	tree_change(void *arg, const uint32_t *to, uint32_t n);

struct tree {
	struct tree_node *node;
	uint32_t	 n, cap;
	uint32_t	*slot;		/* number of a node, by hash of all names from the root; 0: free */
	uint32_t	 mask;
	uint64_t	 mul;		/* random: a recording cannot cause collisions */
	uint32_t	 max;		/* nodes */
	uint32_t	 other;		/* a name */
	uint64_t	 folded;	/* nodes that went into others */
	uint64_t	 generation;	/* changes when numbers do */
	tree_change	*change;	/* who has numbers of nodes sets it after tree_init() */
	void		*change_arg;
	/* The stack before, of which the next one often has the outer part; depth 0: none. */
	struct tree_frame { uint64_t hash; uint32_t name, node; } *last;
	uint32_t	 last_depth, last_cap;
};

/* max: at least 16.  False: no memory. */
bool	tree_init(struct tree *, uint32_t max, uint32_t other);
void	tree_free(struct tree *);
/* Count n samples of a stack of these names; the outermost first.  False: no memory. */
bool	tree_add(struct tree *, const uint32_t *name, uint32_t depth, uint64_t n);
/* The node that tree_add() has counted last. */
static inline uint32_t
tree_last(const struct tree *t)
{
	return t->last_depth ? t->last[t->last_depth - 1].node : 0;
}
/* Leave at most so many nodes, as above.  False: no memory. */
bool	tree_cut(struct tree *, uint32_t most);
/* The totals of all nodes, which the caller frees.  NULL: no memory. */
uint64_t *tree_totals(const struct tree *);
/*
 * Give each node the name name_of[its name], so that nodes may become one.  The `other' changes, too.  False: no memory, and the
 * tree is what it was.
 */
bool	tree_rename(struct tree *, const uint32_t *name_of);
/*
 * All nodes but the root, by parent and then by name, so that children stand together: numbers, which the caller frees.  nnames:
 * all names are less than that.  NULL: no memory.
 */
uint32_t *tree_order(const struct tree *, uint32_t nnames);

#endif
