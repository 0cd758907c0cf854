/* SPDX-License-Identifier: ISC */
/* tree.c - see tree.h */
#include <stdlib.h>
#include <string.h>

#include "set.h"
#include "tree.h"

enum { FIRST = 1024 };

/*
 * The hash of a stack: of that without its innermost name, and that.  So the hashes of all its parts are known before the first node
 * is found, and what is needed of each can be fetched at once.
 */
static uint64_t
tree_hash(const struct tree *t, uint64_t outer, uint32_t name)
{
	uint64_t x = (outer + name + 1) * t->mul;

	return x ^ x >> 32;
}

static uint32_t
tree_at(const struct tree *t, uint64_t hash)
{
	return (uint32_t)(hash * UINT64_C(0x9e3779b97f4a7c15) >> 32) & t->mask;
}

static void
tree_put_slot(struct tree *t, uint32_t i, uint64_t hash)
{
	uint32_t h = tree_at(t, hash);

	while (t->slot[h])
		h = (h + 1) & t->mask;
	t->slot[h] = i;
}

/* The hashes of all nodes' stacks, which the caller frees.  NULL: no memory. */
static uint64_t *
tree_hashes(const struct tree *t)
{
	uint64_t *hash = malloc(t->n * sizeof *hash);

	if (!hash)
		return NULL;
	hash[0] = 0;
	for (uint32_t i = 1; i < t->n; i++)
		hash[i] = tree_hash(t, hash[t->node[i].parent], t->node[i].name);
	return hash;
}

/* Slots for the nodes there are, of which at most half are used; hash: of these.  False: no memory. */
static bool
tree_index(struct tree *t, uint32_t mask, const uint64_t *hash)
{
	uint32_t *slot = hash ? calloc((size_t)mask + 1, sizeof *slot) : NULL;

	if (!slot)
		return false;
	free(t->slot);
	t->slot = slot;
	t->mask = mask;
	for (uint32_t i = 1; i < t->n; i++)
		tree_put_slot(t, i, hash[i]);
	return true;
}

bool
tree_init(struct tree *t, uint32_t max, uint32_t other)
{
	*t = (struct tree){ .max = max, .other = other, .mul = pp_seed() | 1, .n = 1, .cap = FIRST };
	t->mask = 2 * FIRST - 1;
	return (t->node = calloc(FIRST, sizeof *t->node)) && (t->slot = calloc(2 * FIRST, sizeof *t->slot));
}

void
tree_free(struct tree *t)
{
	free(t->node);
	free(t->slot);
	free(t->last);
	*t = (struct tree){ .n = 0 };
}

static bool
tree_grow(struct tree *t)
{
	uint32_t cap = 2 * t->cap;
	struct tree_node *p = realloc(t->node, cap * sizeof *p);
	uint64_t *hash;
	bool ok;

	if (!p)
		return false;
	t->node = p;
	t->cap = cap;
	hash = tree_hashes(t);
	ok = tree_index(t, 2 * cap - 1, hash);
	free(hash);
	return ok;
}

/* The child of that name; hash: of it.  0: there is none. */
static uint32_t
tree_find(const struct tree *t, uint32_t parent, uint32_t name, uint64_t hash)
{
	uint32_t i;

	for (uint32_t h = tree_at(t, hash); (i = t->slot[h]); h = (h + 1) & t->mask)
		if (t->node[i].parent == parent && t->node[i].name == name)
			return i;
	return 0;
}

/* The same, made if absent.  UINT32_MAX: no memory. */
static uint32_t
tree_child(struct tree *t, uint32_t parent, uint32_t name, uint64_t hash)
{
	uint32_t i = tree_find(t, parent, name, hash);

	if (i)
		return i;
	if (t->n == t->cap && !tree_grow(t))
		return UINT32_MAX;
	t->node[t->n] = (struct tree_node){ parent, name, 0 };
	tree_put_slot(t, t->n, hash);
	return t->n++;
}

