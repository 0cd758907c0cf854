/* SPDX-License-Identifier: ISC */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "page/in.h"
#include "picture/option.h"
#include "picture/svg.h"
#include "record/event.h"

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
};

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

static void
table_counts(const struct tabling *t, const struct counted *n)
{
	char text[SVG_TEXT];

	fprintf(t->f, "<td>%s</td>", svg_exact(text, n->samples));
	fprintf(t->f, "<td>%s</td>", svg_percent(text, n->samples, t->samples));
	if (t->period)
		fprintf(t->f, "<td>%s</td>", svg_percent(text, n->period, t->p->s->sum.period));
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
	table_counts(t, &row->n);
}

/* What is not shown: n rows, and those that had no space. */
static void
table_rest(const struct tabling *t, size_t n, const struct counted *rest)
{
	if (!n && !rest->samples)
		return;
	if (n)
		fprintf(t->f, "<tr class=\"rest\"><th scope=\"row\" class=\"t\">%zu more</th>", n);
	else
		fputs("<tr class=\"rest\"><th scope=\"row\" class=\"t\">other</th>", t->f);
	fputs(t->processes ? "<td></td>" : "", t->f);
	table_counts(t, rest);
}

static void
table_head(const struct tabling *t)
{
	const char *name = t->by->name;

	fprintf(t->f, "<section class=\"by\"><h3 id=\"by-%s\">By %s</h3>\n<div class=\"box\" tabindex=\"0\" role=\"region\" aria-labelledby=\"by-%s\">"
	    "<table data-g=\"%s\"%s>\n<caption>Samples by %s: %s</caption>\n<thead><tr><th scope=\"col\" class=\"t\">%s</th>", name, name, name,
	    name, t->p->exact[t->by->sort] ? "" : " data-rough", name, t->by->what, name);
	fprintf(t->f, "%s<th scope=\"col\">samples</th><th scope=\"col\">share</th>%s<th scope=\"col\">first</th><th scope=\"col\">last</th>"
	    "</tr></thead>\n<tbody>\n", t->processes ? "<th scope=\"col\" class=\"t\">comm</th>" : "", t->period ?
	    "<th scope=\"col\">period</th>" : "");
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
	    "first record.</p>\n<div class=\"tables\">\n", f);
	for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
		struct tabling t = { .f = f, .p = p, .by = &tables[i], .samples = p->s->sum.samples, .period = p->s->unit,
		    .processes = !strcmp(tables[i].name, "pid"), .selects = table_selects(p, tables[i].needs) };
		struct counted rest;
		size_t n, k;
		struct sort_sum *row = sort_sums(p->sort[t.by->sort], t.by->key, &n, &rest);

		table_head(&t);
		for (k = 0; k < n && k < PAGE_ROWS; k++)
			table_row(&t, &row[k]);
		for (; k < n; k++)
			rows_sum(&rest, &row[k].n);
		table_rest(&t, n > PAGE_ROWS ? n - PAGE_ROWS : 0, &rest);
		fputs("</tbody></table></div>", f);
		if (!p->exact[t.by->sort])
			fputs("<p class=\"note\">There was no space for all rows; a row may lack samples.</p>", f);
		fputs("</section>\n", f);
		free(row);
	}
	fputs("</div></section>\n", f);
}
