/* SPDX-License-Identifier: ISC */
#include <stdlib.h>

#include "sort/in.h"

/* The columns behind those of the keys. */
static const struct column counted[] = {
	{ "other", CELL_BOOL, ADDS_KEY, "all keys that have no row" },
	{ "records", CELL_NUM, ADDS_SUM, "records" },
	{ "samples", CELL_NUM, ADDS_SUM, "samples" },
	{ "period", CELL_NUM, ADDS_SUM, "their periods, if they are of one event" },
	{ "bytes", CELL_NUM, ADDS_SUM, "bytes of the records" },
	{ "first_ns", CELL_NUM, ADDS_MIN, "the first time" },
	{ "last_ns", CELL_NUM, ADDS_MAX, "the last time" },
	{ "lost", CELL_NUM, ADDS_SUM, "lost according to LOST" },
	{ "lost_samples", CELL_NUM, ADDS_SUM, "lost according to LOST_SAMPLES" },
};
enum { COUNTED = sizeof counted / sizeof *counted, COUNTED_PERIOD = 3 };
static const struct column mean = { "mean", CELL_NUM, ADDS_MADE, "sum / count" };

static const struct sort *sorting;	/* qsort(3) passes no argument */

static int
by_keys(const struct row *a, const struct row *b)
{
	for (unsigned i = 0; i < sorting->nkeys; i++)
		if (a->key[i] != b->key[i]) {
			struct cell x = key_cell(sorting, sorting->key[i], a->key[i]), y = key_cell(sorting, sorting->key[i], b->key[i]);
			int order;

			if (!x.known || !y.known)
				return x.known ? -1 : 1;
			if (sorting->key[i]->cell == CELL_TEXT && (order = strcmp(x.text, y.text)))
				return order;
			if (sorting->key[i]->cell == CELL_SIGNED)
				return (int64_t)x.num < (int64_t)y.num ? -1 : 1;
			return x.num < y.num ? -1 : 1;
		}
	return 0;
}

static int
by_order(const void *va, const void *vb)
{
	const struct row *a = va, *b = vb;

	if (sorting->time_at == 0 && a->key[0] != b->key[0])	/* time goes on from line to line */
		return a->key[0] < b->key[0] ? -1 : 1;
	if (sorting->longest && a->n.period != b->n.period)
		return a->n.period > b->n.period ? -1 : 1;
	if (a->n.samples != b->n.samples)
		return a->n.samples > b->n.samples ? -1 : 1;
	if (a->n.records != b->n.records)
		return a->n.records > b->n.records ? -1 : 1;
	return by_keys(a, b);
}

void
sort_rows(const struct sort *s, struct row *row, uint32_t n)
{
	sorting = s;
	if (n)
		qsort(row, n, sizeof *row, by_order);
}

static void
sort_order(const struct sort *s)
{
	sort_rows(s, s->rows.row, s->rows.n);
}

const struct column *
sort_column(const struct sort *s, unsigned key)
{
	return key < s->nkeys ? &s->col[key] : NULL;
}

unsigned
sort_top(const struct sort *s)
{
	return s->top;
}

bool
sort_all_last(const struct sort *s)
{
	for (unsigned i = 0; i < s->c->nev && s->tool->in; i++)
		if (s->c->ev[i].samples && !count_is_duration(s->tool->in->events->ev[i]))
			return false;
	return s->tool->in;
}

bool
sort_has_figures(const struct sort *s)
{
	return s && s->columns;
}

const struct column *
sort_figure(const struct sort *s, unsigned column)
{
	return column < s->columns ? &s->col[s->nkeys + COUNTED + column] : NULL;
}

bool
sort_figure_lasts(const struct sort *s, unsigned column)
{
	return s->column[column] != HIST_COUNT && sort_all_last(s);
}

void
sort_figures(const struct sort *s, const struct hists *hists, uint32_t hist, struct cell *c)
{
	struct bucket *buckets = tool_alloc(HIST_BUCKETS, sizeof *buckets);
	struct cell of[HIST_CELLS];

	hists_cells(hists, hist, of, buckets);
	for (unsigned i = 0; i < s->columns; i++)
		if (s->column[i] == COLUMN_MEAN)
			c[i] = hist_mean(of);
		else
			c[i] = of[s->column[i]];
	free(buckets);
}