/* ---- within the limit ---------------------------------------------------------------------------- */

struct pruning {			/* how a tree is thinned */
	struct tree	*t;
	uint8_t		*gone;		/* by node */
	uint64_t	*given;		/* samples of what went below it */
	uint32_t	*children;	/* that are left, without the `other' */
	uint32_t	*leaf, leaves;	/* nodes that have no such children, in no order */
	uint32_t	*other, others;	/* nodes of the name `other' that are left */
	uint64_t	*space;		/* for numbers of leaves */
};

/* The n-th smallest of those numbers, from 1 on, which are shuffled: byte by byte, as most have few bytes. */
static uint64_t
tree_nth(uint64_t *of, uint32_t count, uint32_t n)
{
	uint64_t all = 1, found = 0;

	for (uint32_t i = 0; i < count; i++)
		all |= of[i];
	for (int shift = (63 - __builtin_clzll(all)) & ~7; shift >= 0; shift -= 8) {
		uint32_t have[256] = { 0 }, byte = 0, left = 0;

		for (uint32_t i = 0; i < count; i++)
			have[of[i] >> shift & 255]++;
		for (; n > have[byte]; byte++)
			n -= have[byte];
		for (uint32_t i = 0; i < count; i++)
			if ((of[i] >> shift & 255) == byte)
				of[left++] = of[i];
		count = left;
		found |= (uint64_t)byte << shift;
	}
	return found;
}

static uint64_t
tree_weight(const struct pruning *p, uint32_t i)
{
	return p->t->node[i].self + p->given[i];
}

static void
tree_remove_leaf(struct pruning *p, uint32_t i)
{
	uint32_t parent = p->t->node[i].parent;

	p->gone[i] = 1;
	p->given[parent] += tree_weight(p, i);
	p->given[i] = 0;
	if (!--p->children[parent] && parent)
		p->leaf[p->leaves++] = parent;
}

/*
 * Remove up to n nodes that have no children but an `other': of the lightest half or less the newest.  gone[i] is set, and given[] of
 * the parent has their samples.  How many were removed.
 */
static uint32_t
tree_prune(struct pruning *p, uint32_t n)
{
	uint32_t leaves = p->leaves, light = 0, left = 0, first;
	uint64_t limit;

	if (!leaves)
		return 0;
	if (n > (leaves + 1) / 2)	/* then their parents may be lighter than the rest of these */
		n = (leaves + 1) / 2;
	for (uint32_t k = 0; k < leaves; k++)
		p->space[k] = tree_weight(p, p->leaf[k]);
	limit = tree_nth(p->space, leaves, n);
	for (uint32_t k = 0; k < leaves; k++)
		if (tree_weight(p, p->leaf[k]) <= limit)
			p->space[light++] = p->leaf[k];
	first = (uint32_t)tree_nth(p->space, light, light - n + 1);
	for (uint32_t k = 0; k < leaves; k++) {
		uint32_t i = p->leaf[k];

		if (i >= first && tree_weight(p, i) <= limit)
			tree_remove_leaf(p, i);
		else
			p->leaf[left++] = i;
	}
	p->leaves -= leaves;		/* parents that have become leaves are behind the leaves that there were */
	memmove(p->leaf + left, p->leaf + leaves, p->leaves * sizeof *p->leaf);
	p->leaves += left;
	return n;
}

/* An `other' whose parent goes, goes with it.  How many did. */
static uint32_t
tree_prune_others(struct pruning *p)
{
	const struct tree_node *node = p->t->node;
	uint32_t others = p->others, left = 0;

	for (uint32_t k = 0; k < others; k++) {
		uint32_t i = p->other[k], up = node[i].parent;

		if (!p->gone[up]) {
			p->other[left++] = i;
			continue;
		}
		p->gone[i] = 1;
		while (p->gone[up])
			up = node[up].parent;
		p->given[up] += node[i].self;
	}
	p->others = left;
	return others - left;
}

