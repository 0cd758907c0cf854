/* SPDX-License-Identifier: ISC */
/*
 * event.h - functions on attrs, events and layouts of records for the commands here; those for other programs are in perfpipe.h
 */
#ifndef PP_EVENT_H
#define PP_EVENT_H

#include "perfpipe_inline.h"

struct pp_field {		/* one field of a row of record.def */
	const char	*name;
	uint8_t		 kind;		/* enum pp_kind */
	uint8_t		 role;		/* enum pp_role */
	uint16_t	 size;		/* bytes; 0: determined by the kind */
};

/* The fields of a type in file order, up to one of kind PP_K_END.  NULL: the type is unknown, or no row describes all of its records. */
const struct pp_field *pp_type_fields(uint32_t type);

enum {				/* bits of the flag word of struct perf_event_attr that are used here */
	PP_ATTR_INHERIT_BIT = 1, PP_ATTR_SAMPLE_ID_ALL_BIT = 18, PP_ATTR_USE_CLOCKID_BIT = 25,
};
enum { PP_ATTR_SIZE_VER0 = 64 };	/* PERF_ATTR_SIZE_VER0: the least attr.size, and the meaning of 0 */

/* Decode the attr at p, of which len bytes are present.  Fields beyond its size become 0. */
void	pp_attr_get(struct pp_attr *, const uint8_t *p, size_t len, bool swap);

struct pp_events *pp_events_new(bool swap);
void	pp_events_free(struct pp_events *);
/*
 * Learn from a record of type >= PP_USER_TYPE_START: HEADER_ATTR, EVENT_UPDATE, HEADER_FEATURE(EVENT_DESC),
 * ID_INDEX.  The source does this for every record that it yields.  1, or -1.
 */
int	pp_events_learn(struct pp_events *, const struct pp_rec *, struct pp_err *);
/*
 * Where the name of an event is from (name_from of struct pp_event), in ascending priority.  One that was built is perf 6.1's; other
 * versions build others, so it is not to be written.
 */
enum { PP_NAME_BUILT, PP_NAME_TRACING, PP_NAME_DESC, PP_NAME_UPDATE };
/* Name the tracepoint events that have no name yet.  1, or -1: no memory. */
struct pp_tracing;
int	pp_events_tracing(struct pp_events *, const struct pp_tracing *, struct pp_err *);
/* The event of a record, however long its fixed fields are; NULL with the reason. */
const struct pp_event *pp_event_of(const struct pp_events *, const struct pp_rec *, struct pp_err *);
/* Has the record an id that belongs to no event? */
bool	pp_event_unknown(const struct pp_events *, const struct pp_rec *);
/* Add PP_SAMPLE_PERIOD to the layout of the event's samples.  From here on the caller inserts the field at ev->plan.period. */
void	pp_event_add_period(struct pp_events *, unsigned index);
/* The address of the time field in the record; NULL: it has none. */
const uint8_t *pp_time_field(const struct pp_event *, const struct pp_rec *);
/*
 * Where the fields of the record end, without a trailer: its size, if the last field is all the rest.  Strings, and what the kernel
 * writes, are padded to a u64.  0: they exceed it.
 */
size_t	pp_fields_end(const struct pp_rec *, bool swap, struct pp_err *);
/* Bytes of payload that follow a sound record, not counted in header.size. */
uint64_t pp_payload_size(const struct pp_rec *, bool swap);

#endif
