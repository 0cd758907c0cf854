/* SPDX-License-Identifier: ISC */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "picture/in.h"
#include "picture/number.h"
#include "set.h"

/* ---- bands --------------------------------------------------------------------------------------- */

/* The counts of n rows together, by column. */
static uint32_t *
panels_counts(struct making *m, const struct grid *g, const struct grid_row *const *row, unsigned n)
{
	uint64_t *sum = tool_alloc(g->spans->n, sizeof *sum);
	uint32_t *count = tool_alloc(m->p->panels.axis.n, sizeof *count);

	for (unsigned i = 0; i < n; i++)
		grid_counts(g, row[i], sum);
	for (unsigned i = 0; m->p->panels.axis.n && i < g->spans->n; i++) {
		m->p->over |= sum[i] > UINT32_MAX;
		count[m->column[i]] = sum[i] > UINT32_MAX ? UINT32_MAX : (uint32_t)sum[i];
	}
	free(sum);
	return count;
}

static struct band *
panels_band(struct making *m, struct panel *to, const struct grid *g, const struct grid_row *r)
{
	struct band *b;

	to->band = tool_need(array_more(to->band, to->nbands, 1, sizeof *to->band));
	b = &to->band[to->nbands++];
	*b = (struct band){ .total = r->total, .first = r->first, .last = r->last, .cut = r->cut, .count = panels_counts(m, g, &r, 1) };
	m->p->exact &= !r->cut;
	return b;
}

/* The comm that most of the process's samples have. */
static char *
panels_process(const struct making *m, uint32_t pid)
{
	const struct summary *s = m->s;
	const char *comm = NULL;

	for (size_t i = 0; i < s->npids && !comm; i++)
		if (s->pid[i].pid == pid)
			comm = s->c->tasks.name[s->pid[i].name].text;
	return comm ? option_text("%s %" PRId32, comm, (int32_t)pid) : option_text("%" PRId32, (int32_t)pid);
}

/* Label and option of a row of p->task, p->rate. */
static void
panels_name(const struct making *m, struct band *b, uint64_t key, bool without_idle)
{
	const struct pictures *p = m->p;
	const char *first = p->keys ? sort_first(p->keys) : NULL;
	struct cell c;

	if (!first) {
		bool idle = key == PIC_IDLE;

		b->label = idle ? option_text("swapper") : panels_process(m, (uint32_t)key);
		b->option = option_narrow(p, idle ? option_text("--tid 0") : option_text("--pid %" PRId32, (int32_t)key), false);
		return;
	}
	c = sort_first_cell(p->keys, key);
	if ((b->option = option_of(p->tool->in->events, first, &c, key)))
		b->option = option_narrow(p, b->option, without_idle);
	if (!c.known)
		b->label = option_text("no %s", first);
	else if (c.text)
		b->label = option_text("%.*s", (int)c.len, c.text);
	else if (!strcmp(first, "cpu"))
		b->label = option_text("CPU %" PRIu64, c.num);
	else
		b->label = option_text("%s %" PRId64, first, (int64_t)c.num);
}

/* ---- rows in order ------------------------------------------------------------------------------- */

static int
panels_by_total(const void *va, const void *vb)
{
	const struct grid_row *a = *(const struct grid_row *const *)va, *b = *(const struct grid_row *const *)vb;

	if (a->total != b->total)
		return a->total > b->total ? -1 : 1;
	if (a->first != b->first)
		return a->first < b->first ? -1 : 1;
	return a->key < b->key ? -1 : a->key > b->key;
}

static int
panels_by_first(const void *va, const void *vb)
{
	const struct grid_row *a = *(const struct grid_row *const *)va, *b = *(const struct grid_row *const *)vb;

	if (a->first != b->first)
		return a->first < b->first ? -1 : 1;
	return panels_by_total(va, vb);
}

static int
panels_by_key(const void *va, const void *vb)
{
	const struct grid_row *a = *(const struct grid_row *const *)va, *b = *(const struct grid_row *const *)vb;

	return a->key < b->key ? -1 : a->key > b->key;
}

/* All rows but the first, without the one of that key, in order; the caller frees them. */
static const struct grid_row **
panels_rows(const struct grid *g, uint64_t without, int (*order)(const void *, const void *), unsigned *n)
{
	const struct grid_row **row = tool_alloc(g->n + 1, sizeof *row);

	*n = 0;
	for (unsigned i = 1; i < g->n; i++)
		if (g->row[i].key != without)
			row[(*n)++] = &g->row[i];
	qsort(row, *n, sizeof *row, order);
	return row;
}

