/* SPDX-License-Identifier: ISC */
/* use.h - a source that leaves out the chunks of an index in which no SAMPLE is wanted */
#ifndef PPI_USE_H
#define PPI_USE_H

#include "index.h"

/* What a command knows of the SAMPLEs that it keeps. */
struct ppi_ask {
	/*
	 * The conditions that each of them meets: *n, valid until the next call; asked for in front of each chunk, when all records before
	 * it were yielded.  NULL: none is known yet, the chunk is read.
	 */
	const struct ppi_cond *(*conds)(void *arg, size_t *n);
	/* The chunk is left out, as none of its SAMPLEs meets that condition.  NULL: not wanted. */
	void	(*left)(void *arg, const struct pp_chunk *, size_t which);
	void	*arg;
};
struct ppi_used {
	uint64_t	 chunks, read;		/* in the index so far; read of them */
	uint64_t	 snapped;		/* of the chunks, those that a snapshot stands for */
	uint64_t	 left_out;		/* bytes of the recording that were not read */
	bool		 damaged;		/* an entry of the index was: what lies behind is read */
	bool		 no_snap;		/* a snapshot was: it was not used */
};

struct ppi_use;
/*
 * Let the source use the index, which fits; it must outlive the source, as all else here.  ask NULL: nothing is known, only a piece leaves
 * out chunks.  1; 0: the recording cannot be read that way; -1: no memory.  *u: ppi_use_free() it behind the source, also then.
 */
int	ppi_use(struct ppi_use **u, struct pp_source *, struct ppi_reader *, const char *name, const struct ppi_ask *ask);
/*
 * Before the first pp_next(): the command has a piece, and writes nothing of what is in front of it.  So it may get a snapshot instead.
 */
void	ppi_use_snaps(struct ppi_use *);
const struct ppi_used *ppi_used(const struct ppi_use *);
void	ppi_use_free(struct ppi_use *);

#endif
