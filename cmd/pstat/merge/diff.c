/* SPDX-License-Identifier: ISC */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "diff.h"
#include "in.h"
#include "report/screen.h"
#include "report/text.h"

struct side {
	struct merge	*m;
	const struct cell *file, *error;
	uint64_t	 samples, duration, lost, lost_samples;
	bool		 complete, exact;
};
struct diff_row {
	const struct cell *key;		/* cells of the row, of A or of B */
	uint64_t	 n[2];		/* samples */
	uint64_t	 period[2];
	double		 points;	/* share of B less that of A */
};
struct diff {
	struct side	 side[2];
	struct merge_table *t[2];
	struct diff_row	*row;
	size_t		 n;
	struct column	 col[TABLE_COLUMNS];
	unsigned	 keys, key[TABLE_COLUMNS];	/* columns of the compared tables that are keys */
	bool		 durations;	/* periods of both are: columns of their sums */
	struct table	 table;
};

static const struct diff *ordering;	/* qsort(3) passes no argument */

/* The cell of the only row of a table; NULL: none. */
static const struct cell *
side_cell(const struct side *s, const char *table, const char *column)
{
	const struct merge_table *t = merge_table(s->m, table);
	int at = t ? merge_column(t, column) : -1;

	return at < 0 || !t->n ? NULL : &t->row[0]->cell[at];
}

static uint64_t
side_num(const struct side *s, const char *table, const char *column)
{
	const struct cell *c = side_cell(s, table, column);

	return c && c->known ? c->num : 0;
}

static void
side_init(struct side *s, struct merge *m)
{
	uint64_t first, last;

	*s = (struct side){ .m = m };
	s->file = side_cell(s, "report", "file");
	s->error = side_cell(s, "report", "error");
	s->complete = side_num(s, "report", "complete");
	s->exact = side_num(s, "report", "exact");
	s->samples = side_num(s, "report", "samples");
	s->lost = side_num(s, "lost", "records");
	s->lost_samples = side_num(s, "lost", "samples");
	first = side_num(s, "time", "first_ns");
	last = side_num(s, "time", "last_ns");
	s->duration = last > first ? last - first : 0;
}

static double
share(uint64_t n, uint64_t all)
{
	return all ? (double)n / (double)all : 0;
}

/* pstat needs no other function of libm. */
static double
root(double x)
{
	double r = x > 1 ? x : 1;

	for (int i = 0; i < 60; i++)
		r = (r + x / r) / 2;
	return r;
}

/*
 * The variance of a share of n in `all' samples.  As if there were one more with the key and one more without it, so that few samples
 * are not taken for exact (Agresti and Caffo).
 */
static double
share_variance(uint64_t n, uint64_t all)
{
	double m = (double)all + 2, p = ((double)n + 1) / m;

	return p * (1 - p) / m;
}

double
diff_error(uint64_t a, uint64_t all_a, uint64_t b, uint64_t all_b)
{
	return 2 * root(share_variance(a, all_a) + share_variance(b, all_b));
}

static double
row_error(const struct diff *d, const struct diff_row *r)
{
	return diff_error(r->n[0], d->side[0].samples, r->n[1], d->side[1].samples);
}

/* By chance samples go to the sides as their durations are: do they differ from that by less than 2 standard deviations? */
static bool
rates_are_noise(const struct diff *d, const struct diff_row *r)
{
	double a = (double)d->side[0].duration, b = (double)d->side[1].duration, n = (double)r->n[0] + (double)r->n[1];
	double p = b / (a + b), off = (double)r->n[1] - p * n;

	return !a || !b || off * off < 4 * p * (1 - p) * (n + 2);
}

static bool
row_is_noise(const struct diff *d, const struct diff_row *r)
{
	double points = r->points < 0 ? -r->points : r->points;

	return points < row_error(d, r) && rates_are_noise(d, r);
}

static int
key_order(const struct diff *d, const struct cell *a, const struct cell *b)
{
	for (unsigned i = 0; i < d->keys; i++) {
		int order = merge_cell_order(&d->t[0]->table->col[d->key[i]], &a[d->key[i]], &b[d->key[i]]);

		if (order)
			return order;
	}
	return 0;
}

static int
by_keys(const void *va, const void *vb)
{
	const struct diff_row *a = va, *b = vb;

	return key_order(ordering, a->key, b->key);
}

/* The largest differences first. */
static int
by_points(const void *va, const void *vb)
{
	const struct diff_row *a = va, *b = vb;
	double x = a->points < 0 ? -a->points : a->points, y = b->points < 0 ? -b->points : b->points;

	return x > y ? -1 : x < y ? 1 : by_keys(va, vb);
}

