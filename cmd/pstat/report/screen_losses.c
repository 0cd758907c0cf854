/* SPDX-License-Identifier: ISC */
#include <inttypes.h>
#include <stdlib.h>

#include "screen.h"
#include "text.h"
#include "tool/tool.h"

enum { COLUMNS = 64, NOTE = 36, LEVELS = 8 };	/* most columns; those of what stands behind them */


struct spark {
	struct kept	 k;		/* the bins */
	const char	*column;	/* of the kind that is shown: the kernel counts a loss in both */
	uint64_t	 width, step;	/* of the bins; of a column, in bins */
	uint64_t	 from;		/* number of the first bin */
	unsigned	 n;		/* columns */
	uint64_t	 count[COLUMNS], max;
};

static uint64_t
losses_num(const struct spark *p, size_t row, const char *column)
{
	const struct cell *c = kept_cell(&p->k, row, column);

	return c->known ? c->num : 0;
}

/* Sums of both kinds that have a place, or (!timed) have none. */
static void
losses_sums(const struct spark *p, bool timed, uint64_t *lost, uint64_t *samples)
{
	*lost = *samples = 0;
	for (size_t i = 0; i < p->k.n; i++)
		if (kept_cell(&p->k, i, "time_ns")->known == timed) {
			*lost += losses_num(p, i, "lost");
			*samples += losses_num(p, i, "lost_samples");
		}
}

/* Columns, at most so many, for all of the time from the first to the last record. */
static void
losses_fill(struct spark *p, uint64_t first, uint64_t last, size_t columns)
{
	uint64_t bins;

	p->from = first / p->width;
	bins = last / p->width - p->from + 1;
	p->step = (bins - 1) / columns + 1;
	p->n = (unsigned)((bins - 1) / p->step + 1);
	for (size_t i = 0; i < p->k.n; i++) {
		uint64_t bin = losses_num(p, i, "time_ns") / p->width, at = bin < p->from ? 0 : (bin - p->from) / p->step;

		if (!kept_cell(&p->k, i, "time_ns")->known)
			continue;
		at = at < p->n ? at : p->n - 1;
		p->count[at] += losses_num(p, i, p->column);
		if (p->count[at] > p->max)
			p->max = p->count[at];
	}
}

void
screen_losses(const struct screen *s)
{
	bool utf8 = tool_utf8();
	struct spark p = { .column = "lost" };
	uint64_t lost, samples;
	struct kept span;
	char width[SCREEN_DURATION];

	kept_open(&p.k, s->r, "losses", 0);
	kept_open(&span, s->r, "time", 1);
	losses_sums(&p, true, &lost, &samples);
	if (samples > lost)
		p.column = "lost_samples";
	for (size_t i = 0; i < p.k.n; i++)
		if (losses_num(&p, i, "width_ns") > p.width)
			p.width = losses_num(&p, i, "width_ns");
	if (p.width && kept_num(&span, "last_ns") >= kept_num(&span, "first_ns")) {
		losses_fill(&p, kept_num(&span, "first_ns"), kept_num(&span, "last_ns"),
		    s->width - 12 - NOTE < COLUMNS ? s->width - 12 - NOTE : COLUMNS);
		fprintf(s->f, "%12s|", "");
		for (unsigned i = 0; i < p.n; i++) {
			double part = (double)p.count[i] / (double)p.max;

			fputs(text_bar(part > 0 ? 1 + (unsigned)(part * (LEVELS - 1e-9)) : 0, utf8), s->f);
		}
		screen_duration(width, (double)p.width * (double)p.step);
		fprintf(s->f, "| %s, up to %" PRIu64 " in %s\n", samples > lost ? "LOST_SAMPLES" : "LOST", p.max, width);
	}
	losses_sums(&p, false, &lost, &samples);
	if (lost || samples)
		fprintf(s->f, "%12swithout a time: ", "");
	if (lost)
		fprintf(s->f, "%" PRIu64 " records%s", lost, samples ? ", " : "\n");
	if (samples)
		fprintf(s->f, "%" PRIu64 " samples\n", samples);
	kept_free(&p.k);
	kept_free(&span);
}
