/* SPDX-License-Identifier: ISC */
/*
 * in.h - the parts of out_pprof.c and turn.c
 *
 * Memory: three eighths of the limit for samples that wait (stack/walk.h), the rest for the tables and, with -S, for the state of
 * what is alive, which gets half of the limit at most.
 */
#ifndef PPROF_IN_H
#define PPROF_IN_H

#include <limits.h>

#include "profile.h"
#include "sink/out.h"
#include "stack/walk.h"
#include "write.h"

struct pprof {
	struct out	 pub;
	const struct profile_what *what;
	struct tool	*tool;
	struct atomic	*file;
	struct pp_err	*err;		/* of the file */
	struct pp_sink	*sink;
	char		*stem;		/* the path of the first file */
	unsigned	 number;	/* of the file, from 1 */
	size_t		 memory;	/* limit of the tables */

	struct pp_events *events;
	struct pp_state	*state;
	struct walk	*walk;
	struct pprof_facts facts;
	struct pprof_tables tables;
	uint64_t	*counts;	/* samples of each event */
	struct profile_events wanted;
	size_t		 ncounts;
	uint64_t	 samples;
	uint64_t	 mended;	/* strings, in the files that are written */
};

/* out_pprof.c: complete the file, and begin the next one beside it.  1, or -1. */
int	pprof_next_file(struct pprof *);
/* turn.c: what walk.h asks for, with the struct pprof as argument. */
int	pprof_turn_begin(void *);
uint32_t pprof_turn_place(void *, const struct pp_map *, unsigned mode, uint64_t ip);
int	pprof_turn_sample(void *, const struct walk_sample *);

#endif