static void
diff_rows_make(struct diff *d)
{
	size_t n = 0, to = 0;

	d->row = tool_alloc(d->t[0]->n + d->t[1]->n + 1, sizeof *d->row);
	for (int s = 0; s < 2; s++) {
		int samples = merge_column(d->t[s], "samples"), period = merge_column(d->t[s], "period");

		for (size_t i = 0; i < d->t[s]->n; i++) {
			d->row[n].key = d->t[s]->row[i]->cell;
			d->row[n].n[s] = d->t[s]->row[i]->cell[samples].num;
			d->row[n++].period[s] = d->t[s]->row[i]->cell[period].known ? d->t[s]->row[i]->cell[period].num : 0;
		}
	}
	ordering = d;
	qsort(d->row, n, sizeof *d->row, by_keys);
	for (size_t i = 0; i < n; i++)		/* at most two have the same keys, one of either side */
		if (to && !by_keys(&d->row[to - 1], &d->row[i])) {
			d->row[to - 1].n[0] += d->row[i].n[0];
			d->row[to - 1].n[1] += d->row[i].n[1];
			d->row[to - 1].period[0] += d->row[i].period[0];
			d->row[to - 1].period[1] += d->row[i].period[1];
		} else
			d->row[to++] = d->row[i];
	d->n = to;
	for (size_t i = 0; i < to; i++)
		d->row[i].points = share(d->row[i].n[1], d->side[1].samples) - share(d->row[i].n[0], d->side[0].samples);
	qsort(d->row, to, sizeof *d->row, by_points);
}

/* ---- tables -------------------------------------------------------------------------------------- */

static const struct column sides_columns[] = {
	{ "side", CELL_TEXT, ADDS_KEY, "a or b" },
	{ "file", CELL_TEXT, ADDS_SAME, "name of the input" },
	{ "complete", CELL_BOOL, ADDS_MIN, "it was read to its end" },
	{ "error", CELL_TEXT, ADDS_SAME, "why it was not" },
	{ "samples", CELL_NUM, ADDS_SUM, "samples" },
	{ "duration_ns", CELL_NUM, ADDS_SUM, "from the first time to the last" },
	{ "lost", CELL_NUM, ADDS_SUM, "lost according to LOST" },
	{ "lost_samples", CELL_NUM, ADDS_SUM, "lost according to LOST_SAMPLES" },
};

static void
sides_rows(const void *of, report_put *put, void *arg)
{
	const struct diff *d = of;
	static const struct cell unknown;

	for (int i = 0; i < 2; i++) {
		const struct side *s = &d->side[i];

		put(arg, (struct cell[]){ cell_text(i ? "b" : "a"), s->file ? *s->file : unknown, cell_bool(s->complete),
		    s->error ? *s->error : unknown, cell_num(s->samples), cell_num(s->duration), cell_num(s->lost),
		    cell_num(s->lost_samples) });
	}
}

static const struct table sides = { "diff_of", "what is compared", TABLE(sides_columns),
    .screen = SCREEN_OFF, .rows = sides_rows };

static const struct column compared[] = {
	{ "samples_a", CELL_NUM, ADDS_SUM, "samples in A" },
	{ "samples_b", CELL_NUM, ADDS_SUM, "samples in B" },
	{ "samples_per_ks_a", CELL_NUM, ADDS_SUM, "samples in 1000 seconds of A" },
	{ "samples_per_ks_b", CELL_NUM, ADDS_SUM, "samples in 1000 seconds of B" },
	{ "share_ppm_a", CELL_NUM, ADDS_SUM, "millionths of the samples of A" },
	{ "share_ppm_b", CELL_NUM, ADDS_SUM, "millionths of the samples of B" },
	{ "difference_ppm", CELL_SIGNED, ADDS_SUM, "share_ppm_b less share_ppm_a" },
	{ "ratio_ppm", CELL_NUM, ADDS_SAME, "millionths that the share of B is of that of A" },
	{ "error_ppm", CELL_NUM, ADDS_SUM, "difference_ppm is right to so many, with a confidence of 95 %" },
	{ "noise", CELL_BOOL, ADDS_MIN, "neither shares nor rates differ by 2 standard deviations" },
};
static const struct column compared_durations[] = {
	{ "sum_ns_a", CELL_NUM, ADDS_SUM, "sum of the durations in A" },
	{ "sum_ns_b", CELL_NUM, ADDS_SUM, "sum of the durations in B" },
};
enum { COMPARED = sizeof compared / sizeof *compared, COMPARED_DURATIONS = sizeof compared_durations / sizeof *compared_durations };

