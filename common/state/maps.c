/* SPDX-License-Identifier: ISC */
/*
 * maps.c - see maps.h
 *
 * All work is split and merge.  pp_maps_insert() splits the tree at both ends of the new map:
 *
 *	before           | between        | behind
 *	[....] [...[     |  ..] [..] [..  | ] [..]
 *	            start                end
 *
 * A map that begins before a split belongs to the part before it, shortened; what extends beyond `end' becomes a map of its
 * own.  Maps never overlap, so there is at most one.
 */
#include <stdlib.h>

#include "maps.h"

struct maps_node {			/* a cache line */
	struct maps_node *left, *right;
	uint32_t	 refs;		/* pointers to this node */
	uint32_t	 prio;		/* not less than those of the children */
	struct pp_map	 map;
	uint64_t	 version;	/* of the maps whose root it is */
};
_Static_assert(sizeof(struct maps_node) <= 64, "a node is a cache line");

struct maps_index {
	uint32_t	 steps, due;	/* of searches since the last change; with how many it is thought of an index */
	size_t		 n;		/* 0: there is none now */
	uint64_t	*start;		/* n, ascending */
	struct maps_node **node;	/* n, behind these */
};

enum {
	LINE = 64,			/* of the cache, and a power of two: aligned_alloc() of glibc 2.41 refuses 56, the size of a node on i386 */
	BATCH = 64,			/* nodes of an allocation; the first one links them */
	DEEP = 8,			/* steps of a search that count; those of a tree of few maps are as fast */
	INDEX_STEPS = 1024,		/* the least `due' */
};

void
pp_maps_pool_end(struct maps_pool *pool)
{
	struct maps_node *n;

	while ((n = pool->batches)) {
		pool->batches = n->left;
		free(n);
	}
	pool->free = NULL;
	pool->nfree = 0;
}

/* Have `want' nodes ready, so that a change cannot fail halfway. */
static int
reserve(struct maps_pool *pool, size_t want)
{
	while (pool->nfree < want) {
		_Static_assert(BATCH * sizeof(struct maps_node) % LINE == 0, "aligned_alloc() wants a multiple");
		struct maps_node *n = aligned_alloc(LINE, BATCH * sizeof *n);

		if (!n)
			return -1;
		n->left = pool->batches;
		pool->batches = n;
		for (int i = BATCH - 1; i > 0; i--) {	/* so that they are used by ascending address */
			n[i].left = pool->free;
			pool->free = &n[i];
		}
		pool->nfree += BATCH - 1;
	}
	return 1;
}

static struct maps_node *
take(struct maps_pool *pool)
{
	struct maps_node *n = pool->free;

	pool->free = n->left;
	pool->nfree--;
	pool->bytes += sizeof *n;
	return n;
}

/* splitmix64: a recording must not be able to choose the order; it need not be secret */
static uint32_t
draw(struct maps_pool *pool)
{
	uint64_t z = pool->seed += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return (uint32_t)(z >> 32);
}

static struct maps_node *
node(struct maps_pool *pool, const struct pp_map *map)
{
	struct maps_node *n = take(pool);

	*n = (struct maps_node){ .refs = 1, .prio = draw(pool), .map = *map };
	return n;
}

/* Release one reference to a tree. */
void
pp_maps_release(struct maps_pool *pool, struct maps_node *n)
{
	while (n && --n->refs == 0) {
		struct maps_node *right = n->right;

		pp_maps_release(pool, n->left);
		n->left = pool->free;
		pool->free = n;
		pool->nfree++;
		pool->bytes -= sizeof *n;
		n = right;
	}
}

/* The node, or a copy if it is shared: it may be changed. */
static struct maps_node *
own(struct maps_pool *pool, struct maps_node *n)
{
	struct maps_node *c;

	if (n->refs == 1)
		return n;
	c = take(pool);
	*c = *n;
	c->refs = 1;
	if (c->left)
		c->left->refs++;
	if (c->right)
		c->right->refs++;
	n->refs--;
	return c;
}

