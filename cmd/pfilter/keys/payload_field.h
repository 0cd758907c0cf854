/* SPDX-License-Identifier: ISC */
/* payload_field.h - which fields of an event's payload hold tasks: by the rows of record/payload.def, and those of --task-field */
#ifndef PFILTER_PAYLOAD_FIELD_H
#define PFILTER_PAYLOAD_FIELD_H

#include "record/format.h"
#include "tool/tool.h"

enum { PAYLOAD_FIELDS = 16 };			/* most fields of one event */
enum payload_kind { PAYLOAD_TID, PAYLOAD_TGID };

struct payload_fields {
	bool	 known;
	bool	 swap;				/* payloads have the other order */
	const struct pp_payload_field *common_pid, *prev, *next;	/* prev, next: of sched_switch */
	struct { const struct pp_payload_field *f; enum payload_kind kind; } task[PAYLOAD_FIELDS];
	unsigned n;
};
struct payload_rows {
	const struct pp_source *in;		/* set before any event is asked for */
	struct payload_row { const char *event, *field; enum payload_kind kind; } *own;	/* of --task-field */
	size_t		 nown;
	struct payload_fields *of;		/* by index of the event */
	size_t		 nof;
};

/* Add a row, EVENT:FIELD[:tgid]; an error exits 2. */
void	payload_rows_add(struct payload_rows *, const struct tool *, const char *text);
/* When all events are known: a row of --task-field that fits none, or an event whose format is missing, exits 2. */
void	payload_rows_bind(struct payload_rows *, const struct tool *);
void	payload_rows_free(struct payload_rows *);

/* The fields of an event that is asked for the first time. */
struct payload_fields *payload_find_fields(struct payload_rows *, const struct pp_event *);

static inline struct payload_fields *
payload_fields(struct payload_rows *p, const struct pp_event *ev)
{
	return ev->index < p->nof && p->of[ev->index].known ? &p->of[ev->index] : payload_find_fields(p, ev);
}

/* The number of a task in a payload of n bytes.  false: it has none. */
static inline bool
payload_number(const struct payload_fields *of, const struct pp_payload_field *f, const uint8_t *raw, size_t n, uint32_t *to)
{
	int64_t v;

	if (!f || (size_t)f->off + f->size > n)
		return false;
	if (f->width == sizeof *to)		/* the usual one */
		return (*to = pp_get_u32(raw + f->off, of->swap)) <= INT32_MAX;
	v = (int64_t)pp_payload_number(raw + f->off, f->width, f->sign, of->swap);
	*to = (uint32_t)v;
	return v >= 0 && v <= INT32_MAX;
}

enum { TYPE_TRACEPOINT = 2 };	/* attr.type */
/* Is it sched:sched_switch? */
bool	payload_switch_named(const struct pp_event *);
static inline bool
payload_is_switch(const struct pp_event *ev)
{
	return ev->attr.type == TYPE_TRACEPOINT && payload_switch_named(ev);
}

#endif
