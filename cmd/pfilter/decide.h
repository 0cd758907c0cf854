/* SPDX-License-Identifier: ISC */
/*
 * decide.h - the verdict on one record, all things considered:
 *
 *	keys in the record && keys by history && --filter  ->  --invert  ->  switches  ->  thinning  ->  --max-samples
 */
#ifndef PFILTER_DECIDE_H
#define PFILTER_DECIDE_H

#include "options.h"

struct decide {
	struct tool	*t;
	struct options	*o;
	struct pp_state	*state;		/* at the time of the record; NULL: nothing asks for it */
	bool		 told;		/* `about' needs nothing but the record any more */
	struct thinner	*thinner;	/* NULL: no thinning */
	uint64_t	 nr;		/* of the record, from 1 */
	uint64_t	 made;		/* as many of the first ones were made of a file's header: the input does not have them */
	bool		 held;		/* records wait for their turn */
	bool		 copied;	/* the record is a copy, and stood there: */
	uint64_t	 offset;
	struct field_subject about;	/* what --filter is asked; `start': time of the first sample; 0: none yet */
	bool		 quick;		/* nothing but keys that stand in the record, and --filter, decides on samples */
	bool		 bound;		/* the events are all known */
	bool		 checked;	/* whether they have the fields of --filter */
	bool		 shared;	/* the last record belongs to what is kept and to the rest, as far as can be told */
	bool		 full;		/* --stop: there is no more to come */
	uint64_t	 records[REASON_END], samples[REASON_END];	/* decided, by reason */
};

/* Begin: options and source are there.  -1: no memory (in_err). */
int	decide_start(struct decide *, struct tool *, struct options *, struct pp_state *);
void	decide_end(struct decide *);
/*
 * Each record up to the first that is `bound', before it is decided: once all names that the options give can be looked for,
 * those that are none exit 2.  That is at the first record of the kernel if they are all found, else at the first sample.
 */
void	decide_head(struct decide *, const struct pp_rec *);
/* The input has ended without a fault before that. */
void	decide_head_end(struct decide *);
/* A record of type < PP_USER_TYPE_START of that event: enum reason; -1: it is not sound (in_err). */
int	decide_record(struct decide *, const struct pp_event *, const struct pp_rec *);
/* Is it a reason for which --scale-period makes up? */
static inline bool
decide_thinned(enum reason why)
{
	return why == NOT_EVERY || why == NOT_SAMPLED || why == OVER_RATE;
}

/* What --filter says of a record of which the keys said KEPT or CANNOT_SAY: one of these, NOT_FILTER, UNKNOWN_FILTER; -1. */
int	decide_filter(struct decide *, const struct pp_event *, const struct pp_rec *, int by_keys);

/* The same as decide_record(), quickly where that can be. */
static inline int
decide(struct decide *d, const struct pp_event *ev, const struct pp_rec *r)
{
	const struct selection *s = &d->o->sel;
	int why;

	if (!d->quick || r->type != PP_SAMPLE || (why = s->keys ? select_sample(s, ev, r, d->t->in->swap) : KEPT) < 0)
		return decide_record(d, ev, r);
	if (d->o->expr && (why == KEPT || why == CANNOT_SAY) && (why = decide_filter(d, ev, r, why)) < 0)
		return -1;
	if (why == CANNOT_SAY)
		why = KEPT;
	else if (s->invert && why != UNKNOWN_FILTER)
		why = why == KEPT ? INVERTED : KEPT;
	d->shared = false;
	d->samples[why]++;
	return why;
}

#endif
