/* SPDX-License-Identifier: ISC */
/*
 * side.h - one of the two outputs: kept records, and with -U rejected records.  Each output is a complete stream.
 *
 *	[records of --sideband=needed, build-ids]  ->  READ totals  ->  [periods in attrs]  ->  [anon]  ->  [drop]  ->  [columns]  ->  sink
 *
 * A new change of records is a struct out (sink/out.h) that side_start() puts into this chain.  A change that shortens samples
 * comes last, since the others read samples by the layout of the input.
 */
#ifndef PFILTER_SIDE_H
#define PFILTER_SIDE_H

#include "drop/build_ids.h"
#include "history/needed.h"
#include "options.h"
#include "out/totals.h"
#include "sink/out.h"
#include "tool/tool.h"

struct side {
	struct pp_sink	*sink;		/* NULL: records are counted only */
	bool		 holds;		/* the sink holds its output, until a record of the kernel has passed the changes, */
	bool		 bound;		/* ... and the names in options were found */
	struct out	*first;		/* first of the changes; NULL: none */
	struct totals	*totals;	/* NULL: no READ values, or no samples are rejected */
	struct needed	*needed;	/* NULL: not --sideband=needed */
	struct build_ids *build_ids;	/* with `needed' */
	uint64_t	 records, samples;	/* that were written, or would be without --dry-run */
};

/* Make the chain of changes in front of the sink.  -1: cause in t->in_err. */
int	side_start(struct side *, struct tool *, const struct options *, struct pp_state *, bool rest);
/*
 * Names in options were found: the sink stops holding now, or as soon as the changes have checked their own options.  1, or -1.
 */
int	side_let_go(struct side *);
/* Write a record; `in' and `stable' as in out.h. */
int	side_put_changed(struct side *, struct pp_source *in, const struct pp_rec *, bool stable);
static inline int
side_put(struct side *s, struct pp_source *in, const struct pp_rec *r, bool stable)
{
	if (s->first || !stable || !s->sink)
		return side_put_changed(s, in, r, stable);
	s->records++;
	s->samples += r->type == PP_SAMPLE;
	return pp_put(s->sink, in, r);
}
/* Write a record that is not a SAMPLE.  `all': keep all build-ids, in spite of --sideband=needed. */
int	side_put_named(struct side *, struct pp_source *in, const struct pp_rec *, bool all, bool stable);
static inline int
side_put_other(struct side *s, struct pp_source *in, const struct pp_rec *r, bool all, bool stable)
{
	if (s->build_ids && (all || build_ids_concern(r->type)))
		return side_put_named(s, in, r, all, stable);
	return side_put(s, in, r, stable);
}
/*
 * A sample that this side writes (`keep') or not, to keep READ totals right.  `owed': the sample is dropped by thinning, and its
 * count goes to the next kept sample.
 */
int	side_put_sample(struct side *, struct tool *, const struct pp_event *, const struct pp_rec *, bool keep, bool owed,
	    bool stable);
/* The end of the input.  1, or -1. */
int	side_finish(struct side *);

#endif
