/* SPDX-License-Identifier: ISC */
/*
 * chains.h - the stage of --unwind: samples with copies of stacks become samples with call chains
 *
 *	chains.c	the stage: holds records until a sample's maps are known, and passes them on in their order
 *	sample.h	the sample and its attr before and after
 *	files.h		the files by which chains are unwound
 *	aside.h		samples that wait in a temporary file
 *	common/unwind/	from registers and stack to the chain
 *
 * Records wait until the rounds guarantee that no older one follows (state/timeline.h).  A sample then has its turn: it is unwound by
 * the maps of its process at its time.  All records are passed on in the order in which they came; only those with a payload (hardware
 * trace) go in front of what waits.  Of the samples of a round, 24 MiB wait in memory, and the others in a temporary file.  The stages behind
 * this one see the new chains, and read samples by chains_events().
 */
#ifndef CHAINS_H
#define CHAINS_H

#include "lookup/lookup.h"
#include "sink/out.h"
#include "tool/tool.h"

enum { CHAINS_MAX = 127, CHAINS_MOST = 1000 };	/* frames of user space: what perf shows by default; what --unwind-max permits */

struct chains_opt {		/* from the command line */
	bool		 on;		/* --unwind */
	bool		 keep_regs;	/* --unwind=keep-regs */
	unsigned	 max;		/* --unwind-max; 0: CHAINS_MAX */
	int		 file;		/* a temporary file, of chains_open(); -1: there is none */
	int		 file_error;	/* why not: errno */
};

struct chains;

/* Before the process is confined: what chains_new() needs. */
void		 chains_open(struct chains_opt *);
/* The input must be open.  strict: a file that cannot be used makes the exit status 1. */
struct chains	*chains_new(struct tool *, struct lookup *, const struct chains_opt *, bool strict);
/* The events as the records behind this stage have them. */
const struct pp_events *chains_events(const struct chains *);
/* The stage, whose finish() frees all: `next' is the one behind it. */
struct out	*chains_stage(struct chains *, struct out *next);

#endif
