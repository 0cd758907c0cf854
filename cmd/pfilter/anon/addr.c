/* SPDX-License-Identifier: ISC */
#include <stdlib.h>
#include <string.h>

#include "addr.h"
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

enum { CACHE_BITS = 10 };
/*
 * The map of the kernel ends at the end of its text, but its symbols show that data and start-up code follow (start_kernel is in
 * every chain of the idle task).  So the map is extended to this multiple of its length.
 */
enum { KERNEL_BEHIND = 4 };
/* A kernel map that covers all addresses (perf up to 3.x, kptr_restrict) is replaced by one of KERNEL_MAX at its symbol. */
static const uint64_t KERNEL_ALIGN = UINT64_C(2) << 20, KERNEL_MAX = UINT64_C(512) << 20, KERNEL_WIDE = UINT64_C(1) << 40;

struct anon_addr {
	struct anon_key	*key;
	struct pp_state	*state;
	bool		 swap;
	struct slot { uint64_t base, slide; uint32_t dso; } cache[1 << CACHE_BITS];	/* dso: index + 1; 0: free */
	uint8_t		 buf[PP_RECORD_MAX + 1];
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
	if (!(a->state = pp_state_new(swap, err))) {
		free(a);
		return NULL;
	}
	pp_state_limit(a->state, tasks);
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

/* The distance by which a map moves; `base': the address of the first byte of its file. */
static uint64_t
slide_of(struct anon_addr *a, const char *name, size_t n, uint64_t base, bool kernel)
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

static uint64_t
slide_of_map(struct anon_addr *a, const struct pp_map *m, bool kernel)
{
	const struct pp_dso *d = pp_state_dso(a->state, m);
	uint64_t base = m->start - m->pgoff;
	struct slot *s = &a->cache[(base + m->dso) * UINT64_C(0x9e3779b97f4a7c15) >> (64 - CACHE_BITS)];

	if (s->base != base || s->dso != m->dso + 1) {
		*s = (struct slot){ .base = base, .dso = m->dso + 1 };
		s->slide = slide_of(a, d->name, d->len, base, kernel);
	}
	return s->slide;
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

	m.name = (const char *)r->raw + (r->type == PP_MMAP ? PP_RAW_AT(MMAP, filename) : PP_RAW_AT(MMAP2, filename));
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

/* Pass the record to the state, with the map of map_of(). */
static int
feed_map(struct anon_addr *a, const struct pp_rec *r)
{
	struct map m = map_of(a, r);
	struct pp_rec copy = *r;

	if (m.kernel && !m.len)		/* state.c would treat it as all addresses */
		return 1;
	memcpy(a->buf, r->raw, r->size);
	PP_RAW_SET(a->buf, MMAP, start, m.start, a->swap);
	PP_RAW_SET(a->buf, MMAP, len, m.len, a->swap);
	PP_RAW_SET(a->buf, MMAP, pgoff, m.pgoff, a->swap);
	copy.raw = a->buf;
	return pp_state_feed(a->state, &copy, 0);
}

/* A symbol outside of all kernel maps becomes a map (as in machine__process_ksymbol_register). */
static int
feed_symbol(struct anon_addr *a, const struct pp_rec *r)
{
	uint64_t addr = PP_RAW_GET(r->raw, KSYMBOL, addr, a->swap);
	uint32_t len = PP_RAW_GET(r->raw, KSYMBOL, len, a->swap);
	enum { FROM = PP_RAW_AT(KSYMBOL, name), TO = PP_RAW_AT(MMAP, filename) };
	size_t name = strlen((const char *)r->raw + FROM) + 1;
	struct pp_rec map = { .raw = a->buf, .type = PP_MMAP, .misc = PP_MISC_KERNEL };

	if (!len || TO + name > PP_RECORD_MAX ||
	    pp_state_map(a->state, UINT32_MAX, PP_MISC_KERNEL, addr))
		return 1;
	memset(a->buf, 0, TO);
	PP_RAW_SET(a->buf, MMAP, pid, UINT32_MAX, a->swap);
	PP_RAW_SET(a->buf, MMAP, start, addr, a->swap);
	PP_RAW_SET(a->buf, MMAP, len, len, a->swap);
	memcpy(a->buf + TO, r->raw + FROM, name);
	map.size = (uint16_t)(TO + name);
	return pp_state_feed(a->state, &map, 0);
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
		return pp_state_feed(a->state, r, 0);
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

uint64_t
anon_addr(struct anon_addr *a, uint32_t pid, unsigned cpumode, uint64_t addr)
{
	/* If kernel and programs share the address space, the highest bit separates them; otherwise the cpumode does. */
	bool kernel = addr & KERNEL_HALF || cpumode == PP_MISC_KERNEL, guest = cpumode > PP_MISC_USER;
	const struct pp_map *m = NULL;

	if (addr <= PAGE_MASK)
		return addr;
	for (int i = 0; i < 2 && !m && !guest; i++) {
		if (i)
			kernel = !kernel;
		m = pp_state_map(a->state, pid, kernel ? PP_MISC_KERNEL : PP_MISC_USER, addr);
	}
	if (m)
		return addr + slide_of_map(a, m, kernel);
	return (anon_number(a->key, ANON_D_PAGE, addr & ~PAGE_MASK) & (REGION - 1) & ~PAGE_MASK) + (addr & PAGE_MASK) +
	    (addr & KERNEL_HALF ? KERNEL_PAGES : USER_PAGES);
}

void
anon_addr_chain(struct anon_addr *a, uint32_t pid, unsigned cpumode, uint8_t *chain, uint64_t n, bool swap)
{
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
		pp_set_u64(p, anon_addr(a, pid, cpumode, ip), swap);
	}
}
