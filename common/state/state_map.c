/* SPDX-License-Identifier: ISC */
/* state_map.c - see state_in.h: maps and files, and records that are kept as they are. */
#include <stdlib.h>
#include <string.h>

#include "state_in.h"

enum { MASK_GUEST = 4 };		/* bit of the cpumodes GUEST_KERNEL and GUEST_USER */
enum { KSYMBOL_UNREGISTER = 1 };
enum { FILES_FEW = 16384 };		/* that are kept, whether a map uses them or not */

/* ---- files ----------------------------------------------------------------------------------------------- */

/* MMAP2's union of device and inode, or of a build-id; include/uapi/linux/perf_event.h */
static void
learn_file(struct pp_dso *d, const uint8_t *u, unsigned misc, bool swap)
{
	if (pp_file_has_id(misc, u)) {
		d->id_len = u[0];
		memcpy(d->id, u + 4, sizeof d->id);
	} else {
		d->maj = PP_RAW_GET(u, inode, maj, swap);
		d->min = PP_RAW_GET(u, inode, min, swap);
		d->ino = PP_RAW_GET(u, inode, ino, swap);
		d->ino_generation = PP_RAW_GET(u, inode, generation, swap);
	}
}

void
pp_dso_get(struct pp_dso *d, const struct pp_rec *r, size_t trailer, bool swap)
{
	size_t at = map_name_at(r->type);

	*d = (struct pp_dso){ .name = (const char *)r->raw + at };
	d->len = (uint32_t)strnlen(d->name, r->size - trailer - at);
	if (r->type == PP_MMAP2)
		learn_file(d, r->raw + PP_RAW_AT(MMAP2, inode_or_build_id), r->misc, swap);
}

/* map__new() of perf 6.1 to 7.2 */
bool
pp_map_is_jit(const struct pp_rec *r, const struct pp_dso *d, bool swap)
{
	static const char *const starts[] = { "//anon", "/dev/zero", "/anon_hugepage", "[stack", "/SYSV", "[heap]" };
	enum { EXEC = 4, HUGETLB = 0x40000 };

	if (r->type == PP_MMAP2 ? !(PP_RAW_GET(r->raw, MMAP2, prot, swap) & EXEC) : r->misc & PP_MISC_MMAP_DATA)
		return false;
	if (r->type == PP_MMAP2 && PP_RAW_GET(r->raw, MMAP2, flags, swap) & HUGETLB)
		return true;
	for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
		if (d->len >= strlen(starts[i]) && !memcmp(d->name, starts[i], strlen(starts[i])))
			return true;
	return false;
}

unsigned
pp_state_prot(const struct pp_state *s, const struct pp_map *m)
{
	enum { READ = 1, WRITE = 2, EXEC = 4 };
	const struct kind *k = s->kind[m->dso];

	if (k->type != PP_MMAP2)
		return READ | WRITE | (m->data ? 0 : EXEC);
	return pp_get_u32(k->fixed + (PP_RAW_AT(MMAP2, prot) - PP_RAW_AT(MMAP2, inode_or_build_id)), s->swap);
}

/* ---- kinds of maps --------------------------------------------------------------------------------------- */

static void
kind_use(void *arg, const struct pp_map *m)
{
	struct pp_state *s = arg;

	if (m->dso < s->nkinds && s->kind[m->dso])	/* a map of `symbols' has none */
		s->kind[m->dso]->used = true;
}

void
pp_state_sweep(struct pp_state *s)
{
	pp_maps_pool_each(&s->pool, kind_use, s);
	for (uint32_t i = 0; i < s->nkinds; i++) {
		struct kind *k = s->kind[i];

		if (k && !k->used) {
			pp_table_remove(&s->kinds, &k->link);
			s->bytes -= sizeof *k + k->file.len;
			free(k);
			s->kind[i] = NULL;
		} else if (k) {
			k->used = false;
		}
	}
	s->free_kind = 0;
	s->left = s->kinds.n;
	s->sweeps++;
}

