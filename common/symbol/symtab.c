/* SPDX-License-Identifier: ISC */
/*
 * symtab.c - see symtab.h
 *
 *	head | u64 start[n] | segment[nsegments] | u32 len[n] | u32 name[n] | u32 up[n] | text, each name with a NUL
 */
#include <stdlib.h>
#include <string.h>

#include "symtab.h"

struct head {
	uint64_t	 anchor[2];
	uint32_t	 n, nsegments;
	uint64_t	 ntext;
};
enum { EACH = 8 + 3 * 4, PAGE = 4096 };	/* bytes of a symbol without its name */

/* ---- making ---------------------------------------------------------------------------------------- */

/* Space for one more, of so many bytes each.  False: no memory. */
static bool
grow(void **p, size_t *cap, size_t need, size_t each, size_t first)
{
	size_t n = *cap ? *cap : first;
	void *q;

	while (n < need)
		n *= 2;
	if (n == *cap)
		return true;
	if (!(q = realloc(*p, n * each)))
		return false;
	*p = q;
	*cap = n;
	return true;
}

void
symtab_add(struct symtab_maker *m, uint64_t start, uint64_t size, const char *name, size_t len, unsigned flags)
{
	void *v = m->v, *text = m->text;

	if (!len || len > SYMTAB_NAME_MAX || m->failed)
		return;
	m->failed = (uint64_t)m->ntext + len + 1 > UINT32_MAX || !grow(&v, &m->cap, m->n + 1, sizeof *m->v, 1024);
	m->v = v;
	m->failed = m->failed || !grow(&text, &m->captext, m->ntext + len + 1, 1, 65536);
	m->text = text;
	if (m->failed)
		return;
	m->v[m->n++] = (struct symtab_symbol){ start, size, (uint32_t)m->ntext, (uint8_t)flags };
	memcpy(m->text + m->ntext, name, len);
	m->text[m->ntext + len] = '\0';
	m->ntext += len + 1;
}

/* By address, and then as they came. */
static int
by_start(const void *va, const void *vb)
{
	const struct symtab_symbol *a = va, *b = vb;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return a->name < b->name ? -1 : a->name > b->name;
}

/* Does b, which came later, replace a? */
static bool
is_better(const struct symtab_maker *m, const struct symtab_symbol *a, const struct symtab_symbol *b)
{
	const char *x = m->text + a->name, *y = m->text + b->name;
	size_t under;

	if (!a->size != !b->size)
		return b->size;
	if ((a->flags ^ b->flags) & SYMTAB_WEAK)
		return a->flags & SYMTAB_WEAK;
	if ((a->flags ^ b->flags) & SYMTAB_GLOBAL)
		return b->flags & SYMTAB_GLOBAL;
	if ((under = strspn(x, "_")) != strspn(y, "_"))
		return under > strspn(y, "_");
	return strlen(y) > strlen(x);
}

/* Keep one symbol for each start, and give those without a size one. */
static void
choose(struct symtab_maker *m)
{
	struct symtab_symbol *v = m->v;
	size_t n = 0;

	if (m->n)
		qsort(v, m->n, sizeof *v, by_start);
	for (size_t i = 0; i < m->n; i++)
		if (!n || v[n - 1].start != v[i].start)
			v[n++] = v[i];
		else if (m->last || is_better(m, &v[n - 1], &v[i]))
			v[n - 1] = v[i];
	m->n = n;
	for (size_t i = 0; i < n; i++)
		if (!v[i].size)
			v[i].size = i + 1 < n ? v[i + 1].start - v[i].start : PAGE + (PAGE - v[i].start % PAGE) % PAGE;
}

static void
place(struct symtab *t, const struct head *h, uint8_t *p)
{
	t->n = h->n;
	t->nsegments = h->nsegments;
	memcpy(t->anchor, h->anchor, sizeof t->anchor);
	t->start = (void *)(p += sizeof *h);
	t->segment = (void *)(p += 8 * (size_t)h->n);
	t->len = (void *)(p += sizeof *t->segment * (size_t)h->nsegments);
	t->name = t->len + h->n;
	t->up = t->name + h->n;
	t->text = (const char *)(t->up + h->n);
}

