/* SPDX-License-Identifier: ISC */
/* term_flame.c - call chains as text: the widest boxes, each below the one that called it */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "picture/term.h"
#include "record/order.h"
#include "tool/tool.h"

enum {
	LINES = 80,			/* at most */
	LEAST = 200,			/* a box is at least such a part of all */
	FIGURES = 18, NAME = 30,	/* columns before the names; of a name, at least */
	COMPARED = 30,			/* columns before the names of a comparison */
	GONE = 10,			/* of what only A has, at most */
};

struct flame_lines {
	struct term	*t;
	const struct panel *p;
	struct flame_wide {
		uint32_t	 box;		/* first, for order_u32() */
		uint64_t	 total;
	}		 line[LINES];	/* in preorder */
	unsigned	 n;
};

/* Of boxes of one width, that which is below comes first. */
static int
by_width(const void *va, const void *vb)
{
	const struct flame_wide *a = va, *b = vb;

	if (a->total != b->total)
		return a->total > b->total ? -1 : 1;
	return a->box < b->box ? -1 : a->box > b->box;
}

/* The widest boxes; so the one below a box that is among them is, too. */
static void
flame_widest(struct flame_lines *l)
{
	const struct panel *p = l->p;
	uint64_t least = p->top / LEAST ? p->top / LEAST : 1;
	struct flame_wide *all = tool_alloc(p->nboxes, sizeof *all);
	uint32_t n = 0;

	for (uint32_t i = 0; i < p->nboxes; i++)
		if (p->box[i].total >= least)
			all[n++] = (struct flame_wide){ i, p->box[i].total };
	qsort(all, n, sizeof *all, by_width);
	l->n = n < LINES ? n : LINES;
	memcpy(l->line, all, l->n * sizeof *all);
	qsort(l->line, l->n, sizeof *l->line, order_u32);
	free(all);
}

/* Colours of 256 by the step of a change. */
static int
flame_ink(const struct panel_change *c)
{
	static const int less[CHANGE_STEPS] = { 110, 74, 32, 33 }, more[CHANGE_STEPS] = { 174, 173, 167, 196 };
	int step = panel_change_step(c);

	return !step ? TERM_FAINT : step < 0 ? less[-step - 1] : more[step - 1];
}

/* The shares of a comparison. */
static void
flame_figures(struct term *t, const struct panel *p, const struct panel_box *b)
{
	const struct panel_change *c = &p->change[b - p->box];
	term_figure text;

	term_right(t, 7, term_share(text, c->before, p->before), TERM_PLAIN);
	term_right(t, 16, term_share(text, b->total, p->top), TERM_PLAIN);
	snprintf(text, sizeof text, "%+.2f", (double)c->ppm / 1e4);
	term_right(t, 26, text, flame_ink(c));
	if (c->noise)
		term_text(t, 27, "~", TERM_FAINT);
}

static void
flame_line(struct term *t, const struct panel *p, const struct panel_box *b)
{
	const char *text = p->text[b->text];
	unsigned figures = p->change ? COMPARED : FIGURES, most = t->width - figures - NAME;
	unsigned at = figures + (b->depth < most ? b->depth : most), used = 0;
	int ink = p->change ? flame_ink(&p->change[b - p->box]) : term_hue(t, b->kind);
	unsigned room = t->width - at;
	size_t inner = term_columns(t, text) > room ? panel_inner(text) : 0;
	term_figure share;

	if (p->change)
		flame_figures(t, p, b);
	else
		term_right(t, 7, term_share(share, b->total, p->top), TERM_PLAIN);
	if (b->self && !p->change)
		term_right(t, 16, term_share(share, b->self, p->top), TERM_PLAIN);
	if (inner) {
		term_put(t, at, t->ascii ? '~' : 0x2026, ink, TERM_PLAIN);
		used = 1;
	}
	term_name(t, at + used, room - used, text + inner, ink);
	term_line(t);
}

/* The boxes on that of number `at', the widest first, each with those on it. */
static void
flame_above(const struct flame_lines *l, unsigned at)
{
	uint64_t before = UINT64_MAX;
	unsigned last = 0;

	flame_line(l->t, l->p, &l->p->box[l->line[at].box]);
	for (;;) {
		unsigned next = 0;
		uint64_t most = 0;

		for (unsigned i = at + 1; i < l->n; i++) {
			const struct panel_box *b = &l->p->box[l->line[i].box];

			if (b->parent == l->line[at].box && b->total > most &&
			    (b->total < before || (b->total == before && i > last))) {
				most = b->total;
				next = i;
			}
		}
		if (!next)
			return;
		before = most;
		last = next;
		flame_above(l, next);
	}
}

/* What only A has. */
static void
flame_gone(struct term *t, const struct panel *p)
{
	char text[80];
	term_figure share;

	if (!p->ngone)
		return;
	term_words(t, "Only in A: share, self");
	for (uint32_t i = 0; i < p->ngone && i < GONE; i++) {
		term_right(t, 7, term_share(share, p->gone[i].total, p->before), TERM_PLAIN);
		if (p->gone[i].self)
			term_right(t, 16, term_share(share, p->gone[i].self, p->before), TERM_PLAIN);
		if (p->gone[i].noise)
			term_text(t, FIGURES - 1, "~", TERM_FAINT);
		term_name(t, FIGURES + 1, t->width - FIGURES - 1, p->text[p->gone[i].text], TERM_PLAIN);
		term_line(t);
	}
	if (p->ngone > GONE) {
		snprintf(text, sizeof text, "and %" PRIu32 " more", p->ngone - GONE);
		term_words(t, text);
	}
}

void
term_flame(struct term *t)
{
	const struct panel *p = t->p;
	struct flame_lines l = { .t = t, .p = p };
	uint32_t narrow;
	char text[80];

	if (!term_begin(t, "")) {
		flame_gone(t, p);
		return;
	}
	flame_widest(&l);
	if (!p->change)
		term_legend(t, false);
	term_right(t, 7, p->change ? "in A" : "total", TERM_PLAIN);
	term_right(t, 16, p->change ? "in B" : "self", TERM_PLAIN);
	if (p->change)
		term_right(t, 26, "points", TERM_PLAIN);
	term_line(t);
	flame_above(&l, 0);
	narrow = p->nboxes - l.n + p->hidden;
	if (narrow) {
		snprintf(text, sizeof text, "%" PRIu32 " narrower box%s not shown", narrow, narrow == 1 ? "" : "es");
		term_words(t, text);
	}
	flame_gone(t, p);
}
