/* SPDX-License-Identifier: ISC */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "maps.h"
#include "record/raw.h"
#include "state/state.h"
#include "state/table.h"
#include "tool/tool.h"

enum { MAPS_MAX = 32 };		/* program, loader and first libraries suffice */

struct exec_map {			/* without padding: compared and hashed as bytes */
	uint64_t	 start, end;
	uint64_t	 base;		/* address of the file's first byte */
	uint64_t	 dev, ino;	/* ino 0: unknown */
	uint64_t	 name;		/* a hash */
	uint64_t	 synthesised;	/* 1: read from /proc by perf, not from the kernel */
};
static_assert(sizeof(struct exec_map) == 7 * sizeof(uint64_t), "padding");

struct exec_maps {
	struct link	 link;		/* in the pool; key: of m */
	uint64_t	 serial;	/* in the pool: no other maps have or had it; 0: in none */
	unsigned	 refs, n;
	struct exec_map	 m[];
};

enum { ANSWERS = 1 << 12 };

struct exec_maps_pool {
	struct table	 all;
	uint64_t	 serials;	/* given away */
	struct {
		uint64_t a, b;
		bool	 differ;
	} answer[ANSWERS];		/* of exec_maps_differ() */
};

static unsigned
name_at(const struct pp_rec *r)
{
	return r->type == PP_MMAP ? PP_RAW_AT(MMAP, filename) : PP_RAW_AT(MMAP2, filename);
}

bool
exec_maps_wants(const struct pp_rec *r)
{
	const char *name = (const char *)r->raw + name_at(r);

	return (r->type == PP_MMAP || r->type == PP_MMAP2) && (r->misc & PP_MISC_CPUMODE_MASK) == PP_MISC_USER &&
	    !(r->misc & PP_MISC_MMAP_DATA) && r->size > name_at(r) + 1 && name[0] == '/' && name[1] != '/';
}

/* FNV-1a: a recording that forges a collision only hides a conflict with itself. */
static uint64_t
hash(const char *name, size_t n)
{
	uint64_t h = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < n; i++)
		h = (h ^ (uint8_t)name[i]) * UINT64_C(0x100000001b3);
	return h;
}

static struct exec_map
take(const struct pp_rec *r, bool swap, bool synthesised)
{
	uint64_t start = PP_RAW_GET(r->raw, MMAP, start, swap);	/* MMAP2 begins with the same fields */
	struct pp_dso file;

	pp_dso_get(&file, r, 0, swap);
	return (struct exec_map){ .start = start, .end = start + PP_RAW_GET(r->raw, MMAP, len, swap),
	    .base = start - PP_RAW_GET(r->raw, MMAP, pgoff, swap), .synthesised = synthesised,
	    .dev = (uint64_t)file.maj << 32 | file.min, .ino = file.ino, .name = hash(file.name, file.len) };
}

static bool
same_map(const struct exec_map *a, const struct exec_map *b)
{
	if (a->base != b->base)
		return false;
	if (a->ino && b->ino && (a->synthesised == b->synthesised || a->name != b->name))
		return a->ino == b->ino && a->dev == b->dev;
	return a->name == b->name;
}

static bool
has(const struct exec_maps *all, const struct exec_map *m)
{
	for (unsigned i = 0; i < all->n; i++)
		if (same_map(&all->m[i], m))
			return true;
	return false;
}

bool
exec_maps_meet(const struct exec_maps *a, const struct exec_maps *b)
{
	for (unsigned i = 0; a && b && i < a->n; i++)
		if (has(b, &a->m[i]))
			return true;
	return false;
}

static bool
differ(const struct exec_maps *a, const struct exec_maps *b)
{
	if (!exec_maps_meet(a, b))
		return true;
	for (unsigned i = 0; i < a->n; i++)
		for (unsigned k = 0; k < b->n; k++)
			if (a->m[i].start < b->m[k].end && b->m[k].start < a->m[i].end && !has(b, &a->m[i]) &&
			    !has(a, &b->m[k]))
				return true;
	return false;
}

bool
exec_maps_differ(struct exec_maps_pool *pool, const struct exec_maps *a, const struct exec_maps *b)
{
	size_t at;

	if (!a || !b || a == b)
		return false;
	if (!pool || !a->serial || !b->serial)
		return differ(a, b);
	at = (a->serial * 31 + b->serial) % ANSWERS;
	if (pool->answer[at].a != a->serial || pool->answer[at].b != b->serial) {
		pool->answer[at].a = a->serial;
		pool->answer[at].b = b->serial;
		pool->answer[at].differ = differ(a, b);
	}
	return pool->answer[at].differ;
}

/* Those in the pool that have the n maps at m and one more; NULL: none. */
static struct exec_maps *
find(const struct exec_maps_pool *pool, uint64_t key, const struct exec_map *m, unsigned n, const struct exec_map *one)
{
	struct exec_maps *x = (struct exec_maps *)pp_table_first(&pool->all, key);

	while (x && (x->n != n + 1 || memcmp(&x->m[n], one, sizeof *one) != 0 || (n && memcmp(x->m, m, n * sizeof *m) != 0)))
		x = (struct exec_maps *)pp_table_next(&x->link);
	return x;
}

void
exec_maps_add(struct exec_maps_pool *pool, struct exec_maps **all, const struct pp_rec *r, bool swap, bool synthesised)
{
	struct exec_map m = take(r, swap, synthesised);
	struct exec_maps *old = *all, *new;
	unsigned n = old ? old->n : 0;
	uint64_t key = 0;

	if (old && (n == MAPS_MAX || has(old, &m)))
		return;
	if (pool) {
		key = pp_table_hash(&pool->all, old ? old->link.key : 0, (const uint8_t *)&m, sizeof m);
		if ((*all = exec_maps_share(find(pool, key, old ? old->m : NULL, n, &m)))) {
			exec_maps_free(pool, old);
			return;
		}
	}
	new = tool_alloc(1, sizeof *new + (n + 1) * sizeof *new->m);
	*new = (struct exec_maps){ .refs = 1, .n = n + 1 };
	if (old)
		memcpy(new->m, old->m, n * sizeof *new->m);
	new->m[n] = m;
	if (pool) {
		new->serial = ++pool->serials;
		if (pp_table_add(&pool->all, &new->link, key) < 0)
			tool_no_memory();
	}
	exec_maps_free(pool, old);
	*all = new;
}

struct exec_maps *
exec_maps_share(struct exec_maps *m)
{
	if (m)
		m->refs++;
	return m;
}

void
exec_maps_free(struct exec_maps_pool *pool, struct exec_maps *m)
{
	if (!m || --m->refs)
		return;
	if (pool)
		pp_table_remove(&pool->all, &m->link);
	free(m);
}

struct exec_maps_pool *
exec_maps_pool_new(void)
{
	struct exec_maps_pool *pool = tool_alloc(1, sizeof *pool);

	pp_table_init(&pool->all);
	return pool;
}

void
exec_maps_pool_free(struct exec_maps_pool *pool)
{
	pp_table_free(&pool->all, true);
	free(pool);
}
