/* SPDX-License-Identifier: ISC */
/*
 * look.h - a recording is looked through before it is split: where does something older come later?
 *
 * Records of the kernel are numbered from 0; the number is their place.  A late record is one behind a newer one.  Noted
 * are the late records that no later one is as old as: time and place grow together, so the first one at or behind a
 * place is the oldest there.  Neighbours of one round are noted as one where no place between them could be cut.
 *
 * Memory is bounded: with too many notes, two become one.  Then some places that could be cut are not known as such.
 */
#ifndef PCAT_LOOK_H
#define PCAT_LOOK_H

#include "perfpipe_inline.h"

struct look_note {
	uint64_t	 time, place;	/* of a late record */
	uint64_t	 before;	/* a record of this time stands in front of it */
	uint64_t	 round;		/* FINISHED_ROUNDs in front of it */
};
struct look {			/* begins zeroed */
	struct look_note *note;
	size_t		 n, cap;
	size_t		 at, at_round;	/* what was asked for last */
	uint64_t	 newest, place, round;
};

/* A FINISHED_ROUND; a record of the kernel, time 0: it has none.  1, or -1: no memory. */
void	look_mark(struct look *);
int	look_record(struct look *, uint64_t time);
/* All records of a source, to its end or first fault; `shift' is added to their times.  1, or -1: no memory. */
int	look_source(struct look *, struct pp_source *, uint64_t shift);
/*
 * The time of the oldest late record at or behind that place, or behind so many FINISHED_ROUNDs; UINT64_MAX: there is
 * none.  To be asked for by growing numbers.
 */
uint64_t look_from(struct look *, uint64_t place);
uint64_t look_from_round(struct look *, uint64_t round);
void	look_free(struct look *);

#endif