/* Make free_kind the index of a free element of s->kind. */
static int
kind_reserve(struct pp_state *s)
{
	uint32_t cap = s->cap_kinds ? 2 * s->cap_kinds : 64;
	struct kind **p;

	while (s->free_kind < s->nkinds && s->kind[s->free_kind])
		s->free_kind++;
	if (s->free_kind < s->cap_kinds)
		return 1;
	if (!(p = reallocarray(s->kind, cap, sizeof *p)))
		return -1;
	s->kind = p;
	s->cap_kinds = cap;
	return 1;
}

/* A map that is written is without the flag of a build-id that it does not have. */
static uint16_t
kind_misc(const struct pp_rec *r)
{
	if (r->type != PP_MMAP2 || pp_file_has_id(r->misc, r->raw + PP_RAW_AT(MMAP2, inode_or_build_id)))
		return r->misc;
	return r->misc & (uint16_t)~PP_MISC_MMAP_BUILD_ID;
}

static struct kind *
kind_new(struct pp_state *s, uint64_t key, const struct pp_rec *r, uint16_t misc, const struct pp_dso *d, const uint8_t *fixed)
{
	struct kind *k;

	if (s->frees_files && s->kinds.n >= (s->left > FILES_FEW / 2 ? 2 * s->left : FILES_FEW))
		pp_state_sweep(s);
	if (kind_reserve(s) < 0 || !(k = calloc(1, sizeof *k + d->len + 1)))
		return NULL;
	k->type = r->type;
	k->misc = misc;
	memcpy(k->fixed, fixed, sizeof k->fixed);
	memcpy(k->name, d->name, d->len);
	k->file = *d;
	k->file.name = k->name;
	k->file.index = s->free_kind;
	if (pp_table_add(&s->kinds, &k->link, key) < 0) {
		free(k);
		return NULL;
	}
	s->kind[k->file.index] = k;
	s->bytes += sizeof *k + d->len;
	if (k->file.index == s->nkinds)
		s->nkinds++;
	return k;
}

/* The kind of a map whose record describes that file.  NULL: no memory. */
static struct kind *
kind_of(struct pp_state *s, const struct pp_rec *r, const struct pp_dso *d)
{
	static const uint8_t none[sizeof ((struct kind *)0)->fixed];
	const uint8_t *fixed = r->type == PP_MMAP2 ? r->raw + PP_RAW_AT(MMAP2, inode_or_build_id) : none;
	uint16_t misc = kind_misc(r);
	uint64_t key = pp_table_hash(&s->kinds, (r->type ^ (uint64_t)misc << 32) + ((uint64_t)d->jit << 17), fixed, sizeof none);

	key = pp_table_hash(&s->kinds, key, (const uint8_t *)d->name, d->len);
	for (struct link *l = pp_table_first(&s->kinds, key); l; l = pp_table_next(l)) {
		struct kind *k = (struct kind *)l;

		if (k->type == r->type && k->misc == misc && k->file.len == d->len && k->file.jit == d->jit &&
		    !memcmp(k->fixed, fixed, sizeof none) && !memcmp(k->name, d->name, d->len))
			return k;
	}
	return kind_new(s, key, r, misc, d, fixed);
}

/* ---- records that are kept ------------------------------------------------------------------------------- */

static uint64_t
kept_key(const struct pp_state *s, uint32_t type, uint32_t pid, uint64_t id)
{
	return pp_table_hash(&s->keeps, type | (uint64_t)pid << 32, (const uint8_t *)&id, sizeof id);
}

struct kept *
pp_state_kept(const struct pp_state *s, uint32_t type, uint32_t pid, uint64_t id)
{
	struct link *l = pp_table_first(&s->keeps, kept_key(s, type, pid, id));
	const struct kept *k;

	while (l && ((k = (struct kept *)l)->type != type || k->pid != pid || k->id != id))
		l = pp_table_next(l);
	return (struct kept *)l;
}

