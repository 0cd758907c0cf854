/* SPDX-License-Identifier: ISC */
#include <stdlib.h>
#include <string.h>

#include "count/part.h"
#include "in.h"
#include "set.h"
#include "sort/sort.h"
#include "tally/bins.h"

/* ---- tables that only a merged report has -------------------------------------------------------- */

static const struct column merged_columns[] = {
	{ "recordings", CELL_NUM, ADDS_SUM, "reports that were merged" },
	{ "approx", CELL_LIST, ADDS_SAME,
	    "members that do not add up: the whole may have more, as nobody has seen both sides of a cut" },
};
static const struct table merged = { "merged", "what was merged", TABLE(merged_columns), TABLE_TOP, .screen = SCREEN_OFF };
enum { MERGED_RECORDINGS, MERGED_APPROX };

static const struct column hosts_columns[] = {
	{ "host", CELL_TEXT, ADDS_KEY, "host name" },
	{ "recordings", CELL_NUM, ADDS_SUM, "reports of it" },
	{ "samples", CELL_NUM, ADDS_SUM, "their samples" },
};
static const struct table hosts = { "hosts", "hosts of the reports", TABLE(hosts_columns), .screen = SCREEN_OFF };
enum { HOSTS_RECORDINGS = 1 };

/* ---- cells --------------------------------------------------------------------------------------- */

static const void *
cell_owned(const struct column *col, const struct cell *c)
{
	return !c->known || col->type < CELL_TEXT ? NULL : col->type == CELL_BUCKETS ? (const void *)c->bucket : c->text;
}

void
merge_cells_free(const struct merge_table *t, struct cell *row)
{
	for (unsigned i = 0; i < t->table->ncols; i++)
		free((void *)(uintptr_t)cell_owned(&t->table->col[i], &row[i]));
	free(row);
}

struct cell
merge_text(const char *text)
{
	char *own = tool_alloc(strlen(text) + 1, 1);

	memcpy(own, text, strlen(text));
	return cell_bytes(own, strlen(text));
}

int
merge_cell_order(const struct column *col, const struct cell *a, const struct cell *b)
{
	size_t n = a->len < b->len ? a->len : b->len;
	int order;

	if (!a->known || !b->known)
		return (int)b->known - (int)a->known;
	if (col->type == CELL_SIGNED)
		return ((int64_t)a->num > (int64_t)b->num) - ((int64_t)a->num < (int64_t)b->num);
	if (col->type < CELL_TEXT)
		return (a->num > b->num) - (a->num < b->num);
	if (col->type == CELL_BUCKETS)
		return 0;
	order = memcmp(a->text, b->text, n);
	return order ? order : (a->len > b->len) - (a->len < b->len);
}

/* Sums do not turn over: what is larger is the same for all, whatever was added first, and the report is not exact. */
static uint64_t
sum(uint64_t a, uint64_t b)
{
	const uint64_t most = (uint64_t)INT64_MAX + 1;

	return a >= most || b >= most || a + b >= most ? most : a + b;
}

static struct cell
buckets_sum(const struct cell *a, const struct cell *b)
{
	struct bucket *to = tool_alloc(a->len + b->len + 1, sizeof *to);
	size_t n = 0, i = 0, k = 0;

	while (i < a->len || k < b->len)
		if (k == b->len || (i < a->len && a->bucket[i].low < b->bucket[k].low))
			to[n++] = a->bucket[i++];
		else if (i == a->len || b->bucket[k].low < a->bucket[i].low)
			to[n++] = b->bucket[k++];
		else {
			to[n] = a->bucket[i++];
			to[n].count = sum(to[n].count, b->bucket[k++].count);
			n++;
		}
	return (struct cell){ .known = true, .bucket = to, .len = n };
}

