/* SPDX-License-Identifier: ISC */
#include <stdlib.h>
#include <string.h>

#include "tables.h"
#include "tool/utf8.h"

enum { CHUNK = 256 << 10 };		/* more than the largest thing: a name of 64 KiB whose bytes become three each */

struct pprof_chunk {
	struct pprof_chunk *next;
	size_t		 used;		/* bytes of this struct, too */
};

static void *
tables_get(struct pprof_tables *t, size_t n)
{
	struct pprof_chunk *k = t->chunk;

	n = (n + 7) & ~(size_t)7;
	if (!k || k->used + n > CHUNK) {
		if (!(k = malloc(CHUNK))) {
			t->failed = true;
			return NULL;
		}
		*k = (struct pprof_chunk){ t->chunk, sizeof *k };
		t->chunk = k;
		t->bytes += CHUNK;
	}
	k->used += n;
	return (uint8_t *)k + k->used - n;
}

static bool
tables_add(struct pprof_tables *t, struct table *to, struct link *x, uint64_t key)
{
	if (pp_table_add(to, x, key) > 0)
		return true;
	t->failed = true;
	return false;
}

void
pprof_tables_new(struct pprof_tables *t)
{
	*t = (struct pprof_tables){ .last_string = &t->first_string, .last_map = &t->first_map, .last_place = &t->first_place,
	    .last_stack = &t->first_stack };
	pp_table_init(&t->strings);
	pp_table_init(&t->maps);
	pp_table_init(&t->places);
	pp_table_init(&t->stacks);
}

void
pprof_tables_free(struct pprof_tables *t)
{
	struct pprof_chunk *k;

	while ((k = t->chunk)) {
		t->chunk = k->next;
		free(k);
	}
	pp_table_free(&t->strings, false);
	pp_table_free(&t->maps, false);
	pp_table_free(&t->places, false);
	pp_table_free(&t->stacks, false);
}

static size_t
tables_slots(const struct table *t)
{
	return t->bits ? sizeof *t->slot << t->bits : 0;
}

size_t
pprof_tables_memory(const struct pprof_tables *t)
{
	return t->bytes + tables_slots(&t->strings) + tables_slots(&t->maps) + tables_slots(&t->places) + tables_slots(&t->stacks);
}

/* ---- strings ------------------------------------------------------------------------------------- */

/* Copy n bytes; each that is not of UTF-8 becomes U+FFFD.  Returns the bytes that this makes; `to' NULL: nothing is written. */
static size_t
tables_mend(char *to, const char *from, size_t n)
{
	static const uint8_t replacement[3] = { 0xef, 0xbf, 0xbd };
	const uint8_t *p = (const uint8_t *)from, *end = p + n;
	size_t at = 0;

	while (p < end) {
		size_t len = utf8_len(p, (size_t)(end - p)), bytes = len ? len : sizeof replacement;

		if (to)
			memcpy(to + at, len ? p : replacement, bytes);
		at += bytes;
		p += len ? len : 1;
	}
	return at;
}

static uint32_t
tables_string(struct pprof_tables *t, const char *s, size_t n)
{
	uint64_t key = pp_table_hash(&t->strings, n, (const uint8_t *)s, n);
	struct pprof_string *x;

	for (struct link *l = pp_table_first(&t->strings, key); l; l = pp_table_next(l))
		if ((x = (struct pprof_string *)l)->len == n && !memcmp(x->text, s, n))
			return x->number;
	if (!(x = tables_get(t, sizeof *x + n)))
		return 0;
	*x = (struct pprof_string){ .number = (uint32_t)t->strings.n + 1, .len = (uint32_t)n };
	memcpy(x->text, s, n);
	if (!tables_add(t, &t->strings, &x->link, key))
		return 0;
	*t->last_string = x;
	t->last_string = &x->next;
	return x->number;
}

uint32_t
pprof_string(struct pprof_tables *t, const char *s, size_t n)
{
	size_t was = t->strings.n, len = tables_mend(NULL, s, n);
	uint32_t number;
	char *text;

	if (!n)
		return 0;
	if (len == n)
		return tables_string(t, s, n);
	if (!(text = malloc(len))) {
		t->failed = true;
		return 0;
	}
	tables_mend(text, s, n);
	number = tables_string(t, text, len);
	free(text);
	t->mended += t->strings.n > was;
	return number;
}

/* ---- maps, locations, samples -------------------------------------------------------------------- */

static uint64_t
tables_hash(const struct table *t, const uint64_t *x, size_t n)
{
	return pp_table_hash(t, n, (const uint8_t *)x, n * sizeof *x);
}

uint32_t
pprof_map(struct pprof_tables *t, const struct pp_map *m, const char *name)
{
	uint64_t key = tables_hash(&t->maps, (const uint64_t[]){ m->start, m->len, m->pgoff, m->dso }, 4);
	struct pprof_map *x;

	for (struct link *l = pp_table_first(&t->maps, key); l; l = pp_table_next(l)) {
		x = (struct pprof_map *)l;
		if (x->map.start == m->start && x->map.len == m->len && x->map.pgoff == m->pgoff && x->map.dso == m->dso)
			return x->number;
	}
	if (!(x = tables_get(t, sizeof *x)))
		return 0;
	*x = (struct pprof_map){ .map = *m, .number = (uint32_t)t->maps.n + 1 };
	x->name = pprof_string(t, name, strlen(name));
	if (!tables_add(t, &t->maps, &x->link, key))
		return 0;
	*t->last_map = x;
	t->last_map = &x->next;
	return x->number;
}

uint32_t
pprof_place(struct pprof_tables *t, uint32_t map, uint64_t address, unsigned mode)
{
	uint64_t key = tables_hash(&t->places, (const uint64_t[]){ address, map }, 2);
	struct pprof_place *x;

	for (struct link *l = pp_table_first(&t->places, key); l; l = pp_table_next(l))
		if ((x = (struct pprof_place *)l)->address == address && x->map == map)
			return x->number;
	if (!(x = tables_get(t, sizeof *x)))
		return 0;
	*x = (struct pprof_place){ .address = address, .map = map, .number = (uint32_t)t->places.n + 1,
	    .mode = mode & PP_MISC_CPUMODE_MASK };
	if (!tables_add(t, &t->places, &x->link, key))
		return 0;
	*t->last_place = x;
	t->last_place = &x->next;
	return x->number;
}

struct pprof_stack *
pprof_stack(struct pprof_tables *t, const uint32_t *place, uint32_t depth, const struct pprof_labels *labels, uint32_t event)
{
	size_t n = depth * sizeof *place;
	uint64_t key = pp_table_hash(&t->stacks, event, (const uint8_t *)place, n);
	struct pprof_stack *x;

	key = pp_table_hash(&t->stacks, key, (const uint8_t *)labels, sizeof *labels);
	for (struct link *l = pp_table_first(&t->stacks, key); l; l = pp_table_next(l)) {
		x = (struct pprof_stack *)l;
		if (x->depth == depth && x->event == event && !memcmp(&x->labels, labels, sizeof *labels) &&
		    !memcmp(x->place, place, n))
			return x;
	}
	if (!(x = tables_get(t, sizeof *x + n)))
		return NULL;
	*x = (struct pprof_stack){ .labels = *labels, .event = event, .depth = depth };
	memcpy(x->place, place, n);
	if (!tables_add(t, &t->stacks, &x->link, key))
		return NULL;
	*t->last_stack = x;
	t->last_stack = &x->next;
	return x;
}
