/* SPDX-License-Identifier: ISC */
/*
 * part.h - one of the files of --switch-output while it is written.
 *
 * Values of PERF_SAMPLE_READ are running totals (total.h), and perf takes the difference to the last one that it saw as the
 * sample's period.  In a part they begin anew: what a counter had when its first sample in the part came is taken off.
 */
#ifndef PCAT_PART_H
#define PCAT_PART_H

#include <limits.h>

#include "tool/atomic.h"
#include "sink/out.h"
#include "record/total.h"

struct part {
	struct out	*out;
	struct atomic	 file;
	struct pp_err	 err;		/* its file is `path' */
	uint64_t	 number;	/* from 1 */
	uint64_t	 from;		/* no data in it is older than that time; 0: or it is the first part */
	uint64_t	 bytes, rounds;	/* of data: without the head and the snapshot */
	uint64_t	 first, last;	/* times of its data; first 0: none yet */
	struct pp_totals base;		/* `in': where counters stood; `out': 1, once that is known */
	char		 path[PATH_MAX];
};

/* What all parts share of the counters: `in' is the last value. */
struct part_reads {
	struct pp_totals last;
	uint8_t		 copy[PP_RECORD_MAX];
};

/*
 * Put a sample whose event has PERF_SAMPLE_READ, with its values as they are in this part.  1, or -1: if err has no text, the
 * part's has.
 */
int	part_put_read(struct part *, struct part_reads *, const struct pp_events *, const struct pp_event *,
	    struct pp_source *in, const struct pp_rec *, bool stable, struct pp_err *err);
void	part_free(struct part *);

#endif
