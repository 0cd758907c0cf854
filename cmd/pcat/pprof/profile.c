/* SPDX-License-Identifier: ISC */
#include <string.h>

#include "field/event_match.h"
#include "profile.h"
#include "set.h"

bool
profile_wants(struct profile_events *x, const char *name, const struct pp_events *events, const struct pp_event *ev)
{
	if (!name)
		return true;
	x->is = tool_need(array_reach(x->is, &x->n, ev->index, sizeof *x->is));
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
