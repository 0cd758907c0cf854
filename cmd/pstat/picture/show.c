/* SPDX-License-Identifier: ISC */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "picture/show.h"
#include "picture/term.h"
#include "tool/tool.h"

/* The index of the argument in the words. */
static unsigned
show_word(const struct tool *t, const char *text, const char *const *words, const char *all)
{
	for (unsigned i = 0; words[i]; i++)
		if (!strcmp(text, words[i]))
			return i;
	tool_wrong(t, "%s '%s': expected %s", t->optname, text, all);
}

void
show_term(struct show *s, const struct tool *t)
{
	static const char *const words[] = { "ascii", NULL };

	s->term = s->given = true;
	if (t->optarg)
		s->draw.ascii = show_word(t, t->optarg + (*t->optarg == '='), words, "ascii, or nothing") == 0;
}

void
show_theme(struct show *s, const struct tool *t)
{
	static const char *const words[] = { "light", "dark", NULL };

	s->given = true;
	s->draw.theme = show_word(t, t->optarg, words, "light or dark") == 0 ? THEME_LIGHT : THEME_DARK;
}

void
show_scale(struct show *s, const struct tool *t)
{
	static const char *const words[] = { "linear", "log", "rank", NULL };

	s->given = true;
	s->draw.scale = SCALE_LINEAR + (enum draw_scale)show_word(t, t->optarg, words, "linear, log or rank");
}

void
show_choose(struct show *s, const struct tool *t)
{
	s->term |= (!t->out_name || !strcmp(t->out_name, "-")) && isatty(STDOUT_FILENO);
	s->draw.ascii |= term_ascii();
}

/* Of a file or pipe, what the user's shell says. */
static unsigned
show_columns(void)
{
	const char *text = getenv("COLUMNS"), *bad = "";

	return text ? (unsigned)strtonum(text, 0, UINT16_MAX, &bad) : 0;
}

void
show(FILE *f, const struct show *s, unsigned width)
{
	struct draw draw = s->draw;

	draw.width = width ? width : show_columns();
	if (s->term)
		draw_term(f, pictures_panels(s->pictures), &draw);
	else
		draw_svg(f, pictures_panels(s->pictures), &draw);
}
