/* SPDX-License-Identifier: ISC */
#include <string.h>

#include "profile.h"

void
profile_check_event(const struct tool *t, const struct pp_events *events, const char *name)
{
	if (!name || !events || !events->n || t->in_err.what[0] || t->partial)
		return;
	for (unsigned i = 0; i < events->n; i++)
		if (events->ev[i]->name && !strcmp(events->ev[i]->name, name))
			return;
	tool_wrong(t, "--event '%s': no such event in this recording", name);
}
