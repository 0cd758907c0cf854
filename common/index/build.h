/* SPDX-License-Identifier: ISC */
/* build.h - makes the index of a recording, by a walk over all its records */
#ifndef PPI_BUILD_H
#define PPI_BUILD_H

#include "index.h"
#include "source/leave_out.h"

enum { PPI_EVERY = 256 << 20, PPI_EVERY_MIN = 4 << 10, PPI_EVERY_MAX = 1 << 30 };

struct ppi_build {
	uint64_t	 size;			/* of chunks; 0: PP_CHUNK_SIZE */
	uint64_t	 every;			/* bytes of records between two snapshots, in steps of 1024; 0: PPI_EVERY */
	struct ppi_reader *old;			/* ppi_same(), with these sizes: its entries are kept; NULL: all are made */
	const char	*old_name;
	/* An entry is in the sink.  NULL: nothing to do.  1, or -1 by pp_fail() on the source's pp_err. */
	int		(*tick)(void *arg, uint64_t chunks);
	int		(*refill)(void *arg);	/* before the source reads; NULL: nothing to do */
	void		*arg;
	struct pp_err	*err;			/* that of the sink */
	/* results */
	struct pp_chunk	 sums;
	uint64_t	 chunks;
	struct pp_leave_out leave;		/* private */
};
/*
 * Write the index of a source that has just begun.  The same recording gives the same bytes.  Each record is checked as whoever reads
 * it checks it.  1, or -1: the source's pp_err or that of the sink says why.
 */
int	ppi_build(struct pp_source *, struct pp_sink *, struct ppi_build *);

#endif
