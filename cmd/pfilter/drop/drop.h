/* SPDX-License-Identifier: ISC */
/*
 * drop.h - a change on the way: events leave the stream with all that speaks of them; record types leave it.
 *
 * Which events go is known once their names are, which come behind their attrs: until then the head of the stream is
 * held in memory.  Which are unused is known at its end: --drop-unused-events holds all in a temporary file.
 */
#ifndef PFILTER_DROP_H
#define PFILTER_DROP_H

#include "sink/out.h"
#include "tool/tool.h"
#include "select.h"

struct drop {				/* zeroed: drop nothing */
	struct names events;		/* --drop-event */
	struct tool_list types;		/* --drop-type */
	struct drop_refused { uint32_t type; const char *why; } *refused;	/* of those, which need --allow vital-types */
	size_t	 nrefused;
	struct drop_spool *spool;	/* --drop-unused-events; NULL: not asked for */
};
void	drop_events(const struct tool *, struct drop *, const char *text);
void	drop_types(const struct tool *, struct drop *, const char *text);
/* Also makes the temporary files, for which it is too late after confinement. */
void	drop_unused(const struct tool *, struct drop *);
/* All options have been seen: types that are needed and not allowed to go exit 2. */
void	drop_ready(const struct tool *, const struct drop *);
bool	drop_any(const struct drop *);
/* Is the hardware trace among the types, so that what is left of it can be read: AUX, AUXTRACE and AUXTRACE_INFO? */
bool	drop_trace(const struct drop *);
void	drop_free(struct drop *);
/* At most two may be made of one struct drop.  `err' is that of the source.  NULL: no memory. */
struct out *drop_new(const struct tool *, const struct drop *, struct pp_source *in, struct out *next, struct pp_err *);

#endif