static uint64_t
rate(const struct side *s, uint64_t n)
{
	return s->duration ? (uint64_t)((double)n * 1e12 / (double)s->duration + .5) : 0;
}

static void
diff_rows(const void *of, report_put *put, void *arg)
{
	const struct diff *d = of;

	for (size_t i = 0; i < d->n; i++) {
		const struct diff_row *r = &d->row[i];
		double a = share(r->n[0], d->side[0].samples), b = share(r->n[1], d->side[1].samples);
		int64_t pa = (int64_t)(a * 1e6 + .5), pb = (int64_t)(b * 1e6 + .5);
		struct cell cell[TABLE_COLUMNS], *c = cell;

		for (unsigned k = 0; k < d->keys; k++)
			*c++ = r->key[d->key[k]];
		*c++ = cell_num(r->n[0]);
		*c++ = cell_num(r->n[1]);
		*c++ = cell_num_if(d->side[0].duration, rate(&d->side[0], r->n[0]));
		*c++ = cell_num_if(d->side[1].duration, rate(&d->side[1], r->n[1]));
		*c++ = cell_num((uint64_t)pa);
		*c++ = cell_num((uint64_t)pb);
		*c++ = cell_signed(pb - pa);
		*c++ = cell_num_if(a > 0, a > 0 ? (uint64_t)(b / a * 1e6 + .5) : 0);
		*c++ = cell_num((uint64_t)(row_error(d, r) * 1e6 + .5));
		*c++ = cell_bool(row_is_noise(d, r));
		for (int k = 0; k < 2 && d->durations; k++)
			*c++ = cell_num(r->period[k]);
		put(arg, cell);
	}
}

/* An event whose samples are spans of one side, and something else on the other; NULL: there is none. */
static const char *
diff_unlike(struct merge *const m[2])
{
	const struct merge_table *a = merge_table(m[0], "events"), *b = merge_table(m[1], "events");
	int unit = merge_column(a, "unit"), samples = merge_column(a, "samples");

	for (size_t i = 0; i < a->n; i++)
		for (size_t k = 0; k < b->n; k++) {
			const struct cell *x = a->row[i]->cell, *y = b->row[k]->cell;

			if (x[0].known && !merge_cell_order(&a->table->col[0], &x[0], &y[0]) && x[unit].known != y[unit].known && x[samples].num &&
			    y[samples].num)
				return x[0].text;
		}
	return NULL;
}

/* Are all samples durations, of one event, so that they have sums? */
static bool
side_is_durations(struct merge *m)
{
	const struct merge_table *t = merge_table(m, "events");
	int samples = merge_column(t, "samples"), n = 0;

	for (size_t i = 0; i < t->n; i++)
		n += t->row[i]->cell[samples].num != 0;
	return n == 1 && merge_event_of(m, "ns");
}

struct diff *
diff_new(struct tool *t, struct merge *a, struct merge *b, bool sorted, unsigned top)
{
	struct diff *d = tool_alloc(1, sizeof *d);
	struct merge *m[] = { a, b };
	const char *unlike, *name = merge_table(a, "sort") && merge_table(b, "sort") ? "sort" : "comms";

	for (int i = 0; i < 2; i++) {
		side_init(&d->side[i], m[i]);
		d->t[i] = merge_table(m[i], name);
	}
	if ((unlike = diff_unlike(m))) {
		t->in_err.file = d->side[1].file && d->side[1].file->known ? d->side[1].file->text : "report";
		pp_fail(&t->in_err, "the periods of %.60s are durations in only one of the two inputs, so its samples cannot be compared", unlike);
		free(d);
		return NULL;
	}
	if ((sorted && strcmp(name, "sort")) || (!strcmp(name, "sort") && strcmp(a->keys, b->keys))) {
		t->in_err.file = d->side[1].file && d->side[1].file->known ? d->side[1].file->text : "report";
		pp_fail(&t->in_err, "its rows have other keys than those of the other report");
		free(d);
		return NULL;
	}
	for (unsigned i = 0; i < d->t[0]->table->ncols; i++)
		if (d->t[0]->table->col[i].adds == ADDS_KEY) {
			d->key[d->keys] = i;
			d->col[d->keys++] = d->t[0]->table->col[i];
		}
	memcpy(d->col + d->keys, compared, sizeof compared);
	memcpy(d->col + d->keys + COMPARED, compared_durations, sizeof compared_durations);
	d->durations = side_is_durations(a) && side_is_durations(b);
	d->table = (struct table){ "diff", "two reports by the same keys", d->col, d->keys + COMPARED + (d->durations ? COMPARED_DURATIONS : 0), TABLE_ROWS, SCREEN_OFF,
	    top, .rows = diff_rows };
	diff_rows_make(d);
	return d;
}

