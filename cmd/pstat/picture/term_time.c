/* SPDX-License-Identifier: ISC */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "picture/term.h"
#include "tool/tool.h"
#include "report/text.h"

enum { TIME_WIDEST = 8 };		/* characters of a column: a short time does not fill the terminal */

/* ---- columns as characters ------------------------------------------------------------------------ */

static uint64_t
time_group(const struct axis *a, uint64_t each, unsigned column)
{
	return a->start[column] / a->width / each;
}

/* The characters if a group is so many columns and so wide; the groups if there is an array for them. */
static unsigned
time_place(struct term_time *x, uint64_t each, unsigned wide, struct term_group *group)
{
	const struct axis *a = x->axis;
	uint64_t last = 0;
	unsigned at = 0, n = 0;

	for (unsigned i = 0, to; i < a->n; i = to) {
		uint64_t g = time_group(a, each, i), half = a->width * (each * g + each / 2);
		unsigned mid = i;
		bool gap = i && g != last + 1;

		for (to = i + 1; to < a->n && time_group(a, each, to) == g; to++)
			;
		while (mid < to && a->start[mid] < half)
			mid++;
		at += gap;
		if (group)
			group[n] = (struct term_group){ i, to, mid, at, gap ? a->start[i] - a->start[i - 1] - a->width : 0 };
		n++;
		at += wide;
		last = g;
	}
	x->n = n;
	return at;
}

void
term_time(struct term_time *x, const struct axis *a, unsigned plot)
{
	*x = (struct term_time){ .axis = a, .each = 1, .wide = 1 };
	while (time_place(x, x->each, 1, NULL) > plot)
		x->each += x->each / 16 + 1;
	while (x->each == 1 && x->wide < TIME_WIDEST && time_place(x, 1, x->wide + 1, NULL) <= plot)
		x->wide++;
	x->group = tool_alloc(x->n ? x->n : 1, sizeof *x->group);
	time_place(x, x->each, x->wide, x->group);
}

void
term_time_free(struct term_time *x)
{
	free(x->group);
}

uint64_t
term_sum(const uint32_t *count, unsigned from, unsigned to)
{
	uint64_t sum = 0;

	for (; from < to; from++)
		sum += count[from];
	return sum;
}

void
term_gaps(struct term *t, const struct term_time *x)
{
	for (unsigned i = 0; i < x->n; i++)
		if (x->group[i].gap)
			term_put(t, t->left + x->group[i].at - 1, t->ascii ? '|' : 0x2506, TERM_FAINT, TERM_PLAIN);
}

/* ---- what is below the plot ----------------------------------------------------------------------- */

/* The higher the more. */
static void
time_strip(struct term *t, const struct term_time *x, const char *name, const uint32_t *count, int ink)
{
	uint64_t all = 0, top = 0;
	term_figure text;

	for (unsigned i = 0; i < x->n; i++) {
		uint64_t n = term_sum(count, x->group[i].from, x->group[i].to);

		top = n > top ? n : top;
		all += n;
	}
	term_text(t, 0, name, TERM_PLAIN);
	term_gaps(t, x);
	for (unsigned i = 0; i < x->n; i++) {
		uint64_t n = term_sum(count, x->group[i].from, x->group[i].to);

		for (unsigned k = 0; n && k < x->wide; k++)
			term_name(t, t->left + x->group[i].at + k, 1, text_bar(1 + (unsigned)scale_part(n, 7, top), !t->ascii), ink);
	}
	term_right(t, t->width, term_short(text, (double)all), ink);
	term_line(t);
}

/* A time in front of which is a mark. */
static unsigned
time_tick(struct term *t, unsigned at, unsigned free_from, uint64_t time, unsigned digits)
{
	term_figure text;
	uint64_t part = time % 1000000000;

	for (unsigned i = digits; i < 9; i++)
		part /= 10;
	snprintf(text, sizeof text, digits ? "%" PRIu64 ".%0*" PRIu64 : "%" PRIu64, time / 1000000000, (int)digits, part);
	return term_tick(t, at, free_from, t->width, text);
}

/* Round seconds. */
static void
time_seconds(struct term *t, const struct term_time *x)
{
	uint64_t width = x->axis->width * x->each, step, unit = 1000000000;
	unsigned free_from = t->left, digits = 0;

	if (!x->n)
		return;
	step = scale_round(x->n * width, t->plot / 14);
	step = step > x->axis->width ? step : x->axis->width;
	for (; step % unit && digits < 9; digits++)
		unit /= 10;
	for (unsigned i = 0; i < x->n; i++) {
		uint64_t start = x->axis->start[x->group[i].from] / width * width;

		for (uint64_t time = (start + step - 1) / step * step; time - start < width; time += step)
			free_from = time_tick(t, t->left + x->group[i].at + (unsigned)((time - start) * x->wide / width), free_from, time, digits);
	}
	if (free_from == t->left)		/* none is in the time: its beginning */
		time_tick(t, t->left, free_from, x->axis->start[0] / width * width, 9);
	term_text(t, 0, "seconds", TERM_FAINT);
	term_line(t);
}

static void
time_gaps(struct term *t, const struct term_time *x)
{
	char text[160];
	size_t n = (size_t)snprintf(text, sizeof text, "no samples at %s: ", t->ascii ? "|" : "┆");
	unsigned gaps = 0;
	term_figure ns;

	for (unsigned i = 0; i < x->n; i++)
		if (x->group[i].gap && ++gaps <= 4)
			n += (size_t)snprintf(text + n, sizeof text - n, "%s%s", gaps > 1 ? ", " : "", term_value(ns, x->group[i].gap, "ns"));
	if (gaps > 4)
		snprintf(text + n, sizeof text - n, " and %u more", gaps - 4);
	if (gaps)
		term_words(t, text);
}

void
term_below(struct term *t, const struct panel *p, const struct term_time *x)
{
	static const int inks[STRIPS] = { [STRIP_LOST] = TERM_RED, [STRIP_THROTTLED] = TERM_ORANGE };

	for (unsigned i = 0; i < STRIPS; i++)
		if (p->strip[i])
			time_strip(t, x, panel_strips[i].name, p->strip[i], inks[i]);
	time_seconds(t, x);
	time_gaps(t, x);
}

void
term_subtitle(struct term *t, const struct panel *p, const struct term_time *x, const char *more)
{
	term_figure text, columns = "";
	size_t n = strlen(p->subtitle) + 160;
	char *all = tool_alloc(n, 1);

	term_exact(text, x->axis->width * x->each, " ");
	if (x->each > 1)
		snprintf(columns, sizeof columns, " (%" PRIu64 " columns)", x->each);
	if (x->wide > 1)
		snprintf(all, n, "%s, %u characters are %s%s", p->subtitle, x->wide, text, more);
	else
		snprintf(all, n, "%s, a character is %s%s%s", p->subtitle, text, columns, more);
	term_words(t, all);
	free(all);
}
