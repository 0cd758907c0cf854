/* SPDX-License-Identifier: ISC */
/*
 * side.h - one of the two places where records go: what is kept, and with -U the rest; each a stream complete in itself.
 *
 *	[records of --sideband=needed, build-ids]  ->  READ totals  ->  [periods in attrs]  ->  [anon]  ->  [drop]  ->  [columns]  ->  sink
 */
#ifndef PFILTER_SIDE_H
#define PFILTER_SIDE_H

#include "drop/build_ids.h"
#include "needed.h"
#include "options.h"
#include "sink/out.h"
#include "tool/tool.h"
#include "totals.h"

struct side {
	struct pp_sink	*sink;		/* NULL: write nothing */
	bool		 holds;		/* the sink holds all until something of the kernel has come through the changes, and */
	bool		 bound;		/* the names in the options were found */
	struct out	*first;		/* of the changes; NULL: there are none */
	struct totals	*totals;	/* NULL: nothing can be dropped */
	struct needed	*needed;	/* NULL: all side-band, or none */
	struct build_ids *build_ids;	/* with that */
	uint64_t	 records, samples;	/* that reached the sink, or would have */
};

/* Put the changes together in front of the sink.  -1: why is in t->in_err. */
int	side_start(struct side *, struct tool *, const struct options *, struct pp_state *, bool rest);
/* From here on, or once the changes can say no more that the options are wrong, what is put is written.  1, or -1. */
int	side_let_go(struct side *);
/* Put a record; `in' and `stable' as in out.h. */
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
/* The same of a record of any type but SAMPLE; `all': what --sideband=needed knows of build-ids does not count. */
int	side_put_named(struct side *, struct pp_source *in, const struct pp_rec *, bool all, bool stable);
static inline int
side_put_other(struct side *s, struct pp_source *in, const struct pp_rec *r, bool all, bool stable)
{
	if (s->build_ids && (all || build_ids_concern(r->type)))
		return side_put_named(s, in, r, all, stable);
	return side_put(s, in, r, stable);
}
/*
 * A sample of this side, or not (`keep'), whose READ totals have to stay right.  With `owed' it is not kept, but what it
 * counted goes to the next that is.
 */
int	side_put_sample(struct side *, struct tool *, const struct pp_event *, const struct pp_rec *, bool keep, bool owed,
	    bool stable);
/* The end of the input.  1, or -1. */
int	side_finish(struct side *);

#endif
