/* SPDX-License-Identifier: ISC */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "grid.h"
#include "set.h"
#include "tool/tool.h"

enum { GONE = 1 << 20 };		/* 20 bits of a hash */
#define NO_KEY (UINT64_MAX - 1)		/* of row 0; no sample has it */

static void	grid_change(void *arg, const uint16_t *to, unsigned n, unsigned n_to);

void
grid_init(struct grid *g, struct spans *s, unsigned max, bool numbers)
{
	*g = (struct grid){ .spans = s, .max = max, .numbers = numbers, .n = 1, .key = NO_KEY, .nparts = 1 };
	set_init(&g->by);
	g->row = tool_need(array_more(NULL, 0, 1, sizeof *g->row));
	g->row[0] = (struct grid_row){ .key = NO_KEY, .first = UINT64_MAX };
	spans_count_by(s, grid_change, g);
}

void
grid_free(struct grid *g)
{
	free(g->row);
	set_free(&g->by);
	free(g->count);
	free(g->gone);
}

/* ---- parts --------------------------------------------------------------------------------------- */

static uint32_t *
grid_part(const struct grid *g, unsigned part)
{
	return g->count + (size_t)part * GRID_PART;
}

/* A part of zeroes; 0: there is no space, which the first row always has. */
static unsigned
grid_part_new(struct grid *g, const struct grid_row *r)
{
	unsigned part = g->spare, most = GRID_PARTS + (r == g->row ? GRID_SPANS / GRID_PART : 0);

	if (part)
		g->spare = grid_part(g, part)[0];
	else if (g->nparts >= most)
		return 0;
	else {
		g->count = tool_need(array_more(g->count, g->nparts, 1, GRID_PART * sizeof *g->count));
		part = g->nparts++;
	}
	memset(grid_part(g, part), 0, GRID_PART * sizeof *g->count);
	return part;
}

static void
grid_part_free(struct grid *g, uint16_t *part)
{
	if (!*part)
		return;
	grid_part(g, *part)[0] = g->spare;
	g->spare = *part;
	*part = 0;
}

static void
grid_plus(struct grid *g, uint32_t *to, uint64_t n)
{
	if (n > UINT32_MAX - *to) {
		*to = UINT32_MAX;
		g->over = true;
	} else
		*to += (uint32_t)n;
}

/* Add one part to another of the same bins, and free it. */
static void
grid_part_join(struct grid *g, uint16_t *to, uint16_t *from)
{
	if (!*to) {
		*to = *from;
		*from = 0;
	} else if (*from) {
		for (unsigned i = 0; i < GRID_PART; i++)
			grid_plus(g, &grid_part(g, *to)[i], grid_part(g, *from)[i]);
		grid_part_free(g, from);
	}
}

/* ---- rows ---------------------------------------------------------------------------------------- */

static void
grid_index(struct grid *g)
{
	set_clear(&g->by);
	for (unsigned i = 1; i < g->n; i++)
		set_put(&g->by, set_hash(&g->by, g->row[i].key), i);
	g->key = NO_KEY;
}

static void
grid_join(struct grid *g, struct grid_row *to, struct grid_row *from)
{
	to->total += from->total;
	to->cut |= from->cut;
	if (from->first < to->first)
		to->first = from->first;
	if (from->last > to->last)
		to->last = from->last;
	for (unsigned i = 0; i < GRID_SPANS / GRID_PART; i++)
		grid_part_join(g, &to->part[i], &from->part[i]);
}

static int
grid_by_samples(const void *va, const void *vb)
{
	const struct grid_row *a = va, *b = vb;

	if (a->total != b->total)
		return a->total > b->total ? -1 : 1;
	if (a->last != b->last)
		return a->last > b->last ? -1 : 1;
	return a->key < b->key ? -1 : a->key > b->key;
}

static int
grid_by_key(const void *va, const void *vb)
{
	const struct grid_row *a = va, *b = vb;

	return a->key < b->key ? -1 : a->key > b->key;
}

/* Join neighbours. */
static void
grid_halve(struct grid *g)
{
	unsigned n = 1;

	g->shift++;
	qsort(g->row + 1, g->n - 1, sizeof *g->row, grid_by_key);
	for (unsigned i = 1; i < g->n; i++) {
		if (g->row[i].key != GRID_UNKNOWN)
			g->row[i].key >>= 1;
		if (n > 1 && g->row[n - 1].key == g->row[i].key)
			grid_join(g, &g->row[n - 1], &g->row[i]);
		else
			g->row[n++] = g->row[i];
	}
	g->n = n;
}

/* Add a row to the first; it can be overwritten then. */
static void
grid_drop(struct grid *g, struct grid_row *r)
{
	uint64_t h = set_hash(&g->by, r->key) >> 44;

	if (!g->gone)
		g->gone = tool_alloc(GONE / 64, sizeof *g->gone);
	g->gone[h / 64] |= UINT64_C(1) << h % 64;
	grid_join(g, &g->row[0], r);
	g->dropped++;
}

/* Drop the rows with the fewest samples, until a quarter of the space is free. */
static void
grid_evict(struct grid *g)
{
	unsigned parts = GRID_PARTS - GRID_PARTS / 4, used = g->nparts - 1;

	for (unsigned i = g->spare; i; i = grid_part(g, i)[0])
		used--;
	qsort(g->row + 1, g->n - 1, sizeof *g->row, grid_by_samples);
	while (g->n > 1 && (g->n > g->max - g->max / 4 || used > parts)) {
		struct grid_row *r = &g->row[--g->n];

		for (unsigned i = 0; i < GRID_SPANS / GRID_PART; i++)
			used -= r->part[i] && g->row[0].part[i];
		grid_drop(g, r);
	}
}

