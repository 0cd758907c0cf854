/* SPDX-License-Identifier: ISC */
/* in.h - private to drop/: the events that are removed ("gone"), and the event that takes over their side-band (the "heir") */
#ifndef PFILTER_DROP_IN_H
#define PFILTER_DROP_IN_H

#include "drop.h"
#include "make/rewrite.h"

struct dropping {
	const struct tool *tool;
	struct pp_err	*err;
	const struct pp_events *events;	/* of the input */
	bool		 swap;
	bool		*gone;		/* by index of the event; NULL: none is removed */
	unsigned	 n;		/* number of events when `gone' was set */
	unsigned	*rank;		/* [n + 1]: number of kept events before this one */
	const struct pp_event *first;	/* the first kept event: perf assigns records without an id to it */
	const struct pp_event *heir;	/* gets the side-band of removed events */
	struct pp_ids	 moved;		/* id of a removed event -> id of the heir */
	uint64_t	 tracking;	/* flag bits that the heir gets from removed events */
	bool		 no_tracing;	/* TRACING_DATA is removed */
	bool		 trace_known, no_trace;	/* AUXTRACE_INFO was seen; the hardware trace is removed */
	unsigned	 attrs;		/* number seen */
	bool		 warned;	/* that the leader of a group is removed */
	uint8_t		*buf;		/* PP_REWRITE_SIZE bytes, for changed records */
};

/* Set the members that follow from `gone', which must leave at least one event.  1, or -1: no memory. */
int	drop_settle(struct dropping *);
void	drop_settled_free(struct dropping *);
/* Is the event removed? */
static inline bool
drop_goes(const struct dropping *d, const struct pp_event *ev)
{
	return ev && ev->index < d->n && d->gone[ev->index];
}
/*
 * Remove events from a valid record: 1 and *r, maybe changed; 0: the record is removed; -1: it does not fit its event (text in
 * err).
 */
int	drop_record(struct dropping *, struct pp_rec *r);
/* The same for HEADER_FEATURE. */
int	drop_feature(struct dropping *, struct pp_rec *r);
/* Set the tracking bits in an attr of the heir. */
void	drop_attr(const struct dropping *, uint8_t *attr);

/* Mark the events that a record uses; called for each record. */
void	drop_note_use(bool *used, unsigned n, const struct pp_events *, const struct pp_event *, const struct pp_rec *);
/* The flag bits of an event that make it record side-band: tasks, maps, switches ... */
uint64_t drop_tracking(const struct pp_event *);

#endif
