/* SPDX-License-Identifier: ISC */
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "picture/show.h"
#include "tool/tool.h"

enum { NARROW = 80 };

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
	s->draw.scale = (enum draw_scale)show_word(t, t->optarg, words, "linear, log or rank");
}

/* Does the user's terminal show UTF-8? */
static bool
show_utf8(void)
{
	static const char *const names[] = { "LC_ALL", "LC_CTYPE", "LANG" };

	for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
		const char *value = getenv(names[i]);

		if (value && *value)
			return strcasestr(value, "utf-8") || strcasestr(value, "utf8");
	}
	return false;
}

void
show_choose(struct show *s, const struct tool *t)
{
	const char *none = getenv("NO_COLOR");

	s->term |= (!t->out_name || !strcmp(t->out_name, "-")) && isatty(STDOUT_FILENO);
	s->draw.ascii |= (none && *none) || !show_utf8();
}

void
show(FILE *f, const struct show *s, unsigned width)
{
	struct draw draw = s->draw;

	draw.width = width > NARROW ? width : NARROW;
	if (s->term)
		draw_term(f, pictures_panels(s->pictures), &draw);
	else
		draw_svg(f, pictures_panels(s->pictures), &draw);
}
