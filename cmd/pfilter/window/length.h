/* SPDX-License-Identifier: ISC */
/* length.h - --span-period: the lengths of spans, from their ends on until the sample that gets one as its PERIOD has its turn */
#ifndef PFILTER_LENGTH_H
#define PFILTER_LENGTH_H

#include "state/table.h"

struct span_measure {			/* options; zero: spans are not measured */
	bool	 on;			/* --span-period */
	bool	 last;			/* --span-end: the last sample gets the length, not the first one */
	bool	 task;			/* --span-task */
	bool	 open;			/* --span-open */
	bool	 sure;			/* --span-sure */
	bool	 forgets;		/* nothing is done with samples that are not kept */
};
struct span_length {
	uint64_t ns;
	bool	 has_task;		/* --span-task: */
	uint32_t pid, tid;		/* pid UINT32_MAX: unknown */
};

struct lengths { struct table by; };	/* by number of the record (struct pp_turn) */
void	lengths_start(struct lengths *);
/* Without memory, exits. */
void	lengths_put(struct lengths *, uint64_t nr, const struct span_length *);
/* Get and remove that of a record; false: it has none. */
bool	lengths_take(struct lengths *, uint64_t nr, struct span_length *);
void	lengths_free(struct lengths *);

#endif
