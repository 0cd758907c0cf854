/* SPDX-License-Identifier: ISC */
/*
 * front.h - what was found while a record was decided, and is wanted when it is written, which may be later (timeline.h):
 * records that go out right in front of it (perf would take them for later than other records if they came earlier), and
 * the periods that it stands for beside its own (thin.h).
 */
#ifndef PFILTER_FRONT_H
#define PFILTER_FRONT_H

#include "perfpipe_inline.h"

struct front {				/* begins zeroed */
	struct front_slot {
		uint8_t	*p;
		size_t	 mid, n;	/* up to mid for side 0, from there on for side 1 */
		uint64_t owed;
		int	 next;		/* free slot behind this one */
	}		*slot;		/* slot 0 is never used: "nothing" */
	int		 n, cap, free;
	size_t		 held;		/* bytes of all that are not yet freed */
	uint8_t		*p;		/* the one being filled */
	size_t		 len, mid, size;
	uint64_t	 owed;
	int		 side;
};

/* What is put from here on is for that side; 0 comes first, and need not be said. */
void	front_side(struct front *, int side);
/* Append a record to the one being filled; fit for needed_sample(): 1, or -1: no memory. */
int	front_put(void *front, const struct pp_rec *);
/* Periods that the record stands for. */
static inline void
front_owe(struct front *f, uint64_t owed)
{
	f->owed = owed;
}
/* It is complete: its number, 0 if it is empty; -1: no memory. */
int	front_keep(struct front *);
static inline int
front_take(struct front *f)
{
	if (f->len || f->owed)
		return front_keep(f);
	f->side = 0;
	return 0;
}
static inline uint64_t
front_owed(const struct front *f, int number)
{
	return number ? f->slot[number].owed : 0;
}
/* The next record of one, by its place, and its side; false at the end. */
bool	front_get(const struct front *, int number, size_t *at, struct pp_rec *, bool swap, int *side);
void	front_free(struct front *, int number);
void	front_end(struct front *);

#endif
