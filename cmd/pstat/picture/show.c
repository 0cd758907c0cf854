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

void
draw_choose(struct draw *d, const struct asked *a, const struct tool *t)
{
	*d = (struct draw){ .theme = a->theme, .scale = a->scale, .icicle = a->icicle, .ascii = a->ascii || term_ascii() };
	d->text = a->term || ((!t->out_name || !strcmp(t->out_name, "-")) && isatty(STDOUT_FILENO));
}

void
draw_panels(FILE *f, const struct panels *panels, const struct draw *d, const struct report *r)
{
	struct draw draw = *d;

	draw.width = r->width ? r->width : show_columns();
	(draw.text ? draw_term : draw_svg)(f, panels, &draw);
}

/* The report_form of pictures that are drawn. */
static int
show(FILE *f, const struct report *r)
{
	const struct pictures *p = r->pass->part[PART_pictures];

	if (p->draw.text)
		pass_tell(f, r);
	draw_panels(f, &p->panels, &p->draw, r);
	return 1;
}

/* ---- the part ------------------------------------------------------------------------------------ */

/* Drawn on the screen, what else can be there? */
static void
show_refuse(const struct asked *a, const struct tool *t, bool sorted)
{
	if (a->hist || a->top >= 0 || (a->keys && !sorted))
		tool_wrong(t, "%s: with --picture, needs a form of tables such as --json", a->hist ? "--hist" : a->top >= 0 ? "--top" :
		    "--sort without rate and tasks");
}

static void
show_prepare(void *part, struct pass *p)
{
	const struct pictures *s = part;

	for (unsigned i = 0; p->form == show && !s->draw.text && i < PARTS; i++)
		if (p->part[i] && part_kinds[i]->screen)
			tool_wrong(p->t, "--picture: an SVG has nothing else; with --term, both are written");
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
	draw_choose(&s->draw, a, p->t);
	s->draw.icicle |= a->page != NULL;
	s->drawn = a->page || p->form == screen;
	if (a->page)
		return s;
	if (by && pictures_sorted(s) && !strcmp(by, "time"))
		tool_wrong(p->t, "--sort time: pictures have time already");
	if (p->form == screen) {
		show_refuse(a, p->t, pictures_sorted(s));
		p->form = show;
	}
	return s;
}

const struct part_kind part_pictures = { .new = show_new, .add = pictures_add, .prepare = show_prepare, .begin = pictures_begin,
	.end = pictures_end, .free = pictures_free };