/* ---- words --------------------------------------------------------------------------------------- */

static char *
panels_time(uint64_t ns)
{
	const struct number_unit *unit = number_unit(ns, UNIT_DAY);
	char number[40];

	snprintf(number, sizeof number, "%.3f", (double)ns / (double)unit->ns);
	return option_text("%s %s", number_trim(number), unit->ascii);
}

static double
panels_percent(uint64_t part, uint64_t of)
{
	return of ? 100 * (double)part / (double)of : 0;
}

char *
panels_selection(const struct pictures *p)
{
	char *all = option_text("%s", "");

	for (unsigned i = 0; i < p->nevents; i++)
		option_add(&all, "%s%s", i ? ", " : " of ", p->event[i]);
	if (p->mode >= 0)
		option_add(&all, ", cpumode %s", p->mode_name);
	return all;
}

/* columns, what is left out */
static void
panels_subtitle(struct making *m, struct panel *to, uint64_t idle)
{
	const struct pictures *p = m->p;
	char *width = panels_time(to->axis->width), *selection = panels_selection(p);

	if (to->axis->n)
		option_add(&to->subtitle, ", a column is %s", width);
	if (*selection)
		option_add(&to->subtitle, ", samples%s", selection);
	if (idle)
		option_add(&to->subtitle, ", without %" PRIu64 " of idle CPUs", idle);
	if (to->hidden_samples)
		option_add(&to->subtitle, ", %u more with %" PRIu64 " samples", to->hidden, to->hidden_samples);
	if (p->untimed)
		option_add(&to->subtitle, ", without %" PRIu64 " that have no time", p->untimed);
	free(width);
	free(selection);
}

/* A number and what it is of. */
static char *
panels_many(uint64_t n, const char *one, const char *more)
{
	return option_text("%" PRIu64 " %s", n, n == 1 ? one : more);
}

/* The band of most samples, in words; nothing of those that are together, or of something unknown. */
static void
panels_busiest(struct panel *to)
{
	const struct band *most = NULL;

	for (unsigned i = 0; i < to->nbands; i++)
		if (to->band[i].option && (!most || to->band[i].total > most->total))
			most = &to->band[i];
	if (most)
		option_add(&to->desc, "; the busiest is %s with %.1f %%", most->label, panels_percent(most->total, to->samples));
}

static char *
panels_none(const struct pictures *p)
{
	return p->untimed ? option_text("no sample has a time") : option_text("no samples");
}

/* of: what the bands are called, with their number, which it frees. */
static void
panels_desc(struct making *m, struct panel *to, char *of)
{
	if (to->samples) {
		to->desc = panels_many(to->samples, "sample", "samples");
		option_add(&to->desc, " of %s in %s", of, m->span);
		panels_busiest(to);
		if (m->p->panels.lost)
			option_add(&to->desc, "; %" PRIu64 " were lost", m->p->panels.lost);
	} else
		to->desc = panels_none(m->p);
	free(of);
}

/* ---- the panels ---------------------------------------------------------------------------------- */

/* The counts of bins as a strip, if there is any. */
static void
panels_strip(struct making *m, struct panel *to, unsigned strip, const uint64_t *sum)
{
	uint32_t *count = NULL;

	for (unsigned i = 0; i < m->p->spans.n; i++) {
		if (sum[i] && !count)
			count = to->strip[strip] = tool_alloc(to->axis->n, sizeof *count);
		if (sum[i])
			count[m->column[i]] = sum[i] > UINT32_MAX ? UINT32_MAX : (uint32_t)sum[i];
	}
}

static void
panels_strips(struct making *m, struct panel *to)
{
	struct pictures *p = m->p;
	const struct axis *axis = &p->panels.axis;
	uint64_t *sum;

	if (!axis->n)
		return;
	sum = tool_alloc(p->spans.n, sizeof *sum);
	for (unsigned i = 0; i < p->c->nev; i++) {
		const struct grid_row *by[2] = { NULL, NULL };

		for (unsigned k = 1; k < p->lost.n; k++)
			if (p->lost.row[k].key / 2 == i)
				by[p->lost.row[k].key % 2] = &p->lost.row[k];
		/* both say the same losses: see count_losses(); those without a time have no place */
		if (by[0] || by[1])
			grid_counts(&p->lost, by[1] && by[1]->total ? by[1] : by[0], sum);
	}
	panels_strip(m, to, STRIP_LOST, sum);
	for (unsigned i = 0; i < p->spans.n; i++)
		sum[i] = p->throttled.n[i];
	panels_strip(m, to, STRIP_THROTTLED, sum);
	free(sum);
}

