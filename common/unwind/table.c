/* SPDX-License-Identifier: ISC */
/*
 * table.c - which FDE an address has: by the table of .eh_frame_hdr, or by a list made of all entries of a section
 *
 * The table is: u8 version, u8 encodings of what follows | pointer to .eh_frame | number of entries | entries, by address: where a
 * function begins, and where its FDE is.
 */
#include <stdlib.h>
#include <string.h>

#include "in.h"

struct place {				/* of a list, before it is sorted */
	uint64_t	 start;
	uint32_t	 at;
};

size_t
unwind_table_bytes(const struct unwind_file *f, const struct unwind_table *t, uint64_t at, uint8_t *to, size_t n)
{
	uint64_t size = t->bytes ? t->nbytes : t->size;

	if (at >= size)
		return 0;
	if (n > size - at)
		n = (size_t)(size - at);
	if (!t->bytes)
		return unwind_read(f, t->at + at, to, n);
	memcpy(to, t->bytes + at, n);
	return n;
}

/* ---- the table of .eh_frame_hdr ------------------------------------------------------------------------ */

static unsigned
pointer_size(uint8_t encoding)
{
	switch (encoding & UNWIND_PE_FORMAT) {
	case UNWIND_PE_U4: case UNWIND_PE_S4:
		return 4;
	case UNWIND_PE_ABSOLUTE: case UNWIND_PE_U8: case UNWIND_PE_S8:
		return 8;
	default:
		return 0;
	}
}

/* Put the next entry there; false: out of order, or too far away. */
static bool
put_place(struct unwind_table *t, uint64_t start, uint64_t fde)
{
	uint64_t at = fde - t->addr;

	if (!t->n)
		t->base = start;
	if (start < t->base || start - t->base > UINT32_MAX || at > UINT32_MAX || at >= t->size ||
	    (t->n && start - t->base < t->place[t->n - 1].start))
		return false;
	t->place[t->n++] = (struct unwind_place){ (uint32_t)(start - t->base), (uint32_t)at };
	return true;
}

static bool
read_places(const struct unwind_file *f, struct unwind_table *t, uint64_t at, size_t n, uint8_t encoding)
{
	unsigned size = 2 * pointer_size(encoding);
	uint8_t part[1 << 12];

	while (t->n < n) {
		size_t now = n - t->n < sizeof part / size ? n - t->n : sizeof part / size;
		struct unwind_bytes b = { part, part + now * size, false };

		if (unwind_read(f, t->header + at, part, now * size) < now * size)
			return false;
		for (size_t i = 0; i < now; i++, at += size) {
			uint64_t start = unwind_pointer(&b, encoding, t->header_addr + at, t->header_addr);
			uint64_t fde = unwind_pointer(&b, encoding, t->header_addr + at + size / 2, t->header_addr);

			if (b.bad || !put_place(t, start, fde))
				return false;
		}
	}
	return true;
}

static bool
read_header(const struct unwind_file *f, struct unwind_table *t)
{
	uint8_t head[64];
	size_t got = unwind_read(f, t->header, head, t->header_size < sizeof head ? t->header_size : sizeof head);
	struct unwind_bytes b = { head, head + got, got < 4 };
	uint64_t n;

	if (!unwind_take(&b, 4))
		return false;
	unwind_pointer_value(&b, head[1]);
	if (head[2] == UNWIND_PE_OMIT || head[3] == UNWIND_PE_OMIT || !pointer_size(head[3]))
		return false;
	n = unwind_pointer_value(&b, head[2]);
	if (b.bad || !n || n > UNWIND_TABLES / sizeof *t->place ||
	    n > (t->header_size - (uint64_t)(b.p - head)) / (2 * pointer_size(head[3])))
		return false;
	if (!(t->place = malloc(n * sizeof *t->place)))
		return false;
	t->n = 0;
	t->memory = n * sizeof *t->place;
	return read_places(f, t, (uint64_t)(b.p - head), n, head[3]);
}

/* ---- a list of all entries ----------------------------------------------------------------------------- */

struct last_cie {			/* most FDEs have the CIE of the one before */
	uint64_t	 at;
	bool		 good;
	struct unwind_cie cie;
};

/* Where an FDE's function begins. */
static bool
start_of(const struct unwind_table *t, const uint8_t *p, size_t n, const struct unwind_entry_at *e, struct last_cie *last, uint64_t *start)
{
	struct unwind_entry_at c;
	struct unwind_fde fde;

	if (e->cie >= n)
		return false;
	if (!last->good || e->cie != last->at) {
		last->good = unwind_entry(t, e->cie, p + e->cie, n - e->cie, &c) && unwind_cie_read(&c, &last->cie);
		last->at = e->cie;
	}
	if (!last->good || !unwind_fde_read(e, &last->cie, t->addr + (uint64_t)(e->rest.p - p), &fde))
		return false;
	*start = fde.start;
	return fde.start && fde.size;		/* the functions that a linker has left out begin at 0 */
}