/* Put b into a, which owns what it points to; b's is freed.  An unknown sum, or unknown that should be the same, stays so. */
static void
cell_add(const struct column *col, struct cell *a, struct cell *b)
{
	struct cell old = *a;
	bool take = false;

	switch ((enum column_adds)col->adds) {
	case ADDS_KEY:
	case ADDS_MADE:
		break;
	case ADDS_SUM:
		if (!a->known || !b->known)
			*a = (struct cell){ .known = false };
		else if (col->type == CELL_BUCKETS)
			*a = buckets_sum(a, b);
		else
			a->num = sum(a->num, b->num);
		break;
	case ADDS_SAME:
		if (!a->known || !b->known || merge_cell_order(col, a, b))
			*a = (struct cell){ .known = false };
		break;
	case ADDS_MIN:
		take = b->known && (!a->known || merge_cell_order(col, b, a) < 0);
		break;
	case ADDS_MAX:
	case ADDS_ROUGH:
		take = b->known && (!a->known || merge_cell_order(col, b, a) > 0);
		break;
	}
	if (take) {
		*a = *b;
		b->known = false;
	}
	if (cell_owned(col, &old) != cell_owned(col, a))
		free((void *)(uintptr_t)cell_owned(col, &old));
	free((void *)(uintptr_t)cell_owned(col, b));
	b->known = false;
}

/* ---- rows ---------------------------------------------------------------------------------------- */

struct merge_table *
merge_table(struct merge *m, const char *name)
{
	for (unsigned i = 0; i < m->n; i++)
		if (!strcmp(m->t[i].table->name, name))
			return &m->t[i];
	return NULL;
}

int
merge_column(const struct merge_table *t, const char *name)
{
	for (unsigned i = 0; i < t->table->ncols; i++)
		if (!strcmp(t->table->col[i].name, name))
			return (int)i;
	return -1;
}

struct looked { const struct table *table; const struct cell *row; };

static bool
row_same(const void *thing, const void *arg)
{
	const struct merge_row *r = thing;
	const struct looked *l = arg;

	for (unsigned i = 0; i < l->table->ncols; i++)
		if (l->table->col[i].adds == ADDS_KEY && merge_cell_order(&l->table->col[i], &r->cell[i], &l->row[i]))
			return false;
	return true;
}

static uint64_t
row_key(const struct merge_table *t, const struct cell *row)
{
	uint64_t key = 1;

	for (unsigned i = 0; i < t->table->ncols; i++) {
		const struct column *col = &t->table->col[i];

		if (col->adds != ADDS_KEY || !row[i].known)
			key += i;
		else if (col->type >= CELL_TEXT)
			key = index_hash(t->by_key, key + i, row[i].text, row[i].len);
		else
			key = index_hash(t->by_key, key + i, &row[i].num, sizeof row[i].num);
	}
	return key;
}

/*
 * One name, two units: nanoseconds of a clock and a number of something, cycles and instructions.  Types of the kernel's own
 * say what is counted; those of PMUs and tracepoints have other numbers on other machines.
 */
static bool
units_differ(const struct cell *a, const struct cell *b)
{
	enum { HARDWARE, SOFTWARE, TRACEPOINT, HW_CACHE, RAW, UNIT = 6, SAMPLES = 4 };
	bool af = a[2].known && a[2].num < RAW && a[2].num != TRACEPOINT;
	bool bf = b[2].known && b[2].num < RAW && b[2].num != TRACEPOINT;

	if (a[UNIT].known != b[UNIT].known && a[SAMPLES].num && b[SAMPLES].num)	/* durations, and numbers of something */
		return true;
	return (af || bf) && (af != bf || a[2].num != b[2].num || a[3].num != b[3].num);
}