/*
 * The nodes that are not gone, in their order, and what was given as an `other'.  to: space; where each node is now, or the one
 * below those that are gone.
 */
static bool
tree_compact(struct tree *t, const uint8_t *gone, const uint64_t *given, uint32_t *to)
{
	uint32_t n = 1, old;
	uint64_t *hash;
	bool ok;

	to[0] = 0;
	for (uint32_t i = 1; i < t->n; i++) {
		if (gone[i]) {
			to[i] = to[t->node[i].parent];
			continue;
		}
		to[i] = n;
		t->node[n] = t->node[i];
		t->node[n++].parent = to[t->node[i].parent];
	}
	t->folded += t->n - n;
	t->generation++;
	t->last_depth = 0;
	old = t->n;
	t->n = n;
	hash = tree_hashes(t);
	ok = tree_index(t, t->mask, hash);
	for (uint32_t i = 0; ok && i < old; i++)
		if (!gone[i] && given[i]) {
			uint32_t x = tree_child(t, to[i], t->other, tree_hash(t, hash[to[i]], t->other));

			ok = x != UINT32_MAX;
			if (ok)
				t->node[x].self += given[i];
		}
	for (uint32_t i = 1, x; ok && t->change && i < old; i++)
		if (gone[i] && (x = tree_find(t, to[i], t->other, tree_hash(t, hash[to[i]], t->other))))
			to[i] = x;
	if (ok && t->change)
		t->change(t->change_arg, to, old);
	free(hash);
	return ok;
}

/* What is there before the first node goes. */
static void
tree_prune_begin(struct pruning *p)
{
	const struct tree *t = p->t;

	for (uint32_t i = 1; i < t->n; i++)
		if (t->node[i].name == t->other)
			p->other[p->others++] = i;
		else
			p->children[t->node[i].parent]++;
	for (uint32_t i = 1; i < t->n; i++)
		if (!p->children[i] && t->node[i].name != t->other)
			p->leaf[p->leaves++] = i;
}

/* Leave so many nodes, and as many others at most. */
static bool
tree_thin(struct tree *t, uint32_t most)
{
	struct pruning p = { .t = t, .gone = calloc(t->n, sizeof *p.gone), .given = calloc(t->n, sizeof *p.given),
	    .children = calloc(t->n, sizeof *p.children), .leaf = malloc(t->n * sizeof *p.leaf),
	    .other = malloc(t->n * sizeof *p.other), .space = malloc(t->n * sizeof *p.space) };
	bool ok = p.gone && p.given && p.children && p.leaf && p.other && p.space;
	uint32_t left = t->n, n;

	if (ok)
		tree_prune_begin(&p);
	while (ok && left > most && (n = tree_prune(&p, left - most)))
		left -= n + tree_prune_others(&p);
	if (ok)
		ok = tree_compact(t, p.gone, p.given, p.children);
	free(p.gone);
	free(p.given);
	free(p.children);
	free(p.leaf);
	free(p.other);
	free(p.space);
	return ok;
}

bool
tree_cut(struct tree *t, uint32_t most)
{
	for (uint32_t left = most; t->n > most && left; left -= left / 8 + 1)
		if (!tree_thin(t, left))
			return false;
	return true;
}

/* Space for the stack before, of that depth.  False: no memory. */
static bool
tree_remember(struct tree *t, uint32_t depth)
{
	struct tree_frame *p = realloc(t->last, 2 * depth * sizeof *p);

	if (!p)
		return false;
	t->last = p;
	t->last_cap = 2 * depth;
	return true;
}

