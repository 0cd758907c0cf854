/* SPDX-License-Identifier: ISC */
/*
 * event.h - pseudonyms of names of events and units.
 *
 * A user can give an event any name (cycles/name=.../), and perf probe makes names from programs.  So a name stays only if a list
 * in event.c contains it, or all of its components:
 *
 *	cycles  L1-dcache-loads  r01c2  type 6 config 0x1	names defined by perf
 *	sched:sched_switch					GROUP:NAME, if the kernel has a group of that name
 *	cpu/event=0x3c,umask=0/					PMU/TERM,.../, term by term
 *	cycles:ppp						and modifiers after any of them
 */
#ifndef PFILTER_ANON_EVENT_H
#define PFILTER_ANON_EVENT_H

#include <stdbool.h>

#include "name.h"

/*
 * Write the pseudonym of an event's name to `to', and return its length.  A listed name stays; otherwise its modifiers stay, and
 * the listed terms of PMU/TERM,.../.
 */
size_t	anon_event_name(struct anon_key *, const char *, size_t n, char to[static ANON_NAME]);
/* The same for the name of a group of events; the name that perf generates stays. */
size_t	anon_event_group(struct anon_key *, const char *, size_t n, char to[static ANON_NAME]);
/* The same for the unit of a count; "msec", "MiB" and the like stay. */
size_t	anon_event_unit(struct anon_key *, const char *, size_t n, char to[static ANON_NAME]);

#endif
