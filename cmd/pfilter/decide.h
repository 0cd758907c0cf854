/* SPDX-License-Identifier: ISC */
/*
 * decide.h - the verdict on one record:
 *
 *	windows  ->  keys in the record && keys by history && --filter  ->  --invert  ->  switches  ->  thinning  ->  --max-samples
 *
 * The verdict is an enum reason: KEPT, or the first step in this order that rejects the record.
 */
#ifndef PFILTER_DECIDE_H
#define PFILTER_DECIDE_H

#include "keys/payload_field.h"
#include "options.h"

struct decide {
	struct tool	*t;
	struct options	*o;
	bool		 swap;		/* of the source */
	struct pp_state	*state;		/* at the time of the record; NULL: no verdict needs it */
	bool		 about_complete;	/* `about' is set, except for the record */
	struct thinner	*thinner;	/* NULL: no thinning */
	uint64_t	 nr;		/* number of the record, from 1 */
	uint64_t	 made;		/* records at the start that the reader made from a file header */
	bool		 marked;	/* the record has the mark of windows_look() */
	bool		 gap;		/* the record is a switch to keep: payload_task.h */
	bool		 held;		/* records are held for time order */
	bool		 copied;	/* the record is a copy; its offset in the input: */
	uint64_t	 offset;
	struct field_subject about;	/* input of --filter; `start': time of the first sample, 0: none yet */
	bool		 kernel_seen;	/* the map of the kernel, if --kallsyms has to be that of the recording */
	bool		 quick;		/* verdicts on samples need only keys in the record, --filter and thinning */
	bool		 bound;		/* all events are known, names in options were checked */
	bool		 checked;	/* the fields in --filter were checked */
	bool		 shared;	/* no option can reject the last record: it belongs to both sides */
	bool		 full;		/* --stop: every event has its --max-samples */
	bool		 unsure;	/* samples were left out by the index: another reason may have come first for them */
	uint64_t	 records[REASON_END], samples[REASON_END];	/* number of verdicts by reason */
};

/* `options' are complete and the source is open.  -1: no memory (in_err). */
int	decide_start(struct decide *, struct tool *, struct options *, struct pp_state *);
void	decide_end(struct decide *);
/*
 * Called for each record until `bound' is set, before its verdict.  Names of events in options are looked up as soon as all of
 * them can be found: at the first record of the kernel if it finds all, otherwise at the first sample.  A name that no event has
 * exits 2.
 */
void	decide_head(struct decide *, const struct pp_rec *);
/* The input has ended, without a fault, before `bound' was set. */
void	decide_head_end(struct decide *);
/* The verdict on a record of type < PP_USER_TYPE_START of that event: enum reason.  -1: the record is invalid (in_err). */
int	decide_record(struct decide *, const struct pp_event *, const struct pp_rec *);
/*
 * The same of a sample that arrives, if it is already known by the state of now (state_keys_guess()), and it is counted; decide_missed()
 * takes that back.  `kept', `rejected': pp_verdict.to.  Only if decide_guesses().
 */
bool	decide_guesses(const struct options *);
bool	decide_selects(const struct decide *, const struct pp_event *, const struct pp_rec *);
static inline pp_guess
decide_guess(struct decide *d, const struct pp_event *ev, const struct pp_rec *r, unsigned kept, unsigned rejected)
{
	const struct options *o = d->o;
	unsigned why;
	pp_guess g;

	if (r->type != PP_SAMPLE || (o->sel.keys && !decide_selects(d, ev, r)))
		return PP_NO_GUESS;
	/* What note_switch() notes of a switch depends on the time. */
	if ((payload_is_switch(ev) && !o->sel.switch_dropped) || (g = state_keys_guess(o->keys, d->state, ev, r)) == PP_NO_GUESS)
		return PP_NO_GUESS;
	why = pp_guess_why(g);
	if (o->sel.invert)
		why = why == KEPT ? INVERTED : KEPT;
	d->samples[why]++;
	return pp_guess_with(g, why, why == KEPT ? kept : rejected);
}
static inline void
decide_missed(struct decide *d, uint8_t why)
{
	d->samples[why]--;
}
/* Does --scale-period compensate for samples with this verdict? */
static inline bool
decide_thinned(enum reason why)
{
	return why == NOT_EVERY || why == NOT_SAMPLED || why == OVER_RATE;
}

/*
 * The verdict of --filter on a record to which the keys gave the verdict by_keys, KEPT or LACKS_FIELD.  Returns by_keys, NOT_FILTER
 * or UNKNOWN_FILTER; -1 as above.
 */
int	decide_filter(struct decide *, const struct pp_event *, const struct pp_rec *, int by_keys);

/* Thinning: the verdict on a selected sample.  -1: no memory (in_err). */
int	decide_thin(struct decide *, const struct pp_event *, const struct pp_rec *);

/* Fast path of decide_record(), with the same result. */
static inline int
decide(struct decide *d, const struct pp_event *ev, const struct pp_rec *r)
{
	const struct options *o = d->o;
	const struct selection *s = &o->sel;
	int why;

	if (!d->quick || r->type != PP_SAMPLE || (why = s->keys ? select_sample(s, ev, r, d->swap) : KEPT) == NO_VERDICT)
		return decide_record(d, ev, r);
	if (o->expr && (why == KEPT || why == LACKS_FIELD) && (why = decide_filter(d, ev, r, why)) < 0)
		return -1;
	if (why == LACKS_FIELD)
		why = KEPT;
	else if (s->invert && why != UNKNOWN_FILTER)
		why = why == KEPT ? INVERTED : KEPT;
	if (why == KEPT && d->thinner && (why = decide_thin(d, ev, r)) < 0)
		return -1;
	d->shared = false;
	d->samples[why]++;
	return why;
}

#endif
