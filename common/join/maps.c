/* SPDX-License-Identifier: ISC */
#include <stdlib.h>
#include <string.h>

#include "maps.h"
#include "record/raw.h"
#include "state/state.h"
#include "tool/tool.h"

enum { MAPS_MAX = 32 };		/* program, loader and first libraries suffice */

struct exec_map {
	uint64_t	 start, end;
	uint64_t	 base;		/* address of the file's first byte */
	uint64_t	 dev, ino;	/* ino 0: unknown */
	uint64_t	 name;		/* a hash */
	bool		 synthesised;	/* read from /proc by perf, not from the kernel */
};

struct exec_maps {
	unsigned	 refs, n;
	struct exec_map	 m[];
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

bool
exec_maps_differ(const struct exec_maps *a, const struct exec_maps *b)
{
	if (!a || !b || a == b)
		return false;
	if (!exec_maps_meet(a, b))
		return true;
	for (unsigned i = 0; i < a->n; i++)
		for (unsigned k = 0; k < b->n; k++)
			if (a->m[i].start < b->m[k].end && b->m[k].start < a->m[i].end && !has(b, &a->m[i]) &&
			    !has(a, &b->m[k]))
				return true;
	return false;
}

void
exec_maps_add(struct exec_maps **all, const struct pp_rec *r, bool swap, bool synthesised)
{
	struct exec_map m = take(r, swap, synthesised);
	struct exec_maps *old = *all, *new;
	unsigned n = old ? old->n : 0;

	if (old && (n == MAPS_MAX || has(old, &m)))
		return;
	if (!old || old->refs > 1 || !(n & (n - 1))) {		/* shared, or full: sizes are powers of two */
		unsigned cap = 1;

		while (cap <= n)
			cap *= 2;
		new = tool_alloc(1, sizeof *new + cap * sizeof *new->m);
		new->refs = 1;
		if (old)
			memcpy(new->m, old->m, n * sizeof *new->m);
		exec_maps_free(old);
		*all = new;
	}
	(*all)->m[n] = m;
	(*all)->n = n + 1;
}

struct exec_maps *
exec_maps_share(struct exec_maps *m)
{
	if (m)
		m->refs++;
	return m;
}

void
exec_maps_free(struct exec_maps *m)
{
	if (m && !--m->refs)
		free(m);
}
