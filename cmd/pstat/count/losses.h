/* SPDX-License-Identifier: ISC */
/*
 * losses.h - counters by time: what was lost, and when.
 *
 * The bins are those of sort/bins.h: they begin at multiples of their width, and widths divide each other, so that those of two
 * recordings of one clock add up.  The width is the smallest with which at most LOSSES_BINS bins have something in them; it
 * depends on the times alone, not on their order.  Bins in which nothing is do not exist, so times may be far apart.
 */
#ifndef PSTAT_LOSSES_H
#define PSTAT_LOSSES_H

#include "report/report.h"

enum { LOSSES_BINS = 1024 };
enum losses_kind { LOSSES_RECORDS, LOSSES_SAMPLES, LOSSES_KINDS };	/* by LOST, by LOST_SAMPLES */

struct losses {
	uint64_t	 width;		/* ns; 0: there was no time yet */
	unsigned	 n;
	struct losses_bin { uint64_t from, count[LOSSES_KINDS]; } bin[LOSSES_BINS + 1];	/* n, by ascending from */
	uint64_t	 untimed[LOSSES_KINDS];	/* have no place */
	bool		 full;		/* the widest bins were too many: what came then is untimed */
};

/* Empty: all bytes 0.  time 0, or more than INT64_MAX: it is unknown. */
void	losses_add(struct losses *, uint64_t time, enum losses_kind, uint64_t count);
/* Make the bins at least so wide: a width of sort/bins.h. */
void	losses_widen(struct losses *, uint64_t width);

/* Its table, whose `of' is a struct losses; and add a row of it, which may_be(). */
extern const struct table losses_table;
void	losses_row(struct losses *, const struct cell *row);

#endif
