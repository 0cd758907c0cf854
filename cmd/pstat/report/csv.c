/* SPDX-License-Identifier: ISC */
/*
 * csv.c - one table as CSV (RFC 4180) or as tab-separated values, which have no quotes: a tab or newline in a text is \xNN as in
 * other forms, so neither is ever part of a cell.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "forms.h"
#include "text.h"
#include "tool/tool.h"

struct csv {
	FILE		*f;
	const struct column *col;
	unsigned	 ncols;
	char		 between;
};

/*
 * A spreadsheet takes a cell that begins with one of these for a formula, quoted or not, unless an apostrophe stands before it.
 */
static bool
csv_is_formula(const char *text)
{
	return *text && strchr("=+-@", *text);
}

static void
csv_text(const struct csv *c, const char *p, size_t n)
{
	char *text = text_plain(p, n, true);
	bool formula = csv_is_formula(text), quote = c->between == ',' && (formula || text[strcspn(text, ",\"")] || *text == ' ' || !*text);

	if (quote)
		fputc('"', c->f);
	if (formula)
		fputc('\'', c->f);
	for (const char *at = text; *at; at++) {
		if (*at == '"' && quote)
			fputc('"', c->f);
		fputc(*at, c->f);
	}
	if (quote)
		fputc('"', c->f);
	free(text);
}

/* The texts of a list, separated by blanks. */
static void
csv_list(const struct csv *c, const struct cell *cell)
{
	char *text = tool_alloc(cell->len + 1, 1);

	for (size_t i = 0; i < cell->len; i++)
		text[i] = cell->text[i] ? cell->text[i] : ' ';
	csv_text(c, text, cell->len);
	free(text);
}

static void
csv_cell(const struct csv *c, const struct column *col, const struct cell *cell)
{
	if (!cell->known)
		return;
	switch ((enum cell_type)col->type) {
	case CELL_NUM:
		fprintf(c->f, "%" PRIu64, cell->num > INT64_MAX ? (uint64_t)INT64_MAX : cell->num);
		break;
	case CELL_SIGNED:
		fprintf(c->f, "%" PRId64, (int64_t)cell->num);
		break;
	case CELL_BOOL:
		fputs(cell->num ? "true" : "false", c->f);
		break;
	case CELL_TEXT:
		csv_text(c, cell->text, cell->len);
		break;
	case CELL_LIST:
		csv_list(c, cell);
		break;
	case CELL_BUCKETS:
		for (size_t i = 0; i < cell->len; i++)
			fprintf(c->f, "%s%" PRIu64 ":%" PRIu64, i ? " " : "", cell->bucket[i].low, cell->bucket[i].count);
		break;
	}
}

static void
csv_row(void *arg, const struct cell *row)
{
	const struct csv *c = arg;

	for (unsigned i = 0; i < c->ncols; i++) {
		if (i)
			fputc(c->between, c->f);
		csv_cell(c, &c->col[i], &row[i]);
	}
	fputs(c->between == ',' ? "\r\n" : "\n", c->f);
}

void
csv_names(FILE *f, char between, const struct column *col, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		fprintf(f, "%s%s", i ? (char[]){ between, 0 } : "", col[i].name);
	fputs(between == ',' ? "\r\n" : "\n", f);
}

void
csv_cells(FILE *f, char between, const struct column *col, const struct cell *row, unsigned n)
{
	csv_row(&(struct csv){ f, col, n, between }, row);
}

static int
csv_table(FILE *f, const struct report *r, char between)
{
	const struct part *p = report_part(r, r->name);
	struct csv c = { f, p->table->col, p->table->ncols, between };

	csv_names(f, between, c.col, c.ncols);
	p->table->rows(p->of, csv_row, &c);
	return 1;
}

int
csv(FILE *f, const struct report *r)
{
	return csv_table(f, r, ',');
}

int
tsv(FILE *f, const struct report *r)
{
	return csv_table(f, r, '\t');
}
