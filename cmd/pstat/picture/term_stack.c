/* SPDX-License-Identifier: ISC */
#include <stdlib.h>
#include <string.h>

#include "picture/term.h"
#include "tool/tool.h"

/* ---- PANEL_STACK ---------------------------------------------------------------------------------- */

enum { STACK_LINES = 8, STACK_DOTS = 4 * STACK_LINES };

/* Samples of a column on average, in 1/256, in each half of each group: bands up to this one. */
struct stack {
	struct term_time x;
	unsigned	 nbands;
	uint64_t	*upto;		/* [half][band] */
	bool		*part;		/* [half]: covered by the recording only in part */
	uint64_t	 top;
};

static void
stack_half(struct stack *s, const struct panel *p, unsigned half, unsigned from, unsigned to)
{
	uint64_t sum = 0, *upto = &s->upto[(size_t)half * s->nbands];

	for (unsigned b = 0; b < p->nbands; b++) {
		sum += term_sum(p->band[b].count, from, to);
		upto[b] = to > from ? sum * 256 / (to - from) : 0;
	}
	if (p->nbands && upto[p->nbands - 1] > s->top)
		s->top = upto[p->nbands - 1];
	s->part[half] = to > from && axis_is_part(p->axis, from, to - 1);
}

static void
stack_new(struct stack *s, const struct term *t, const struct panel *p)
{
	*s = (struct stack){ .nbands = p->nbands };
	term_time(&s->x, p->axis, t->plot);
	s->upto = tool_alloc((size_t)2 * s->x.n * p->nbands + 1, sizeof *s->upto);
	s->part = tool_alloc((size_t)2 * s->x.n + 1, sizeof *s->part);
	for (unsigned i = 0; i < s->x.n; i++) {
		const struct term_group *g = &s->x.group[i];
		bool whole = s->x.each == 1;

		stack_half(s, p, 2 * i, g->from, whole ? g->to : g->half);
		stack_half(s, p, 2 * i + 1, whole ? g->from : g->half, g->to);
	}
}

static void
stack_free(struct stack *s)
{
	free(s->upto);
	free(s->part);
	term_time_free(&s->x);
}

/* Dots of the half's bar; one at least if there is anything. */
static unsigned
stack_dots(const struct stack *s, unsigned half)
{
	uint64_t all = s->nbands ? s->upto[(size_t)half * s->nbands + s->nbands - 1] : 0;
	unsigned dots = s->top ? (unsigned)((all * STACK_DOTS + s->top / 2) / s->top) : 0;

	return all && !dots ? 1 : dots;
}

/* The band of most dots from `low' up in the line, of both halves. */
static unsigned
stack_band(const struct stack *s, unsigned group, unsigned low)
{
	unsigned best = 0, most = 0;

	for (unsigned b = 0; b < s->nbands; b++) {
		unsigned n = 0;

		for (unsigned half = 2 * group; half <= 2 * group + 1; half++) {
			const uint64_t *upto = &s->upto[(size_t)half * s->nbands];
			unsigned dots = stack_dots(s, half);

			for (unsigned dot = low; dot < low + 4 && dot < dots; dot++) {
				uint64_t mid = upto[s->nbands - 1] * (2 * dot + 1) / (2 * dots);

				n += mid < upto[b] && (!b || mid >= upto[b - 1]);
			}
		}
		if (n > most) {
			most = n;
			best = b;
		}
	}
	return best;
}

static unsigned
stack_in_line(unsigned dots, unsigned low)
{
	return dots <= low ? 0 : dots - low > 4 ? 4 : dots - low;
}

static void
stack_line(struct term *t, const struct stack *s, unsigned line)
{
	unsigned low = 4 * (STACK_LINES - 1 - line);

	term_gaps(t, &s->x);
	for (unsigned i = 0; i < s->x.n; i++) {
		unsigned left = stack_in_line(stack_dots(s, 2 * i), low), right = stack_in_line(stack_dots(s, 2 * i + 1), low);
		unsigned band = left || right ? stack_band(s, i, low) : 0;
		bool part = s->part[2 * i] || s->part[2 * i + 1];
		uint32_t c = term_dots(t, left, right, part ? '%' : (char)term_part(t, band));

		for (unsigned k = 0; (left || right) && k < s->x.wide; k++)
			term_put(t, t->left + s->x.group[i].at + k, c, part ? TERM_FAINT : term_hue(t, band), TERM_PLAIN);
	}
}

void
term_stack(struct term *t, const struct panel *p)
{
	struct stack s;
	term_figure text;
	bool part = false;

	stack_new(&s, t, p);
	term_subtitle(t, p, &s.x, "");
	for (unsigned line = 0; line < STACK_LINES; line++) {
		double top = (double)s.top / 256 * 1e9 / (double)p->axis->width * (STACK_LINES - line) / STACK_LINES;

		if (line % 2 == 0) {
			strcat(term_short(text, top), line ? "" : "/s");
			term_right(t, t->left - 1, text, TERM_PLAIN);
		}
		stack_line(t, &s, line);
		term_line(t);
	}
	term_below(t, p, &s.x);
	for (unsigned i = 0; i < 2 * s.x.n; i++)
		part |= s.part[i];
	if (part)
		term_words(t, t->ascii ? "%: the recording begins or ends in it, so it has less" : "grey: the recording begins or ends in it, so it has less");
	term_legend(t, p, p->samples, false);
	stack_free(&s);
}

/* ---- PANEL_FILL ----------------------------------------------------------------------------------- */

void
term_fill(struct term *t, const struct panel *p)
{
	uint64_t all = 0, before = 0;

	term_words(t, p->subtitle);
	for (unsigned b = 0; b < p->nbands; b++)
		all += p->band[b].total;
	for (unsigned b = 0; b < p->nbands; b++) {
		uint64_t to = before + p->band[b].total;

		for (uint64_t at = scale_part(before, t->width, all); all && at < scale_part(to, t->width, all); at++)
			term_put(t, (unsigned)at, term_part(t, b), term_hue(t, b), TERM_PLAIN);
		before = to;
	}
	term_line(t);
	term_legend(t, p, all, true);
}
