/* SPDX-License-Identifier: ISC */
/* jobs_in.h - between jobs.c and jobs_join.c */
#ifndef PP_TOOL_JOBS_IN_H
#define PP_TOOL_JOBS_IN_H

#include <signal.h>
#include <sys/types.h>

#include "tool.h"

enum { SUMS = ~0u >> 1 };

struct slot {			/* of a piece, in memory that is shared */
	uint64_t	 done, total;	/* progress */
	uint64_t	 sum;		/* bytes of SAMPLEs of all pieces, of the process that adds them up */
	bool		 swap;		/* the output has the other byte order */
	bool		 whole;		/* the output is complete */
	char		 says[1024];	/* tool_jobs_says(); "": nothing */
};
struct part {
	pid_t		 pid;		/* 0: it has ended */
	unsigned	 tries;
	int		 out;		/* temporary files: what it writes ... */
	int		 says;		/* ... to standard error, ... */
	int		 once;		/* u64 offsets in `out' of records that other pieces may have, too */
	char		*text;		/* what it said */
};
struct jobs {
	struct tool	*t;
	unsigned	 n;
	struct part	*part;
	struct slot	*shared;	/* one of each piece, and one of the process that adds up */
	sigset_t	 before;	/* signals that were blocked */
};

/* Print the messages of a piece that no piece before it has printed; what all say by tool_jobs_says(). */
void	jobs_print(struct jobs *, unsigned i);
void	jobs_print_common(const struct jobs *);

#endif
