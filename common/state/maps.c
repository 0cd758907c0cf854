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

#include "set.h"
#include "state_in.h"

struct maps_node {			/* what a step of a search needs is in front */
	uint32_t	 left, right;
	struct pp_map	 map;
	uint32_t	 refs;		/* to this node */
	uint32_t	 prio;		/* not less than those of the children */
};
_Static_assert(sizeof(struct maps_node) % sizeof(uint64_t) == 0, "nodes are whole words");

struct maps_index {
	uint32_t	 steps, due;	/* of searches since the last change; with how many it is thought of an index */
	uint32_t	 n;		/* maps in it; 0: there is none now */
	uint32_t	 next;		/* of the unused ones */
	uint64_t	*start;		/* n, ascending */
	uint32_t	*node;		/* n, behind these */
};

enum {
	WORDS = sizeof(struct maps_node) / sizeof(uint64_t),
	WORDS_FIRST = 64 * WORDS,
	WORDS_MANY = 4096 * WORDS,	/* from here on the array grows by an eighth, not by half */
	DEEP = 8,			/* steps of a search that count; those of a tree of few maps are as fast */
	INDEX_STEPS = 1024,		/* the least `due' */
};

static inline struct maps_node *
at(const struct maps_pool *pool, uint32_t i)
{
	return (struct maps_node *)(pool->word + i);
}

void
pp_maps_pool_end(struct maps_pool *pool)
{
	for (uint32_t i = 1; i < pool->nindex; i++)
		free(pool->index[i].start);
	free(pool->index);
	free(pool->word);
}

/* Have `want' nodes ready, so that a change cannot fail halfway. */
static int
reserve(struct maps_pool *pool, size_t want)
{
	uint64_t *word;
	size_t cap;

	if (pool->nfree >= want || (want - pool->nfree) * WORDS <= pool->cap - pool->used)
		return 1;
	cap = pool->cap + pool->cap / (pool->cap < WORDS_MANY ? 2u : 8u) + want * WORDS + WORDS_FIRST;
	if (cap > UINT32_MAX || !(word = reallocarray(pool->word, cap, sizeof *word)))
		return -1;
	pool->word = word;
	pool->cap = (uint32_t)cap;
	if (!pool->used)
		pool->used = WORDS;
	return 1;
}

