/* SPDX-License-Identifier: ISC */
#include <stdlib.h>
#include <string.h>

#include "hists.h"
#include "set.h"
#include "tool/tool.h"

struct one {			/* a histogram */
	uint64_t count, sum, min, max;
	uint16_t part[HISTS_POWERS];	/* of its buckets 16 n to 16 n + 15; 0: all are empty */
};
struct sixteen { uint64_t count[16]; };

struct hists {
	struct one	*one;		/* [0] is not used */
	uint32_t	 n, spare;	/* spare: the first of those that are free, linked by `min' */
	struct sixteen	*part;		/* [0] is not used */
	uint32_t	 nparts, spare_part;	/* linked by count[0] */
	bool		 over;
};

struct hists *
hists_new(void)
{
	struct hists *h = tool_alloc(1, sizeof *h);

	h->n = h->nparts = 1;
	return h;
}

void
hists_free(struct hists *h)
{
	if (!h)
		return;
	free(h->one);
	free(h->part);
	free(h);
}

bool
hists_over(const struct hists *h)
{
	return h->over;
}

static uint64_t
hists_plus(uint64_t a, uint64_t b)
{
	return a + b < a ? UINT64_MAX : a + b;
}

static struct one *
hists_one(struct hists *h, uint32_t *number)
{
	if (*number)
		return &h->one[*number];
	if ((*number = h->spare))
		h->spare = (uint32_t)h->one[*number].min;
	else {
		h->one = tool_need(array_more(h->one, h->n, 1, sizeof *h->one));
		*number = h->n++;
	}
	h->one[*number] = (struct one){ .min = UINT64_MAX };
	return &h->one[*number];
}

static uint64_t *
hists_bucket(struct hists *h, struct one *o, unsigned bucket)
{
	uint16_t *part = &o->part[bucket / 16];

	if (!*part && h->spare_part) {
		*part = (uint16_t)h->spare_part;
		h->spare_part = (uint32_t)h->part[*part].count[0];
		h->part[*part] = (struct sixteen){ .count = { 0 } };
	} else if (!*part) {
		if (h->nparts == HISTS_PARTS) {
			h->over = true;
			return NULL;
		}
		h->part = tool_need(array_more(h->part, h->nparts, 1, sizeof *h->part));
		h->part[h->nparts] = (struct sixteen){ .count = { 0 } };
		*part = (uint16_t)h->nparts++;
	}
	return &h->part[*part].count[bucket % 16];
}

void
hists_add(struct hists *h, uint32_t *number, uint64_t value, uint64_t times)
{
	struct one *o = hists_one(h, number);
	uint64_t *n = hists_bucket(h, o, hist_bucket(value)), much;

	if (!n || !times)
		return;
	*n = hists_plus(*n, times);
	o->count = hists_plus(o->count, times);
	o->sum = hists_plus(o->sum, __builtin_mul_overflow(value, times, &much) ? UINT64_MAX : much);
	if (value < o->min)
		o->min = value;
	if (value > o->max)
		o->max = value;
}

static void
hists_plus_all(struct hists *h, uint32_t *to, uint32_t from)
{
	struct one *a, *b;

	if (!from)
		return;
	a = hists_one(h, to);
	b = &h->one[from];
	for (unsigned i = 0; i < HIST_BUCKETS; i++) {
		uint64_t count = b->part[i / 16] ? h->part[b->part[i / 16]].count[i % 16] : 0, *n;

		if (count && (n = hists_bucket(h, a, i)))
			*n = hists_plus(*n, count);
	}
	a->count = hists_plus(a->count, b->count);
	a->sum = hists_plus(a->sum, b->sum);
	a->min = b->min < a->min ? b->min : a->min;
	a->max = b->max > a->max ? b->max : a->max;
}

void
hists_drop(struct hists *h, uint32_t number)
{
	struct one *o = &h->one[number];

	if (!number)
		return;
	for (unsigned i = 0; i < HISTS_POWERS; i++)
		if (o->part[i]) {
			h->part[o->part[i]].count[0] = h->spare_part;
			h->spare_part = o->part[i];
		}
	o->min = h->spare;
	h->spare = number;
}

