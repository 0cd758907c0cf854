/* SPDX-License-Identifier: ISC */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "picture/term.h"
#include "tool/tool.h"

/* Few is near the colour of the terminal, many is far from it; if that is not known: from blue to red, all to be seen on both. */
static const uint8_t heat_ramps[][DRAW_STEPS] = {
	[THEME_AUTO] = { 246, 25, 31, 37, 72, 107, 143, 172, 167 },
	[THEME_LIGHT] = { 254, 153, 117, 74, 38, 31, 25, 18, 16 },
	[THEME_DARK] = { 236, 23, 24, 31, 38, 74, 117, 159, 231 },
};

static bool
heat_pairs(const struct panel *p)
{
	return p->nbands > 32;		/* two rows are in a line */
}

/* Is the column between the first and the last sample of the band? */
static bool
heat_lives(const struct term *t, const struct band *b, unsigned column)
{
	const struct axis *a = t->s->fine->axis;
	unsigned from = scene_from(t->s, column), last = scene_from(t->s, column + 1) - 1;

	return b->total && a->start[last] + a->width > b->first && a->start[from] <= b->last;
}

static void
heat_cell(struct term *t, unsigned at, int upper, int lower, bool lives)
{
	int most = upper > lower ? upper : lower;

	if (t->ascii)
		term_put(t, at, most > 0 ? term_bar(t, (unsigned)most) : lives ? '_' : ' ', TERM_PLAIN, TERM_PLAIN);
	else if (upper < 0 && lower < 0)
		;
	else if (lower < 0)
		term_put(t, at, 0x2580, t->ramp[upper], TERM_PLAIN);
	else if (upper < 0)
		term_put(t, at, 0x2584, t->ramp[lower], TERM_PLAIN);
	else
		term_put(t, at, 0x2580, t->ramp[upper], t->ramp[lower]);
}

/* A row in a line of its own: a gap is left between rows; a thin line goes from the first to the last sample. */
static void
heat_single(struct term *t, unsigned at, int step, bool lives)
{
	if (t->ascii)
		heat_cell(t, at, step, step, lives);
	else if (step > 0)
		term_put(t, at, 0x2587, t->ramp[step], TERM_PLAIN);
	else if (step == 0)
		term_put(t, at, lives ? 0x2500 : 0x2587, lives ? TERM_FAINT : t->ramp[0], TERM_PLAIN);
}

/* The name of a task is cut in front of its number. */
static void
heat_label(struct term *t, const char *label)
{
	const char *number = panel_number(label);
	unsigned room = t->left - 1, n = number ? (unsigned)strlen(number) : 0;
	char *name;

	if (!number || 2 * n > room || term_columns(t, label) <= room) {
		term_name(t, 0, room, label, TERM_PLAIN);
		return;
	}
	name = tool_need(strndup(label, (size_t)(number - label)));
	n = term_name(t, 0, room - n, name, TERM_PLAIN);
	term_text(t, n, number, TERM_PLAIN);
	free(name);
}

/* The row at the top of a line, and the one below it; the same: there is none. */
static void
heat_line(struct term *t, unsigned upper, unsigned lower)
{
	const struct panel *p = t->p;
	const struct band *a = &p->band[upper], *b = &p->band[lower];
	term_figure text;

	if (!a->span)
		heat_label(t, a->label);
	else if (a->from % 200000000 == 0 || (lower != upper && b->from % 200000000 == 0)) {
		uint64_t from = (a->from % 200000000 == 0 ? a : b)->from;

		snprintf(text, sizeof text, "+0.%" PRIu64 " s", from / 100000000);
		term_right(t, t->left - 1, text, TERM_PLAIN);
	}
	term_gaps(t);
	for (unsigned i = 0; i < p->axis->n; i++) {
		int up = scene_step(t->s, upper, i), low = scene_step(t->s, lower, i);
		bool lives = p->lives && (heat_lives(t, a, i) || heat_lives(t, b, i));

		for (unsigned k = 0; k < t->wide; k++)
			if (heat_pairs(p))
				heat_cell(t, t->left + t->at[i] + k, up, lower == upper ? -1 : low, lives);
			else
				heat_single(t, t->left + t->at[i] + k, up, lives);
	}
	if (!a->span)
		term_right(t, t->width, term_share(text, a->total + (lower == upper ? 0 : b->total), t->s->whole), TERM_PLAIN);
	term_line(t);
}

/* The smallest counts of the steps. */
static void
heat_steps(struct term *t)
{
	static const char *const names[] = { [SCALE_LINEAR] = "linear", [SCALE_LOG] = "log", [SCALE_RANK] = "rank" };
	unsigned at = (unsigned)strlen("samples:") + 1;
	term_figure text;

	term_text(t, 0, "samples:", TERM_PLAIN);
	for (unsigned step = 1; step < DRAW_STEPS; step++) {
		uint64_t low = scale_low(t->s->scale, step);

		if (!low)
			continue;
		term_put(t, at, t->ascii ? term_bar(t, step) : 0x2587, t->ramp[step], TERM_PLAIN);
		term_short(text, (double)low);
		term_text(t, at + 2, text, TERM_PLAIN);
		at += 2 + (unsigned)strlen(text) + 1;
	}
	snprintf(text, sizeof text, "(%s)", names[scale_how(t->s->scale)]);
	term_right(t, t->width, text, TERM_PLAIN);
	term_line(t);
}

void
term_heat(struct term *t)
{
	const struct panel *p = t->p;
	unsigned rows = heat_pairs(p) ? 2 : 1;

	if (!term_begin(t, rows > 1 && !panel_has_parts(p) ? ", two rows are in a line" : ""))
		return;
	t->ramp = heat_ramps[t->theme];
	for (unsigned row = 0; row < p->nbands; row += rows)
		heat_line(t, scene_band(p, row), scene_band(p, row + rows <= p->nbands ? row + rows - 1 : row));
	term_below(t);
	heat_steps(t);
}