int
merge_put(struct merge_table *t, struct cell *row)
{
	struct looked l = { t->table, row };
	uint64_t key = row_key(t, row);
	struct merge_row *r = index_find(t->by_key, key, row_same, &l);

	if (t->table->may_be && !t->table->may_be(row)) {
		pp_fail(t->m->err, "a row of %s is not what pstat writes", t->table->name);
		merge_cells_free(t, row);
		return -1;
	}
	if (r) {
		if (!strcmp(t->table->name, "events") && units_differ(r->cell, row)) {
			pp_fail(t->m->err,
			    "event %.60s is not what it is in the reports before it, so its periods do not add up",
			    row[0].known ? row[0].text : "");
			merge_cells_free(t, row);
			return -1;
		}
		for (unsigned i = 0; i < t->table->ncols; i++)
			cell_add(&t->table->col[i], &r->cell[i], &row[i]);
		merge_cells_free(t, row);
		return 1;
	}
	if (t->m->rows >= MERGE_ROWS) {
		merge_cells_free(t, row);
		return pp_fail(t->m->err, "more than %d different rows", MERGE_ROWS);
	}
	r = tool_alloc(1, sizeof *r);
	r->cell = row;
	t->row = tool_need(array_more(t->row, t->n, 1, sizeof *t->row));
	index_add(t->by_key, key, r);
	t->row[t->n++] = r;
	t->m->rows++;
	return 1;
}

/* ---- tables -------------------------------------------------------------------------------------- */

static void
merge_tables(struct merge *m)
{
	for (unsigned i = m->n; i < m->known.n; i++) {
		m->t[i] = (struct merge_table){ .m = m, .table = m->known.part[i].table };
		m->t[i].by_key = index_new();
	}
	m->n = m->known.n;
}

struct merge *
merge_new(struct tool *tool, struct counts *c)
{
	struct merge *m = tool_alloc(1, sizeof *m);

	m->tool = tool;
	m->c = c;
	m->err = &tool->in_err;
	m->exact = true;
	for (unsigned i = 0; i < PARTS; i++) {
		if (part_kinds[i]->add)
			part_kinds[i]->add(NULL, &m->known);
		if (i == PART_summary) {
			report_add(&m->known, &merged, NULL);
			report_add(&m->known, &hosts, NULL);
		}
	}
	merge_tables(m);
	return m;
}

void
merge_expect(struct merge *m, const struct table *t)
{
	report_add(&m->known, t, NULL);
	merge_tables(m);
}

int
merge_sorted(struct merge *m, const char *keys, bool hist)
{
	if (m->any) {
		if (!keys != !m->keys || (keys && strcmp(keys, m->keys)))
			return pp_fail(m->err, "sorted by %s, but the reports before it by %s", keys ? keys : "nothing",
			    m->keys ? m->keys : "nothing");
		if (hist && !merge_table(m, "hist"))
			return pp_fail(m->err, "table hist is not in the reports before it");
		return 1;
	}
	if (!keys && !hist)
		return 1;
	if (keys) {
		m->keys = tool_alloc(strlen(keys) + 1, 1);
		strcpy(m->keys, keys);
	}
	m->sort = sort_new(m->tool, m->c, keys, hist ? "period" : NULL);
	sort_add(m->sort, &m->known);
	merge_tables(m);
	return 1;
}

void
merge_free(struct merge *m)
{
	if (!m)
		return;
	for (unsigned i = 0; i < m->n; i++) {
		for (size_t k = 0; k < m->t[i].n; k++)
			merge_cells_free(&m->t[i], m->t[i].row[k]->cell);
		index_free(m->t[i].by_key);
		free(m->t[i].row);
	}
	free(m->keys);
	sort_free(m->sort);
	free(m);
}

/* ---- what follows from all of them --------------------------------------------------------------- */

/* Bins of time as wide as pstat makes them for one recording of all: the widest, or wider, until there are few enough. */
static void
merge_bins(struct merge *m)
{
	struct merge_table *about = merge_table(m, "sorted_by"), *t = merge_table(m, "sort");
	int at = t ? merge_column(t, "time") : -1;
	struct cell **row;
	struct bins bins;
	size_t n;

	if (at < 0 || !about->n || !about->row[0]->cell[1].known || !bins_may_be(about->row[0]->cell[1].num))
		return;
	bins_init(&bins, about->row[0]->cell[1].num);
	bins.fixed = about->row[0]->cell[2].known && about->row[0]->cell[2].num;
	for (size_t i = 0; i < t->n; i++)
		if (t->row[i]->cell[at].known)
			bins_add_slow(&bins, t->row[i]->cell[at].num);
	about->row[0]->cell[1].num = bins.width;
	n = t->n;
	row = tool_alloc(n ? n : 1, sizeof *row);
	for (size_t i = 0; i < n; i++)
		row[i] = t->row[i]->cell;
	free(t->row);
	t->row = NULL;
	t->n = 0;
	m->rows -= n;
	index_clear(t->by_key);
	for (size_t i = 0; i < n; i++) {
		row[i][at].num -= row[i][at].known ? row[i][at].num % bins.width : 0;
		merge_put(t, row[i]);
	}
	free(row);
	bins_free(&bins);
}