bool
tree_add(struct tree *t, const uint32_t *name, uint32_t depth, uint64_t n)
{
	struct tree_frame *last;
	uint32_t same = 0, at;
	uint64_t hash;

	/* a stack may need as many nodes as it is deep */
	if ((t->n > t->max && !tree_thin(t, t->max / 2)) || (depth > t->last_cap && !tree_remember(t, depth)))
		return false;
	last = t->last;
	while (same < depth && same < t->last_depth && last[same].name == name[same])
		same++;
	at = same ? last[same - 1].node : 0;
	hash = same ? last[same - 1].hash : 0;
	t->last_depth = same;
	for (uint32_t i = same; i < depth; i++) {
		last[i] = (struct tree_frame){ hash = tree_hash(t, hash, name[i]), name[i], 0 };
		__builtin_prefetch(&t->slot[tree_at(t, hash)]);
	}
	for (uint32_t i = same; i < depth; i++)
		__builtin_prefetch(&t->node[t->slot[tree_at(t, last[i].hash)]]);
	for (uint32_t i = same; i < depth; i++) {
		if ((at = tree_child(t, at, name[i], last[i].hash)) == UINT32_MAX)
			return false;
		last[i].node = at;
	}
	t->last_depth = depth;
	t->node[at].self += n;
	return true;
}

/* ---- the whole ----------------------------------------------------------------------------------- */

uint64_t *
tree_totals(const struct tree *t)
{
	uint64_t *total = malloc(t->n * sizeof *total);

	if (!total)
		return NULL;
	for (uint32_t i = 0; i < t->n; i++)
		total[i] = t->node[i].self;
	for (uint32_t i = t->n; i-- > 1;)
		total[t->node[i].parent] += total[i];
	return total;
}

/*
 * Within the space that is there: the nodes keep their order, so each goes to where it is or before that, behind its parent.
 */
bool
tree_rename(struct tree *t, const uint32_t *name_of)
{
	uint32_t *at = malloc(t->n * sizeof *at), n = t->n;
	uint64_t *hash = malloc(t->n * sizeof *hash);
	bool ok = at && hash;

	if (ok) {
		memset(t->slot, 0, ((size_t)t->mask + 1) * sizeof *t->slot);
		t->n = 1;
		at[0] = 0;
		hash[0] = 0;
		for (uint32_t i = 1; i < n; i++) {
			struct tree_node x = t->node[i];
			uint32_t parent = at[x.parent], name = name_of[x.name];

			at[i] = tree_child(t, parent, name, hash[i] = tree_hash(t, hash[x.parent], name));
			t->node[at[i]].self += x.self;
		}
		t->other = name_of[t->other];
		t->generation++;
		t->last_depth = 0;
	}
	if (ok && t->change)
		t->change(t->change_arg, at, n);
	free(at);
	free(hash);
	return ok;
}

/* The numbers in `from', or else all but the root, stably by key(): a counting sort.  `count' has space for n + 1, zeroed. */
static void
tree_sort(const struct tree *t, const uint32_t *from, uint32_t *to, uint32_t *count, uint32_t n, bool by_name)
{
	for (uint32_t i = 1; i < t->n; i++)
		count[(by_name ? t->node[i].name : t->node[i].parent) + 1]++;
	for (uint32_t i = 0; i < n; i++)
		count[i + 1] += count[i];
	for (uint32_t k = 0; k + 1 < t->n; k++) {
		uint32_t i = from ? from[k] : k + 1;

		to[count[by_name ? t->node[i].name : t->node[i].parent]++] = i;
	}
}

uint32_t *
tree_order(const struct tree *t, uint32_t nnames)
{
	uint32_t *names = malloc(t->n * sizeof *names), *order = malloc(t->n * sizeof *order);
	uint32_t *by_name = calloc((size_t)nnames + 2, sizeof *by_name), *by_parent = calloc((size_t)t->n + 2, sizeof *by_parent);
	bool ok = names && order && by_name && by_parent;

	if (ok) {
		tree_sort(t, NULL, names, by_name, nnames, true);
		tree_sort(t, names, order, by_parent, t->n, false);
	}
	free(names);
	free(by_name);
	free(by_parent);
	if (ok)
		return order;
	free(order);
	return NULL;
}
