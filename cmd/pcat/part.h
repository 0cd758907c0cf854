/* SPDX-License-Identifier: ISC */
/*
 * part.h - a part of --switch-output while it is written.
 *
 * Values of PERF_SAMPLE_READ are running totals (total.h), and perf takes the difference to the previous value as the
 * sample's period.  In each part the totals begin anew: the value before the counter's first sample in the part is
 * subtracted.
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
	uint64_t	 from;		/* no data in the part is older than this time; 0: the first part */
	uint64_t	 bytes, rounds;	/* of the data, without head and snapshot */
	uint64_t	 first, last;	/* times of its data; first 0: none yet */
	struct pp_totals base;		/* `in': value before the first sample in the part; `out': 1 if `in' is set */
	char		 path[PATH_MAX];
};

/* The counters, shared by all parts: `in' is the last value. */
struct part_reads {
	struct pp_totals last;
	uint8_t		 copy[PP_RECORD_MAX];
};

/*
 * Put a sample with PERF_SAMPLE_READ, its values changed to those of this part.  1, or -1: the text is in err or, if that has
 * none, in the part's err.
 */
int	part_put_read(struct part *, struct part_reads *, const struct pp_events *, const struct pp_event *,
	    struct pp_source *in, const struct pp_rec *, bool stable, struct pp_err *err);
void	part_free(struct part *);

#endif
