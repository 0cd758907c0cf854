/* SPDX-License-Identifier: ISC */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "page/in.h"
#include "picture/option.h"
#include "picture/svg.h"
#include "record/event.h"
#include "report/screen.h"
#include "tally/hists.h"

static const struct by {
	const char	*name, *what;
	unsigned	 sort, key;	/* page->sort[], and which of its keys */
	uint64_t	 needs;		/* what pfilter selects by, of sample_type */
} tables[] = {
	{ "comm", "name of the thread, at the time of the sample", PAGE_COMM_DSO, 0, PP_SAMPLE_TID }, { "pid", "process", PAGE_PID, 0, PP_SAMPLE_TID }, { "cpu", "CPU", PAGE_CPU, 0, PP_SAMPLE_CPU },
	{ "event", "event", PAGE_EVENT, 0, 0 }, { "dso", "file that is mapped where the sample was taken", PAGE_COMM_DSO, 1, PP_SAMPLE_IP | PP_SAMPLE_TID },
};

struct tabling {
	FILE		*f;
	const struct page *p;
	const struct by	*by;
	uint64_t	 samples;	/* all */
	bool		 period, processes;	/* columns: share of the period; comm of the process */
	bool		 selects;		/* rows have an option of pfilter */
	bool		 durations;		/* periods are: columns of them */
	struct bucket	*buckets;
	unsigned	 low, high;		/* powers of two that the histograms of rows show */
};

/* Columns of durations, with the cell of hists.h. */
enum { MEAN = HIST_CELLS };
static const struct { const char *name; unsigned cell; } lengths[] = {
	{ "sum", HIST_SUM }, { "mean", MEAN }, { "p50", HIST_P50 }, { "p90", HIST_P90 }, { "p99", HIST_P99 }, { "max", HIST_MAX },
};
enum { LENGTHS = sizeof lengths / sizeof *lengths, BAR = 4, BARS_HIGH = 16 };	/* BAR: the width of one, units of the picture */

/* Seconds after the first record. */
static void
table_time(const struct tabling *t, const struct counted *n, uint64_t ns)
{
	uint64_t ms = (ns - t->p->c->order.first) / 1000000;

	if (n->first == UINT64_MAX || ns < t->p->c->order.first)
		fputs("<td>-</td>", t->f);
	else
		fprintf(t->f, "<td>%" PRIu64 ".%03" PRIu64 "</td>", ms / 1000, ms % 1000);
}

static unsigned
power_of(uint64_t value)
{
	return value ? 63 - (unsigned)__builtin_clzll(value) : 0;
}

/* How many there are of each power of two, as bars; the highest is as high as the row.  In all rows a power has the same place. */
static void
table_bars(const struct tabling *t, const struct cell *buckets)
{
	uint64_t count[64] = { 0 }, most = 1;
	char from[SCREEN_DURATION], to[SCREEN_DURATION];

	for (size_t i = 0; i < buckets->len; i++)
		count[power_of(buckets->bucket[i].low)] += buckets->bucket[i].count;
	for (unsigned i = 0; i < 64; i++)
		most = count[i] > most ? count[i] : most;
	screen_duration(from, (double)(UINT64_C(1) << t->low));
	screen_duration(to, 2 * (double)(UINT64_C(1) << t->high));
	fprintf(t->f, "<td class=\"t\"><svg class=\"bars\" width=\"%u\" height=\"%d\" role=\"img\"><title>from %s to %s</title><path d=\"",
	    (t->high - t->low + 1) * BAR, BARS_HIGH, from, to);
	for (unsigned i = t->low; i <= t->high; i++)
		if (count[i])		/* any of them shows */
			fprintf(t->f, "M%u %dv-%.1fh%dV%dz", (i - t->low) * BAR, BARS_HIGH, 1 + (BARS_HIGH - 1) * ((double)count[i] / (double)most),
			    BAR - 1, BARS_HIGH);
	fputs("\"/></svg></td>", t->f);
}

/* The lengths of the samples of n rows, or of all others. */
static void
table_lengths(const struct tabling *t, const struct sort_sum *row, size_t n, bool others)
{
	struct cell cell[HIST_CELLS + 1];
	char text[SCREEN_DURATION];

	sort_sum_hist(t->p->sort[t->by->sort], t->by->key, row, n, others, cell, t->buckets);
	cell[MEAN] = hist_mean(cell);
	for (unsigned i = 0; i < LENGTHS; i++) {
		const struct cell *c = &cell[lengths[i].cell];

		screen_duration(text, (double)c->num);
		if (c->known)
			fprintf(t->f, "<td data-v=\"%" PRIu64 "\">%s</td>", c->num, text);
		else
			fputs("<td>-</td>", t->f);
	}
	table_bars(t, &cell[HIST_CELLS_BUCKETS]);
}

/* Which powers of two there are. */
static void
table_scale(struct tabling *t)
{
	struct cell cell[HIST_CELLS];

	sort_sum_hist(t->p->sort[t->by->sort], t->by->key, NULL, 0, true, cell, t->buckets);
	t->low = power_of(cell[HIST_MIN].num);
	t->high = power_of(cell[HIST_MAX].num);
}

static void
table_counts(const struct tabling *t, const struct counted *n, const struct sort_sum *row, size_t rows, bool others)
{
	char text[SVG_TEXT];

	fprintf(t->f, "<td>%s</td>", svg_exact(text, n->samples));
	fprintf(t->f, "<td>%s</td>", svg_percent(text, n->samples, t->samples));
	if (t->period)
		fprintf(t->f, "<td>%s</td>", svg_percent(text, n->period, t->p->s->sum.period));
	if (t->durations)
		table_lengths(t, row, rows, others);
	table_time(t, n, n->first);
	table_time(t, n, n->last);
	fputs("</tr>\n", t->f);
}

