/* SPDX-License-Identifier: ISC */
/* survey.h - what a first pass over the input finds of its times (--finished-round=auto, --sample-time) */
#ifndef SURVEY_H
#define SURVEY_H

#include "header/edit.h"

struct survey {
	uint64_t first, last;		/* times of the oldest and newest sample; 0: no sample has a time */
	uint64_t behind;		/* the most by which a record is older than one that precedes it */
	bool	 rounds;		/* there are FINISHED_ROUNDs */
	struct pp_err err;		/* why it ended early, if the main pass may go on */
};

/*
 * Read the input (tool_twice()), between tool_open_locked() and tool_open_begin().  Prints the reason and exits 1 if it cannot be
 * opened again.  Damage is not reported: the main pass ends at the same place, and reports it.
 */
void	survey(struct tool *, struct survey *);
/* --sample-time: the feature SAMPLE_TIME, as perf record writes it into a file; not if the survey ended early, which is said. */
void	sample_time(struct tool *, struct edit *, const struct survey *);

#endif