static void
put_counted(const struct sort *s, const struct row *r, bool other, report_put *put, void *arg)
{
	const struct counted *n = &r->n;
	struct cell cell[ROWS_KEYS + COUNTED + COLUMNS_MAX], *c = cell;

	for (unsigned i = 0; i < s->nkeys; i++)
		*c++ = other ? (struct cell){ .known = false } : key_cell(s, s->key[i], r->key[i]);
	*c++ = cell_bool(other);
	*c++ = cell_num(n->records);
	*c++ = cell_num(n->samples);
	*c++ = cell_num_if(s->unit, n->period);
	*c++ = cell_num(n->bytes);
	*c++ = cell_num_if(n->first != UINT64_MAX, n->first);
	*c++ = cell_num_if(n->first != UINT64_MAX, n->last);
	*c++ = cell_num_if(s->lost, n->lost);
	*c++ = cell_num_if(s->lost, n->lost_samples);
	if (s->columns)
		sort_figures(s, s->rows.hists, r->hist, c);
	put(arg, cell);
}

/* The histogram of the rows from that one on, and of those that had no space; hists_drop() frees it. */
static uint32_t
hist_rest(const struct sort *s, uint32_t from)
{
	uint32_t n = s->rows.n - from;

	return hists_sum(s->rows.hists, s->rows.other_hist, n ? &s->rows.row[from].hist : NULL, n, sizeof *s->rows.row);
}

static void
sorted_rows(const void *of, report_put *put, void *arg)
{
	const struct sort *s = of;
	uint32_t shown = s->top && s->top < s->rows.n ? s->top : s->rows.n;
	struct row other = { .n = s->rows.other };

	sort_order(s);
	if (s->columns && (s->rows.over || shown < s->rows.n))
		other.hist = hist_rest(s, shown);
	for (uint32_t i = 0; i < s->rows.n; i++)
		if (i < shown)
			put_counted(s, &s->rows.row[i], false, put, arg);
		else
			rows_sum(&other.n, &s->rows.row[i].n);
	if (s->rows.over || shown < s->rows.n)
		put_counted(s, &other, true, put, arg);
	if (other.hist)
		hists_drop(s->rows.hists, other.hist);
}

void
sort_hit(const struct sort *s, struct files_hit *hit)
{
	bool *seen = tool_alloc(NAMES_MAX, sizeof *seen);	/* with other keys, a DSO has several rows */
	unsigned at = 0;

	while (at < s->nkeys && s->key[at]->kind != KEY_DSO)
		at++;
	*hit = (struct files_hit){ .known = at < s->nkeys };
	for (uint32_t i = 0; hit->known && i < s->rows.n; i++) {
		const struct row *r = &s->rows.row[i];
		const char *name = names_text(s->names, r->key[at]);
		bool has, old;

		if (!name || !r->n.samples || !strcmp(name, field_dso_unknown))
			continue;
		has = files_has(&s->c->files, name, strlen(name), FILE_HAS_ID);
		old = seen[r->key[at]];
		seen[r->key[at]] = true;
		hit->dsos += !old;
		hit->with_id += has && !old;
		hit->samples_with_id += has ? r->n.samples : 0;
	}
	free(seen);
}

static const struct column about_columns[] = {
	{ "keys", CELL_LIST, ADDS_SAME, "keys of the rows" },
	{ "time_quantum_ns", CELL_NUM, ADDS_MAX, "width of the bins of time" },
	{ "time_quantum_given", CELL_BOOL, ADDS_MAX, "it was chosen by --time-quantum" },
};

static void
about_rows(const void *of, report_put *put, void *arg)
{
	const struct sort *s = of;
	char *keys;
	size_t n = 0;

	for (unsigned i = 0; i < s->nkeys; i++)
		n += strlen(s->key[i]->name) + 1;
	keys = tool_alloc(n, 1);
	n = 0;
	for (unsigned i = 0; i < s->nkeys; i++) {
		strcpy(keys + n, s->key[i]->name);
		n += strlen(s->key[i]->name) + 1;
	}
	put(arg, (struct cell[]){ cell_bytes(keys, n - 1), cell_num_if(s->time_at >= 0, s->bins.width),
	    cell_num_if(s->time_at >= 0, s->bins.fixed) });
	free(keys);
}

void
sort_measure(struct sort *s)
{
	s->measures = true;
}

