/* SPDX-License-Identifier: ISC */
/*
 * snap.h - makes snapshots: what a reader who begins behind a chunk is given instead of all before it
 *
 * A snapshot is a piece of a stream: the records in force (force.h) of those that readers have taken when they come here, in that order;
 * then those that wait for their rounds, as they stand in the recording, with its FINISHED_ROUNDs and the times of SAMPLEs
 * (PP_LEFT_OUT) as far as they matter to the rounds that come.  All are records of the recording, byte for byte, but these.
 *
 * There is none at a place where what is left makes another state than all records do, where it takes more than seven
 * eighths of the bytes of all, or more than SNAP_MAX; and no more behind a record with a payload other than TRACING_DATA, or where more wait, or are in force,
 * than memory is allowed for.
 */
#ifndef PPI_SNAP_H
#define PPI_SNAP_H

#include "source/chunk.h"

enum { SNAP_MAX = 64 << 20 };

struct snap;
struct snap_made {			/* valid until the next call */
	uint64_t	 off, chunks, sample_bytes;	/* what it stands for: the bytes up to there, so many chunks, with so many bytes of SAMPLEs */
	const uint8_t	*p;
	size_t		 n;
};
/* One each so many bytes of records.  NULL: no memory. */
struct snap *snap_new(struct pp_source *, uint64_t every, struct pp_err *);
void	snap_free(struct snap *);
/* What returns int: 1, or -1 by pp_fail(). */
/* A record that is no SAMPLE; its payload can be fetched. */
int	snap_record(struct snap *, struct pp_source *, const struct pp_rec *);
/* SAMPLEs here have times up to that. */
void	snap_saw(struct snap *, uint64_t time);
/* The chunk is complete.  1: a snapshot was made of all up to its end; 0: none. */
int	snap_chunk(struct snap *, const struct pp_chunk *, struct snap_made *);

#endif
