/* SPDX-License-Identifier: ISC */
/* event.h - what only our own commands do with attrs, events and the layouts of records */
#ifndef PP_EVENT_H
#define PP_EVENT_H

#include "perfpipe_inline.h"

struct pp_field {		/* one field of a layout in record.def */
	const char	*name;
	uint8_t		 kind;		/* enum pp_kind */
	uint8_t		 role;		/* enum pp_role */
	uint16_t	 size;		/* bytes; 0: said by the kind */
};

enum {				/* struct perf_event_attr flag bits that we look at */
	PP_ATTR_INHERIT_BIT = 1, PP_ATTR_SAMPLE_ID_ALL_BIT = 18, PP_ATTR_USE_CLOCKID_BIT = 25,
};
enum { PP_ATTR_SIZE_VER0 = 64 };	/* PERF_ATTR_SIZE_VER0: what attr.size 0 means, and the least */

/* Decode an attr of which `len' bytes are there. */
void	pp_attr_get(struct pp_attr *, const uint8_t *p, size_t len, bool swap);

struct pp_events *pp_events_new(bool swap);
void	pp_events_free(struct pp_events *);
/*
 * Learn from a record of type >= PP_USER_TYPE_START: HEADER_ATTR, EVENT_UPDATE, HEADER_FEATURE(EVENT_DESC),
 * ID_INDEX.  The source does this for every record that it yields.  1, or -1.
 */
int	pp_events_learn(struct pp_events *, const struct pp_rec *, struct pp_err *);
/* Name the tracepoint events that have no name yet. */
struct pp_tracing;
int	pp_events_tracing(struct pp_events *, const struct pp_tracing *, struct pp_err *);
/* From here on the samples of that event carry PP_SAMPLE_PERIOD: who says so puts it in, where ev->plan.period says. */
void	pp_event_add_period(struct pp_events *, unsigned index);
/* Where that time stands in the record; NULL: it has no such field. */
const uint8_t *pp_time_field(const struct pp_event *, const struct pp_rec *);
/* Bytes that follow the record outside header.size; the record is sound. */
uint64_t pp_payload_size(const struct pp_rec *, bool swap);

#endif
