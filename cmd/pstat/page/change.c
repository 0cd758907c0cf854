/* SPDX-License-Identifier: ISC */
/*
 * change.c - the page of two recordings, A and B: rows of --diff, and the call chains of B by what differs from A
 *
 * There is no time to select in it, as there are two recordings.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "page/in.h"
#include "page/page.h"
#include "picture/option.h"
#include "picture/svg.h"
#include "report/kept.h"

enum { A, B, SIDES };
enum { CHANGE_ROWS = 50 };		/* functions in the table; the script shows more */

/* ---- what is compared ----------------------------------------------------------------------------- */

static void
change_name(FILE *f, const struct kept *sides, int side)
{
	const struct cell *file = kept_cell(sides, (size_t)side, "file");

	if (file->known)
		page_cell(f, file, PAGE_NAME);
	else
		fputs("(several)", f);
}

static uint64_t
change_num(const struct kept *k, size_t row, const char *column)
{
	return kept_cell(k, row, column)->num;
}

static void
change_side(FILE *f, const struct kept *sides, int side)
{
	uint64_t samples = change_num(sides, (size_t)side, "samples");
	bool complete = change_num(sides, (size_t)side, "complete");
	char text[SVG_TEXT];

	fprintf(f, "<p%s><strong>%c</strong> ", complete ? "" : " class=\"bad\" role=\"alert\"", 'A' + side);
	change_name(f, sides, side);
	fprintf(f, ": %s sample%s", svg_exact(text, samples), samples == 1 ? "" : "s");
	fprintf(f, " in %s", svg_duration(text, change_num(sides, (size_t)side, "duration_ns")));
	fprintf(f, "; lost %s records", svg_exact(text, change_num(sides, (size_t)side, "lost")));
	fprintf(f, ", %s samples", svg_exact(text, change_num(sides, (size_t)side, "lost_samples")));
	if (!complete) {
		fputs(". <strong>It was not read to its end</strong>: ", f);
		page_cell(f, kept_cell(sides, (size_t)side, "error"), 0);
	}
	fputs(".</p>\n", f);
}

static void
change_words(FILE *f, const struct kept *sides)
{
	fputs("<h1>", f);
	change_name(f, sides, A);
	fputs(" and ", f);
	change_name(f, sides, B);
	fputs("</h1>\n", f);
	for (int s = 0; s < SIDES; s++)
		change_side(f, sides, s);
}

/* ---- the rows of --diff ----------------------------------------------------------------------------- */

static void
change_key(FILE *f, const struct kept *k, size_t row, unsigned column)
{
	const struct cell *c = &k->cell[row * k->table->ncols + column];
	bool other = kept_cell(k, row, "other")->num;

	fputs("<td class=\"t\">", f);
	if (other && !column)
		fputs("(other)", f);
	else if (!c->known || other)
		fputs("-", f);
	else if (k->table->col[column].type == CELL_TEXT)
		page_cell(f, c, PAGE_NAME);
	else
		fprintf(f, "%" PRId64, (int64_t)c->num);
	fputs("</td>", f);
}

/* Millionths as percent with two decimals. */
static void
change_percent(FILE *f, const struct cell *c)
{
	uint64_t n = (c->num + 50) / 100;

	fprintf(f, "<td>%" PRIu64 ".%02" PRIu64 "</td>", n / 100, n % 100);
}

static void
change_rate(FILE *f, const struct cell *c)
{
	uint64_t n = (c->num + 50) / 100;
	char text[SVG_TEXT];

	if (c->known)
		fprintf(f, "<td>%s.%" PRIu64 "</td>", svg_exact(text, n / 10), n % 10);
	else
		fputs("<td>-</td>", f);
}

