/* SPDX-License-Identifier: ISC */
/* marks.h - stages that add records which mark a place of the stream */
#ifndef MARKS_H
#define MARKS_H

#include "sink/out.h"
#include "tool/tool.h"

/* FINISHED_INIT behind the records that perf record synthesises at its start. */
struct out	*init_new(struct tool *, struct out *next);

/*
 * --finished-round: a FINISHED_ROUND each time the newest time has moved on by `step' ns (not 0).  replace: in the place of those
 * that the stream has; else a stream that has them is not changed.  Records that are more than `step' behind a newer one are
 * counted and reported, and set `failed' of the tool.
 */
struct out	*round_new(struct tool *, uint64_t step, bool replace, struct out *next);

struct round_option {		/* initially zero: the option was not given */
	uint64_t step;		/* ns; 0: no markers are added */
	bool	 find;		/* auto: survey() finds the step */
	bool	 replace;
};
/* The argument of --finished-round, into a struct round_option; exits 2 if it is wrong. */
void	round_option(struct tool *, void *option);
/* With `auto': set the step by the first pass. */
struct survey;
void	round_found(const struct tool *, struct round_option *, const struct survey *);

/* ID_INDEX made again of the ids of the ATTRs; cpu and tid are from those that the stream has, which are left out, or -1. */
struct out	*id_index_new(struct tool *, struct out *next);

#endif
