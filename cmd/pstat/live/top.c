/* SPDX-License-Identifier: ISC */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>

#include <jansson.h>

#include "live/top.h"
#include "report/forms.h"
#include "tool/tool.h"

char *
top_text(const struct sort *s, const struct row *r, unsigned key)
{
	struct cell c = sort_cell(s, key, r->key[key]);
	char number[32] = "-";

	if (c.known && sort_column(s, key)->type == CELL_TEXT)
		return tool_vis(c.text, c.len);
	if (c.known)
		snprintf(number, sizeof number, sort_column(s, key)->type == CELL_SIGNED ? "%" PRId64 : "%" PRIu64, c.num);
	return tool_vis(number, strlen(number));
}

static size_t
top_add(char *to, size_t size, size_t n, const char *text, bool first)
{
	int more = snprintf(to + n, size - n, "%s%s", first ? "" : ", ", text);

	if (more >= 0 && (size_t)more < size - n)
		return n + (size_t)more;
	for (n = size - 1; n && ((unsigned char)to[n - 1] & 0xc0) == 0x80; n--)	/* no part of a character stays */
		;
	n -= n && ((unsigned char)to[n - 1] & 0x80);
	to[n] = '\0';
	return n;
}

void
top_heading(const struct sort *s, char *to, size_t size)
{
	size_t n = 0;

	for (unsigned i = 0; sort_column(s, i); i++)
		n = top_add(to, size, n, sort_column(s, i)->name, !i);
	for (; *to; to++)
		*to = (char)toupper((unsigned char)*to);
}

void
top_line(const struct sort *s, const struct row *r, char *to, size_t size)
{
	size_t n = 0;

	for (unsigned i = 0; sort_column(s, i); i++) {
		char *text = top_text(s, r, i);

		n = top_add(to, size, n, text, !i);
		free(text);
	}
}

/* ---- tables -------------------------------------------------------------------------------------- */

enum { BEFORE = 2, BEHIND = 2, CELLS = BEFORE + ROWS_KEYS + BEHIND + SORT_FIGURES };	/* cells around those of the keys */
struct top_row { struct cell cell[CELLS]; };

static unsigned
top_columns(const struct sort *s, struct column col[CELLS])
{
	unsigned n = 0;

	col[n++] = (struct column){ .name = "time_ns", .type = CELL_NUM };
	col[n++] = (struct column){ .name = "duration_ns", .type = CELL_NUM };
	for (unsigned i = 0; sort_column(s, i); i++)
		col[n++] = *sort_column(s, i);
	col[n++] = (struct column){ .name = "other", .type = CELL_BOOL };
	col[n++] = (struct column){ .name = "samples", .type = CELL_NUM };
	for (unsigned i = 0; sort_figure(s, i); i++)
		col[n++] = *sort_figure(s, i);
	return n;
}

/* row NULL: that of all others, behind those that are shown. */
static struct top_row
top_row(const struct sort *s, const struct interval *v, uint64_t every, const struct row *row, uint64_t samples, uint32_t shown)
{
	struct top_row r;
	unsigned n = 0;

	r.cell[n++] = cell_num_if(v->timed, v->start);
	r.cell[n++] = cell_num(every);
	for (unsigned i = 0; sort_column(s, i); i++)
		r.cell[n++] = row ? sort_cell(s, i, row->key[i]) : (struct cell){ .known = false };
	r.cell[n++] = cell_bool(!row);
	r.cell[n++] = cell_num(samples);
	if (sort_has_figures(s) && row)
		sort_figures(s, v->hists, row->hist, &r.cell[n]);
	else if (sort_has_figures(s)) {
		uint32_t others = v->nrows - shown, all = hists_sum(v->hists, v->rest_hist, others ? &v->row[shown].hist : NULL, others,
		    sizeof *v->row);

		sort_figures(s, v->hists, all, &r.cell[n]);
		hists_drop(v->hists, all);
	}
	return r;
}

/* Of the rows so many are shown; *rest: the samples of all others. */
static uint32_t
top_shown(const struct sort *s, const struct interval *v, uint64_t *rest)
{
	uint32_t shown = sort_top(s) && sort_top(s) < v->nrows ? sort_top(s) : v->nrows;

	*rest = v->rest;
	for (uint32_t i = shown; i < v->nrows; i++)
		*rest += v->row[i].n.samples;
	return shown;
}

static json_t *
top_object(const struct column *col, const struct top_row *r, unsigned n)
{
	json_t *j = json_object();

	for (unsigned i = BEFORE; i < n; i++)
		json_object_set_new(j, col[i].name, json_value(&col[i], &r->cell[i]));
	return j;
}

json_t *
top_json(const struct sort *s, const struct interval *v)
{
	struct column col[CELLS];
	unsigned n = top_columns(s, col);
	json_t *all = json_array();
	struct top_row r;
	uint64_t rest;
	uint32_t shown = top_shown(s, v, &rest);

	for (uint32_t i = 0; i < shown; i++) {
		r = top_row(s, v, 0, &v->row[i], v->row[i].n.samples, shown);
		json_array_append_new(all, top_object(col, &r, n));
	}
	if (rest) {
		r = top_row(s, v, 0, NULL, rest, shown);
		json_array_append_new(all, top_object(col, &r, n));
	}
	return all;
}

void
top_csv(FILE *f, char between, const struct sort *s, const struct interval *v, uint64_t every, bool names)
{
	struct column col[CELLS];
	unsigned n = top_columns(s, col);
	struct top_row r;
	uint64_t rest;
	uint32_t shown = top_shown(s, v, &rest);

	if (names)
		csv_names(f, between, col, n);
	for (uint32_t i = 0; i < shown; i++) {
		r = top_row(s, v, every, &v->row[i], v->row[i].n.samples, shown);
		csv_cells(f, between, col, r.cell, n);
	}
	if (rest) {
		r = top_row(s, v, every, NULL, rest, shown);
		csv_cells(f, between, col, r.cell, n);
	}
}