static void
change_row(FILE *f, const struct kept *k, size_t i, unsigned keys)
{
	const struct cell *ratio = kept_cell(k, i, "ratio_ppm");
	bool noise = change_num(k, i, "noise");
	char text[SVG_TEXT];

	fprintf(f, "<tr%s>", noise ? " class=\"noise\"" : "");
	for (unsigned c = 0; c < keys; c++)
		if (strcmp(k->table->col[c].name, "other"))
			change_key(f, k, i, c);
	change_rate(f, kept_cell(k, i, "samples_per_ks_a"));
	change_rate(f, kept_cell(k, i, "samples_per_ks_b"));
	change_percent(f, kept_cell(k, i, "share_ppm_a"));
	change_percent(f, kept_cell(k, i, "share_ppm_b"));
	fprintf(f, "<td>%s</td>", svg_points(text, (int32_t)(int64_t)change_num(k, i, "difference_ppm")));
	change_percent(f, kept_cell(k, i, "error_ppm"));
	if (ratio->known)
		change_percent(f, &(struct cell){ .num = ratio->num / 100 });
	else
		fputs("<td>new</td>", f);
	fprintf(f, "<td class=\"t\">%s</td></tr>\n", noise ? "noise" : "");
}

static void
change_rows(FILE *f, const struct report *r)
{
	unsigned keys = 0;
	struct kept k;

	kept_open(&k, r, "diff", PAGE_ROWS);
	for (; keys < k.table->ncols && k.table->col[keys].adds == ADDS_KEY; keys++)
		;
	fputs("<section aria-labelledby=\"rows-h\"><h2 id=\"rows-h\">What differs</h2>\n<div class=\"box\" tabindex=\"0\" role=\"region\" "
	    "aria-labelledby=\"rows-h\"><table data-g=\"diff\">\n<caption>Samples per second, and share of samples in percent, largest difference first; "
	    "noise: neither differs by two standard deviations</caption>\n<thead><tr>", f);
	for (unsigned c = 0; c < keys; c++)
		if (strcmp(k.table->col[c].name, "other"))
			fprintf(f, "<th scope=\"col\" class=\"t\">%s</th>", k.table->col[c].name);
	fputs("<th scope=\"col\">A/s</th><th scope=\"col\">B/s</th><th scope=\"col\">A %</th><th scope=\"col\">B %</th><th scope=\"col\">points</th>"
	    "<th scope=\"col\">+/&#8722;</th><th scope=\"col\">ratio</th><th scope=\"col\" class=\"t\">noise</th></tr></thead>\n<tbody>\n", f);
	for (size_t i = 0; i < k.n; i++)
		change_row(f, &k, i, keys);
	if (k.rows > k.n)
		fprintf(f, "<tr class=\"rest\"><td class=\"t\">%zu more</td></tr>\n", k.rows - k.n);
	fputs("</tbody></table></div></section>\n", f);
	kept_free(&k);
}

/* ---- functions -------------------------------------------------------------------------------------- */

struct changed { const struct function *of[SIDES]; double self, total; };	/* differences of the shares */

static double
change_by(const struct page_change *x, uint64_t a, uint64_t b)
{
	uint64_t all_a = x->of[A]->top, all_b = x->of[B]->top;

	return !all_a || !all_b ? 0 : (double)b / (double)all_b - (double)a / (double)all_a;
}

static double
change_size(double by)
{
	return by < 0 ? -by : by;
}

/* The largest differences of what ends in a function first. */
static int
by_change(const void *va, const void *vb)
{
	const struct changed *a = va, *b = vb;
	double x = change_size(a->self), y = change_size(b->self);

	if (x == y) {
		x = change_size(a->total);
		y = change_size(b->total);
	}
	if (x != y)
		return x > y ? -1 : 1;
	return a->of[B]->text < b->of[B]->text ? -1 : 1;
}

static void
change_shares(FILE *f, const struct page_change *x, uint64_t a, uint64_t b)
{
	double by = change_by(x, a, b);
	bool noise = by == 0 || change_size(by) < x->error(a, x->of[A]->top, b, x->of[B]->top);
	const uint64_t n[SIDES] = { a, b };
	char text[SVG_TEXT];

	for (int s = 0; s < SIDES; s++) {
		fprintf(f, "<td title=\"%s sample%s\">", svg_exact(text, n[s]), n[s] == 1 ? "" : "s");
		fprintf(f, "%s</td>", svg_percent(text, n[s], x->of[s]->top));
	}
	fprintf(f, "<td%s>%s%s</td>", noise ? " class=\"noise\"" : "", svg_points(text, (int32_t)(by * 1e6 + (by < 0 ? -.5 : .5))),
	    noise ? " ~" : "");
}

