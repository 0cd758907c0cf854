/* SPDX-License-Identifier: ISC */
/*
 * stacks.h - the stacks of all samples as a tree (stack/tree.h): event, comm of the thread, frames, the innermost last
 *
 * Names are numbers of frames (symbol/frames.h).  Frames without a name that follow one another and are called the same are one.
 */
#ifndef PSTAT_STACKS_STACKS_H
#define PSTAT_STACKS_STACKS_H

#include "stack/tree.h"
#include "stack/walk.h"
#include "stacks/naming.h"

struct stacks {
	struct tool	*tool;
	struct naming	*naming;
	const char	*events;	/* only samples of these; NULL: all */
	struct tree	 tree;
	struct walk	*walk;
	struct pp_state	*state;
	bool		 failed;	/* in_err has the reason */
	uint64_t	 samples, flat;	/* all, and those whose stack is one frame */
	uint8_t		*wanted;	/* by index of an event: 0 is not known, 1 no, 2 yes */
	size_t		 nwanted;
	uint32_t	 event, event_name, comm_name;	/* of the sample before; the names 0: none yet */
	uint32_t	*name;		/* of the stack in work */
	size_t		 cap;		/* bytes */
};

/* After count_init() and before the input is counted.  Exits 1 without memory. */
void	stacks_begin(struct stacks *, struct pass *);
/* The input has ended.  False: a limit was met that affects the tree. */
bool	stacks_end(struct stacks *);
void	stacks_free(struct stacks *);
/* The tree as lines "comm;outer;...;inner COUNT", in order; several events: with the event in front. */
void	stacks_fold(struct stacks *, FILE *);

#endif
