/* SPDX-License-Identifier: ISC */
/*
 * descent.h - --inherit: who descends, by FORK, from a task that is chosen itself.
 *
 * A child is one for all its life, whatever becomes of its parent and of its number.  A FORK that perf synthesised is of a
 * task that was there before, and may come before its parent has a name: it is decided on at the first sample.
 */
#ifndef PFILTER_DESCENT_H
#define PFILTER_DESCENT_H

#include "task.h"

struct descent {			/* zeros at first, but for `chosen' and `arg' */
	/* Is the task chosen itself?  `task' is what is known of it; NULL: nothing. */
	bool	 (*chosen)(void *arg, uint32_t pid, uint32_t tid, const struct pp_task *task);
	void	*arg;
	uint32_t *undecided;		/* tids whose descent is not decided */
	size_t	 n, cap;
};

/* A FORK record, in time order, just when the state has taken it in.  1, or -1: no memory. */
int	descent_fork(struct descent *, const struct pp_state *, const struct pp_rec *, bool swap);
/* Does that thread descend from a chosen one? */
bool	descends(struct descent *, const struct pp_state *, uint32_t pid, uint32_t tid);
void	descent_free(struct descent *);

#endif
