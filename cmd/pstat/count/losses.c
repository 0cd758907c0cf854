/* SPDX-License-Identifier: ISC */
#include "losses.h"
#include "record/order.h"
#include "report/plus.h"
#include "tally/bins.h"

/* ---- bins ---------------------------------------------------------------------------------------- */

/* The number of the first bin that does not end before that time. */
static unsigned
losses_find(const struct losses *l, uint64_t time)
{
	unsigned lo = 0, hi = l->n;

	ORDER_FIND(lo, hi, i, time < l->bin[i].from || time - l->bin[i].from < l->width);
	return lo;
}

void
losses_widen(struct losses *l, uint64_t width)
{
	unsigned n = 0;

	if (width <= l->width)
		return;
	l->width = width;
	for (unsigned i = 0; i < l->n; i++) {
		struct losses_bin b = l->bin[i];

		b.from -= b.from % width;
		if (!n || l->bin[n - 1].from != b.from) {
			l->bin[n++] = b;
			continue;
		}
		for (int k = 0; k < LOSSES_KINDS; k++)
			plus(&l->bin[n - 1].count[k], b.count[k]);
	}
	l->n = n;
}

void
losses_add(struct losses *l, uint64_t time, enum losses_kind kind, uint64_t count)
{
	unsigned i;

	if (!count)
		return;
	if (time > INT64_MAX)		/* forms have no larger numbers */
		time = 0;
	if (!l->width)
		l->width = bins_wider(0);
	i = losses_find(l, time);
	while (time && (i == l->n || l->bin[i].from > time)) {
		if (l->n < LOSSES_BINS) {
			memmove(&l->bin[i + 1], &l->bin[i], (l->n++ - i) * sizeof l->bin[i]);
			l->bin[i] = (struct losses_bin){ .from = time - time % l->width };
			break;
		}
		if (!bins_wider(l->width)) {
			l->full = true;
			time = 0;
			break;
		}
		losses_widen(l, bins_wider(l->width));
		i = losses_find(l, time);
	}
	plus(time ? &l->bin[i].count[kind] : &l->untimed[kind], count);
}

/* ---- the table ----------------------------------------------------------------------------------- */

enum { TIME, WIDTH, COUNTS };
static const struct column columns[] = {
	[TIME] = { "time_ns", CELL_NUM, ADDS_KEY, "start of the bin; unknown: what was lost at an unknown time" },
	[WIDTH] = { "width_ns", CELL_NUM, ADDS_MAX, "its width" },
	[COUNTS + LOSSES_RECORDS] = { "lost", CELL_NUM, ADDS_SUM, "records lost according to LOST" },
	[COUNTS + LOSSES_SAMPLES] = { "lost_samples", CELL_NUM, ADDS_SUM, "samples lost according to LOST_SAMPLES" },
};

static void
rows(const void *of, report_put *put, void *arg)
{
	const struct losses *l = of;
	bool any = false;

	for (unsigned i = 0; i < l->n; i++)
		put(arg, (struct cell[]){ cell_num(l->bin[i].from), cell_num(l->width),
		    cell_num(l->bin[i].count[LOSSES_RECORDS]), cell_num(l->bin[i].count[LOSSES_SAMPLES]) });
	for (int k = 0; k < LOSSES_KINDS; k++)
		any |= l->untimed[k] != 0;
	if (any)
		put(arg, (struct cell[]){ { .known = false }, { .known = false }, cell_num(l->untimed[LOSSES_RECORDS]),
		    cell_num(l->untimed[LOSSES_SAMPLES]) });
}

static bool
may_be(const struct cell *row)
{
	for (int k = 0; k < LOSSES_KINDS; k++)
		if (!row[COUNTS + k].known)
			return false;
	if (!row[TIME].known)
		return !row[WIDTH].known;
	return row[WIDTH].known && bins_may_be(row[WIDTH].num) && row[TIME].num % row[WIDTH].num == 0;
}

const struct table losses_table = { "losses", "what was lost, by time", TABLE(columns), TABLE_ROWS, SCREEN_OFF, .rows = rows,
    .may_be = may_be };

void
losses_row(struct losses *l, const struct cell *row)
{
	if (row[TIME].known)
		losses_widen(l, row[WIDTH].num);
	for (int k = 0; k < LOSSES_KINDS; k++)		/* any time of a bin is in it; its first may be 0, which is none */
		losses_add(l, row[TIME].known ? row[TIME].num + 1 : 0, (enum losses_kind)k, row[COUNTS + k].num);
}
