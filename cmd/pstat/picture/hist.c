/* SPDX-License-Identifier: ISC */
/* hist.c - the picture of a histogram: hist:FIELD */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "picture/in.h"
#include "tally/hists.h"

static void *
hist_new(struct pictures *p, const char *field)
{
	return sort_new(p->tool, p->c, NULL, field);
}

static void
hist_begin(struct pictures *p, struct picture *pic)
{
	if (p->nevents || p->mode >= 0)
		sort_only(pic->own, picture_pick, p);
	sort_begin(pic->own);
}

static bool
hist_end(struct picture *pic, const struct summary *s)
{
	return sort_end(pic->own, s->unit);
}

static void
hist_panel(struct making *m, struct panel *to)
{
	struct bucket *bucket = tool_alloc(HIST_BUCKETS, sizeof *bucket);
	struct cell cell[HIST_CELLS];
	const char *field = m->pic->name + 5;
	char *selection = panels_selection(m->p);
	static const struct { const char *field, *unit; } units[] = {
		{ "interval", "ns" }, { "gap", "ns" }, { "disorder", "ns" }, { "stack", "bytes" }, { "raw", "bytes" }, { "size", "bytes" },
		{ "round", "bytes" },
	};

	if (sort_hist_is_chosen(m->pic->own))
		option_add(&to->subtitle, ", samples%s", selection);
	free(selection);
	to->kind = PANEL_HIST;
	to->unit = "";
	for (unsigned i = 0; i < sizeof units / sizeof *units; i++)
		if (strlen(units[i].field) == strcspn(field, ":") && !strncmp(field, units[i].field, strcspn(field, ":")))
			to->unit = units[i].unit;
	sort_hist(m->pic->own, cell, bucket);
	to->bucket = bucket;
	to->nbuckets = (unsigned)cell[HIST_CELLS_BUCKETS].len;
	to->samples = cell[HIST_COUNT].num;
	for (unsigned i = 0; i < to->nbuckets; i++)
		if (bucket[i].count > to->top)
			to->top = bucket[i].count;
	for (unsigned i = 0; i < PANEL_MARKS; i++)
		to->mark[i] = (struct panel_mark){ cell[HIST_P50 + i].num, hist_columns[HIST_P50 + i].name };
	to->title = option_text("Histogram of %s", field);
	to->desc = to->samples ? option_text("%" PRIu64 " values from %" PRIu64 " to %" PRIu64 "; half are at most %" PRIu64 "; 99 %% are at most %" PRIu64,
	    to->samples, cell[HIST_MIN].num, cell[HIST_MAX].num, to->mark[0].value, to->mark[2].value) : option_text("no values");
}

const struct picture_kind picture_hist = { .new = hist_new, .begin = hist_begin, .end = hist_end,
	.make = hist_panel, .free = sort_free };
