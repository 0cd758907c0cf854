/* SPDX-License-Identifier: ISC */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "hists.h"
#include "report/plus.h"
#include "rows.h"
#include "set.h"
#include "tool/tool.h"

void
rows_init(struct rows *t)
{
	*t = (struct rows){ .other.first = UINT64_MAX };
	set_init(&t->by);
	for (unsigned i = 0; i < ROWS_KEYS; i++)
		t->mul[i] = pp_seed() | 1;
}

void
rows_free(struct rows *t)
{
	free(t->row);
	set_free(&t->by);
}

void
rows_sum(struct counted *to, const struct counted *more)
{
	to->records += more->records;
	to->samples += more->samples;
	plus(&to->period, more->period);
	to->bytes += more->bytes;
	plus(&to->lost, more->lost);
	plus(&to->lost_samples, more->lost_samples);
	if (more->first < to->first)
		to->first = more->first;
	if (more->last > to->last)
		to->last = more->last;
}

static int
rows_by_samples(const void *va, const void *vb)
{
	const struct row *a = va, *b = vb;

	if (a->n.samples != b->n.samples)
		return a->n.samples > b->n.samples ? -1 : 1;
	return a->n.last > b->n.last ? -1 : a->n.last < b->n.last;
}

/* Those with the fewest samples, the oldest of these first. */
void
rows_shrink(struct rows *t, uint32_t n)
{
	qsort(t->row, t->n, sizeof *t->row, rows_by_samples);
	while (t->n > n) {
		rows_sum(&t->other, &t->row[--t->n].n);
		if (t->hists)
			hists_merge(t->hists, &t->other_hist, &t->row[t->n].hist);
	}
	t->over = true;
	set_clear(&t->by);
	for (uint32_t i = 0; i < t->n; i++)
		set_put(&t->by, rows_hash(t, t->row[i].key), i + 1);
}

struct row *
rows_get_slow(struct rows *t, uint64_t key0, uint64_t key1, uint64_t key2, uint64_t hash)
{
	const uint64_t key[ROWS_KEYS] = { key0, key1, key2 };
	uint32_t i;

	for (uint64_t at = 0; (i = set_next(&t->by, hash, &at));)
		if (!memcmp(t->row[i - 1].key, key, sizeof t->row->key))
			return &t->row[i - 1];
	if (t->n == ROWS_MAX)
		rows_shrink(t, ROWS_MAX - ROWS_MAX / 4);
	t->row = tool_need(array_more(t->row, t->n, 1, sizeof *t->row));
	i = t->n++;
	t->row[i] = (struct row){ .n.first = UINT64_MAX };
	memcpy(t->row[i].key, key, sizeof t->row->key);
	if (set_add(&t->by, hash, t->n) < 0)
		tool_no_memory();
	return &t->row[i];
}

static void
rows_merge(struct rows *t, struct row *to, struct row *from)
{
	rows_sum(&to->n, &from->n);
	if (!to->hist) {
		to->hist = from->hist;
		from->hist = 0;
	} else if (t->hists)
		hists_merge(t->hists, &to->hist, &from->hist);
}

void
rows_change(struct rows *t, unsigned key, uint64_t (*fn)(void *arg, uint64_t), void *arg)
{
	struct row *old = t->row;
	uint32_t n = t->n;

	t->row = NULL;
	t->n = 0;
	set_clear(&t->by);
	for (uint32_t i = 0; i < n; i++) {
		old[i].key[key] = fn(arg, old[i].key[key]);
		rows_merge(t, rows_get(t, old[i].key), &old[i]);
	}
	free(old);
}