/* Bins of losses as one recording of all would have them. */
static void
losses_put(void *arg, const struct cell *row)
{
	struct merge_table *t = arg;
	struct cell *own = tool_alloc(t->table->ncols, sizeof *own);

	memcpy(own, row, t->table->ncols * sizeof *own);
	merge_put(t, own);
}

static void
merge_losses(struct merge *m)
{
	struct merge_table *t = merge_table(m, "losses");
	struct losses *all = tool_alloc(1, sizeof *all);

	for (size_t i = 0; i < t->n; i++) {
		losses_row(all, t->row[i]->cell);
		merge_cells_free(t, t->row[i]->cell);
	}
	m->rows -= t->n;
	t->n = 0;
	free(t->row);
	t->row = NULL;
	index_clear(t->by_key);
	losses_table.rows(all, losses_put, t);
	if (all->full)
		m->exact = false;
	free(all);
}

/* Periods add up only if all samples are of one event. */
static void
merge_periods(struct merge *m)
{
	static const char *const names[] = { "report", "comms", "pids", "other_pids", "sort" };
	struct merge_table *t = merge_table(m, "events");
	int samples = merge_column(t, "samples");
	unsigned units = 0;

	for (size_t i = 0; i < t->n; i++)
		units += t->row[i]->cell[samples].num != 0;
	for (size_t k = 0; units > 1 && k < sizeof names / sizeof *names; k++) {
		int period;

		if (!(t = merge_table(m, names[k])) || merge_column(t, "event") >= 0)
			continue;
		period = merge_column(t, "period");
		for (size_t i = 0; i < t->n; i++)
			t->row[i]->cell[period].known = false;
	}
}

const char *
merge_event_of(struct merge *m, const char *unit)
{
	struct merge_table *t = merge_table(m, "events");
	int at = merge_column(t, "unit"), samples = merge_column(t, "samples");

	for (size_t i = 0; i < t->n; i++) {
		const struct cell *c = t->row[i]->cell;

		if (c[samples].num && c[at].known == (unit != NULL) && (!unit || !strcmp(c[at].text, unit)))
			return c[0].known ? c[0].text : "";
	}
	return NULL;
}

bool
merge_hist_is_of_periods(struct merge *m)
{
	struct merge_table *t = merge_table(m, "hist");
	const struct cell *field = t && t->n ? &t->row[0]->cell[merge_column(t, "field")] : NULL;

	return field && field->known && !strcmp(field->text, "period");
}

static void
list_add(char *to, size_t *n, const char *text)
{
	size_t len = strlen(text);

	if (*n)
		to[(*n)++] = 0;
	memcpy(to + *n, text, len);
	*n += len;
}

/* Has the histogram values that nobody sees across a cut?  The member is of a report: it may be anything. */
static bool
hist_is_between(struct merge *m)
{
	struct merge_table *t = merge_table(m, "hist");

	for (size_t i = 0; t && i < t->n; i++) {
		const struct cell *field = &t->row[i]->cell[merge_column(t, "field")];

		if (field->known && sort_hist_is_between(field->text))
			return true;
	}
	return false;
}

