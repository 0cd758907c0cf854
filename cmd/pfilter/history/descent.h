/* SPDX-License-Identifier: ISC */
/*
 * descent.h - --inherit: which tasks descend, by FORK records, from a task that --pid or --comms selects.
 *
 * A child of such a task counts as descendant all its life, even if its parent ends and the parent's pid is given to another
 * process.  A FORK that perf synthesised describes a task older than the recording, and may precede the COMM of its parent; its
 * descent is determined at the first record with a time, or sample: descent_begin().
 */
#ifndef PFILTER_DESCENT_H
#define PFILTER_DESCENT_H

#include "task.h"

struct descent {			/* initially zero, except `chosen' and `arg' */
	/* Does an option select the task itself?  `task': its state; NULL: not known. */
	bool	 (*chosen)(void *arg, const struct pp_state *, uint32_t pid, uint32_t tid, const struct pp_task *task);
	void	*arg;
	uint32_t *undecided;		/* tids whose descent is not determined yet */
	size_t	 n;
};

/* In front of pp_state_feed() of a record with a time, in time order.  What descent is not determined yet depends on the names up to here. */
void	descent_begin(struct descent *, const struct pp_state *);
/* A FORK record, in time order, after pp_state_feed().  1, or -1: no memory. */
int	descent_fork(struct descent *, const struct pp_state *, const struct pp_rec *, bool swap);
/* The task by which a thread descends: that of its process if the thread had no FORK.  NULL: not known. */
const struct pp_task *descent_source(const struct pp_state *, uint32_t pid, uint32_t tid);
/* Does the thread descend from a selected task? */
bool	descends(struct descent *, const struct pp_state *, uint32_t pid, uint32_t tid);
void	descent_free(struct descent *);

#endif