bool
sort_measured(const struct sort *s)
{
	return s->durations && s->value == VALUE_PERIOD;
}

/* ---- by one of the keys ---------------------------------------------------------------------------- */

static unsigned summing;

static int
sums_by_value(const void *va, const void *vb)
{
	const struct sort_sum *a = va, *b = vb;

	return a->value < b->value ? -1 : a->value > b->value;
}

static int
sums_by_order(const void *va, const void *vb)
{
	const struct sort_sum *a = va, *b = vb;
	struct cell x, y;

	if (sorting->longest && a->n.period != b->n.period)
		return a->n.period > b->n.period ? -1 : 1;
	if (a->n.samples != b->n.samples)
		return a->n.samples > b->n.samples ? -1 : 1;
	x = sort_cell(sorting, summing, a->value);
	y = sort_cell(sorting, summing, b->value);
	if (x.text && y.text)
		return strcmp(x.text, y.text);
	return x.known != y.known ? x.known ? -1 : 1 : sums_by_value(va, vb);
}

struct cell
sort_cell(const struct sort *s, unsigned key, uint64_t value)
{
	return key_cell(s, s->key[key], value);
}

struct sort_sum *
sort_sums(const struct sort *s, unsigned key, size_t *n, struct counted *other)
{
	struct sort_sum *sum = tool_alloc(s->rows.n + 1, sizeof *sum);
	size_t to = 0;

	for (uint32_t i = 0; i < s->rows.n; i++)
		sum[i] = (struct sort_sum){ s->rows.row[i].key[key], s->rows.row[i].n };
	qsort(sum, s->rows.n, sizeof *sum, sums_by_value);
	for (uint32_t i = 0; i < s->rows.n; i++)
		if (to && sum[to - 1].value == sum[i].value)
			rows_sum(&sum[to - 1].n, &sum[i].n);
		else
			sum[to++] = sum[i];
	sorting = s;
	summing = key;
	qsort(sum, to, sizeof *sum, sums_by_order);
	*n = to;
	*other = s->rows.other;
	return sum;
}

void
sort_sum_hist(struct sort *s, unsigned key, const struct sort_sum *sum, size_t n, bool others, struct cell *cell, struct bucket *to)
{
	uint32_t *number = tool_alloc(s->rows.n + 1, sizeof *number), all, k = 0;

	for (uint32_t i = 0; i < s->rows.n; i++) {
		bool of = false;

		for (size_t j = 0; j < n && !of; j++)
			of = sum[j].value == s->rows.row[i].key[key];
		if (of != others)
			number[k++] = s->rows.row[i].hist;
	}
	all = hists_sum(s->rows.hists, others ? s->rows.other_hist : 0, number, k, sizeof *number);
	hists_cells(s->rows.hists, all, cell, to);
	hists_drop(s->rows.hists, all);
	free(number);
}

/* ---- histograms ---------------------------------------------------------------------------------- */

/* Columns: field, other, the keys of the rows, those of the histogram. */
static const struct column hist_head[HIST_HEAD] = {
	{ "field", CELL_TEXT, ADDS_KEY, "what the values are; :p: each counts as often as the period of its sample" },
	{ "other", CELL_BOOL, ADDS_KEY, "all keys that have no row" },
};

static void
hist_make_whole(struct cell *row)
{
	hist_make(row + HIST_HEAD);
}

static void
hist_make_1(struct cell *row)
{
	hist_make(row + HIST_HEAD + 1);
}

static void
hist_make_2(struct cell *row)
{
	hist_make(row + HIST_HEAD + 2);
}

static void
hist_make_3(struct cell *row)
{
	hist_make(row + HIST_HEAD + 3);
}

static void
put_hist(const struct sort *s, uint32_t number, bool other, const uint64_t *key, struct bucket *buckets, report_put *put, void *arg)
{
	struct cell cell[HIST_HEAD + ROWS_KEYS + HIST_CELLS] = { cell_text(s->value_name), cell_bool(other) };

	for (unsigned i = 0; i < s->nkeys && !other; i++)
		cell[HIST_HEAD + i] = key_cell(s, s->key[i], key[i]);
	hists_cells(s->rows.hists, number, cell + HIST_HEAD + s->nkeys, buckets);
	put(arg, cell);
}

