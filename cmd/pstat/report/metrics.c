/* SPDX-License-Identifier: ISC */
/*
 * metrics.c - the report as OpenMetrics, for example for the textfile collector of node_exporter.
 *
 * A column of numbers is a metric, pstat_TABLE_COLUMN: what adds up is a counter, buckets are a histogram, any other number is a
 * gauge.  Its labels are the keys of the row.  The texts of a table without keys are the labels of one metric, pstat_TABLE_info.
 * All lines of a metric stand together, so the rows are made once for each column.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "forms.h"
#include "hist.h"
#include "text.h"
#include "tool/tool.h"

struct metrics {
	FILE		*f;
	const struct table *table;
	unsigned	 column;
	bool		 begun;		/* this metric has its first lines */
};

static bool
metrics_is_text(const struct column *col)
{
	return col->type == CELL_TEXT || col->type == CELL_LIST;
}

/* The text of a label; a newline cannot be in it (text.h). */
static void
metrics_quote(FILE *f, const struct cell *c)
{
	char *bytes = tool_alloc(c->len + 1, 1), *text;

	for (size_t i = 0; i < c->len; i++)
		bytes[i] = c->text[i] ? c->text[i] : ' ';	/* between the texts of a list */
	text = text_plain(bytes, c->len, true);
	for (const char *p = text; *p; p++) {
		if (*p == '\\' || *p == '"')
			fputc('\\', f);
		fputc(*p, f);
	}
	free(text);
	free(bytes);
}

static void
metrics_label(const struct metrics *m, const struct column *col, const struct cell *c, unsigned *n)
{
	if (!c->known)
		return;
	putc(*n ? ',' : '{', m->f);
	for (const char *p = col->name; *p; p++)	/* of raw.args[0] a label may have letters only */
		putc(*p == '.' || *p == '[' || *p == ']' ? '_' : *p, m->f);
	fputs("=\"", m->f);
	++*n;
	if (metrics_is_text(col))
		metrics_quote(m->f, c);
	else if (col->type == CELL_SIGNED)
		fprintf(m->f, "%" PRId64, (int64_t)c->num);
	else if (col->type == CELL_BOOL)
		fputs(c->num ? "true" : "false", m->f);
	else
		fprintf(m->f, "%" PRIu64, c->num);
	fputc('"', m->f);
}

/* The labels of a row, not closed: their number. */
static unsigned
metrics_labels(const struct metrics *m, const struct cell *row)
{
	unsigned n = 0;

	for (unsigned i = 0; i < m->table->ncols; i++)
		if (m->table->col[i].adds == ADDS_KEY)
			metrics_label(m, &m->table->col[i], &row[i], &n);
	return n;
}

/* The lines before a metric.  The name of a metric of type info has no column: its lines have _info instead. */
static void
metrics_begin(struct metrics *m, const char *column, const char *type, const char *help)
{
	if (m->begun)
		return;
	m->begun = true;
	fprintf(m->f, "# TYPE pstat_%s%s%s %s\n# HELP pstat_%s%s%s %s: %s\n", m->table->name, *column ? "_" : "", column, type,
	    m->table->name, *column ? "_" : "", column, m->table->help, help);
}

static void
metrics_buckets(struct metrics *m, const struct cell *row, const struct cell *c)
{
	const char *column = m->table->col[m->column].name;
	uint64_t sum = 0;

	for (size_t i = 0; i <= c->len; i++) {
		if (i < c->len)
			sum += c->bucket[i].count;
		fprintf(m->f, "pstat_%s_%s_bucket", m->table->name, column);
		fprintf(m->f, "%cle=\"", metrics_labels(m, row) ? ',' : '{');
		if (i < c->len)
			fprintf(m->f, "%" PRIu64 ".0", hist_high(hist_bucket(c->bucket[i].low)));
		else
			fputs("+Inf", m->f);
		fprintf(m->f, "\"} %" PRIu64 "\n", sum);
	}
}

static void
metrics_number(void *arg, const struct cell *row)
{
	struct metrics *m = arg;
	const struct column *col = &m->table->col[m->column];
	const struct cell *c = &row[m->column];
	bool counter = col->adds == ADDS_SUM;

	if (!c->known)
		return;
	metrics_begin(m, col->name, col->type == CELL_BUCKETS ? "histogram" : counter ? "counter" : "gauge", col->help);
	if (col->type == CELL_BUCKETS) {
		metrics_buckets(m, row, c);
		return;
	}
	fprintf(m->f, "pstat_%s_%s%s", m->table->name, col->name, counter ? "_total" : "");
	if (metrics_labels(m, row))
		fputc('}', m->f);
	if (col->type == CELL_SIGNED)
		fprintf(m->f, " %" PRId64 "\n", (int64_t)c->num);
	else
		fprintf(m->f, " %" PRIu64 "\n", c->num > INT64_MAX ? (uint64_t)INT64_MAX : c->num);
}

/* The texts of a table without keys. */
static void
metrics_info(void *arg, const struct cell *row)
{
	struct metrics *m = arg;
	unsigned n = 0;

	for (unsigned i = 0; i < m->table->ncols; i++)
		if (metrics_is_text(&m->table->col[i]) && row[i].known && row[i].len) {
			if (!n) {
				metrics_begin(m, "", "info", "names");
				fprintf(m->f, "pstat_%s_info", m->table->name);
			}
			metrics_label(m, &m->table->col[i], &row[i], &n);
		}
	if (n)
		fputs("} 1\n", m->f);
}

int
openmetrics(FILE *f, const struct report *r)
{
	for (unsigned i = 0; i < r->n; i++) {
		const struct part *p = &r->part[i];
		struct metrics m = { .f = f, .table = p->table };

		if (p->table->shape != TABLE_ROWS)
			p->table->rows(p->of, metrics_info, &m);
		for (m.column = 0; m.column < p->table->ncols; m.column++) {
			m.begun = false;
			if (p->table->col[m.column].adds != ADDS_KEY && !metrics_is_text(&p->table->col[m.column]))
				p->table->rows(p->of, metrics_number, &m);
		}
	}
	fputs("# EOF\n", f);
	return 1;
}
