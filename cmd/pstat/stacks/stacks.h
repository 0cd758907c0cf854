/* SPDX-License-Identifier: ISC */
/*
 * stacks.h - the stacks of all samples as a tree (stack/tree.h): event, comm of the thread or what else is asked for, frames, the
 * innermost last
 *
 * Names are numbers of frames (symbol/frames.h).  Frames without a name that follow one another and are called the same are one.
 */
#ifndef PSTAT_STACKS_STACKS_H
#define PSTAT_STACKS_STACKS_H

#include "stack/tree.h"
#include "stack/walk.h"
#include "stacks/naming.h"

/* The level on that of the event; the last two: none. */
enum stacks_by { STACKS_COMM, STACKS_PID, STACKS_TID, STACKS_EVENT, STACKS_NONE };

struct stacks {			/* begins zeroed, but for what is asked for */
	struct tool	*tool;
	struct frames	*frames, *own;	/* own: without --symbols */
	/* asked for */
	const char	*events;	/* only samples of these; NULL: all */
	int		 mode;		/* only samples of this cpumode; -1: all */
	enum stacks_by	 by;
	bool		 periods;	/* the tree has their sum, not the number of samples */
	bool		 busy;		/* without samples of idle CPUs */
	uint32_t	 max;		/* nodes */
	/* after stacks_begin(): sees each sample, time 0: none, and its node; NULL: nobody does */
	void		(*each)(void *arg, uint64_t time, uint32_t node);
	void		*each_arg;

	struct tree	 tree;
	struct walk	*walk;
	struct pp_state	*state;
	bool		 failed;	/* in_err has the reason */
	uint64_t	 samples, flat;	/* all in the tree, and those whose stack is one frame */
	uint64_t	 idle;		/* samples that are left out as idle */
	uint64_t	 dropped;	/* samples whose call chain is damaged (stack/walk.h): only their innermost frame is in the tree */
	uint64_t	 frame[FRAME_KINDS];	/* frames of all samples, by kind */
	uint64_t	 weight;	/* of the tree */
	bool		 over;		/* it would be larger than 64 bits */
	int		 now;		/* cpumode of the record that is read */
	uint8_t		*wanted;	/* by index of an event: 0 is not known, 1 no, 2 yes */
	size_t		 nwanted;
	uint32_t	 event, event_name, by_name;	/* of the sample before; the names 0: none yet */
	uint32_t	*name;		/* of the stack in work */
	size_t		 cap;		/* bytes */
};

/* After count_init() and before the input is counted; naming: of --symbols; NULL: none.  Exits 1 without memory. */
void	stacks_begin(struct stacks *, struct tool *, struct counts *, struct naming *);
/* The input has ended, and there is no state any more.  False: a limit was met that affects the tree. */
bool	stacks_end(struct stacks *);
/* Had every record its turn, in the order of time? */
bool	stacks_in_turn(const struct stacks *);
/* Was every sample counted, in its turn?  Of a tree without its rare ends, too. */
bool	stacks_whole(const struct stacks *);
void	stacks_free(struct stacks *);
/* The tree as lines "comm;outer;...;inner COUNT", in order; several events: with the event in front. */
void	stacks_fold(struct stacks *, FILE *);

#endif
