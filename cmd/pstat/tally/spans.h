/* SPDX-License-Identifier: ISC */
/*
 * spans.h - bins of time for pictures: numbered in the order in which they come, so that what is counted in them is an array.
 *
 * Without a width of the user's, they begin as fine as the list of widths allows; each of these divides the next.  When there are
 * more than `max' with something in them, they become wider, and all that counts in them is summed up again.  That depends on the
 * times alone, not on their order.
 */
#ifndef PSTAT_SPANS_H
#define PSTAT_SPANS_H

#include <stdbool.h>
#include <stdint.h>

#include "set.h"

/*
 * Time: columns of the same width, in order.  A long time in which nothing was sampled (a clock that jumps) has no columns:
 * there, start[i] + width < start[i + 1], which is drawn as a break that says how long it is.
 */
struct axis {
	uint64_t	 width;		/* of a column, ns; a column begins at a multiple of it */
	unsigned	 n;
	uint64_t	*start;		/* of each column, ns of the trace clock, ascending */
	uint64_t	 first, last;	/* the first and the last sample: the columns that they are in are covered in part */
};

/* The bins became wider: bin i of n is now to[i], of n_to. */
typedef void	spans_change(void *arg, const uint16_t *to, unsigned n, unsigned n_to);
enum { SPANS_COUNTERS = 8, SPANS_FIRST = 1000000, SPANS_SECOND = 1000000000 };	/* SPANS_FIRST: the finest, ns */

struct spans {
	uint64_t	 from, length;	/* of the bin of the last time; length 0: none yet */
	unsigned	 at;		/* its number */
	uint64_t	 width;
	unsigned	 parts;		/* widths are those of the list, divided by it */
	unsigned	 n, max;
	bool		 fixed;		/* the width is the user's */
	bool		 over;		/* and there are more than max, which count as the last one */
	uint64_t	*start;		/* by number; max + 1 */
	struct set	 by;		/* 1 + number, by start */
	struct { spans_change *fn; void *arg; } counter[SPANS_COUNTERS];
	unsigned	 ncounters;
};

/* width: the first, or the user's; max: of bins; at most 32,768, as spans_change has 16 bits for each. */
void	spans_init(struct spans *, uint64_t width, bool fixed, unsigned parts, unsigned max);
void	spans_free(struct spans *);
/* Is this a width that bins may have? */
bool	spans_may_be(uint64_t width);
void	spans_count_by(struct spans *, spans_change *, void *arg);
void	spans_find(struct spans *, uint64_t time);

/* The number of the bin. */
static inline unsigned
spans_at(struct spans *s, uint64_t time)
{
	if (time - s->from >= s->length)
		spans_find(s, time);
	return s->at;
}

/* Make the bins wider, whoever chose their width. */
void	spans_widen(struct spans *);
/* The same if so many samples in them are too few to show more than single ones, and enough bins remain. */
void	spans_coarsen(struct spans *, uint64_t samples);
/*
 * Make the columns of a picture: one for `per' bins, ones for the empty times between, but for jumps of the clock, at most
 * `most'; for that the bins may become wider.  *column: of each bin; it and axis->start are the caller's.  False: there are
 * more, as the width is fixed.
 */
bool	spans_axis(struct spans *, unsigned per, unsigned most, struct axis *, unsigned **column);

#endif
