/* SPDX-License-Identifier: ISC */
#include <stdlib.h>
#include <string.h>

#include "picture/term.h"
#include "tool/tool.h"

/* ---- PANEL_STACK ---------------------------------------------------------------------------------- */

enum { STACK_LINES = 8, STACK_DOTS = 4 * STACK_LINES };

/* Samples of a column on average, in 1/256, in each half of each group: bands up to this one. */
struct stack {
	const struct scene *scene;
	unsigned	 nbands;
	uint64_t	*upto;		/* [half][band] */
	bool		*part;		/* [half]: covered by the recording only in part */
	uint64_t	 top;
};

static void
stack_half(struct stack *s, unsigned half, unsigned from, unsigned to)
{
	const struct panel *p = s->scene->fine;
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
stack_new(struct stack *s, const struct scene *scene)
{
	const struct axis *a = scene->p->axis, *fine = scene->fine->axis;

	*s = (struct stack){ .scene = scene, .nbands = scene->p->nbands };
	s->upto = tool_alloc((size_t)2 * a->n * s->nbands, sizeof *s->upto);
	s->part = tool_alloc((size_t)2 * a->n, sizeof *s->part);
	for (unsigned i = 0; i < a->n; i++) {
		unsigned from = scene_from(scene, i), to = scene_from(scene, i + 1), half = from;
		bool whole = scene->by == 1;		/* both halves are all of it */

		while (half < to && fine->start[half] < a->start[i] + fine->width * (scene->by / 2))
			half++;
		stack_half(s, 2 * i, from, whole ? to : half);
		stack_half(s, 2 * i + 1, whole ? from : half, to);
	}
}

static void
stack_free(struct stack *s)
{
	free(s->upto);
	free(s->part);
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

	term_gaps(t);
	for (unsigned i = 0; i < s->scene->p->axis->n; i++) {
		unsigned left = stack_in_line(stack_dots(s, 2 * i), low), right = stack_in_line(stack_dots(s, 2 * i + 1), low);
		unsigned band = left || right ? stack_band(s, i, low) : 0;
		bool part = s->part[2 * i] || s->part[2 * i + 1];
		uint32_t c = term_dots(t, left, right, part ? '%' : (char)term_part(t, band));

		if (left || right)
			term_column(t, i, c, part ? TERM_FAINT : term_hue(t, band));
	}
}

void
term_stack(struct term *t)
{
	const struct scene *scene = t->s;
	struct stack s;
	term_figure text;
	bool part = false;

	if (!term_begin(t, ""))
		return;
	stack_new(&s, scene);
	for (unsigned line = 0; line < STACK_LINES; line++) {
		double top = (double)s.top / 256 * 1e9 / (double)scene->fine->axis->width * (STACK_LINES - line) / STACK_LINES;

		if (line % 2 == 0) {
			strcat(term_short(text, top), line ? "" : "/s");
			term_right(t, t->left - 1, text, TERM_PLAIN);
		}
		stack_line(t, &s, line);
		term_line(t);
	}
	term_below(t);
	for (unsigned i = 0; i < 2 * scene->p->axis->n; i++)
		part |= s.part[i];
	if (part)
		term_words(t, t->ascii ? "%: the recording begins or ends in it, so it has less" : "grey: the recording begins or ends in it, so it has less");
	term_legend(t, false);
	stack_free(&s);
}

/* ---- PANEL_FILL ----------------------------------------------------------------------------------- */

void
term_fill(struct term *t)
{
	const struct panel *p = t->p;
	uint64_t before = 0;

	if (!term_begin(t, ""))
		return;
	for (unsigned b = 0; b < p->nbands; b++) {
		uint64_t to = before + p->band[b].total;

		for (uint64_t at = scale_part(before, t->width, t->s->whole); at < scale_part(to, t->width, t->s->whole); at++)
			term_put(t, (unsigned)at, term_part(t, b), term_hue(t, b), TERM_PLAIN);
		before = to;
	}
	term_line(t);
	term_legend(t, true);
}