void
hists_merge(struct hists *h, uint32_t *to, uint32_t *from)
{
	hists_plus_all(h, to, *from);
	hists_drop(h, *from);
	*from = 0;
}

uint32_t
hists_sum(struct hists *h, uint32_t first, const uint32_t *number, uint32_t n, size_t apart)
{
	uint32_t sum = 0;

	hists_plus_all(h, &sum, first);
	for (uint32_t i = 0; i < n; i++)
		hists_plus_all(h, &sum, *(const uint32_t *)(const void *)((const char *)number + i * apart));
	return sum;
}

/* ---- cells --------------------------------------------------------------------------------------- */

const struct column hist_columns[HIST_CELLS] = {
	[HIST_COUNT] = { "count", CELL_NUM, ADDS_SUM, "values, or their periods" },
	[HIST_SUM] = { "sum", CELL_NUM, ADDS_SUM, "their sum" },
	[HIST_MIN] = { "min", CELL_NUM, ADDS_MIN, "the smallest" },
	[HIST_P50] = { "p50", CELL_NUM, ADDS_MADE, "half of them are not larger; wrong by less than 6.3 %" },
	[HIST_P90] = { "p90", CELL_NUM, ADDS_MADE, "the same of 90 %" },
	[HIST_P99] = { "p99", CELL_NUM, ADDS_MADE, "the same of 99 %" },
	[HIST_P999] = { "p999", CELL_NUM, ADDS_MADE, "the same of 99.9 %" },
	[HIST_MAX] = { "max", CELL_NUM, ADDS_MAX, "the largest" },
	[HIST_CELLS_BUCKETS] = { "buckets", CELL_BUCKETS, ADDS_SUM, "how many there are of each size" },
};

/* The value that so many thousandths are not larger than. */
static uint64_t
hist_percentile(const struct cell *cell, unsigned thousandths)
{
	uint64_t n = cell[HIST_COUNT].num, want = n / 1000 * thousandths + (n % 1000 * thousandths + 999) / 1000, sum = 0;
	const struct cell *b = &cell[HIST_CELLS_BUCKETS];

	for (size_t i = 0; i < b->len; i++) {
		sum = hists_plus(sum, b->bucket[i].count);
		if (sum >= want) {
			uint64_t high = hist_high(hist_bucket(b->bucket[i].low)), middle = b->bucket[i].low + (high - b->bucket[i].low) / 2;

			return middle < cell[HIST_MIN].num ? cell[HIST_MIN].num : middle > cell[HIST_MAX].num ? cell[HIST_MAX].num : middle;
		}
	}
	return cell[HIST_MAX].num;
}

struct cell
hist_mean(const struct cell cell[HIST_CELLS])
{
	uint64_t n = cell[HIST_COUNT].num;

	return cell_num_if(n, n ? cell[HIST_SUM].num / n : 0);
}

void
hist_make(struct cell cell[HIST_CELLS])
{
	static const struct { unsigned cell, thousandths; } all[] = {
		{ HIST_P50, 500 }, { HIST_P90, 900 }, { HIST_P99, 990 }, { HIST_P999, 999 },
	};

	for (unsigned i = 0; i < sizeof all / sizeof *all; i++)
		cell[all[i].cell] = cell_num_if(cell[HIST_COUNT].num, hist_percentile(cell, all[i].thousandths));
}

void
hists_cells(const struct hists *h, uint32_t number, struct cell cell[HIST_CELLS], struct bucket *to)
{
	static const struct one none;
	const struct one *o = number ? &h->one[number] : &none;
	size_t n = 0;

	for (unsigned i = 0; i < HIST_BUCKETS; i++) {
		uint64_t count = o->part[i / 16] ? h->part[o->part[i / 16]].count[i % 16] : 0;

		if (count)
			to[n++] = (struct bucket){ hist_low(i), count };
	}
	cell[HIST_COUNT] = cell_num(o->count);
	cell[HIST_SUM] = cell_num(o->sum);
	cell[HIST_MIN] = cell_num_if(o->count, o->min);
	cell[HIST_MAX] = cell_num_if(o->count, o->max);
	cell[HIST_CELLS_BUCKETS] = (struct cell){ .known = true, .bucket = to, .len = n };
	hist_make(cell);
}
