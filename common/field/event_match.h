/* SPDX-License-Identifier: ISC */
/*
 * event_match.h - does a text in the syntax of perf record -e name an event?
 *
 * A text matches the name as perf shows it; the name without modifiers and without terms that only affect recording
 * ("cpu-clock/max-stack=4/u" matches as "cpu-clock"); and an event of a PMU without the PMU ("cpu_core/cycles/" as "cycles").
 * If it matches none, it may be the name of a tracepoint without its system: "sched_switch".
 */
#ifndef PP_EVENT_MATCH_H
#define PP_EVENT_MATCH_H

#include "tool/tool.h"

/*
 * Does the text match the event?  `glob': the text is a shell pattern.  `loose': modifiers and such terms in the text are also
 * ignored, except modifiers that restrict what is counted (u, k, G, H), which the event must have; and the system of a tracepoint.
 */
bool	event_matches(const char *text, const struct pp_event *, bool glob, bool loose);
/* Must the text be matched loosely: does it match no event exactly? */
bool	event_match_loosely(const char *text, const struct pp_events *, bool glob);
/* Is the text, which is no pattern, the name of tracepoints of several systems?  Then *one and *other are two of them. */
bool	event_is_ambiguous(const char *text, const struct pp_events *, bool glob, const char **one, const char **other);
/* Does the text, which may be a pattern, name the event, one of these, in any of the ways above? */
bool	event_is_named(const char *text, const struct pp_events *, const struct pp_event *);
/* The index of the first event that it names so; their number: none. */
unsigned event_first(const struct pp_events *, const char *text);
/* The same for the argument of an option: if there is none, or the text is ambiguous, exits 2. */
unsigned event_find(const struct tool *, const struct pp_events *, const char *text, const char *option);
/* For a text that matches no event: "; similar: a, b", or "; there are a, b, ..." */
void	event_hint(const char *text, const struct pp_events *, char *to, size_t size);

#endif
