/* SPDX-License-Identifier: ISC */
/* in.h - inside of drop/: what is dropped, and who inherits it */
#ifndef PFILTER_DROP_IN_H
#define PFILTER_DROP_IN_H

#include "drop.h"
#include "record/rewrite.h"

struct dropping {
	const struct tool *tool;
	struct pp_err	*err;
	const struct pp_events *events;	/* of the stream as it comes */
	bool		 swap;
	bool		*gone;		/* by index of the event; NULL: none goes */
	unsigned	 n;		/* events when that was decided */
	unsigned	*rank;		/* [n + 1]: how many stay of those before */
	const struct pp_event *first;	/* the first that stays: perf takes records without an id for its */
	const struct pp_event *heir;	/* gets what the others said of tasks */
	struct pp_ids	 moved;		/* id of an event that goes -> id of the heir */
	uint64_t	 tracking;	/* bits of the flag word that the heir gets */
	bool		 no_tracing;	/* TRACING_DATA goes */
	bool		 trace_known, no_trace;	/* AUXTRACE_INFO was seen; the hardware trace goes */
	unsigned	 attrs;		/* seen */
	bool		 warned;	/* of a group whose leader goes */
	uint8_t		*buf;		/* PP_REWRITE_SIZE bytes for a changed record */
};

/* Settle what follows from `gone', which leaves one event at least.  1, or -1: no memory. */
int	drop_settle(struct dropping *);
void	drop_settled_free(struct dropping *);
/* Does the event (not) go? */
static inline bool
drop_goes(const struct dropping *d, const struct pp_event *ev)
{
	return ev && ev->index < d->n && d->gone[ev->index];
}
/*
 * A sound record of the stream without these events: 1 and *r, changed or as it was; 0: it goes; -1: it does not fit
 * its event (text in err).
 */
int	drop_record(struct dropping *, struct pp_rec *r);
/* The same for HEADER_FEATURE. */
int	drop_feature(struct dropping *, struct pp_rec *r);
/* Move the tracking bits to an attr of the heir. */
void	drop_attr(const struct dropping *, uint8_t *attr);

/* Which events are in use: tell it of each record. */
void	drop_note_use(bool *used, unsigned n, const struct pp_events *, const struct pp_event *, const struct pp_rec *);
/* Bits of the flag word that make an event tell of tasks, maps and switches. */
uint64_t drop_tracking(const struct pp_event *);

#endif