static void
panels_cpu(struct making *m, struct panel *to)
{
	struct pictures *p = m->p;
	const struct grid *g = &p->cpu;
	unsigned n;
	const struct grid_row **row = panels_rows(g, UINT64_MAX - 1, panels_by_key, &n);

	to->title = option_text("Samples that are not idle, by CPU");
	to->samples = p->samples - p->idle;
	for (unsigned i = 0; i < n; i++) {
		struct band *b = panels_band(m, to, g, row[i]);
		uint64_t low = row[i]->key << g->shift, high = low + (UINT64_C(1) << g->shift) - 1;

		char *cpus = g->shift ? option_text("%" PRIu64 "-%" PRIu64, low, high) : option_text("%" PRIu64, low);

		if (row[i]->key == GRID_UNKNOWN) {
			b->label = option_text("no CPU");
			b->option = n == 1 ? option_narrow(p, NULL, true) : NULL;
		} else {
			b->label = option_text("CPU %s", cpus);
			b->option = option_narrow(p, option_text("--cpu %s", cpus), true);
		}
		free(cpus);
	}
	free(row);
	panels_strips(m, to);
	panels_subtitle(m, to, p->idle);
	panels_desc(m, to, g->shift ? panels_many(n, "group of CPUs", "groups of CPUs") : panels_many(n, "CPU", "CPUs"));
}

/* How many rows, and what they are called. */
static char *
panels_rows_are(const struct pictures *p, unsigned n)
{
	const char *first = p->keys ? sort_first(p->keys) : NULL;
	char *more = first ? option_text("%ss", first) : option_text("processes"), *text = panels_many(n, first ? first : "process", more);

	free(more);
	return text;
}

static void
panels_tasks(struct making *m, struct panel *to)
{
	struct pictures *p = m->p;
	const struct grid *g = &p->task;
	unsigned n, shown;
	const struct grid_row **row = panels_rows(g, PIC_IDLE, panels_by_total, &n);
	char *are;

	shown = n < PIC_TASKS_SHOWN ? n : PIC_TASKS_SHOWN;
	to->hidden = n - shown + g->dropped;
	to->hidden_samples = g->row[0].total;
	to->samples = to->hidden_samples;
	for (unsigned i = 0; i < n; i++) {
		to->samples += row[i]->total;
		to->hidden_samples += i < shown ? 0 : row[i]->total;
	}
	qsort(row, shown, sizeof *row, panels_by_first);
	for (unsigned i = 0; i < shown; i++)
		panels_name(m, panels_band(m, to, g, row[i]), row[i]->key, true);
	free(row);
	to->lives = true;
	are = panels_rows_are(p, shown);
	to->title = to->hidden ? option_text("The busiest %s", are) : option_text("When each %s ran", p->keys ? sort_first(p->keys) : "process");
	free(are);
	panels_subtitle(m, to, p->idle);
	panels_desc(m, to, panels_rows_are(p, to->hidden + shown));
}

static void
panels_rate(struct making *m, struct panel *to)
{
	struct pictures *p = m->p;
	const struct grid *g = p->keys ? &p->rate : &p->task;
	struct grid_row all = { .first = UINT64_MAX };
	unsigned n, shown;
	const struct grid_row **row = panels_rows(g, UINT64_MAX - 1, panels_by_total, &n);

	to->kind = PANEL_STACK;
	shown = n < PIC_RATES ? n : PIC_RATES;
	for (unsigned i = 0; i < shown; i++) {
		panels_name(m, panels_band(m, to, g, row[i]), row[i]->key, false);
		to->samples += row[i]->total;
	}
	row[n] = &g->row[0];		/* the last of the others */
	if (shown < n || g->row[0].total) {
		struct band *b;

		for (unsigned i = shown; i <= n; i++) {
			all.total += row[i]->total;
			all.first = row[i]->first < all.first ? row[i]->first : all.first;
			all.last = row[i]->last > all.last ? row[i]->last : all.last;
		}
		b = panels_band(m, to, g, &all);
		free(b->count);
		b->count = panels_counts(m, g, row + shown, n - shown + 1);
		b->label = option_text("other");
		to->samples += b->total;
	}
	free(row);
	to->title = option_text("Samples per second, by %s", p->keys ? sort_first(p->keys) : "process");
	panels_strips(m, to);
	panels_subtitle(m, to, 0);
	panels_desc(m, to, panels_rows_are(p, n + g->dropped));
}

