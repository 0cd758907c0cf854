/* SPDX-License-Identifier: ISC */
/*
 * front.h - data that a verdict leaves for the writing of its record, which may happen later (state/timeline.h): records that
 * must be written right before it, periods of dropped samples that it represents (thin.h), and the length of its span (length.h).
 *
 * Records for side 0 and side 1 are kept in one slot.  The number of the slot travels in pp_verdict.front.
 */
#ifndef PFILTER_FRONT_H
#define PFILTER_FRONT_H

#include "perfpipe_inline.h"
#include "window/length.h"

struct front_more {			/* besides records */
	uint64_t owed;
	bool	 measured;		/* it is the end of a span of that length */
	struct span_length length;
};
struct front {				/* initially zero */
	struct front_slot {
		uint8_t	*p;
		size_t	 mid, n;	/* [0, mid) for side 0, [mid, n) for side 1 */
		struct front_more more;
		int	 next;		/* next free slot */
	}		*slot;		/* slot 0 is not used: number 0 means "empty" */
	int		 n, free;
	size_t		 held;		/* bytes in all slots in use */
	uint8_t		*p;		/* the slot being filled */
	size_t		 len, mid, size;
	struct front_more more;
	int		 side;
};

/* Select the side for front_put(): 0 before 1; initially 0. */
void	front_side(struct front *, int side);
/* Append a record to the slot being filled; has the type that needed_sample() expects.  1, or -1: no memory. */
int	front_put(void *front, const struct pp_rec *);
/* Set the periods of dropped samples that the record represents. */
static inline void
front_owe(struct front *f, uint64_t owed)
{
	f->more.owed = owed;
}
/* Set the length of the span that it is an end of. */
static inline void
front_measure(struct front *f, const struct span_length *length)
{
	f->more.measured = true;
	f->more.length = *length;
}
/* Close the slot being filled: its number, 0 if it is empty; -1: no memory. */
int	front_close_slot(struct front *);
static inline int
front_close(struct front *f)
{
	if (f->len || f->more.owed || f->more.measured)
		return front_close_slot(f);
	f->side = 0;
	return 0;
}
static inline struct front_more
front_more(const struct front *f, int number)
{
	return number ? f->slot[number].more : (struct front_more){ .owed = 0 };
}
/* Read slot `number': the next record at *at (initially 0), and its side; false at the end. */
bool	front_get(const struct front *, int number, size_t *at, struct pp_rec *, bool swap, int *side);
void	front_free(struct front *, int number);
void	front_end(struct front *);

#endif
