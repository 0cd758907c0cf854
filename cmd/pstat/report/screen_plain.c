/* SPDX-License-Identifier: ISC */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>

#include "screen.h"
#include "tool/tool.h"

enum {
	PLAIN_TEXT = 12,		/* a column of text becomes no narrower than that on a terminal */
	PLAIN_WIDE = 72,		/* and no wider in a file: there a longer text moves what stands behind it, in its row alone */
};

struct plain {
	const struct screen *s;
	struct kept	 k;
	int		 other;		/* the column that is true in the row of the rest; -1: none */
	uint64_t	 samples;	/* of all rows */
	bool		 gone[TABLE_COLUMNS];	/* columns that say nothing */
	size_t		 width[TABLE_COLUMNS];
};

static const struct cell *
plain_cell(const struct plain *p, size_t row, unsigned column)
{
	return &p->k.cell[row * p->k.table->ncols + column];
}

static enum column_show
plain_show(const struct plain *p, unsigned column)
{
	return p->k.table->show ? (enum column_show)p->k.table->show[column] : SHOW_AS_IS;
}

static bool
plain_ends(const char *name, const char *end)
{
	size_t n = strlen(name), m = strlen(end);

	return n >= m && !strcmp(name + n - m, end);
}

static bool
plain_is_samples(const struct column *col)
{
	return !strcmp(col->name, "samples");
}

/* Does the column begin the rows, left-aligned? */
static bool
plain_left(const struct column *col)
{
	return col->type == CELL_TEXT || col->type == CELL_BOOL || col->type == CELL_LIST;
}

/* The cell as text; the caller frees it. */
static char *
plain_text(const struct plain *p, size_t row, unsigned column)
{
	const struct column *col = &p->k.table->col[column];
	const struct cell *c = plain_cell(p, row, column);
	char number[64] = "-";

	if (!column && p->other >= 0 && plain_cell(p, row, (unsigned)p->other)->num)
		return tool_vis("other", 5);
	if (c->known && col->type == CELL_TEXT)
		return tool_vis(c->text, c->len);
	if (c->known && col->type == CELL_BOOL)
		snprintf(number, sizeof number, "%s", c->num ? "yes" : "no");
	else if (c->known && col->type == CELL_SIGNED)
		snprintf(number, sizeof number, "%" PRId64, (int64_t)c->num);
	else if (c->known && plain_show(p, column) == SHOW_DURATION)
		screen_duration(number, (double)c->num);
	else if (c->known && (plain_ends(col->name, "_ns") || !strcmp(col->name, "time")))
		snprintf(number, sizeof number, "%" PRIu64 ".%09" PRIu64, c->num / 1000000000, c->num % 1000000000);
	else if (c->known && col->type == CELL_NUM)
		snprintf(number, sizeof number, "%" PRIu64, c->num);
	if (c->known && plain_is_samples(col))
		snprintf(number + strlen(number), sizeof number - strlen(number), " %6.2f", screen_percent(c->num, p->samples));
	return tool_vis(number, strlen(number));
}

/* The heading of a column. */
static void
plain_head(const struct column *col, char *head, size_t size)
{
	size_t n = strlen(col->name) - (plain_ends(col->name, "_ns") ? 3 : 0);

	snprintf(head, size, "%.*s%s", (int)n, col->name, plain_is_samples(col) ? "      %" : "");
	for (; *head; head++)
		*head = (char)(*head == '_' ? ' ' : toupper((unsigned char)*head));
}

static size_t
plain_columns(const char *text)
{
	size_t n = 0;

	for (; *text; text++)
		n += ((unsigned char)*text & 0xc0) != 0x80;
	return n;
}

static void
plain_measure(struct plain *p, unsigned column)
{
	const struct column *col = &p->k.table->col[column];
	bool key = col->adds == ADDS_KEY;
	char head[80];

	plain_head(col, head, sizeof head);
	p->width[column] = strlen(head);
	p->gone[column] = (!key && !plain_is_samples(col) && strcmp(col->name, "count")) || (int)column == p->other || col->type >= CELL_LIST ||
	    plain_show(p, column) == SHOW_NOT;
	for (size_t i = 0; i < p->k.n; i++) {
		const struct cell *c = plain_cell(p, i, column);
		char *text = plain_text(p, i, column);
		size_t n = plain_columns(text);

		free(text);
		if (n > p->width[column] && (p->s->r->width || !plain_left(col) || n <= PLAIN_WIDE))
			p->width[column] = n;
		if (c->known && (c->num || col->type == CELL_TEXT) && (int)column != p->other && col->type < CELL_LIST && plain_show(p, column) != SHOW_NOT)
			p->gone[column] = false;
	}
}

/* Make the widest columns of text narrower until a line fits the terminal; a file or pipe has all of each text. */
static void
plain_fit(struct plain *p)
{
	const struct table *t = p->k.table;

	for (;;) {
		size_t all = 0;
		unsigned widest = t->ncols;

		for (unsigned i = 0; i < t->ncols; i++) {
			if (p->gone[i])
				continue;
			all += p->width[i] + (i ? 2 : 0);
			if (plain_left(&t->col[i]) && p->width[i] > PLAIN_TEXT && (widest == t->ncols || p->width[i] > p->width[widest]))
				widest = i;
		}
		if (!p->s->r->width || all <= p->s->width || widest == t->ncols)
			return;
		p->width[widest]--;
	}
}

static void
plain_put(const struct plain *p, unsigned column, const char *text)
{
	FILE *f = p->s->f;
	int width = (int)p->width[column];

	if (column)
		fputs("  ", f);
	if (!plain_left(&p->k.table->col[column]))
		fprintf(f, "%*s", width, text);
	else if (!p->s->r->width && plain_columns(text) > p->width[column])
		fputs(text, f);
	else
		screen_middle(f, text, p->width[column], column + 1 < p->k.table->ncols);
}

static void
plain_table(const struct screen *s, const struct table *t)
{
	struct plain p = { .s = s, .other = -1 };

	kept_open(&p.k, s->r, t->name, t->top);
	for (unsigned i = 0; i < t->ncols; i++) {
		if (!strcmp(t->col[i].name, "other"))
			p.other = (int)i;
		for (size_t row = 0; plain_is_samples(&t->col[i]) && row < p.k.n; row++)
			p.samples += plain_cell(&p, row, i)->num;
	}
	for (unsigned i = 0; i < t->ncols; i++)
		plain_measure(&p, i);
	plain_fit(&p);
	for (unsigned i = 0; p.k.n && i < t->ncols; i++) {
		char head[80];

		plain_head(&t->col[i], head, sizeof head);
		if (!i)
			fputc('\n', s->f);
		if (!p.gone[i])
			plain_put(&p, i, head);
	}
	if (p.k.n)
		fputc('\n', s->f);
	for (size_t row = 0; row < p.k.n; row++) {
		for (unsigned i = 0; i < t->ncols; i++)
			if (!p.gone[i]) {
				char *text = plain_text(&p, row, i);

				plain_put(&p, i, text);
				free(text);
			}
		fputc('\n', s->f);
	}
	if (p.k.rows > p.k.n)
		fprintf(s->f, "%zu more\n", p.k.rows - p.k.n);
	kept_free(&p.k);
}

bool
screen_plain(const struct screen *s, bool print)
{
	bool any = false;

	for (unsigned i = 0; i < s->r->n; i++)
		if (s->r->part[i].table->screen == SCREEN_TABLE) {
			any = true;
			if (print)
				plain_table(s, s->r->part[i].table);
		}
	return any;
}
