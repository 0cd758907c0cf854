/* SPDX-License-Identifier: ISC */
/* api.c - what programs that do not see the members of structs call instead: the inline functions, and what they hold */
#define PP_INLINE extern inline	/* in C11: also emit it here */
#include "perfpipe_inline.h"

const char *
pp_version(void)
{
	return PP_VERSION;
}

bool
pp_source_swap(const struct pp_source *s)
{
	return s->swap;
}

struct pp_events *
pp_source_events(const struct pp_source *s)
{
	return s->events;
}

unsigned
pp_events_count(const struct pp_events *e)
{
	return e->n;
}

const struct pp_event *
pp_events_at(const struct pp_events *e, unsigned index)
{
	return index < e->n ? e->ev[index] : NULL;
}

unsigned
pp_event_index(const struct pp_event *ev)
{
	return ev->index;
}

const char *
pp_event_name(const struct pp_event *ev)
{
	return ev->name;
}

const struct pp_attr *
pp_event_attr(const struct pp_event *ev)
{
	return &ev->attr;
}