static size_t
list(const struct unwind_table *t, const uint8_t *p, size_t n, struct place *to, size_t most)
{
	struct last_cie last = { .good = false };
	struct unwind_entry_at e;
	size_t found = 0;
	uint64_t start;

	for (uint64_t at = 0; at < n && found < most && unwind_entry(t, at, p + at, n - at, &e); at += e.size)
		if (!e.is_cie && start_of(t, p, n, &e, &last, &start))
			to[found++] = (struct place){ start, (uint32_t)at };
	return found;
}

static int
by_start(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	return x->start != y->start ? (x->start < y->start ? -1 : 1) : x->at < y->at ? -1 : x->at > y->at;
}

static void
put_list(struct unwind_table *t, struct place *p, size_t n)
{
	qsort(p, n, sizeof *p, by_start);
	t->base = p[0].start;
	while (n && p[n - 1].start - t->base > UINT32_MAX)
		n--;
	if (!(t->place = malloc(n * sizeof *t->place)))
		return;
	for (t->n = 0; t->n < n; t->n++)
		t->place[t->n] = (struct unwind_place){ (uint32_t)(p[t->n].start - t->base), p[t->n].at };
	t->memory += n * sizeof *t->place;
}

static bool
read_list(const struct unwind_file *f, struct unwind_table *t)
{
	size_t n = t->bytes ? t->nbytes : t->size < UNWIND_SECTION ? t->size : UNWIND_SECTION;
	size_t most = n / 8 < UNWIND_LIST ? n / 8 + 1 : UNWIND_LIST;
	struct place *places = malloc(most * sizeof *places);
	uint8_t *section = t->bytes ? t->bytes : malloc(n ? n : 1);
	size_t found = 0;

	if (places && section && (t->bytes || (n = unwind_read(f, t->at, section, n))))
		found = list(t, section, n, places, most);
	if (found)
		put_list(t, places, found);
	if (!t->bytes)
		free(section);
	free(places);
	return t->n;
}

/* ---- tables in memory ---------------------------------------------------------------------------------- */

static void
forget(struct unwind_table *t)
{
	free(t->place);
	free(t->bytes);
	t->place = NULL;
	t->bytes = NULL;
	t->n = t->memory = 0;
}

void
unwind_table_drop(struct unwind_file *f, struct unwind_table *t)
{
	if (t->state != UNWIND_TABLE_READ)
		return;
	f->u->tables -= t->memory;
	forget(t);
	t->state = UNWIND_TABLE_UNREAD;
	t->again = true;
}

/* Drop tables of other files until these fit. */
static void
make_room(struct unwind_file *f, size_t memory)
{
	while (f->u->tables + memory > UNWIND_TABLES) {
		struct unwind_file *oldest = NULL;

		for (struct unwind_file *g = f->u->files; g; g = g->next)
			if (g != f && (g->table[0].state == UNWIND_TABLE_READ || g->table[1].state == UNWIND_TABLE_READ) &&
			    (!oldest || g->turn < oldest->turn))
				oldest = g;
		if (!oldest)
			return;
		unwind_table_drop(oldest, &oldest->table[0]);
		unwind_table_drop(oldest, &oldest->table[1]);
	}
}

static bool
read_table(struct unwind_file *f, struct unwind_table *t)
{
	if (t->header_size) {
		if (read_header(f, t))
			return true;
		forget(t);
	}
	if (t->compressed) {
		if (!(t->bytes = unwind_expand(f, t, &t->nbytes)))
			return false;
		t->memory = t->nbytes;
	}
	return read_list(f, t) && t->memory <= UNWIND_TABLES;
}

bool
unwind_table_ready(struct unwind_file *f, struct unwind_table *t)
{
	const struct unwind_table *other = &f->table[t == f->table];

	if (t->state != UNWIND_TABLE_UNREAD)
		return t->state == UNWIND_TABLE_READ;
	if (!read_table(f, t)) {
		forget(t);
		t->state = UNWIND_TABLE_BAD;
		if (other->state == UNWIND_TABLE_NONE || other->state == UNWIND_TABLE_BAD)
			f->trouble = "its tables are damaged or too large";
		return false;
	}
	if (t->again) {
		f->u->stats.reloads++;
		unwind_work(f, t->memory / sizeof *t->place);
	}
	make_room(f, t->memory);
	f->u->tables += t->memory;
	t->state = UNWIND_TABLE_READ;
	return true;
}

bool
unwind_table_find(const struct unwind_table *t, uint64_t addr, uint64_t *at)
{
	size_t low = 0, high = t->n;

	if (addr < t->base)
		return false;
	addr -= t->base;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (t->place[middle].start <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return false;
	*at = t->place[low - 1].at;
	return true;
}