int
pp_state_keep(struct pp_state *s, const struct pp_rec *r, size_t size, uint32_t pid, uint64_t id, bool remove)
{
	struct kept *k = pp_state_kept(s, r->type, pid, id);

	if (k) {			/* the new one moves to the end: it replaces what it overlaps */
		pp_table_remove(&s->keeps, &k->link);
		TAILQ_REMOVE(&s->all_kept, k, all);
		s->bytes -= sizeof *k + k->size;
		free(k);
	}
	if (remove)
		return 1;
	if (!(k = malloc(sizeof *k + size + 1)))
		return pp_state_no_memory(s);
	k->type = r->type;
	k->pid = pid;
	k->id = id;
	k->size = (uint16_t)size;
	memcpy(k->raw, r->raw, size);
	k->raw[size] = 0;
	if (pp_table_add(&s->keeps, &k->link, kept_key(s, k->type, pid, id)) < 0) {
		free(k);
		return pp_state_no_memory(s);
	}
	TAILQ_INSERT_TAIL(&s->all_kept, k, all);
	s->bytes += sizeof *k + size;
	return 1;
}

int
pp_state_feed_ksymbol(struct pp_state *s, const struct pp_rec *r, size_t size)
{
	struct pp_map m = { .start = PP_RAW_GET(r->raw, KSYMBOL, addr, s->swap), .len = PP_RAW_GET(r->raw, KSYMBOL, len, s->swap) };
	bool gone = PP_RAW_GET(r->raw, KSYMBOL, flags, s->swap) & KSYMBOL_UNREGISTER;

	if (pp_state_keep(s, r, size, 0, m.start, gone) < 0)
		return -1;
	if (m.len > UINT64_MAX - m.start)
		m.len = UINT64_MAX - m.start;
	/* What is gone stays in the maps, without a record: addresses are used again. */
	return !gone && m.len && pp_maps_insert(&s->pool, &s->symbols, &m) < 0 ? pp_state_no_memory(s) : 1;
}

/* ---- MMAP and MMAP2, which begin with the same fields ------------------------------------------------- */

/* A map of the kernel or a guest.  1; 0: it belongs to no maps with lookups; -1. */
static int
keep_map(struct pp_state *s, const struct pp_rec *r, size_t size, struct pp_map *m)
{
	unsigned mode = r->misc & PP_MISC_CPUMODE_MASK;

	if (pp_state_keep(s, r, size, PP_RAW_GET(r->raw, MMAP, pid, s->swap), m->start, false) < 0)
		return -1;
	if (mode & MASK_GUEST || mode == PP_MISC_HYPERVISOR)
		return 0;
	/* perf uses a kernel map without addresses (kptr_restrict) for the whole address space */
	if (!m->start && !m->len)
		m->len = UINT64_MAX;
	return 1;
}

int
pp_state_feed_mmap(struct pp_state *s, const struct pp_rec *r, size_t size)
{
	uint32_t pid = PP_RAW_GET(r->raw, MMAP, pid, s->swap), tid = PP_RAW_GET(r->raw, MMAP, tid, s->swap);
	struct pp_map m = { .start = PP_RAW_GET(r->raw, MMAP, start, s->swap), .len = PP_RAW_GET(r->raw, MMAP, len, s->swap),
	    .pgoff = PP_RAW_GET(r->raw, MMAP, pgoff, s->swap), .data = r->misc & PP_MISC_MMAP_DATA };
	bool own = map_is_own(r, s->swap);
	struct pp_maps *maps = &s->kernel;
	struct pp_dso file;
	struct task *t;
	struct kind *k;
	int rc;

	if (!own && (rc = keep_map(s, r, size, &m)) <= 0)
		return rc < 0 ? -1 : 1;
	if (own) {
		if (!(t = pp_state_task_get(s, pid, tid)))
			return pp_state_no_memory(s);
		maps = &process_of(s, t)->maps;
	}
	if (m.len > UINT64_MAX - m.start)
		m.len = UINT64_MAX - m.start;
	if (!m.len)
		return 1;
	pp_dso_get(&file, r, r->size - size, s->swap);
	file.jit = own && pp_map_is_jit(r, &file, s->swap) ? pid : 0;
	if (!(k = kind_of(s, r, &file)))
		return pp_state_no_memory(s);
	m.dso = k->file.index;
	m.has_id = k->file.id_len;
	return pp_maps_insert(&s->pool, maps, &m) < 0 ? pp_state_no_memory(s) : 1;
}
