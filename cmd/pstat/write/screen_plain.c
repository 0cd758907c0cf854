/* SPDX-License-Identifier: ISC */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>

#include "screen.h"
#include "tool/tool.h"

enum { PLAIN_TEXT = 40 };		/* the widest column of text, unless it is the last one */

/* The cell as text; the caller frees it. */
static char *
plain_text(const struct column *col, const struct cell *c)
{
	char number[32] = "-", *text;

	if (c->known && col->type >= CELL_TEXT)
		return col->type == CELL_TEXT ? tool_vis(c->text, c->len) : tool_vis("", 0);
	if (c->known && col->type == CELL_BOOL)
		snprintf(number, sizeof number, "%s", c->num ? "yes" : "no");
	else if (c->known && col->type == CELL_SIGNED)
		snprintf(number, sizeof number, "%" PRId64, (int64_t)c->num);
	else if (c->known)
		snprintf(number, sizeof number, "%" PRIu64, c->num);
	text = tool_alloc(strlen(number) + 1, 1);
	return strcpy(text, number);
}

static bool
plain_left(const struct column *col)
{
	return col->type == CELL_TEXT || col->type == CELL_BOOL;
}

static size_t
plain_width(const struct kept *k, unsigned column)
{
	const struct column *col = &k->table->col[column];
	size_t width = strlen(col->name);

	for (size_t i = 0; i < k->n; i++) {
		char *text = plain_text(col, &k->cell[i * k->table->ncols + column]);
		size_t n = 0;

		for (size_t at = 0; text[at]; at++)
			n += ((unsigned char)text[at] & 0xc0) != 0x80;
		free(text);
		if (n > width)
			width = n;
	}
	return width > PLAIN_TEXT && column + 1 < k->table->ncols && plain_left(col) ? PLAIN_TEXT : width;
}

static void
plain_put(const struct screen *s, const struct column *col, const char *text, size_t width, bool last)
{
	if (!plain_left(col))
		fprintf(s->f, "%*s", (int)width, text);
	else if (last)
		screen_cut(s->f, text, strlen(text), width);
	else
		screen_cell(s->f, text, strlen(text), width);
	fputs(last ? "\n" : "  ", s->f);
}

static void
plain_table(const struct screen *s, const struct table *t)
{
	size_t width[TABLE_COLUMNS];
	struct kept k;

	kept_open(&k, s->r, t->name, t->top);
	for (unsigned i = 0; i < t->ncols; i++)
		width[i] = plain_width(&k, i);
	if (k.n)
		fputc('\n', s->f);
	for (unsigned i = 0; k.n && i < t->ncols; i++) {
		char head[64];
		size_t n = 0;

		for (; t->col[i].name[n] && n + 1 < sizeof head; n++)
			head[n] = (char)(t->col[i].name[n] == '_' ? ' ' : toupper((unsigned char)t->col[i].name[n]));
		head[n] = 0;
		plain_put(s, &t->col[i], head, width[i], i + 1 == t->ncols);
	}
	for (size_t row = 0; row < k.n; row++)
		for (unsigned i = 0; i < t->ncols; i++) {
			char *text = plain_text(&t->col[i], &k.cell[row * t->ncols + i]);

			plain_put(s, &t->col[i], text, width[i], i + 1 == t->ncols);
			free(text);
		}
	if (k.rows > k.n)
		fprintf(s->f, "%zu more\n", k.rows - k.n);
	kept_free(&k);
}

void
screen_plain(const struct screen *s)
{
	for (unsigned i = 0; i < s->r->n; i++)
		if (s->r->part[i].table->screen == SCREEN_TABLE)
			plain_table(s, s->r->part[i].table);
}