/* Split a tree into the maps that begin below `at' and the others.  No node on the path is shared afterwards. */
static void
split(struct maps_pool *pool, struct maps_node *n, uint64_t at, struct maps_node **lo, struct maps_node **hi)
{
	if (!n) {
		*lo = *hi = NULL;
		return;
	}
	n = own(pool, n);
	if (n->map.start < at) {
		*lo = n;
		split(pool, n->right, at, &n->right, hi);
	} else {
		*hi = n;
		split(pool, n->left, at, lo, &n->left);
	}
}

/* Merge two trees; all maps of the first are below those of the second.  The nodes on the path must not be shared. */
static struct maps_node *
merge(struct maps_node *lo, struct maps_node *hi)
{
	if (!lo)
		return hi;
	if (!hi)
		return lo;
	if (lo->prio >= hi->prio) {
		lo->right = merge(lo->right, hi);
		return lo;
	}
	hi->left = merge(lo, hi->left);
	return hi;
}

static size_t
path(const struct maps_node *n, uint64_t at)
{
	size_t len = 0;

	for (; n; n = n->map.start < at ? n->right : n->left)
		len++;
	return len;
}

static struct maps_node *
last(struct maps_node *n)
{
	while (n && n->right)
		n = n->right;
	return n;
}

/* The maps change. */
static void
forget_index(struct maps_index *x)
{
	if (!x)
		return;
	free(x->start);
	*x = (struct maps_index){ .due = INDEX_STEPS };
}

int
pp_maps_insert(struct maps_pool *pool, struct pp_maps *maps, const struct pp_map *map)
{
	uint64_t end = map->start + map->len;
	struct maps_node *before, *between, *behind, *n, *rest = NULL;

	if (reserve(pool, path(maps->root, map->start) + path(maps->root, end) + 2) < 0)
		return -1;
	split(pool, maps->root, map->start, &before, &behind);
	split(pool, behind, end, &between, &behind);
	n = last(between ? between : before);
	if (n && n->map.start + n->map.len > end) {
		struct pp_map m = n->map;

		m.pgoff += end - m.start;
		m.len -= end - m.start;
		m.start = end;
		rest = node(pool, &m);
	}
	if ((n = last(before)) && n->map.start + n->map.len > map->start)
		n->map.len = map->start - n->map.start;
	pp_maps_release(pool, between);
	maps->root = merge(merge(before, node(pool, map)), merge(rest, behind));
	forget_index(maps->index);
	maps->root->version = ++pool->version;	/* no other maps have that node: it is on the path of a split, or new */
	return 1;
}

void
pp_maps_share(struct pp_maps *to, const struct pp_maps *from)
{
	to->root = pp_maps_hold(from);
}

void
pp_maps_end(struct pp_maps *maps)
{
	forget_index(maps->index);
	free(maps->index);
	maps->index = NULL;
}

void
pp_maps_drop(struct maps_pool *pool, struct pp_maps *maps)
{
	pp_maps_end(maps);
	pp_maps_release(pool, maps->root);
	maps->root = NULL;
}

struct maps_node *
pp_maps_hold(const struct pp_maps *maps)
{
	if (maps->root)
		maps->root->refs++;
	return maps->root;
}

/* ---- lookups --------------------------------------------------------------------------------------------- */

/* The map at an address; *steps: how many nodes are above it. */
static inline const struct pp_map *
find(const struct maps_node *n, uint64_t ip, uint32_t *steps)
{
	for (*steps = 0; n; ++*steps) {
		if (ip < n->map.start)
			n = n->left;
		else if (ip - n->map.start < n->map.len)
			return &n->map;
		else
			n = n->right;
	}
	return NULL;
}

/* Write the nodes of a tree to `to', if that is not NULL.  How many there are; more than max: at least that. */
static size_t
list(struct maps_node *n, struct maps_node **to, size_t max)
{
	size_t count = 0;

	for (; n && count <= max; n = n->right) {
		count += list(n->left, to ? to + count : NULL, max - count);
		if (to)
			to[count] = n;
		count++;
	}
	return count;
}

