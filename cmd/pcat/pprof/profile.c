/* SPDX-License-Identifier: ISC */
#include <string.h>

#include "field/event_match.h"
#include "profile.h"

bool
profile_wants(struct profile_events *x, const char *name, const struct pp_events *events, const struct pp_event *ev)
{
	if (!name)
		return true;
	if (ev->index >= x->n) {
		x->is = tool_realloc(x->is, events->n, sizeof *x->is);
		memset(x->is + x->n, 0, (events->n - x->n) * sizeof *x->is);
		x->n = events->n;
	}
	if (x->is[ev->index] == PROFILE_UNKNOWN)
		x->is[ev->index] = event_is_named(name, events, ev) ? PROFILE_WANTED : PROFILE_OTHER;
	return x->is[ev->index] == PROFILE_WANTED;
}

void
profile_check_event(const struct tool *t, const struct pp_events *events, const char *name)
{
	if (name && events && events->n && !t->in_err.what[0] && !t->partial)
		event_find(t, events, name, "--event");
}
