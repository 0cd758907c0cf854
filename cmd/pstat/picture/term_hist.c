/* SPDX-License-Identifier: ISC */
#include <stdlib.h>
#include <string.h>

#include "report/hist.h"
#include "picture/term.h"
#include "tool/tool.h"

enum { HIST_LINES = 20, HIST_MARKS = 3 };

/*
 * A line is a power of two, or a part of one if that is few lines: `each' buckets of hist.h, of which 16 are a power of two.
 * Below 16 a bucket is a value, so there the lines of whole powers are told by the value.
 */
static unsigned
hist_line(uint64_t value, unsigned each)
{
	if (each < 16)
		return hist_bucket(value) / each;
	return value ? 64 - (unsigned)__builtin_clzll(value) : 0;
}

static uint64_t
hist_from(unsigned line, unsigned each)
{
	if (each < 16)
		return hist_low(line * each);
	return line ? UINT64_C(1) << (line - 1) : 0;
}

/* The last value of a line. */
static uint64_t
hist_to(unsigned line, unsigned each)
{
	if (each < 16)
		return hist_high(line * each + each - 1);
	return line ? hist_from(line, each) - 1 + hist_from(line, each) : 0;
}

static unsigned
hist_each(uint64_t low, uint64_t high)
{
	unsigned each = 1;

	while (each < 16 && hist_line(high, each) - hist_line(low, each) >= HIST_LINES)
		each *= 2;
	return each;
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

void
term_hist(struct term *t, const struct scene *s)
{
	const struct panel *p = s->p;
	unsigned bar = t->width - t->left - 30, each, first, last, b = 0;
	uint64_t top = 0, *count, *bars;
	bool same;
	term_figure text;

	if (!term_begin(t, s, ""))
		return;
	each = hist_each(p->bucket[0].low, p->bucket[p->nbuckets - 1].low);
	first = hist_line(p->bucket[0].low, each);
	last = hist_line(p->bucket[p->nbuckets - 1].low, each);
	/* powers of two are; and below 32, where a bucket is a value */
	same = each == 16 || hist_to(last, each) < 32;
	if (!same)
		term_words(t, "A bar is the count for each doubling of the value, as lines differ in width; the figures are counts.");
	count = tool_alloc(last - first + 1, sizeof *count);
	bars = tool_alloc(last - first + 1, sizeof *bars);
	for (; b < p->nbuckets; b++)
		count[hist_line(p->bucket[b].low, each) - first] += p->bucket[b].count;
	for (unsigned line = first; line <= last; line++) {
		uint64_t n = count[line - first];

		bars[line - first] = same ? n : scale_density(n, hist_from(line, each), hist_to(line, each));
		top = bars[line - first] > top ? bars[line - first] : top;
	}
	for (unsigned line = first; line <= last; line++) {
		unsigned at = t->width - 14;

		term_right(t, t->left - 1, term_value(text, hist_from(line, each), p->unit), TERM_PLAIN);
		hist_bar(t, bar, bars[line - first], top);
		term_right(t, t->left + bar + 8, term_short(text, (double)count[line - first]), TERM_PLAIN);
		term_right(t, t->left + bar + 15, term_share(text, count[line - first], p->samples), TERM_PLAIN);
		for (unsigned i = 0; i < HIST_MARKS; i++)
			if (p->mark[i].name && hist_line(p->mark[i].value, each) == line) {
				term_text(t, at, p->mark[i].name, TERM_ORANGE);
				at += 4;
			}
		term_line(t);
	}
	free(count);
	free(bars);
	for (unsigned i = 0, at = 0; i < HIST_MARKS; i++)
		if (p->mark[i].name) {
			term_text(t, at, p->mark[i].name, TERM_ORANGE);
			at += (unsigned)strlen(p->mark[i].name) + 1;
			term_text(t, at, term_value(text, p->mark[i].value, p->unit), TERM_PLAIN);
			at += (unsigned)strlen(text) + 3;
		}
	term_line(t);
}
