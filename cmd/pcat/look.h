/* SPDX-License-Identifier: ISC */
/*
 * look.h - scan a recording before it is split, to find the places where it can be cut: no later record is older.
 *
 * Records of the kernel are numbered from 0; this number is the place of a record.  A late record comes after a newer one.
 * A note is kept of each late record that is older than all late records after it.  Notes ascend by time and by place, so
 * the first note at or after a place has the oldest time from there on.  Notes of one round between which no cut is
 * possible are merged.
 *
 * Memory is bounded: too many notes are merged in pairs, and then some possible cuts are not found.
 */
#ifndef PCAT_LOOK_H
#define PCAT_LOOK_H

#include "perfpipe_inline.h"

struct look_note {
	uint64_t	 time, place;	/* of a late record */
	uint64_t	 before;	/* time of a newer record before it */
	uint64_t	 round;		/* number of FINISHED_ROUNDs before it */
};
struct look {			/* zeroed at the start */
	struct look_note *note;
	size_t		 n;
	size_t		 at, at_round;	/* notes that the last lookups found */
	uint64_t	 newest, place, round;
};

/* Add a FINISHED_ROUND. */
void	look_mark(struct look *);
/* Add all records of a source up to its end or first fault, with `shift' added to their times.  1, or -1: no memory. */
int	look_source(struct look *, struct pp_source *, uint64_t shift);
/*
 * The time of the oldest late record at or after a place, or after that number of FINISHED_ROUNDs; UINT64_MAX: none.
 * Successive calls must have ascending arguments.
 */
uint64_t look_from(struct look *, uint64_t place);
uint64_t look_from_round(struct look *, uint64_t round);
void	look_free(struct look *);

#endif