static void
panels_subsecond(struct making *m, struct panel *to)
{
	struct pictures *p = m->p;
	struct axis *axis = tool_alloc(1, sizeof *axis);
	unsigned *column, most = 0;
	uint64_t part;
	char *width, *step;

	spans_axis(&p->fine, PIC_ROWS, PIC_SECONDS, axis, &column);
	axis->first = p->first;
	axis->last = p->last;
	to->axis = axis;
	to->upward = true;
	part = p->fine.width;
	to->samples = p->samples - p->idle;
	to->nbands = PIC_ROWS;
	to->band = tool_alloc(PIC_ROWS, sizeof *to->band);
	for (unsigned i = 0; i < PIC_ROWS; i++) {
		step = panels_time(i * part);
		to->band[i] = (struct band){ .from = i * part, .span = part, .first = UINT64_MAX, .label = step,
		    .option = option_narrow(p, NULL, true), .count = tool_alloc(axis->n, sizeof *to->band->count) };
	}
	for (unsigned i = 0; axis->n && i < p->fine.n; i++) {
		uint64_t start = p->fine.start[i];
		struct band *b = &to->band[start % axis->width / part];

		b->count[column[i]] = p->sub.n[i];
		b->total += p->sub.n[i];
		if (start < b->first)
			b->first = start;
		if (start + part - 1 > b->last)
			b->last = start + part - 1;
	}
	free(column);
	for (unsigned i = 1; i < PIC_ROWS; i++)
		if (to->band[i].total > to->band[most].total)
			most = i;
	width = panels_time(axis->width);
	step = panels_time(part);
	to->title = axis->width == SPANS_SECOND ? option_text("When in each second: samples that are not idle") :
	    option_text("When in each %s: samples that are not idle", width);
	panels_subtitle(m, to, p->idle);
	to->desc = to->samples ? option_text("%" PRIu64 " sample%s in columns of %s; the busiest row, of %s, is at %s of a column with %.1f %%", to->samples,
	    to->samples == 1 ? "" : "s", width, step, to->band[most].label, panels_percent(to->band[most].total, to->samples)) : panels_none(p);
	free(width);
	free(step);
}

const struct picture_kind picture_rate = { .timed = true, .page = true, .figures = &cells_table, .make = panels_rate };
const struct picture_kind picture_cpu = { .timed = true, .page = true, .figures = &cells_table, .make = panels_cpu };
const struct picture_kind picture_tasks = { .timed = true, .page = true, .figures = &cells_table, .make = panels_tasks };
const struct picture_kind picture_subsecond = { .timed = true, .page = true, .figures = &cells_table,
	.make = panels_subsecond };

void
panels_make(struct pictures *p, const struct summary *s)
{
	struct making m = { .p = p, .s = s };
	const char *file = p->tool->in_err.file;
	struct panels *all = &p->panels;

	all->panel = tool_alloc(p->n, sizeof *all->panel);
	for (unsigned i = 0; i < p->c->nev; i++)
		all->lost += count_losses(&p->c->ev[i]);
	if (p->timed && p->tool->in) {
		spans_coarsen(&p->spans, p->samples);
		if (p->spans.over || !spans_axis(&p->spans, 1, p->quantum ? GRID_SPANS - 1 : PIC_COLUMNS, &all->axis, &m.column)) {
			tool_abandon(p->tool);
			tool_wrong(p->tool, "--time-quantum: there are more than %d bins; make them wider", GRID_SPANS - 1);
		}
		all->axis.first = p->first;
		all->axis.last = p->last;
	}
	m.span = panels_time(p->first <= p->last ? p->last - p->first : 0);
	for (unsigned i = 0; i < p->n; i++) {
		const struct picture_kind *kind = picture_kinds[p->pic[i].kind];
		struct panel *to = &all->panel[all->n];

		if (kind->is && !kind->is(&p->pic[i]))
			continue;
		all->n++;
		to->name = option_text("%s", p->pic[i].name);
		to->subtitle = option_text("%s", file ? file : "standard input");
		to->axis = &all->axis;
		m.pic = &p->pic[i];
		kind->make(&m, to);
		if (panel_is_timed(to))
			panel_top(to);
	}
	p->exact &= !p->over && !p->lost.over && !p->cpu.over && !p->task.over && !p->rate.over;
	free(m.span);
	free(m.column);
}
