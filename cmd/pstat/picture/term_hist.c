/* SPDX-License-Identifier: ISC */
#include <stdlib.h>
#include <string.h>

#include "picture/term.h"
#include "tool/tool.h"

enum { HIST_LINES = 20 };

/* A line is a power of two, or a part of one if that is few lines. */
uint64_t
term_hist_by(const struct panel *p)
{
	uint64_t by = 1;

	while (p->nbuckets && by < 16 && scene_bar(p->bucket[p->nbuckets - 1].low, by) - scene_bar(p->bucket[0].low, by) >= HIST_LINES)
		by *= 2;
	return by;
}

/* The bar, 8 parts to a character. */
static void
hist_bar(struct term *t, unsigned width, uint64_t count, uint64_t top)
{
	unsigned parts = top ? (unsigned)scale_part(count, 8 * width, top) : 0;

	if (count && !parts)
		parts = 1;
	for (unsigned i = 0; 8 * i < parts; i++) {
		unsigned rest = parts - 8 * i;

		term_put(t, t->left + i, t->ascii ? '#' : 0x2590u - (rest < 8 ? rest : 8), term_hue(t, 0), TERM_PLAIN);
	}
}

/* The percentiles that are in the line. */
static void
hist_marks(struct term *t, const struct panel *p, const struct scene_bar *b)
{
	unsigned at = t->width - 14;

	for (unsigned i = 0; i < PANEL_MARKS; i++)
		if (p->mark[i].name && p->mark[i].value >= b->low && p->mark[i].value <= b->high) {
			term_text(t, at, p->mark[i].name, TERM_ORANGE);
			at += 4;
		}
}

void
term_hist(struct term *t)
{
	const struct scene *s = t->s;
	const struct panel *p = t->p;
	unsigned bar = t->width - t->left - 30;
	term_figure text;

	if (!term_begin(t, ""))
		return;
	if (!s->even)
		term_words(t, "A bar is the count for each doubling of the value, as lines differ in width; the figures are counts.");
	for (const struct scene_bar *b = s->bar; b < s->bar + s->nbars; b++) {
		term_right(t, t->left - 1, term_value(text, b->low, p->unit), TERM_PLAIN);
		hist_bar(t, bar, b->height, s->top);
		term_right(t, t->left + bar + 8, term_short(text, (double)b->count), TERM_PLAIN);
		term_right(t, t->left + bar + 15, term_share(text, b->count, s->whole), TERM_PLAIN);
		hist_marks(t, p, b);
		term_line(t);
	}
	for (unsigned i = 0, at = 0; i < PANEL_MARKS; i++)
		if (p->mark[i].name) {
			term_text(t, at, p->mark[i].name, TERM_ORANGE);
			at += (unsigned)strlen(p->mark[i].name) + 1;
			term_text(t, at, term_value(text, p->mark[i].value, p->unit), TERM_PLAIN);
			at += (unsigned)strlen(text) + 3;
		}
	term_line(t);
}
