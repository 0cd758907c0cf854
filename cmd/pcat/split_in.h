/* SPDX-License-Identifier: ISC */
/* split_in.h - the parts of split.c (which record is of which part) and split_part.c (files: begin, snapshot, end) */
#ifndef PCAT_SPLIT_IN_H
#define PCAT_SPLIT_IN_H

#include "part.h"
#include "split.h"
#include "spooled.h"
#include "state/timeline.h"

enum { OPEN_MAX = 4 };			/* parts that may still get records */

struct split {
	struct out	 pub;
	const struct tool *tool;
	struct split_options *o;
	struct pp_source *like;
	struct pp_err	*err;
	struct pp_events *events;	/* of the input of this output */
	bool		 swap;
	struct spooled	 head, init;	/* init: records before the begin of the first part */
	struct pp_state	*state;
	uint64_t	 taken, snapshots;	/* bytes of the input so far, and of snapshots */
	struct pp_timeline *pending;	/* side-band that the state does not have yet */
	size_t		 unsettled;	/* bytes added to `pending' since split_settled() was called */
	struct part_reads reads;
	uint64_t	 newest;	/* the largest time so far */
	uint64_t	 known;		/* `newest' at the last FINISHED_ROUND */
	uint64_t	 settled;	/* the watermark: no older record will come */
	uint64_t	 rounds;	/* FINISHED_ROUNDs in all */
	bool		 inits;		/* the stream has a FINISHED_INIT */
	bool		 disorder;	/* a record was older than one before it */
	bool		 stats;		/* there are STATs whose STAT_ROUND has not come */
	bool		 failed;

	struct part	*part[OPEN_MAX];	/* the open parts, in order */
	unsigned	 n;
	bool		 cut;		/* the last part has ended: it gets only records older than `end' */
	uint64_t	 end;
	uint64_t	 number;	/* parts begun */
	uint64_t	 held_back;	/* how often a part was full, but a cut was not possible */
	uint64_t	 older;		/* records older than the begin of the oldest open part */
	char		*name;		/* of the last part begun */
	char		**names;	/* of the last max_files parts that are complete */
	uint64_t	 nnames;	/* complete parts; name i is at i % max_files */
};

/* The part that gets records in order.  NULL: the last one has ended, or there is none yet. */
static inline struct part *
split_current(const struct split *s)
{
	return s->n && !s->cut ? s->part[s->n - 1] : NULL;
}

/* Report the error of a part, if it has a text, as the error of the output.  Always -1. */
int	split_part_failed(struct split *, const struct part *);
/* Begin a part, which has the name of that time, with the head and the snapshot; the first one with `init'. */
int	split_begin_part(struct split *, uint64_t time);
/* Close the oldest open part. */
int	split_close_part(struct split *);
/* Close the parts that end at that time or before, except the last: records without a time may follow in it. */
int	split_close_parts(struct split *, uint64_t until);

#endif
