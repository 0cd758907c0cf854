/* SPDX-License-Identifier: ISC */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "picture/term.h"
#include "tool/tool.h"

enum { WIDEST = 8 };			/* characters of a column: a short time does not fill the terminal */

/* ---- columns as characters ------------------------------------------------------------------------ */

/* The characters of all columns, each so wide, and of the gaps between them. */
static unsigned
time_characters(const struct axis *a, uint64_t each, unsigned wide)
{
	uint64_t last = 0;
	unsigned n = 0;

	for (unsigned i = 0; i < a->n; i++) {
		uint64_t group = a->start[i] / a->width / each;

		if (!i || group != last)
			n += wide + (i && group != last + 1);
		last = group;
	}
	return n;
}

uint64_t
term_time_by(const struct term *t, const struct panel *p)
{
	uint64_t by = 1;

	while (time_characters(p->axis, by, 1) > t->plot)
		by += by / 16 + 1;
	return by;
}

void
term_time(struct term *t)
{
	const struct axis *a = panel_is_timed(t->p) ? t->p->axis : NULL;
	unsigned at = 0, n = a ? a->n : t->p->nplaces, plot = a ? t->plot : term_behind_plot(t);

	t->wide = 1;
	while (t->s->by == 1 && t->wide < WIDEST && (a ? time_characters(a, 1, t->wide + 1) : (t->wide + 1) * n) <= plot)
		t->wide++;
	free(t->at);
	t->at = tool_alloc(n, sizeof *t->at);
	for (unsigned i = 0; i < n; i++) {
		t->at[i] = at;
		at += t->wide + (a && axis_breaks(a, i));
	}
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
term_gaps(struct term *t)
{
	for (unsigned i = 1; i < t->p->axis->n; i++)
		if (axis_breaks(t->p->axis, i - 1))
			term_put(t, t->left + t->at[i] - 1, t->ascii ? '|' : 0x2506, TERM_FAINT, TERM_PLAIN);
}

/* ---- what is below the plot ----------------------------------------------------------------------- */

/* The higher the more. */
static void
time_strip(struct term *t, unsigned strip, int ink)
{
	const uint32_t *count = t->s->fine->strip[strip];
	uint64_t all = 0, top = 0;
	unsigned columns = t->p->axis->n;
	term_figure text;

	for (unsigned i = 0; i < columns; i++) {
		uint64_t n = term_sum(count, scene_from(t->s, i), scene_from(t->s, i + 1));

		top = n > top ? n : top;
		all += n;
	}
	term_text(t, 0, panel_strips[strip].name, TERM_PLAIN);
	term_gaps(t);
	for (unsigned i = 0; i < columns; i++) {
		uint64_t n = term_sum(count, scene_from(t->s, i), scene_from(t->s, i + 1));

		if (n)
			term_column(t, i, term_bar(t, 1 + (unsigned)scale_part(n, 7, top)), ink);
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
time_seconds(struct term *t)
{
	const struct axis *a = t->p->axis;
	uint64_t least = t->s->fine->axis->width, step = scale_round(a->n * a->width, t->plot / 14), unit = 1000000000;
	unsigned free_from = t->left, digits = 0;

	step = step > least ? step : least;
	for (; step % unit && digits < 9; digits++)
		unit /= 10;
	for (struct axis_tick k = { 0 }; axis_tick(a, 0, step, &k);) {
		unsigned in = (unsigned)((k.since - a->start[k.column]) * t->wide / a->width);

		free_from = time_tick(t, t->left + t->at[k.column] + in, free_from, k.since, digits);
	}
	if (free_from == t->left)		/* none is in the time: its beginning */
		time_tick(t, t->left, free_from, a->start[0], 9);
	term_text(t, 0, "seconds", TERM_FAINT);
	term_line(t);
}

static void
time_gaps(struct term *t)
{
	const struct axis *fine = t->s->fine->axis;
	char text[160];
	size_t n = (size_t)snprintf(text, sizeof text, "no samples at %s: ", t->ascii ? "|" : "┆");
	unsigned gaps = 0;
	term_figure ns;

	for (unsigned i = 1; i < t->p->axis->n; i++) {
		unsigned from = scene_from(t->s, i);

		if (axis_breaks(t->p->axis, i - 1) && ++gaps <= 4)
			n += (size_t)snprintf(text + n, sizeof text - n, "%s%s", gaps > 1 ? ", " : "",
			    term_value(ns, fine->start[from] - fine->start[from - 1] - fine->width, "ns"));
	}
	if (gaps > 4)
		snprintf(text + n, sizeof text - n, " and %u more", gaps - 4);
	if (gaps)
		term_words(t, text);
}

void
term_below(struct term *t)
{
	enum { INK_LOST = TERM_RED, INK_THROTTLED = TERM_ORANGE };
	static const int inks[STRIPS] = {
#define STRIP(NAME, ...) [STRIP_##NAME] = INK_##NAME,
		PANEL_STRIPS(STRIP)
#undef STRIP
	};

	for (unsigned i = 0; i < STRIPS; i++)
		if (t->s->fine->strip[i])
			time_strip(t, i, inks[i]);
	time_seconds(t);
	time_gaps(t);
}