static void
change_function(FILE *f, const struct page_change *x, const struct changed *c)
{
	const struct function *a = c->of[A], *b = c->of[B];

	fputs("<tr><th scope=\"row\" class=\"t\">", f);
	page_text(f, x->of[B]->text[b->text], PAGE_NAME);
	if (!a->total || !b->total)
		fprintf(f, " <span class=\"only\">only in %c</span>", a->total ? 'A' : 'B');
	fputs("</th>", f);
	change_shares(f, x, a->self, b->self);
	change_shares(f, x, a->total, b->total);
	fputs("</tr>\n", f);
}

static void
change_functions(FILE *f, const struct page_change *x)
{
	struct function *of[SIDES] = { page_functions(x->of[A]), page_functions(x->of[B]) };
	struct changed *all = tool_alloc(x->of[B]->ntexts + (size_t)1, sizeof *all);
	uint32_t n = 0;

	for (uint32_t i = 0; i < x->of[B]->ntexts; i++)
		if (of[A][i].total || of[B][i].total)
			all[n++] = (struct changed){ { &of[A][i], &of[B][i] }, change_by(x, of[A][i].self, of[B][i].self),
			    change_by(x, of[A][i].total, of[B][i].total) };
	if (n)
		qsort(all, n, sizeof *all, by_change);
	fputs("<div class=\"box\" tabindex=\"0\" role=\"region\" aria-labelledby=\"functions-h\"><table id=\"functions\" class=\"changes\">\n"
	    "<caption id=\"functions-h\">Functions: self: samples in it; total: with it anywhere in the call chain; A and B: shares; "
	    "points: their difference, ~: noise</caption>\n"
	    "<thead><tr><th scope=\"col\" class=\"t\">function</th><th scope=\"col\">self A</th><th scope=\"col\">self B</th>"
	    "<th scope=\"col\">points</th><th scope=\"col\">total A</th><th scope=\"col\">total B</th><th scope=\"col\">points</th></tr></thead>\n<tbody>\n", f);
	for (uint32_t i = 0; i < n && i < CHANGE_ROWS; i++)
		change_function(f, x, &all[i]);
	if (n > CHANGE_ROWS)
		fprintf(f, "<tr class=\"rest\"><td class=\"t\">%" PRIu32 " more</td></tr>\n", n - CHANGE_ROWS);
	fputs("</tbody></table></div>\n", f);
	free(all);
	free(of[A]);
	free(of[B]);
}

/* ---- the page --------------------------------------------------------------------------------------- */

static void
change_chains(FILE *f, const struct page_change *x)
{
	char *data = page_change_data(x->of[B], x->of[A]);

	page_chains_begin(f);
	fputs("<p class=\"note\">Boxes are as wide as their samples in B; colours say how their shares differ from those in A. "
	    "Two recordings have no time in common, so none can be selected.</p>\n", f);
	if (x->events || x->cpumode) {
		fputs("<p class=\"note\">They are only those of samples of ", f);
		page_text(f, x->events ? x->events : "", 0);
		fputs(x->events && x->cpumode ? ", " : "", f);
		page_text(f, x->cpumode ? x->cpumode : "", 0);
		fputs("; the rows above are of all samples.</p>\n", f);
	}
	page_flame_notes(f, x->flame);
	page_chains_picture(f, x->flame, x->draw, 1);
	change_functions(f, x);
	page_chains_end(f, data);
	free(data);
}

int
page_change(FILE *f, const struct report *r, const struct page_change *x)
{
	const struct panel *chains = x->of[B]->nboxes ? x->flame : NULL;	/* without input there is not even the box of all */
	struct kept sides;
	char *title;
	int rc;

	kept_open(&sides, r, "diff_of", SIDES);
	title = option_text("%s, %s", kept_cell(&sides, A, "file")->known ? kept_cell(&sides, A, "file")->text : "(several)",
	    kept_cell(&sides, B, "file")->known ? kept_cell(&sides, B, "file")->text : "(several)");
	rc = page_open(f, x->draw, title, chains);
	if (rc > 0) {
		change_words(f, &sides);
		change_rows(f, r);
		if (chains)
			change_chains(f, x);
		page_bar(f);
		fputs("<script type=\"application/json\" id=\"data\">{\"hint\":\"Click a box to see only that; arrow keys go from box to box.\","
		    "\"runs\":[],\"rows\":[],\"pics\":[]}</script>\n", f);
		page_close(f, chains);
	}
	kept_free(&sides);
	free(title);
	return rc;
}
