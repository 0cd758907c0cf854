/* SPDX-License-Identifier: ISC */
/* draw.c - see draw.h.  All is in two escape sequences: to the first line of the picture, and erase what is behind. */
#include <sys/ioctl.h>

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

#include "live/draw.h"
#include "live/top.h"
#include "report/screen.h"

enum { LINES = 24, MINUTE = 60, LINE_MAX_BYTES = 4096 };
enum { AROUND_RATE = 26 };		/* columns of the line of the rate without the rate */
enum { FIGURES = 20, FIGURE = 10 };	/* columns of a row of --sort before its keys; of one of --columns */

struct draw {
	struct counts	*c;
	uint64_t	 every;
	const struct sort *sort;
	bool		 utf8;
	struct timespec	 at;		/* when it was drawn */
	unsigned	 drawn;		/* lines on the terminal, above the cursor */
	unsigned	 waited;	/* for how many intervals of the clock nothing came */
	uint64_t	 rate[MINUTE];	/* samples; the newest last */
	bool		 was[MINUTE];
	struct interval	 v;		/* without its rows: */
	struct { uint64_t samples; char *text[ROWS_KEYS]; struct cell figure[SORT_FIGURES]; } row[LINES];	/* of --sort, as many as may be shown */
	uint32_t	 rows;
	int64_t		 behind;
	uint64_t	 lost, lost_samples, throttled, late;	/* so far */
};

/* ---- lines, cut to the width of the terminal --------------------------------------------------------- */

struct page {
	FILE	*f;			/* the line being made, in memory */
	char	 text[LINE_MAX_BYTES];	/* ... here */
	unsigned columns, left, n;
	char	*all;			/* the page, which is written at once */
	size_t	 size;
	FILE	*to;
};

static bool
page_begin(struct page *p)
{
	struct winsize w;
	bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &w) == 0;

	p->columns = known && w.ws_col ? w.ws_col : SCREEN_NARROW;
	p->left = known && w.ws_row > 1 && w.ws_row <= LINES ? w.ws_row - 1u : LINES - 1;
	p->n = 0;
	p->all = NULL;
	p->to = open_memstream(&p->all, &p->size);
	p->f = fmemopen(p->text, sizeof p->text, "w");
	return p->to && p->f;
}

static void
page_end(struct page *p)
{
	if (p->f)
		fclose(p->f);
	if (p->to && fclose(p->to) == 0)
		fwrite(p->all, 1, p->size, stderr);
	free(p->all);
}

/* The line is complete. */
static void
page_line(struct page *p)
{
	size_t len = 0;
	unsigned columns = 0;

	fputc('\0', p->f);
	fflush(p->f);
	p->text[sizeof p->text - 1] = 0;
	for (; p->text[len]; len++) {
		columns += ((unsigned char)p->text[len] & 0xc0) != 0x80;
		if (columns >= p->columns)	/* the last column stays free: some terminals would begin a line */
			break;
	}
	if (p->left) {
		fwrite(p->text, 1, len, p->to);
		fputs("\033[K\n", p->to);
		p->left--;
		p->n++;
	}
	rewind(p->f);
}

/* ---- the picture ------------------------------------------------------------------------------------- */