size_t
symtab_write(struct symtab_maker *m, const struct symtab_segment *segment, size_t nsegments, void *to, size_t max)
{
	struct head h = { .anchor = { m->anchor[0], m->anchor[1] } };
	struct symtab t = { .n = 0 };
	uint64_t *start;
	uint32_t *len, *name, *up, j;
	char *text;

	choose(m);
	for (size_t i = 0; i < m->n; i++)
		h.ntext += strlen(m->text + m->v[i].name) + 1;
	if (m->failed || m->n >= UINT32_MAX || nsegments >= UINT32_MAX || h.ntext >= UINT32_MAX || max < sizeof h ||
	    (max - sizeof h) / sizeof *segment < nsegments ||
	    max - sizeof h - nsegments * sizeof *segment < m->n * EACH + h.ntext)
		return 0;
	h.n = (uint32_t)m->n;
	h.nsegments = (uint32_t)nsegments;
	memcpy(to, &h, sizeof h);
	place(&t, &h, to);
	start = (void *)(uintptr_t)t.start;
	len = (void *)(uintptr_t)t.len;
	name = len + h.n;
	up = name + h.n;
	text = (void *)(uintptr_t)t.text;
	if (nsegments)
		memcpy((void *)(uintptr_t)t.segment, segment, nsegments * sizeof *segment);
	for (uint32_t i = 0, at = 0; i < h.n; i++) {
		const struct symtab_symbol *s = &m->v[i];
		size_t n = strlen(m->text + s->name) + 1;

		start[i] = s->start;
		len[i] = s->size < UINT32_MAX ? (uint32_t)s->size : UINT32_MAX;
		name[i] = at;
		memcpy(text + at, m->text + s->name, n);
		at += (uint32_t)n;
		for (j = i; j && s->start - start[j - 1] >= len[j - 1]; j = up[j - 1])
			;
		up[i] = j;
	}
	return sizeof h + nsegments * sizeof *segment + h.n * EACH + h.ntext;
}

void
symtab_maker_free(struct symtab_maker *m)
{
	free(m->v);
	free(m->text);
	*m = (struct symtab_maker){ .n = 0 };
}

/* ---- using ----------------------------------------------------------------------------------------- */

static bool
is_sound(const struct symtab *t, const struct head *h)
{
	if (h->ntext && t->text[h->ntext - 1])
		return false;
	for (uint32_t i = 0; i < t->n; i++)
		if (t->name[i] >= h->ntext || t->up[i] > i || (i && t->start[i] <= t->start[i - 1]))
			return false;
	return true;
}

bool
symtab_open(struct symtab *t, void *mem, size_t bytes)
{
	struct head h;
	uint64_t need;

	*t = (struct symtab){ .mem = mem, .bytes = bytes };
	if (bytes >= sizeof h) {
		memcpy(&h, mem, sizeof h);
		need = sizeof h + (uint64_t)h.n * EACH + (uint64_t)h.nsegments * sizeof *t->segment;
		if (need <= bytes && bytes - need == h.ntext) {
			place(t, &h, mem);
			if (is_sound(t, &h))
				return true;
		}
	}
	symtab_free(t);
	return false;
}

void
symtab_free(struct symtab *t)
{
	free(t->mem);
	*t = (struct symtab){ .n = 0 };
}

const char *
symtab_find(const struct symtab *t, uint64_t addr, uint64_t *start)
{
	uint32_t from = 0, n = t->n;

	while (n) {			/* `from' becomes 1 + the last that begins at or before the address */
		uint32_t half = n / 2;

		if (t->start[from + half] <= addr) {
			from += half + 1;
			n -= half + 1;
		} else
			n = half;
	}
	while (from && addr - t->start[from - 1] >= t->len[from - 1])
		from = t->up[from - 1];
	if (!from)
		return NULL;
	*start = t->start[from - 1];
	return t->text + t->name[from - 1];
}

bool
symtab_addr(const struct symtab *t, uint64_t offset, uint64_t *addr)
{
	for (uint32_t i = 0; i < t->nsegments; i++)
		if (offset >= t->segment[i].offset && offset - t->segment[i].offset < t->segment[i].len) {
			*addr = offset - t->segment[i].offset + t->segment[i].addr;
			return true;
		}
	return false;
}
