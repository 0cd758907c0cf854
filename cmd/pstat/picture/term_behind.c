/* SPDX-License-Identifier: ISC */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "picture/term.h"
#include "tool/tool.h"

enum { BEHIND_DECADES = 20, BEHIND_BAR = 12, BEHIND_LOW = 3 };	/* LOW: 1 us */

struct behind_chart {
	unsigned	 low, high;	/* decades that have a line; that of the lowest has all below, too */
	bool		 below;		/* there are any */
	uint64_t	 decade[BEHIND_DECADES];	/* records, of which those of a power of two in two decades are divided */
	uint64_t	 most;
};

static uint64_t
behind_power(unsigned decade)
{
	uint64_t n = 1;

	while (decade--)
		n *= 10;
	return n;
}

static unsigned
behind_decade(uint64_t ns)
{
	unsigned d = 0;

	for (; ns >= 10; ns /= 10)
		d++;
	return d;
}

/* Quarters of the decade that the distance reaches: 0, the distance is less, to 4. */
static unsigned
behind_dots(uint64_t ns, unsigned decade)
{
	static const unsigned steps[] = { 1000, 1778, 3162, 5623 };
	uint64_t power = behind_power(decade);
	unsigned n = 0;

	while (n < 4 && ns >= (power >= 1000 ? power / 1000 * steps[n] : (power * steps[n] + 999) / 1000))
		n++;
	return n;
}

unsigned
term_behind_plot(const struct term *t)
{
	return t->width - t->left - BEHIND_BAR - 8;
}

uint64_t
term_behind_by(const struct term *t, const struct panel *p)
{
	uint64_t by = (p->nplaces + term_behind_plot(t) - 1) / term_behind_plot(t);

	return by ? by : 1;
}

static void
behind_chart(struct behind_chart *h, const struct panel *p)
{
	uint64_t highest = p->worst > p->window ? p->worst : p->window;

	*h = (struct behind_chart){ .low = BEHIND_DECADES };
	for (unsigned i = 0; i < 64; i++) {
		uint64_t from = UINT64_C(1) << i, to = i < 63 ? 2 * from - 1 : UINT64_MAX;
		unsigned a = behind_decade(from), b = behind_decade(to);
		uint64_t upper = a == b ? 0 : scale_part(p->power[i], to - behind_power(b) + 1, from);

		h->decade[a] += p->power[i] - upper;
		h->decade[b] += upper;
		if (p->power[i])
			h->low = a < h->low ? a : h->low;
	}
	for (unsigned i = 0; i < p->nplaces; i++)
		if (p->place[i].behind && behind_decade(p->place[i].behind) < h->low)
			h->low = behind_decade(p->place[i].behind);
	h->high = behind_decade(highest);
	if (h->low > h->high)
		h->low = h->high;
	for (; h->low < BEHIND_LOW && h->low < h->high; h->low++) {
		h->decade[h->low + 1] += h->decade[h->low];
		h->below = true;
	}
	for (unsigned d = h->low; d <= h->high; d++)
		h->most = h->decade[d] > h->most ? h->decade[d] : h->most;
}

static void
behind_late(struct term *t)
{
	term_figure text;

	if (!t->p->late)
		return;
	term_text(t, 0, "late", TERM_PLAIN);
	for (unsigned i = 0; i < t->p->nplaces; i++)
		if (t->p->place[i].late)
			term_column(t, i, t->ascii ? '!' : 0x2587, TERM_RED);
	term_right(t, t->width, term_short(text, (double)t->p->late), TERM_RED);
	term_line(t);
}

/* A decade: how far the records are behind, the line of the window, and at the right how many records are so far behind. */
static void
behind_line(struct term *t, const struct behind_chart *h, unsigned decade)
{
	bool lowest = decade == h->low && h->below;
	unsigned bar = h->most ? (unsigned)scale_part(h->decade[decade], 2 * BEHIND_BAR, h->most) : 0;
	term_figure text;

	term_exact(text, behind_power(decade + lowest), " ");
	if (lowest)
		term_put(t, t->left - 2 - (unsigned)strlen(text), '<', TERM_PLAIN, TERM_PLAIN);
	term_right(t, t->left - 1, text, TERM_PLAIN);
	if (t->p->window && behind_decade(t->p->window) == decade)
		for (unsigned i = 0; i < t->p->nplaces * t->wide; i++)
			term_put(t, t->left + i, t->ascii ? '-' : 0x2500, TERM_ORANGE, TERM_PLAIN);
	for (unsigned i = 0; i < t->p->nplaces; i++) {
		uint64_t worst = t->p->place[i].behind;
		unsigned dots = behind_dots(worst, decade);

		if (worst && !dots && decade == h->low)
			dots = 1;
		if (dots)
			term_column(t, i, term_dots(t, dots, dots, '#'), term_hue(t, 0));
	}
	if (h->decade[decade] && !bar)
		bar = 1;
	for (unsigned i = 0; i < bar; i += 2)
		term_put(t, t->width - BEHIND_BAR + i / 2, t->ascii ? '=' : i + 1 < bar ? 0x2588 : 0x258c, term_hue(t, 1), TERM_PLAIN);
	term_line(t);
}

static unsigned
behind_at(const struct term *t, uint64_t offset)
{
	uint64_t place = t->p->width ? offset / t->p->width : 0;

	return t->left + t->at[place < t->p->nplaces ? place : t->p->nplaces - 1];
}

static void
behind_places(struct term *t)
{
	uint64_t step = scale_round(t->p->bytes, t->plot / 14);
	term_figure text;
	unsigned free_from = t->left;

	if (t->p->nrounds) {
		term_text(t, 0, "rounds", TERM_PLAIN);
		for (unsigned i = 0; i < t->p->nrounds; i++)
			term_put(t, behind_at(t, t->p->round[i]), t->ascii ? '|' : 0x2575, TERM_PLAIN, TERM_PLAIN);
		term_right(t, t->width - BEHIND_BAR - 1, term_short(text, t->p->nrounds), TERM_PLAIN);
		term_line(t);
	}
	term_text(t, 0, "bytes", TERM_FAINT);
	for (uint64_t offset = 0; offset <= t->p->bytes && step; offset += step) {
		term_short(text, (double)offset);
		free_from = term_tick(t, behind_at(t, offset), free_from, t->width - BEHIND_BAR - 1, text);
	}
	term_text(t, t->width - BEHIND_BAR, "records", TERM_FAINT);
	term_line(t);
}

static void
behind_window(struct term *t)
{
	const struct number_unit *unit;
	uint64_t n = scene_window(t->p, &unit);
	term_figure text;

	for (unsigned i = 0; i < 3; i++)
		term_put(t, i, t->ascii ? '-' : 0x2500, TERM_ORANGE, TERM_PLAIN);
	term_text(t, 4, "psort --window=", TERM_PLAIN);
	term_text(t, 4 + (unsigned)strlen("psort --window="), term_exact(text, n > UINT64_MAX / unit->ns ? t->p->window : n * unit->ns, ""), TERM_PLAIN);
	term_line(t);
}

void
term_behind(struct term *t)
{
	struct behind_chart h;

	if (!term_begin(t, ""))
		return;
	behind_chart(&h, t->p);
	behind_late(t);
	for (unsigned d = h.high + 1; d-- > h.low;)
		behind_line(t, &h, d);
	behind_places(t);
	if (t->p->window)
		behind_window(t);
}