static uint32_t
take(struct maps_pool *pool)
{
	uint32_t i = pool->free;

	pool->bytes += sizeof(struct maps_node);
	if (!i) {
		i = pool->used;
		pool->used += WORDS;
		return i;
	}
	pool->free = at(pool, i)->left;
	pool->nfree--;
	return i;
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

void
pp_maps_pool_each(const struct maps_pool *pool, void (*fn)(void *, const struct pp_map *), void *arg)
{
	for (uint32_t i = WORDS; i < pool->used; i += WORDS)
		if (at(pool, i)->refs)
			fn(arg, &at(pool, i)->map);
}

static uint32_t
node(struct maps_pool *pool, const struct pp_map *map)
{
	uint32_t i = take(pool);

	*at(pool, i) = (struct maps_node){ .refs = 1, .prio = draw(pool), .map = *map };
	return i;
}

/* Release one reference to a tree. */
void
pp_maps_release(struct maps_pool *pool, uint32_t i)
{
	struct maps_node *n;
	uint32_t right;

	while (i && --(n = at(pool, i))->refs == 0) {
		right = n->right;
		pp_maps_release(pool, n->left);
		n->left = pool->free;
		pool->free = i;
		pool->nfree++;
		pool->bytes -= sizeof *n;
		i = right;
	}
}

/* The node, or a copy if it is shared: it may be changed. */
static uint32_t
own(struct maps_pool *pool, uint32_t i)
{
	struct maps_node *n = at(pool, i), *c;

	if (n->refs == 1)
		return i;
	c = at(pool, i = take(pool));
	*c = *n;
	c->refs = 1;
	if (c->left)
		at(pool, c->left)->refs++;
	if (c->right)
		at(pool, c->right)->refs++;
	n->refs--;
	return i;
}

/* Split a tree into the maps that begin below `start' and the others.  No node on the path is shared afterwards. */
static void
split(struct maps_pool *pool, uint32_t i, uint64_t start, uint32_t *lo, uint32_t *hi)
{
	struct maps_node *n;

	if (!i) {
		*lo = *hi = 0;
		return;
	}
	n = at(pool, i = own(pool, i));
	if (n->map.start < start) {
		*lo = i;
		split(pool, n->right, start, &n->right, hi);
	} else {
		*hi = i;
		split(pool, n->left, start, lo, &n->left);
	}
}

/* Merge two trees; all maps of the first are below those of the second.  The nodes on the path must not be shared. */
static uint32_t
merge(struct maps_pool *pool, uint32_t lo, uint32_t hi)
{
	struct maps_node *l, *h;

	if (!lo)
		return hi;
	if (!hi)
		return lo;
	l = at(pool, lo);
	h = at(pool, hi);
	if (l->prio >= h->prio) {
		l->right = merge(pool, l->right, hi);
		return lo;
	}
	h->left = merge(pool, lo, h->left);
	return hi;
}

static size_t
path(const struct maps_pool *pool, uint32_t i, uint64_t start)
{
	size_t len = 0;

	for (const struct maps_node *n; i; i = n->map.start < start ? n->right : n->left) {
		n = at(pool, i);
		len++;
	}
	return len;
}

/* NULL: there are no maps. */
static struct maps_node *
last(const struct maps_pool *pool, uint32_t i)
{
	struct maps_node *n = NULL;

	for (; i; i = n->right)
		n = at(pool, i);
	return n;
}

/* ---- indexes --------------------------------------------------------------------------------------------- */

static size_t
index_bytes(const struct maps_index *x)
{
	return x->n * (sizeof *x->start + sizeof *x->node);
}

/* The maps change. */
static void
forget_index(struct maps_pool *pool, uint32_t i)
{
	struct maps_index *x;

	if (!i)
		return;
	x = &pool->index[i];
	pool->bytes -= index_bytes(x);
	free(x->start);
	*x = (struct maps_index){ .due = INDEX_STEPS };
}

static void
drop_index(struct maps_pool *pool, uint32_t i)
{
	if (!i)
		return;
	forget_index(pool, i);
	pool->bytes -= sizeof *pool->index;
	pool->index[i].next = pool->free_index;
	pool->free_index = i;
}

/* 0: no memory. */
static uint32_t
new_index(struct maps_pool *pool)
{
	uint32_t i = pool->free_index, n = pool->nindex ? pool->nindex : 1;
	struct maps_index *index;

	if (i) {
		pool->free_index = pool->index[i].next;
	} else {
		if (!(index = array_more(pool->index, n, 1, sizeof *index)))
			return 0;
		pool->index = index;
		pool->nindex = n + 1;
		i = n;
	}
	pool->index[i] = (struct maps_index){ .due = INDEX_STEPS };
	pool->bytes += sizeof *pool->index;
	return i;
}

/* Write the nodes of a tree to `to', if that is not NULL.  How many there are; more than max: at least that. */
static uint32_t
list(const struct maps_pool *pool, uint32_t i, uint32_t *to, uint32_t max)
{
	uint32_t count = 0;

	for (; i && count <= max; i = at(pool, i)->right) {
		count += list(pool, at(pool, i)->left, to ? to + count : NULL, max - count);
		if (to)
			to[count] = i;
		count++;
	}
	return count;
}

/* The work is at most that of the steps of the searches that led to it. */
static void
make_index(struct maps_pool *pool, struct maps_index *x, uint32_t root)
{
	uint32_t n = list(pool, root, NULL, x->steps);

	x->due = x->due < UINT32_MAX / 2 ? x->due * 2 : UINT32_MAX;
	if (!n || n > x->steps || !(x->start = malloc(n * (sizeof *x->start + sizeof *x->node))))
		return;
	x->n = n;
	x->node = (uint32_t *)(x->start + n);
	pool->bytes += index_bytes(x);
	list(pool, root, x->node, n);
	for (uint32_t i = 0; i < n; i++)
		x->start[i] = at(pool, x->node[i])->map.start;
}

/* ---- changes --------------------------------------------------------------------------------------------- */

int
pp_maps_insert(struct maps_pool *pool, struct pp_maps *maps, const struct pp_map *map)
{
	uint64_t end = map->start + map->len;
	uint32_t before, between, behind, rest = 0;
	struct maps_node *n;

	if (reserve(pool, path(pool, maps->root, map->start) + path(pool, maps->root, end) + 2) < 0)
		return -1;
	split(pool, maps->root, map->start, &before, &behind);
	split(pool, behind, end, &between, &behind);
	n = last(pool, between ? between : before);
	if (n && n->map.start + n->map.len > end) {
		struct pp_map m = n->map;

		m.pgoff += end - m.start;
		m.len -= end - m.start;
		m.start = end;
		rest = node(pool, &m);
	}
	if ((n = last(pool, before)) && n->map.start + n->map.len > map->start)
		n->map.len = map->start - n->map.start;
	pp_maps_release(pool, between);
	maps->root = merge(pool, merge(pool, before, node(pool, map)), merge(pool, rest, behind));
	forget_index(pool, maps->index);
	maps->version = ++pool->version;
	return 1;
}

uint32_t
pp_maps_hold(struct maps_pool *pool, const struct pp_maps *maps)
{
	if (maps->root)
		at(pool, maps->root)->refs++;
	return maps->root;
}

void
pp_maps_share(struct maps_pool *pool, struct pp_maps *to, const struct pp_maps *from)
{
	to->root = pp_maps_hold(pool, from);
	to->version = from->version;
}

void
pp_maps_drop(struct maps_pool *pool, struct pp_maps *maps)
{
	drop_index(pool, maps->index);
	pp_maps_release(pool, maps->root);
	maps->root = maps->index = 0;
	maps->version = 0;
}

/* ---- lookups --------------------------------------------------------------------------------------------- */

/* The map at an address; *steps: how many nodes are above it. */
static inline const struct pp_map *
find(const struct maps_pool *pool, uint32_t i, uint64_t ip, uint32_t *steps)
{
	const struct maps_node *n;

	for (*steps = 0; i; ++*steps) {
		n = at(pool, i);
		if (ip < n->map.start)
			i = n->left;
		else if (ip - n->map.start < n->map.len)
			return &n->map;
		else
			i = n->right;
	}
	return NULL;
}

static const struct pp_map *
find_in_index(const struct maps_pool *pool, const struct maps_index *x, uint64_t ip)
{
	const uint64_t *first = x->start;
	const struct pp_map *m;

	for (size_t n = x->n, half; n > 1; n -= half) {		/* without branches that cannot be foreseen */
		half = n / 2;
		first += first[half] <= ip ? half : 0;
	}
	m = &at(pool, x->node[first - x->start])->map;
	return ip - m->start < m->len ? m : NULL;
}

/* A search took so many steps.  Not inline: others would save registers for it. */
static __attribute__((noinline)) void
count_steps(struct maps_pool *pool, struct pp_maps *maps, uint32_t steps)
{
	struct maps_index *x;

	if (!maps->index && !(maps->index = new_index(pool)))
		return;
	x = &pool->index[maps->index];
	x->steps += steps;
	if (x->steps >= x->due)
		make_index(pool, x, maps->root);
}

const struct pp_map *
pp_maps_find(const struct pp_state *s, const struct pp_maps *maps, uint64_t ip)
{
	const struct pp_map *m;
	uint32_t steps;

	if (maps->index && s->pool.index[maps->index].n)
		return find_in_index(&s->pool, &s->pool.index[maps->index], ip);
	m = find(&s->pool, maps->root, ip, &steps);
	if (steps >= DEEP)
		count_steps(&((struct pp_state *)(uintptr_t)s)->pool, (struct pp_maps *)(uintptr_t)maps, steps);
	return m;
}

uint64_t
pp_maps_version(const struct pp_maps *maps)
{
	return maps->version;
}

/* A treap is not deep: its heap order is random. */
static int
each(const struct maps_pool *pool, uint32_t i, int (*fn)(void *, const struct pp_map *), void *arg)
{
	for (; i; i = at(pool, i)->right)
		if (each(pool, at(pool, i)->left, fn, arg) < 0 || fn(arg, &at(pool, i)->map) < 0)
			return -1;
	return 1;
}

int
pp_maps_each(const struct pp_state *s, const struct pp_maps *maps, int (*fn)(void *, const struct pp_map *), void *arg)
{
	return each(&s->pool, maps->root, fn, arg);
}

static int
each_in(const struct maps_pool *pool, uint32_t i, uint64_t start, uint64_t last, int (*fn)(void *, const struct pp_map *), void *arg)
{
	while (i) {
		const struct maps_node *n = at(pool, i);
		bool begins = n->map.start <= last, ends = n->map.start + (n->map.len - 1) >= start;

		if (ends && each_in(pool, n->left, start, last, fn, arg) < 0)
			return -1;
		if (begins && ends && fn(arg, &n->map) < 0)
			return -1;
		i = begins ? n->right : 0;
	}
	return 1;
}

int
pp_maps_each_in(const struct pp_state *s, const struct pp_maps *maps, uint64_t start, uint64_t last,
    int (*fn)(void *, const struct pp_map *), void *arg)
{
	return each_in(&s->pool, maps->root, start, last, fn, arg);
}

/* Is the node part of that tree, too?  Then so are all nodes below it. */
static bool
part_of(const struct maps_pool *pool, uint32_t i, uint32_t tree)
{
	uint64_t start = at(pool, i)->map.start;

	while (tree && tree != i)
		tree = start < at(pool, tree)->map.start ? at(pool, tree)->left : at(pool, tree)->right;
	return tree;
}

static bool
has_map(const struct maps_pool *pool, uint32_t tree, const struct pp_map *m)
{
	uint32_t steps;
	const struct pp_map *x = find(pool, tree, m->start, &steps);

	return x && x->start == m->start && x->len == m->len && x->pgoff == m->pgoff && x->dso == m->dso && x->data == m->data;
}

static int
each_new(const struct maps_pool *pool, uint32_t i, uint32_t base, int (*fn)(void *, const struct pp_map *), void *arg)
{
	for (; i && !part_of(pool, i, base); i = at(pool, i)->right)
		if (each_new(pool, at(pool, i)->left, base, fn, arg) < 0 ||
		    (!has_map(pool, base, &at(pool, i)->map) && fn(arg, &at(pool, i)->map) < 0))
			return -1;
	return 1;
}

int
pp_maps_each_new(const struct pp_state *s, const struct pp_maps *maps, uint32_t base, int (*fn)(void *, const struct pp_map *), void *arg)
{
	return each_new(&s->pool, maps->root, base, fn, arg);
}
