/* SPDX-License-Identifier: ISC */
#include <stdlib.h>
#include <string.h>

#include "addr.h"
#include "make/rewrite.h"
#include "name.h"
#include "record/chain.h"
#include "record/raw.h"
#include "state/state.h"

#define KERNEL_HALF	(UINT64_C(1) << 63)
#define REGION		(UINT64_C(1) << 54)
/* Regions: see addr.h */
#define USER_MAPS	REGION
#define USER_PAGES	(2 * REGION)
#define LOW_KERNEL_MAPS	(3 * REGION)
#define KERNEL_MAPS	(0 - 3 * REGION)
#define KERNEL_PAGES	(0 - 2 * REGION)
#define PAGE_MASK	UINT64_C(4095)		/* offset in the smallest page of any machine */

enum { SPACE_BITS = 12, RANGES = 8, NAME = 256 };
/*
 * The map of the kernel ends at the end of its text, but its symbols show that data and start-up code follow (start_kernel is in
 * every chain of the idle task).  So the map is extended to this multiple of its length.
 */
enum { KERNEL_BEHIND = 4 };
/* A kernel map that covers all addresses (perf up to 3.x, kptr_restrict) is replaced by one of KERNEL_MAX at its symbol. */
static const uint64_t KERNEL_ALIGN = UINT64_C(2) << 20, KERNEL_MAX = UINT64_C(512) << 20, KERNEL_WIDE = UINT64_C(1) << 40;

struct space {				/* maps of one process, or of the kernel, that were hit, so that none is looked for at each address */
	uint64_t	 feeds;		/* version is that of the maps after so many records */
	uint64_t	 version;	/* of the maps */
	uint32_t	 pid;
	uint32_t	 n, last, oldest;	/* ranges; the one that was hit last; the next to be replaced if there are RANGES */
	struct range { uint64_t start, len, slide; } range[RANGES];
};

struct anon_addr {
	struct anon_key	*key;
	struct pp_state	*state;		/* its maps are nameless, and their pgoff - start is the distance by which they move */
	bool		 swap;
	uint64_t	 feeds;		/* records that the state was fed, and 1 */
	struct space	 kernel, space[1 << SPACE_BITS];	/* by pid */
	struct { uint64_t base, slide; size_t n; bool kernel; char name[NAME]; } was;	/* the last one of slide_of() */
};

struct anon_addr *
anon_addr_new(struct anon_key *key, bool swap, size_t tasks, struct pp_err *err)
{
	struct anon_addr *a = calloc(1, sizeof *a);

	if (!a) {
		pp_fail_memory(err);
		return NULL;
	}
	a->key = key;
	a->swap = swap;
	a->feeds = 1;
	a->was.n = SIZE_MAX;
	if (!(a->state = pp_state_new(swap, err))) {
		free(a);
		return NULL;
	}
	pp_state_limit(a->state, tasks);
	pp_state_free_files(a->state);
	return a;
}

void
anon_addr_free(struct anon_addr *a)
{
	if (a)
		pp_state_free(a->state);
	free(a);
}

/* ---- how far a map moves --------------------------------------------------------------------------- */

