/* SPDX-License-Identifier: ISC */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "picture/in.h"
#include "picture/term.h"
#include "report/forms.h"

/* Of a file or pipe, what the user's shell says. */
static unsigned
show_columns(void)
{
	const char *text = getenv("COLUMNS"), *bad = "";

	return text ? (unsigned)strtonum(text, 0, UINT16_MAX, &bad) : 0;
}

/* The report_form of pictures that are drawn. */
static int
show(FILE *f, const struct report *r)
{
	const struct pictures *p = r->pass->part[PART_pictures];
	struct draw draw = p->draw;

	draw.width = r->width ? r->width : show_columns();
	if (draw.text) {
		pass_tell(f, r);
		draw_term(f, &p->panels, &draw);
	} else
		draw_svg(f, &p->panels, &draw);
	return 1;
}

/* ---- the part ------------------------------------------------------------------------------------ */

/* Drawn on the screen, what else can be there? */
static void
show_refuse(const struct asked *a, const struct tool *t, bool sorted, bool term)
{
	if (a->hist || a->top >= 0 || (a->keys && !sorted))
		tool_wrong(t, "%s: goes with --picture only for tables, as --json", a->hist ? "--hist" : a->top >= 0 ? "--top" :
		    "--sort without rate and tasks");
	if (!term && (a->check || a->privacy || a->views))
		tool_wrong(t, "--picture: there is nothing else in an SVG; --term has both");
}

static void *
show_new(struct pass *p)
{
	const struct asked *a = p->asked;
	struct sort *sort = p->part[PART_sort];
	const char *by = sort ? sort_first(sort) : NULL;
	struct pictures *s;

	if (!a->picture && !a->page)
		return NULL;
	s = pictures_new(p->t, p->c, a);
	s->draw = (struct draw){ .theme = a->theme, .scale = a->scale, .icicle = a->icicle || a->page, .ascii = a->ascii };
	s->drawn = a->page || p->form == screen;
	if (a->page)
		return s;
	if (by && pictures_sorted(s) && !strcmp(by, "time"))
		tool_wrong(p->t, "--sort time: pictures have time already");
	if (p->form == screen) {
		bool term = a->term || ((!p->t->out_name || !strcmp(p->t->out_name, "-")) && isatty(STDOUT_FILENO));

		show_refuse(a, p->t, pictures_sorted(s), term);
		s->draw.text = term;
		s->draw.ascii |= term_ascii();
		p->form = show;
	}
	return s;
}

const struct part_kind part_pictures = { .new = show_new, .add = pictures_add, .begin = pictures_begin, .end = pictures_end,
	.free = pictures_free };
