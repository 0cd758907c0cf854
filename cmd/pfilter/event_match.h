/* SPDX-License-Identifier: ISC */
/*
 * event_match.h - events named as perf record -e takes them.
 *
 * A text names an event as perf shows it; without its modifiers, and without the terms that only say how it is recorded
 * ("cpu-clock/max-stack=4/u" is "cpu-clock"); and an event of a PMU without that ("cpu_core/cycles/" is "cycles").
 */
#ifndef PFILTER_EVENT_MATCH_H
#define PFILTER_EVENT_MATCH_H

#include "perfpipe_inline.h"

/* Is fn true of a form of the event's name? */
bool	event_forms(const struct pp_event *, bool (*fn)(const void *arg, const char *name), const void *arg);
/*
 * Does the text name the event?  `glob': it is a shell pattern.  `loose': its own modifiers and such terms don't count either,
 * but for modifiers that say what is counted (u, k, G, H), which have to be the event's.
 */
bool	event_matches(const char *text, const struct pp_event *, bool glob, bool loose);
/* Is the text one that names no event of these as it stands, and may do so loosely? */
bool	event_match_loosely(const char *text, const struct pp_events *, bool glob);

#endif