/* The comm that most samples of the process have. */
static void
table_process(const struct tabling *t, const struct cell *pid)
{
	const struct summary *s = t->p->s;

	fputs("<td class=\"t\">", t->f);
	for (size_t i = 0; pid->known && i < s->npids; i++)
		if (s->pid[i].pid == (uint32_t)pid->num) {
			const char *comm = s->c->tasks.name[s->pid[i].name].text;

			page_text(t->f, comm ? comm : "", PAGE_NAME);	/* NULL: it has none */
			break;
		}
	fputs("</td>", t->f);
}

static void
table_row(const struct tabling *t, const struct sort_sum *row)
{
	struct cell c = sort_cell(t->p->sort[t->by->sort], t->by->key, row->value);
	char *option = !t->selects ? NULL : option_of(t->p->tool->in->events, t->by->name, &c, row->value);

	fputs("<tr", t->f);
	if (option && strlen(option) <= PAGE_OPTION) {
		fprintf(t->f, " data-n=\"%" PRIu64 "\" data-o=\"", row->n.samples);
		page_text(t->f, option, 0);
		fputs("\"", t->f);
	}
	free(option);
	fprintf(t->f, "><th scope=\"row\"%s>", c.text || !c.known ? " class=\"t\"" : "");
	if (!c.known)
		fputs("none", t->f);
	else if (c.text)
		page_cell(t->f, &c, PAGE_NAME);
	else
		fprintf(t->f, "%" PRId64, (int64_t)c.num);
	fputs("</th>", t->f);
	if (t->processes)
		table_process(t, &c);
	table_counts(t, &row->n, row, 1, false);
}

/* What is not shown: n rows, and those that had no space.  `row': those that are, `shown' of them. */
static void
table_rest(const struct tabling *t, size_t n, const struct counted *rest, const struct sort_sum *row, size_t shown)
{
	if (!n && !rest->samples)
		return;
	if (n)
		fprintf(t->f, "<tr class=\"rest\"><th scope=\"row\" class=\"t\">%zu more</th>", n);
	else
		fputs("<tr class=\"rest\"><th scope=\"row\" class=\"t\">other</th>", t->f);
	fputs(t->processes ? "<td></td>" : "", t->f);
	table_counts(t, rest, row, shown, true);
}

static void
table_head(const struct tabling *t)
{
	const char *name = t->by->name;

	fprintf(t->f, "<section class=\"by%s\"><h3 id=\"by-%s\">By %s</h3>\n<div class=\"box\" tabindex=\"0\" role=\"region\" aria-labelledby=\"by-%s\">"
	    "<table data-g=\"%s\"%s>\n<caption>Samples by %s: %s</caption>\n<thead><tr><th scope=\"col\" class=\"t\">%s</th>", t->durations ? " lengths" : "", name, name, name,
	    name, t->p->exact[t->by->sort] ? "" : " data-rough", name, t->by->what, name);
	fprintf(t->f, "%s<th scope=\"col\">samples</th><th scope=\"col\">share</th>%s", t->processes ?
	    "<th scope=\"col\" class=\"t\">comm</th>" : "", t->period ? t->durations ? "<th scope=\"col\">of time</th>" : "<th scope=\"col\">period</th>" : "");
	for (unsigned i = 0; t->durations && i < LENGTHS; i++)
		fprintf(t->f, "<th scope=\"col\">%s</th>", lengths[i].name);
	fprintf(t->f, "%s<th scope=\"col\">first</th><th scope=\"col\">last</th></tr></thead>\n<tbody>\n", t->durations ?
	    "<th scope=\"col\" class=\"t\">lengths</th>" : "");
}

static bool
table_selects(const struct page *p, uint64_t bits)
{
	for (uint64_t bit = 1; bit && bit <= bits; bit <<= 1)
		if (bits & bit && !page_all_have(p, bit))
			return false;
	return true;
}

void
page_tables(FILE *f, const struct page *p)
{
	fputs("<section aria-labelledby=\"tables-h\"><h2 id=\"tables-h\">Tables</h2>\n<p class=\"note\">First and last are seconds after the "
	    "first record.", f);
	if (sort_measured(p->sort[PAGE_EVENT]))
		fputs(" Periods are lengths of spans: sum, mean, percentiles (wrong by less than 6.3 %) and the longest; a bar is a power of two.", f);
	fputs("</p>\n<div class=\"tables\">\n", f);
	for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
		struct tabling t = { .f = f, .p = p, .by = &tables[i], .samples = p->s->sum.samples, .period = p->s->unit,
		    .processes = !strcmp(tables[i].name, "pid"), .selects = table_selects(p, tables[i].needs),
		    .durations = sort_measured(p->sort[tables[i].sort]) };
		struct counted rest;
		size_t n, k;
		struct sort_sum *row = sort_sums(p->sort[t.by->sort], t.by->key, &n, &rest);

		if (t.durations) {
			t.buckets = tool_alloc(HIST_BUCKETS, sizeof *t.buckets);
			table_scale(&t);
		}
		table_head(&t);
		for (k = 0; k < n && k < PAGE_ROWS; k++)
			table_row(&t, &row[k]);
		for (; k < n; k++)
			rows_sum(&rest, &row[k].n);
		table_rest(&t, n > PAGE_ROWS ? n - PAGE_ROWS : 0, &rest, row, n > PAGE_ROWS ? PAGE_ROWS : n);
		fputs("</tbody></table></div>", f);
		if (!p->exact[t.by->sort])
			fputs("<p class=\"note\">There was no space for all rows; a row may lack samples.</p>", f);
		fputs("</section>\n", f);
		free(row);
		free(t.buckets);
	}
	fputs("</div></section>\n", f);
}
