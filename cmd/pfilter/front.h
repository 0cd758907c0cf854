/* SPDX-License-Identifier: ISC */
/*
 * front.h - records that were made while a record was decided, and go out right in front of it when it is written,
 * which may be later (hold.h): perf would take them for later than other records if they came earlier.
 */
#ifndef PFILTER_FRONT_H
#define PFILTER_FRONT_H

#include "perfpipe.h"

struct front {				/* begins zeroed */
	struct front_slot {
		uint8_t	*p;
		size_t	 mid, n;	/* up to mid for side 0, from there on for side 1 */
		int	 next;		/* free slot behind this one */
	}		*slot;		/* slot 0 is never used: "nothing" */
	int		 n, cap, free;
	size_t		 held;		/* bytes of all that are not yet freed */
	uint8_t		*p;		/* the one being filled */
	size_t		 len, mid, room;
	int		 side;
};

/* What is put from here on is for that side; 0 comes first, and need not be said. */
void	front_side(struct front *, int side);
/* Append a record to the one being filled; fit for needed_sample(): 1, or -1: no memory. */
int	front_put(void *front, const struct pp_rec *);
/* It is complete: its number, 0 if nothing was put; -1: no memory. */
int	front_take(struct front *);
/* The next record of one, by its place: its side; -1 at the end. */
int	front_get(const struct front *, int number, size_t *at, struct pp_rec *, bool swap);
void	front_free(struct front *, int number);
void	front_end(struct front *);

#endif
