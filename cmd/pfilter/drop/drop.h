/* SPDX-License-Identifier: ISC */
/*
 * drop.h - --drop-event, --drop-type, --drop-unused-events: a struct out that removes events with all records about them, and
 * types of records.
 *
 * The events to remove are known when all events have their names, which come after their attrs: until then the head of the
 * stream is held in memory.  Unused events are known at the end of the stream: --drop-unused-events holds the stream in a
 * temporary file.
 */
#ifndef PFILTER_DROP_H
#define PFILTER_DROP_H

#include "sink/out.h"
#include "tool/tool.h"
#include "keys/select.h"

struct drop {				/* initially zero: no change */
	struct names events;		/* --drop-event */
	struct tool_list types;		/* --drop-type */
	struct drop_refused { uint32_t type; const char *why; } *refused;	/* types that need --allow vital-types */
	size_t	 nrefused;
	struct drop_spool *spool;	/* --drop-unused-events; NULL: not given */
};
/* The options --drop-type and --drop-unused-events, of a struct drop.  The latter makes temporary files: before confinement. */
void	drop_types(struct tool *, void *drop);
void	drop_unused(struct tool *, void *drop);
/* After the last option: types that are needed, without --allow vital-types, exit 2. */
void	drop_ready(const struct tool *, const struct drop *);
bool	drop_any(const struct drop *);
/* Are all types of the hardware trace dropped: AUX, AUXTRACE and AUXTRACE_INFO? */
bool	drop_trace(const struct drop *);
void	drop_free(struct drop *);
/* At most two per struct drop.  `err' is that of the source.  NULL: no memory. */
struct out *drop_new(const struct tool *, const struct drop *, struct pp_source *in, struct out *next, struct pp_err *);

#endif
