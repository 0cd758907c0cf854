/* SPDX-License-Identifier: ISC */
/*
 * event.h - which names of events and units are public.
 *
 * A user can call an event anything (cycles/name=.../), and perf probe makes names of programs.  So a name is public only
 * if this file lists it, or all of its parts:
 *
 *	cycles  L1-dcache-loads  r01c2  type 6 config 0x1	perf's own names
 *	sched:sched_switch					GROUP:NAME, if the kernel has a group of that name
 *	cpu/event=0x3c,umask=0/					PMU/TERM,.../, term by term
 *	cycles:ppp						and modifiers behind any of them
 */
#ifndef PFILTER_ANON_EVENT_H
#define PFILTER_ANON_EVENT_H

#include <stdbool.h>

#include "name.h"

/*
 * The pseudonym of an event's name, and its length.  A public name stays; of others the modifiers stay; of
 * PMU/TERM,.../ all terms stay that are public.
 */
size_t	anon_event_name(struct anon_key *, const char *, size_t n, char to[static ANON_NAME]);
/* Of the name of a group of events: that of perf's own making stays. */
size_t	anon_event_group(struct anon_key *, const char *, size_t n, char to[static ANON_NAME]);
/* Of the unit of a count: "msec", "MiB" and the like stay. */
size_t	anon_event_unit(struct anon_key *, const char *, size_t n, char to[static ANON_NAME]);

#endif