static void
hist_rows(const void *of, report_put *put, void *arg)
{
	const struct sort *s = of;
	uint32_t shown = s->top && s->top < s->rows.n ? s->top : s->rows.n, rest = s->rows.other_hist;
	struct bucket *buckets = tool_alloc(HIST_BUCKETS, sizeof *buckets);

	sort_order(s);
	for (uint32_t i = 0; i < shown; i++)
		if (s->rows.row[i].hist || !s->nkeys)
			put_hist(s, s->rows.row[i].hist, false, s->rows.row[i].key, buckets, put, arg);
	if (shown < s->rows.n || rest) {
		uint32_t all = hist_rest(s, shown);

		put_hist(s, all, true, NULL, buckets, put, arg);
		hists_drop(s->rows.hists, all);
	}
	free(buckets);
}

void
sort_hist(struct sort *s, struct cell *cell, struct bucket *to)
{
	uint32_t all = hist_rest(s, 0);

	hists_cells(s->rows.hists, all, cell, to);
	hists_drop(s->rows.hists, all);
}

const char *
sort_first(const struct sort *s)
{
	return s->nkeys ? s->key[0]->name : NULL;
}

struct cell
sort_first_cell(const struct sort *s, uint64_t value)
{
	return key_cell(s, s->key[0], value);
}

static void
hist_add(struct sort *s, struct report *r)
{
	static void (*const make[ROWS_KEYS + 1])(struct cell *) = { hist_make_whole, hist_make_1, hist_make_2, hist_make_3 };
	struct column *c = s->hist_col;

	memcpy(c, hist_head, sizeof hist_head);
	c += HIST_HEAD;
	for (unsigned i = 0; i < s->nkeys; i++)
		*c++ = (struct column){ s->key[i]->name, s->key[i]->cell, ADDS_KEY, s->key[i]->help };
	memcpy(c, hist_columns, sizeof hist_columns);
	s->hist = (struct table){ "hist", "histograms of --hist", s->hist_col, HIST_HEAD + s->nkeys + HIST_CELLS, TABLE_ROWS,
	    s->columns ? SCREEN_OFF : SCREEN_TABLE,
	    .rows = hist_rows, .show = s->hist_show, .make = make[s->nkeys] };
	report_add(r, &s->hist, s);
}

void
sort_show(struct sort *s)
{
	uint8_t *own = s->show + s->nkeys, *hist = s->hist_show + HIST_HEAD + s->nkeys;

	for (unsigned i = 0; i < COUNTED && s->columns; i++)
		own[i] = SHOW_NOT;
	if (!s->durations)
		return;
	own[COUNTED_PERIOD] = s->columns ? SHOW_NOT : SHOW_DURATION;
	for (unsigned i = 0; i < s->columns; i++)
		own[COUNTED + i] = s->column[i] == HIST_COUNT ? SHOW_AS_IS : SHOW_DURATION;
	for (unsigned i = HIST_SUM; i <= HIST_MAX && s->value == VALUE_PERIOD; i++)
		hist[i] = SHOW_DURATION;
}

void
sort_durations(struct sort *s, bool hist)
{
	s->durations = true;
	s->value = hist ? VALUE_PERIOD : VALUE_NONE;
	sort_show(s);
}

void
sort_add(void *sort, struct report *r)
{
	struct sort *s = sort;

	if (!s)				/* --merge makes those of the keys that it reads */
		return;
	for (unsigned i = 0; i < s->nkeys; i++)
		s->col[i] = (struct column){ s->key[i]->name, s->key[i]->cell, ADDS_KEY, s->key[i]->help };
	memcpy(s->col + s->nkeys, counted, sizeof counted);
	for (unsigned i = 0; i < s->columns; i++)
		s->col[s->nkeys + COUNTED + i] = s->column[i] == COLUMN_MEAN ? mean : hist_columns[s->column[i]];
	s->about = (struct table){ "sorted_by", "the keys of the table sort", TABLE(about_columns), TABLE_ONE, SCREEN_OFF,
	    .rows = about_rows };
	s->table = (struct table){ "sort", "samples by the keys of --sort", s->col, s->nkeys + COUNTED + s->columns, TABLE_ROWS, SCREEN_TABLE,
	    .rows = sorted_rows, .show = s->show };
	if (s->nkeys) {
		report_add(r, &s->about, s);
		report_add(r, &s->table, s);
	}
	if (s->value)
		hist_add(s, r);
}