static void
draw_rate(const struct draw *d, struct page *p)
{
	static const char *const blocks[] = { " ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
	static const char *const letters[] = { " ", ".", ":", "-", "=", "+", "*", "#", "@" };
	unsigned from = p->columns >= MINUTE + AROUND_RATE ? 0 : p->columns > AROUND_RATE ? MINUTE + AROUND_RATE - p->columns : MINUTE;
	uint64_t max = 0;

	for (unsigned i = from; i < MINUTE; i++)
		if (d->was[i] && d->rate[i] > max)
			max = d->rate[i];
	fprintf(p->f, "rate        ");
	for (unsigned i = from; i < MINUTE; i++) {
		/* any sample shows */
		unsigned step = !d->was[i] || !d->rate[i] ? 0 : 1 + (unsigned)(7 * ((double)d->rate[i] / (double)max));

		fputs((d->utf8 ? blocks : letters)[step], p->f);
	}
	fprintf(p->f, "| %.0f/s", (double)max * 1e9 / (double)d->every);
	page_line(p);
}

static void
draw_figures(const struct draw *d, struct page *p)
{
	double s = (double)d->every / 1e9;
	uint64_t total, done = pp_progress(d->c->tool->in, &total);
	struct event_count sum;

	count_sum(d->c, &sum);
	fprintf(p->f, "time        %" PRIu64 ".%03u", d->v.start / 1000000000, (unsigned)(d->v.start / 1000000 % 1000));
	if (d->behind >= 0)
		fprintf(p->f, ", %.3f s behind", (double)d->behind / 1e9);
	if (d->waited)
		fprintf(p->f, "; nothing came for %.3g s", d->waited * s);
	page_line(p);
	fprintf(p->f, "now         %.0f samples/s, %.2f MB/s, disorder %.6f s", (double)d->v.samples / s, (double)d->v.bytes / 1e6 / s,
	    (double)d->v.disorder / 1e9);
	page_line(p);
	fprintf(p->f, "so far      %" PRIu64 " bytes, %" PRIu64 " records, %" PRIu64 " samples", done, d->c->records, sum.samples);
	page_line(p);
	fprintf(p->f, "lost        %" PRIu64 " by LOST, %" PRIu64 " by LOST_SAMPLES; throttled %" PRIu64 " times; %" PRIu64 " late",
	    d->lost, d->lost_samples, d->throttled, d->late);
	page_line(p);
}

static void
draw_content(const struct draw *d, struct page *p)
{
	const struct content *c = &d->c->content;
	const struct { const char *what; uint64_t bytes; } part[] = {
		{ "call chains", c->chains }, { "user stacks", c->stacks }, { "raw data", c->raw }, { "branches", c->branches },
		{ "registers", c->regs },
	};
	struct event_count sum;

	count_sum(d->c, &sum);
	fprintf(p->f, "content     samples %.1f%%", screen_percent(sum.bytes, d->c->bytes));
	for (size_t i = 0; i < sizeof part / sizeof *part; i++)
		if (part[i].bytes)
			fprintf(p->f, ", %s %.1f%%", part[i].what, screen_percent(part[i].bytes, d->c->bytes));
	page_line(p);
}

static void
draw_tops(const struct draw *d, struct page *p)
{
	const struct interval *v = &d->v;

	page_line(p);
	fprintf(p->f, "%10s %6s  %-18s %10s %6s %8s  %s", "SAMPLES", "%", "COMM", "SAMPLES", "%", "PID", "PROCESS");
	page_line(p);
	for (unsigned i = 0; i < INTERVAL_TOPS; i++) {
		const struct interval_top *c = &v->comm[i], *q = &v->process[i];

		if (i < v->ncomms) {
			fprintf(p->f, "%10" PRIu64 " %6.1f  ", c->samples, screen_percent(c->samples, v->samples));
			screen_cell(p->f, c->name, strlen(c->name), 18);
		} else
			fprintf(p->f, "%37s", "");
		if (i < v->nprocesses) {
			fprintf(p->f, " %10" PRIu64 " %6.1f %8d  ", q->samples, screen_percent(q->samples, v->samples), (int32_t)q->pid);
			screen_cut(p->f, q->name, strlen(q->name), 18);
		}
		page_line(p);
	}
}

/* How wide a row is before its keys. */
static unsigned
draw_before(const struct draw *d)
{
	unsigned n = 0;

	while (sort_figure(d->sort, n))
		n++;
	return n ? n * FIGURE + 2 : FIGURES;
}

/* The figures of a row, or their names. */
static void
draw_before_keys(const struct draw *d, FILE *f, uint32_t i, bool head)
{
	char text[SCREEN_DURATION];

	for (unsigned k = 0; sort_figure(d->sort, k); k++) {
		const struct cell *c = &d->row[i].figure[k];

		if (head)
			for (char *to = strcpy(text, sort_figure(d->sort, k)->name); *to; to++)
				*to = (char)toupper((unsigned char)*to);
		else if (!c->known)
			strcpy(text, "-");
		else if (sort_figure_lasts(d->sort, k))
			screen_duration(text, (double)c->num);
		else
			snprintf(text, sizeof text, "%" PRIu64, c->num);
		fprintf(f, "%*s", FIGURE, text);
	}
	if (sort_has_figures(d->sort))
		fputs("  ", f);
	else if (head)
		fprintf(f, "%10s %6s  ", "SAMPLES", "%");
	else
		fprintf(f, "%10" PRIu64 " %6.1f  ", d->row[i].samples, screen_percent(d->row[i].samples, d->v.samples));
}

/* Of each key, as wide as what is shown of it, and no wider than its part of the line. */
static void
draw_widths(const struct draw *d, const struct page *p, uint32_t n, unsigned width[ROWS_KEYS])
{
	unsigned keys = 0, before = draw_before(d);

	while (sort_column(d->sort, keys))
		keys++;
	for (unsigned k = 0; k < keys; k++) {
		unsigned most = p->columns > before + FIGURES ? (p->columns - before) / keys : FIGURES / 2;

		width[k] = (unsigned)strlen(sort_column(d->sort, k)->name);
		for (uint32_t i = 0; i < n; i++) {
			unsigned columns = 0;

			for (const char *c = d->row[i].text[k]; *c; c++)
				columns += ((unsigned char)*c & 0xc0) != 0x80;
			width[k] = columns > width[k] ? columns : width[k];
		}
		width[k] = width[k] > most ? most : width[k];
	}
}

/* The rows of --sort, as many as the terminal has space for. */
static void
draw_rows(const struct draw *d, struct page *p)
{
	uint32_t n = d->rows;
	unsigned width[ROWS_KEYS];

	page_line(p);
	n = n < p->left ? n : p->left ? p->left - 1 : 0;
	draw_widths(d, p, n, width);
	draw_before_keys(d, p->f, 0, true);
	for (unsigned k = 0; sort_column(d->sort, k); k++) {
		for (const char *c = sort_column(d->sort, k)->name; *c; c++)
			fputc(toupper((unsigned char)*c), p->f);
		fprintf(p->f, "%*s", (int)(width[k] + 2 - strlen(sort_column(d->sort, k)->name)), "");
	}
	page_line(p);
	for (uint32_t i = 0; i < n; i++) {
		draw_before_keys(d, p->f, i, false);
		for (unsigned k = 0; sort_column(d->sort, k); k++) {
			screen_middle(p->f, d->row[i].text[k], width[k], true);
			fputs("  ", p->f);
		}
		page_line(p);
	}
}

/* To where the picture begins. */
static void
draw_return(const struct draw *d, FILE *f)
{
	if (d->drawn)
		fprintf(f, "\033[%uF", d->drawn);
}

/* At most ten times each second. */
static bool
draw_is_time(struct draw *d)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	if (d->drawn && (now.tv_sec - d->at.tv_sec) * 1000 + (now.tv_nsec - d->at.tv_nsec) / 1000000 < 100)
		return false;
	d->at = now;
	return true;
}

