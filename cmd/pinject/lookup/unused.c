/* SPDX-License-Identifier: ISC */
/* unused.c - see unused.h */
#include <stdlib.h>

#include "unused.h"

enum { NAMED = 5, NAME_BYTES = 4096 };

void
unused_say(struct unused *u, const char *name, size_t len, const char *why)
{
	char *text = tool_vis(name, len < NAME_BYTES ? len : NAME_BYTES);

	if (u->n++ < NAMED)
		tool_warn(u->t, "'%s' is not used: %s", text, why);
	else
		tool_note(u->t, "'%s' is not used: %s", text, why);
	free(text);
	u->t->failed |= u->strict;
}

void
unused_end(const struct unused *u)
{
	if (u->n > NAMED && !u->t->verbose)
		tool_warn(u->t, "%ju more %s are not used; -v names them", (uintmax_t)(u->n - NAMED), u->what);
}