static uint64_t
make_slide(const struct anon_addr *a, const char *name, size_t n, uint64_t base, bool kernel)
{
	uint8_t bytes[8], mac[ANON_MAC];
	uint64_t to = 0;

	pp_set_u64(bytes, base, __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	anon_mac2(a->key, ANON_D_MAP, bytes, sizeof bytes, name, n, mac);
	for (int i = 0; i < 8; i++)
		to = to << 8 | mac[i];
	to &= (REGION - 1) & ~PAGE_MASK;
	to += !kernel ? USER_MAPS : base & KERNEL_HALF ? KERNEL_MAPS : LOW_KERNEL_MAPS;
	return to + (base & PAGE_MASK) - base;
}

/*
 * The distance by which a map moves; `base': the address of the first byte of its file.  A map is asked for twice, and the maps of a
 * file follow each other.
 */
static uint64_t
slide_of(struct anon_addr *a, const char *name, size_t n, uint64_t base, bool kernel)
{
	if (a->was.n != n || a->was.base != base || a->was.kernel != kernel || memcmp(a->was.name, name, n)) {
		a->was.slide = make_slide(a, name, n, base, kernel);
		a->was.base = base;
		a->was.kernel = kernel;
		a->was.n = n <= NAME ? n : SIZE_MAX;
		memcpy(a->was.name, name, n <= NAME ? n : 0);
	}
	return a->was.slide;
}

/* ---- maps ------------------------------------------------------------------------------------------ */

struct map {			/* an MMAP or MMAP2 as passed to the state */
	const char	*name;
	size_t		 name_len;
	uint64_t	 start, len, pgoff;	/* start - pgoff: address of offset 0 */
	bool		 kernel, wide;		/* wide: covers all addresses */
	bool		 moves_pgoff;		/* pgoff in the record is an address */
};

/* Is it a map of the kernel, as state.c defines it? */
static bool
is_kernel(const struct anon_addr *a, const struct pp_rec *r)
{
	return (r->misc & PP_MISC_CPUMODE_MASK) == PP_MISC_KERNEL || PP_RAW_GET(r->raw, MMAP, pid, a->swap) == UINT32_MAX;
}

static struct map
map_of(const struct anon_addr *a, const struct pp_rec *r)
{
	struct map m = { .start = PP_RAW_GET(r->raw, MMAP, start, a->swap), .len = PP_RAW_GET(r->raw, MMAP, len, a->swap),
	    .pgoff = PP_RAW_GET(r->raw, MMAP, pgoff, a->swap), .kernel = is_kernel(a, r) };
	uint64_t symbol = m.pgoff;

	m.name = (const char *)r->raw + (r->type == PP_MMAP ? PP_RAW_AT(MMAP, filename) :
	    pp_is_short_mmap2(r, a->swap) ? PP_RAW_AT(MMAP2, prot) : PP_RAW_AT(MMAP2, filename));
	m.name_len = strlen(m.name);
	if (anon_is_kernel(m.name, m.name_len)) {
		/* pgoff is the address of a symbol (struct ref_reloc_sym of tools/perf/util/map.h) */
		m.moves_pgoff = true;
		m.pgoff = 0;
		if (m.len >= KERNEL_WIDE || (!m.start && !m.len)) {
			m.wide = true;
			m.start = symbol & ~(KERNEL_ALIGN - 1);
			m.len = symbol ? KERNEL_MAX : 0;
		} else if (m.kernel && m.len < KERNEL_MAX) {
			m.len = m.len > KERNEL_MAX / KERNEL_BEHIND ? KERNEL_MAX : m.len * KERNEL_BEHIND;
		}
	} else if (!anon_is_file(m.name, m.name_len)) {
		/* the kernel sets pgoff of such maps to their address */
		m.moves_pgoff = true;
		m.pgoff = 0;
	}
	return m;
}

static int
feed(struct anon_addr *a, const struct pp_rec *r)
{
	a->feeds++;
	return pp_state_feed(a->state, r, 0);
}

/* Pass a map to the state.  Of a part of it that is left, too, pgoff - start is how far it moves. */
static int
feed_moved(struct anon_addr *a, const struct pp_rec *r, uint32_t pid, uint32_t tid, const struct map *m)
{
	uint8_t buf[PP_RAW_AT(MMAP, filename) + 8] = "";
	struct pp_rec map = { .raw = buf, .type = PP_MMAP, .misc = r->misc, .size = sizeof buf };

	if (m->kernel && !m->len)	/* state.c would treat it as all addresses */
		return 1;
	PP_RAW_SET(buf, MMAP, pid, pid, a->swap);
	PP_RAW_SET(buf, MMAP, tid, tid, a->swap);
	PP_RAW_SET(buf, MMAP, start, m->start, a->swap);
	PP_RAW_SET(buf, MMAP, len, m->len, a->swap);
	PP_RAW_SET(buf, MMAP, pgoff, m->start + slide_of(a, m->name, m->name_len, m->start - m->pgoff, m->kernel), a->swap);
	return feed(a, &map);
}

static int
feed_map(struct anon_addr *a, const struct pp_rec *r)
{
	struct map m = map_of(a, r);

	return feed_moved(a, r, PP_RAW_GET(r->raw, MMAP, pid, a->swap), PP_RAW_GET(r->raw, MMAP, tid, a->swap), &m);
}

/* A symbol outside of all kernel maps becomes a map (as in machine__process_ksymbol_register). */
static int
feed_symbol(struct anon_addr *a, const struct pp_rec *r)
{
	const char *name = (const char *)r->raw + PP_RAW_AT(KSYMBOL, name);
	struct map m = { .name = name, .name_len = strlen(name), .start = PP_RAW_GET(r->raw, KSYMBOL, addr, a->swap),
	    .len = PP_RAW_GET(r->raw, KSYMBOL, len, a->swap), .kernel = true };

	if (pp_state_map(a->state, UINT32_MAX, PP_MISC_KERNEL, m.start))
		return 1;
	return feed_moved(a, &(struct pp_rec){ .misc = PP_MISC_KERNEL }, UINT32_MAX, 0, &m);
}

int
anon_addr_feed(struct anon_addr *a, const struct pp_rec *r)
{
	switch (r->type) {
	case PP_MMAP:
	case PP_MMAP2:
		return feed_map(a, r);
	case PP_KSYMBOL:
		return feed_symbol(a, r);
	case PP_COMM:
	case PP_FORK:
	case PP_EXIT:
		return feed(a, r);
	default:
		return 1;
	}
}

void
anon_addr_map(struct anon_addr *a, const struct pp_rec *r, struct anon_map *to)
{
	struct map m = map_of(a, r);
	uint64_t pgoff = PP_RAW_GET(r->raw, MMAP, pgoff, a->swap);
	uint64_t slide = slide_of(a, m.name, m.name_len, m.start - m.pgoff, m.kernel);

	*to = (struct anon_map){ m.start + slide, PP_RAW_GET(r->raw, MMAP, len, a->swap), pgoff };
	if (m.wide && m.len)
		to->len = m.len;
	else if (m.wide)		/* nothing is known of this kernel: its addresses are in no map, so go here */
		*to = (struct anon_map){ KERNEL_PAGES, REGION, 0 };
	if (m.moves_pgoff && pgoff)
		to->pgoff = anon_is_kernel(m.name, m.name_len) ? pgoff + slide : to->start;
}

/* ---- addresses ------------------------------------------------------------------------------------- */

/* The state has changed since the space was used, or it was that of another process. */
static void
renew(const struct anon_addr *a, struct space *s, uint32_t pid, unsigned mode)
{
	const struct pp_maps *maps = pp_state_maps(a->state, pid, mode);
	uint64_t version = maps ? pp_maps_version(maps) : 0;

	if (s->pid != pid || s->version != version) {
		s->pid = pid;
		s->version = version;
		s->n = s->last = s->oldest = 0;
		s->range[0].len = 0;
	}
	s->feeds = a->feeds;
}

static struct space *
space_of(struct anon_addr *a, uint32_t pid, bool kernel)
{
	struct space *s = kernel ? &a->kernel : &a->space[pid * 0x9e3779b1u >> (32 - SPACE_BITS)];

	pid = kernel ? UINT32_MAX : pid;
	if (s->pid != pid || s->feeds != a->feeds)
		renew(a, s, pid, kernel ? PP_MISC_KERNEL : PP_MISC_USER);
	return s;
}

/* An address in none of the ranges of its space; NULL: it is that of a guest, or the like. */
static uint64_t
anon_addr_slow(struct anon_addr *a, struct space *s, uint32_t pid, bool kernel, uint64_t addr)
{
	const struct pp_map *m = NULL;

	if (s && (m = pp_state_map(a->state, pid, kernel ? PP_MISC_KERNEL : PP_MISC_USER, addr))) {
		s->last = s->n < RANGES ? s->n++ : s->oldest++ % RANGES;
		s->range[s->last] = (struct range){ m->start, m->len, m->pgoff - m->start };
	} else if (s) {
		m = pp_state_map(a->state, pid, kernel ? PP_MISC_USER : PP_MISC_KERNEL, addr);
	}
	if (m)
		return addr + (m->pgoff - m->start);
	return (anon_number(a->key, ANON_D_PAGE, addr & ~PAGE_MASK) & (REGION - 1) & ~PAGE_MASK) + (addr & PAGE_MASK) +
	    (addr & KERNEL_HALF ? KERNEL_PAGES : USER_PAGES);
}

/* of: the spaces of the process and, [true], of the kernel */
static inline uint64_t
moved(struct anon_addr *a, struct space *const of[2], uint32_t pid, unsigned cpumode, uint64_t addr)
{
	/* If kernel and programs share the address space, the highest bit separates them; otherwise the cpumode does. */
	bool kernel = addr & KERNEL_HALF || cpumode == PP_MISC_KERNEL;
	struct space *s = of[kernel];

	if (addr <= PAGE_MASK)
		return addr;
	if (cpumode > PP_MISC_USER)
		return anon_addr_slow(a, NULL, pid, kernel, addr);
	if (addr - s->range[s->last].start < s->range[s->last].len)
		return addr + s->range[s->last].slide;
	for (uint32_t i = 0; i < s->n; i++)
		if (addr - s->range[i].start < s->range[i].len) {
			s->last = i;
			return addr + s->range[i].slide;
		}
	return anon_addr_slow(a, s, pid, kernel, addr);
}

uint64_t
anon_addr(struct anon_addr *a, uint32_t pid, unsigned cpumode, uint64_t addr)
{
	struct space *const of[] = { space_of(a, pid, false), space_of(a, pid, true) };

	return moved(a, of, pid, cpumode, addr);
}

void
anon_addr_chain(struct anon_addr *a, uint32_t pid, unsigned cpumode, uint8_t *chain, uint64_t n, bool swap)
{
	struct space *const of[] = { space_of(a, pid, false), space_of(a, pid, true) };

	for (uint64_t i = 0; i < n; i++) {
		uint8_t *p = chain + 8 * i;
		uint64_t ip = pp_get_u64(p, swap);

		if (pp_is_context(ip)) {
			cpumode = pp_context_mode(ip);
			if (!cpumode)
				cpumode = PP_MISC_GUEST_USER;	/* what is unknown is in no map */
			if (ip == PP_CONTEXT(USER_DEFERRED))
				i++;		/* a cookie */
			continue;
		}
		pp_set_u64(p, moved(a, of, pid, cpumode, ip), swap);
	}
}