void
diff_add(const struct diff *d, struct report *r)
{
	report_add(r, &sides, d);
	report_add(r, &d->table, d);
}

const char *
diff_file(const struct diff *d, int side)
{
	const struct cell *c = d->side[side].file;

	return c && c->known ? c->text : "(several)";
}

bool
diff_exact(const struct diff *d, int side)
{
	return d->side[side].exact;
}

bool
diff_complete(const struct diff *d)
{
	return d->side[0].complete && d->side[1].complete;
}

void
diff_free(struct diff *d)
{
	if (d)
		free(d->row);
	free(d);
}

/* ---- the screen ---------------------------------------------------------------------------------- */

static void
screen_side(FILE *f, const struct side *s, char letter)
{
	fprintf(f, "%c  ", letter);
	if (s->file && s->file->known)
		text_print(f, s->file->text, s->file->len);
	else
		fputs("(several)", f);
	fprintf(f, ": %" PRIu64 " samples in %" PRIu64 ".%03" PRIu64 " s; lost %" PRIu64 " records, %" PRIu64 " samples%s\n",
	    s->samples, s->duration / 1000000000, s->duration / 1000000 % 1000, s->lost, s->lost_samples,
	    s->complete ? "" : "; NOT COMPLETE");
}

static void
screen_key(FILE *f, const struct column *col, const struct cell *c)
{
	if (!c->known)
		fputc('-', f);
	else if (col->type == CELL_TEXT)
		text_print(f, c->text, c->len);
	else if (col->type == CELL_SIGNED)
		fprintf(f, "%" PRId64, (int64_t)c->num);
	else
		fprintf(f, "%" PRIu64, c->num);
}

int
diff_screen(FILE *f, const struct report *r)
{
	const struct diff *d = report_part(r, "diff")->of;
	const struct column *col = d->t[0]->table->col;
	size_t top = d->table.top, noise = 0;

	screen_side(f, &d->side[0], 'A');
	screen_side(f, &d->side[1], 'B');
	fprintf(f, "\n      A/s       B/s      A %%      B %%    POINTS     +/-    RATIO   %s", d->durations ? "    A SUM      B SUM  " : "");
	for (unsigned k = 0; k < d->keys; k++)
		if (strcmp(col[d->key[k]].name, "other"))
			fprintf(f, "%s%s", k ? "  " : "", col[d->key[k]].name);
	fputc('\n', f);
	for (size_t i = 0; i < d->n; i++) {
		const struct diff_row *row = &d->row[i];
		double a = share(row->n[0], d->side[0].samples), b = share(row->n[1], d->side[1].samples);
		bool other = false;

		noise += row_is_noise(d, row);
		if (top && i >= top)
			continue;
		fprintf(f, "%9.1f %9.1f %8.2f %8.2f %+9.2f %7.2f ", (double)rate(&d->side[0], row->n[0]) / 1e3,
		    (double)rate(&d->side[1], row->n[1]) / 1e3, 100 * a, 100 * b, 100 * row->points,
		    100 * row_error(d, row));
		if (a > 0)
			fprintf(f, "%8.2f ", b / a);
		else
			fprintf(f, "%8s ", "new");
		fprintf(f, "%c ", row_is_noise(d, row) ? '~' : ' ');
		for (int k = 0; k < 2 && d->durations; k++) {
			char text[SCREEN_DURATION];

			screen_duration(text, (double)row->period[k]);
			fprintf(f, "%9s  ", text);
		}
		for (unsigned k = 0; k < d->keys; k++)
			other |= !strcmp(col[d->key[k]].name, "other") && row->key[d->key[k]].num;
		for (unsigned k = 0; k < d->keys; k++)
			if (strcmp(col[d->key[k]].name, "other")) {
				fputs(k ? "  " : "", f);
				if (other)
					fputs(k ? "" : "(other)", f);
				else
					screen_key(f, &col[d->key[k]], &row->key[d->key[k]]);
			}
		fputc('\n', f);
	}
	if (top && d->n > top)
		fprintf(f, "and %zu rows with smaller differences\n", d->n - top);
	if (noise)
		fprintf(f, "~ %zu of %zu rows: noise, as neither shares nor rates differ by 2 standard deviations\n",
		    noise, d->n);
	return 1;
}