/* The work is at most that of the steps of the searches that led to it. */
static void
make_index(struct maps_index *x, struct maps_node *root)
{
	size_t n = list(root, NULL, x->steps);

	x->due = x->due < UINT32_MAX / 2 ? x->due * 2 : UINT32_MAX;
	if (!n || n > x->steps || !(x->start = malloc(n * (sizeof *x->start + sizeof *x->node))))
		return;
	x->n = n;
	x->node = (struct maps_node **)(x->start + n);
	list(root, x->node, n);
	for (size_t i = 0; i < n; i++)
		x->start[i] = x->node[i]->map.start;
}

static const struct pp_map *
find_in_index(const struct maps_index *x, uint64_t ip)
{
	const uint64_t *at = x->start;
	const struct pp_map *m;

	for (size_t n = x->n, half; n > 1; n -= half) {		/* without branches that cannot be foreseen */
		half = n / 2;
		at += at[half] <= ip ? half : 0;
	}
	m = &x->node[at - x->start]->map;
	return ip - m->start < m->len ? m : NULL;
}

/* A search took so many steps.  Not inline: others would save registers for it. */
static __attribute__((noinline)) void
count_steps(struct pp_maps *maps, uint32_t steps)
{
	if (!maps->index) {
		if (!(maps->index = malloc(sizeof *maps->index)))
			return;
		*maps->index = (struct maps_index){ .due = INDEX_STEPS };
	}
	maps->index->steps += steps;
	if (maps->index->steps >= maps->index->due)
		make_index(maps->index, maps->root);
}

const struct pp_map *
pp_maps_find(const struct pp_maps *maps, uint64_t ip)
{
	const struct maps_index *x = maps->index;
	const struct pp_map *m;
	uint32_t steps;

	if (x && x->n)
		return find_in_index(x, ip);
	m = find(maps->root, ip, &steps);
	if (steps >= DEEP)
		count_steps((struct pp_maps *)(uintptr_t)maps, steps);
	return m;
}

uint64_t
pp_maps_version(const struct pp_maps *maps)
{
	return maps->root ? maps->root->version : 0;
}

/* A treap is not deep: its heap order is random. */
static int
each(const struct maps_node *n, int (*fn)(void *, const struct pp_map *), void *arg)
{
	for (; n; n = n->right)
		if (each(n->left, fn, arg) < 0 || fn(arg, &n->map) < 0)
			return -1;
	return 1;
}

int
pp_maps_each(const struct pp_maps *maps, int (*fn)(void *, const struct pp_map *), void *arg)
{
	return each(maps->root, fn, arg);
}

static int
each_in(const struct maps_node *n, uint64_t start, uint64_t last, int (*fn)(void *, const struct pp_map *), void *arg)
{
	while (n) {
		bool begins = n->map.start <= last, ends = n->map.start + (n->map.len - 1) >= start;

		if (ends && each_in(n->left, start, last, fn, arg) < 0)
			return -1;
		if (begins && ends && fn(arg, &n->map) < 0)
			return -1;
		n = begins ? n->right : NULL;
	}
	return 1;
}

int
pp_maps_each_in(const struct pp_maps *maps, uint64_t start, uint64_t last, int (*fn)(void *, const struct pp_map *), void *arg)
{
	return each_in(maps->root, start, last, fn, arg);
}

/* Is the node part of that tree, too?  Then so are all nodes below it. */
static bool
part_of(const struct maps_node *n, const struct maps_node *tree)
{
	while (tree && tree != n)
		tree = n->map.start < tree->map.start ? tree->left : tree->right;
	return tree;
}

static bool
has_map(const struct maps_node *tree, const struct pp_map *m)
{
	uint32_t steps;
	const struct pp_map *x = find(tree, m->start, &steps);

	return x && x->start == m->start && x->len == m->len && x->pgoff == m->pgoff && x->dso == m->dso && x->data == m->data;
}

static int
each_new(const struct maps_node *n, const struct maps_node *base, int (*fn)(void *, const struct pp_map *), void *arg)
{
	for (; n && !part_of(n, base); n = n->right)
		if (each_new(n->left, base, fn, arg) < 0 || (!has_map(base, &n->map) && fn(arg, &n->map) < 0))
			return -1;
	return 1;
}

int
pp_maps_each_new(const struct pp_maps *maps, const struct maps_node *base, int (*fn)(void *, const struct pp_map *), void *arg)
{
	return each_new(maps->root, base, fn, arg);
}