static void
grid_relieve(struct grid *g)
{
	while (g->numbers && g->n > 2 && g->shift < 63) {
		grid_halve(g);
		if (g->n <= g->max - g->max / 4)
			break;
	}
	if (!g->numbers || g->n < 2)
		grid_evict(g);
	grid_index(g);
}

/* Make it the row that is counted in: the one with that key, or the first.  False: it is the first. */
static bool
grid_look(struct grid *g, uint64_t key)
{
	uint64_t hash = set_hash(&g->by, key);
	uint32_t i;

	for (uint64_t at = 0; (i = set_next(&g->by, hash, &at));)
		if (g->row[i].key == key)
			break;
	g->key = i ? key : NO_KEY;
	g->at = i;
	return i != 0;
}

/* Make space; the key becomes what it is then. */
static void
grid_make_space(struct grid *g, uint64_t *key)
{
	unsigned shift = g->shift;

	grid_relieve(g);
	if (*key != GRID_UNKNOWN)
		*key >>= g->shift - shift;
}

void
grid_find(struct grid *g, uint64_t key)
{
	uint64_t hash;

	if (grid_look(g, key))
		return;
	if (g->n > g->max) {
		grid_make_space(g, &key);
		if (grid_look(g, key))
			return;
	}
	g->row = tool_need(array_more(g->row, g->n, 1, sizeof *g->row));
	hash = set_hash(&g->by, key);
	g->key = key;
	g->at = g->n++;
	g->row[g->at] = (struct grid_row){ .key = key, .first = UINT64_MAX,
	    .cut = g->gone && g->gone[(hash >> 44) / 64] >> (hash >> 44) % 64 & 1 };
	if (set_add(&g->by, hash, g->at) < 0)
		tool_no_memory();
}

/* The total and the times are counted. */
void
grid_add_slow(struct grid *g, unsigned bin, uint64_t n)
{
	uint64_t key = g->key;
	uint16_t *part;

	while (!*(part = &g->row[g->at].part[bin / GRID_PART]) && !(*part = (uint16_t)grid_part_new(g, &g->row[g->at]))) {
		grid_make_space(g, &key);
		grid_look(g, key);	/* if its row was dropped, with the total of this sample, its count follows */
	}
	grid_plus(g, &grid_part(g, *part)[bin % GRID_PART], n);
}

void
grid_full(struct grid *g, uint32_t part, unsigned bin)
{
	grid_part(g, part)[bin % GRID_PART] = UINT32_MAX;
	g->over = true;
}

/* ---- bins ---------------------------------------------------------------------------------------- */

void
grid_counts(const struct grid *g, const struct grid_row *r, uint64_t *to)
{
	for (unsigned part = 0; part * GRID_PART < g->spans->n; part++) {
		unsigned n = g->spans->n - part * GRID_PART;

		for (unsigned i = 0; r->part[part] && i < GRID_PART && i < n; i++)
			to[part * GRID_PART + i] += grid_part(g, r->part[part])[i];
	}
}

/* Set the counts of a row that has no parts.  False: there is no space for all. */
static bool
grid_set(struct grid *g, struct grid_row *r, const uint64_t *count, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		uint16_t *part = &r->part[i / GRID_PART];

		if (!count[i])
			continue;
		if (!*part && !(*part = (uint16_t)grid_part_new(g, r)))
			return false;
		grid_plus(g, &grid_part(g, *part)[i % GRID_PART], count[i]);
	}
	return true;
}

static void
grid_clear(struct grid *g, struct grid_row *r)
{
	for (unsigned i = 0; i < GRID_SPANS / GRID_PART; i++)
		grid_part_free(g, &r->part[i]);
}

/* Add the counts of a row, most of which may be 0, to the wider bins. */
static void
grid_sum(const struct grid *g, const struct grid_row *r, const uint16_t *to, uint64_t *sum)
{
	enum { STEP = 4 };

	for (unsigned part = 0; part < GRID_SPANS / GRID_PART; part++, to += GRID_PART) {
		const uint32_t *count = r->part[part] ? grid_part(g, r->part[part]) : NULL;

		for (unsigned i = 0; count && i < GRID_PART; i += STEP)
			if (count[i] | count[i + 1] | count[i + 2] | count[i + 3])
				for (unsigned k = i; k < i + STEP; k++)
					if (count[k])
						sum[to[k]] += count[k];
	}
}

/* spans_change.  Bins that came one after the other may now be in many parts: a row that has no space for them is dropped. */
static void
grid_change(void *arg, const uint16_t *to, unsigned n, unsigned n_to)
{
	struct grid *g = arg;
	uint64_t *sum = tool_alloc(2 * (size_t)n_to, sizeof *sum), *rest = sum + n_to;
	unsigned kept = 1;

	(void)n;
	for (unsigned k = g->n; k-- > 0;) {
		struct grid_row *r = &g->row[k];

		memset(sum, 0, n_to * sizeof *sum);
		grid_sum(g, r, to, sum);
		grid_clear(g, r);
		if (k && grid_set(g, r, sum, n_to))
			continue;
		grid_clear(g, r);
		for (unsigned i = 0; i < n_to; i++)
			rest[i] += sum[i];
		if (k) {
			grid_drop(g, r);
			r->key = NO_KEY;
		}
	}
	grid_set(g, &g->row[0], rest, n_to);
	for (unsigned k = 1; k < g->n; k++)
		if (g->row[k].key != NO_KEY)
			g->row[kept++] = g->row[k];
	g->n = kept;
	grid_index(g);
	free(sum);
}