static void
draw_page(struct draw *d)
{
	struct page p;

	if (!draw_is_time(d))
		return;
	if (page_begin(&p)) {
		draw_return(d, p.to);
		screen_cut(p.f, d->c->tool->in_err.file, strlen(d->c->tool->in_err.file), 0);
		fprintf(p.f, ", %s", pp_container(d->c->tool->in));
		page_line(&p);
		draw_rate(d, &p);
		draw_figures(d, &p);
		draw_content(d, &p);
		(d->sort ? draw_rows : draw_tops)(d, &p);
		fputs("\033[J", p.to);
		d->drawn = p.n;
	}
	page_end(&p);
}

static void
draw_move(struct draw *d, uint64_t intervals)
{
	for (; intervals; intervals = intervals > MINUTE ? MINUTE : intervals - 1) {
		memmove(d->rate, d->rate + 1, sizeof d->rate - sizeof *d->rate);
		memmove(d->was, d->was + 1, sizeof d->was - sizeof *d->was);
		d->rate[MINUTE - 1] = 0;
		d->was[MINUTE - 1] = false;
	}
}

static void
draw_free_rows(struct draw *d)
{
	for (uint32_t i = 0; i < d->rows; i++)
		for (unsigned k = 0; k < ROWS_KEYS; k++)
			free(d->row[i].text[k]);
	d->rows = 0;
}

static void
draw_keep_rows(struct draw *d, const struct interval *v)
{
	draw_free_rows(d);
	for (; d->rows < v->nrows && d->rows < LINES; d->rows++) {
		d->row[d->rows].samples = v->row[d->rows].n.samples;
		if (sort_has_figures(d->sort))
			sort_figures(d->sort, v->hists, v->row[d->rows].hist, d->row[d->rows].figure);
		for (unsigned k = 0; k < ROWS_KEYS; k++)
			d->row[d->rows].text[k] = sort_column(d->sort, k) ? top_text(d->sort, &v->row[d->rows], k) : NULL;
	}
}

void
draw_add(struct draw *d, const struct interval *v, int64_t behind)
{
	draw_move(d, v->empty + 1);
	d->rate[MINUTE - 1] = v->samples;
	d->was[MINUTE - 1] = true;
	d->v = *v;
	draw_keep_rows(d, v);
	d->behind = behind;
	d->waited = 0;
	d->lost += v->lost;
	d->lost_samples += v->lost_samples;
	d->throttled += v->throttled;
	d->late += v->late;
	draw_page(d);
}

void
draw_wait(struct draw *d)
{
	d->waited++;
	draw_page(d);
}

static bool
draw_is_utf8(void)
{
	static const char *const names[] = { "LC_ALL", "LC_CTYPE", "LANG" };
	const char *value = NULL;

	for (size_t i = 0; i < sizeof names / sizeof *names && (!value || !*value); i++)
		value = getenv(names[i]);
	return value && (strcasestr(value, "utf-8") || strcasestr(value, "utf8"));
}

struct draw *
draw_new(struct counts *c, uint64_t every, const struct sort *sort)
{
	struct draw *d = tool_alloc(1, sizeof *d);

	d->c = c;
	d->every = every;
	d->sort = sort;
	d->utf8 = draw_is_utf8();
	d->behind = -1;
	return d;
}

void
draw_erase(void *draw)
{
	struct draw *d = draw;

	draw_return(d, stderr);
	if (d->drawn)
		fputs("\033[J", stderr);
	d->drawn = 0;
}

void
draw_free(struct draw *d)
{
	if (!d)
		return;
	draw_erase(d);
	draw_free_rows(d);
	free(d);
}
