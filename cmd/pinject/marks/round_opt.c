/* SPDX-License-Identifier: ISC */
#include <stdlib.h>

#include "marks.h"
#include "survey.h"

enum { LEAST_STEP = 10000000 };		/* ns that `auto' chooses at least: a marker for each few records is of no use */

void
round_option(struct tool *t, void *option)
{
	struct round_option *o = option;
	const char *text = t->optarg;
	const char *comma = strchrnul(text, ',');
	char *time = tool_need(strndup(text, (size_t)(comma - text)));

	o->replace = !strcmp(comma, ",replace");
	if (*comma && !o->replace)
		tool_wrong(t, "%s '%s': expected a duration or auto, and perhaps ,replace", t->optname, text);
	o->find = !strcmp(time, "auto");
	if (!o->find && (o->step = tool_duration(t, time)) == 0)
		tool_wrong(t, "%s '%s': expected a duration of more than 0", t->optname, text);
	free(time);
}

void
round_found(const struct tool *t, struct round_option *o, const struct survey *s)
{
	if (s->rounds && !o->replace) {
		tool_note(t, "--finished-round: nothing added: the stream has FINISHED_ROUNDs");
		return;
	}
	o->step = s->behind > LEAST_STEP ? s->behind : LEAST_STEP;
	tool_note(t, "--finished-round: a record is %ju ns behind a newer one at most: auto is %ju ns", (uintmax_t)s->behind,
	    (uintmax_t)o->step);
}
