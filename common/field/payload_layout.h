/* SPDX-License-Identifier: ISC */
/* payload_layout.h - formats of tracepoints by event, with the roles of their fields (record/payload_role.h) */
#ifndef PP_PAYLOAD_LAYOUT_H
#define PP_PAYLOAD_LAYOUT_H

#include "perfpipe_inline.h"
#include "record/format.h"

struct payload_layout {
	const struct pp_format *format;
	uint8_t		*role;		/* of its fields: enum pp_role */
};
struct payload_layouts;			/* made by payload_layout() */

/*
 * The layout of an event's payloads, by the formats of the source that were read so far (source/formats.h).  *all is NULL
 * at first.  NULL: it is no tracepoint, its format is not known, or fields of it share bytes, so that they may be anything.
 */
const struct payload_layout *payload_layout(struct payload_layouts **all, const struct pp_source *, const struct pp_event *);
void	payload_layouts_free(struct payload_layouts *);

#endif