static void
merge_about(struct merge *m)
{
	struct merge_table *t = merge_table(m, "hosts"), *about = merge_table(m, "merged"), *sort = merge_table(m, "sort");
	struct cell *row = tool_alloc(2, sizeof *row);
	char *list = tool_alloc(1024, 1), name[80];
	uint64_t recordings = 0;
	size_t n = 0;

	for (size_t i = 0; i < t->n; i++)
		recordings = sum(recordings, t->row[i]->cell[HOSTS_RECORDINGS].num);
	if (recordings > 1) {
		list_add(list, &n, "order.backward");
		list_add(list, &n, "order.late");
		for (unsigned i = 0; i < m->n; i++)
			for (unsigned k = 0; m->t[i].given && k < m->t[i].table->ncols; k++)
				if (m->t[i].table->col[k].adds == ADDS_ROUGH) {
					snprintf(name, sizeof name, "%.30s.%.40s", m->t[i].table->name,
					    m->t[i].table->col[k].name);
					list_add(list, &n, name);
				}
		if (hist_is_between(m))
			list_add(list, &n, "hist");
		for (size_t i = 0; sort && i < sort->n; i++)
			if (sort->row[i]->cell[merge_column(sort, "other")].num) {	/* it hides rows of others */
				list_add(list, &n, "sort");
				break;
			}
	}
	for (size_t i = 0; m->tool->jobs.all && i < t->n; i++)	/* reports of pieces of one recording */
		t->row[i]->cell[HOSTS_RECORDINGS] = cell_num(1);
	row[MERGED_RECORDINGS] = cell_num(m->tool->jobs.all ? 1 : recordings);
	row[MERGED_APPROX] = cell_bytes(list, n);
	about->given = true;
	merge_put(about, row);
}

static const struct merge_table *ordering;	/* qsort(3) passes no argument */
static int ordering_samples;

static int
row_order(const void *va, const void *vb)
{
	const struct cell *a = (*(struct merge_row *const *)va)->cell, *b = (*(struct merge_row *const *)vb)->cell;

	if (ordering_samples >= 0 && a[ordering_samples].num != b[ordering_samples].num)
		return a[ordering_samples].num > b[ordering_samples].num ? -1 : 1;
	for (unsigned i = 0; i < ordering->table->ncols; i++) {
		const struct column *col = &ordering->table->col[i];
		int order = col->adds == ADDS_KEY ? merge_cell_order(col, &a[i], &b[i]) : 0;

		if (order)
			return order;
	}
	return 0;
}

static void
merge_order(struct merge_table *t)
{
	bool by_time = !strcmp(t->table->name, "sort") && !strcmp(t->table->col[0].name, "time");

	ordering = t;
	ordering_samples = by_time || !strcmp(t->table->name, "events") ? -1 : merge_column(t, "samples");
	if (t->n)
		qsort(t->row, t->n, sizeof *t->row, row_order);
	for (size_t i = 0; t->table->make && i < t->n; i++)
		t->table->make(t->row[i]->cell);
}

static void
merged_rows(const void *of, report_put *put, void *arg)
{
	const struct merge_table *t = of;

	for (size_t i = 0; i < t->n; i++)
		put(arg, t->row[i]->cell);
}

void
merge_add(struct merge *m, struct report *r)
{
	static struct table shown[REPORT_TABLES];
	struct merge_table *whole = merge_table(m, "report");

	merge_bins(m);
	merge_losses(m);
	merge_periods(m);
	merge_about(m);
	if (whole->n) {
		struct cell *cell = whole->row[0]->cell;
		int version = merge_column(whole, "version"), exact = merge_column(whole, "exact");
		int file = merge_column(whole, "file");

		free((void *)(uintptr_t)cell_owned(&whole->table->col[version], &cell[version]));
		cell[version] = merge_text(PP_VERSION);
		if (!cell[file].known)
			cell[file] = merge_text("(several)");
		m->exact &= cell[exact].known && cell[exact].num;
	}
	if (m->sort && merge_event_of(m, "ns") && !merge_event_of(m, NULL))
		sort_durations(m->sort, merge_hist_is_of_periods(m));
	for (unsigned i = 0; i < m->n; i++) {
		merge_order(&m->t[i]);
		shown[i] = *m->t[i].table;
		shown[i].rows = merged_rows;
		if (m->t[i].given)
			report_add(r, &shown[i], &m->t[i]);
	}
	if (whole->n) {
		int exact = merge_column(whole, "exact");

		whole->row[0]->cell[exact] = cell_bool(m->exact && !report_clips(r));
	}
}
