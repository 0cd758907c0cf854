/* SPDX-License-Identifier: ISC */
/*
 * decide.h - the verdict on one record, all things considered:
 *
 *	keys in the record && keys by history && --filter  ->  --invert  ->  switches  ->  thinning  ->  --max-samples
 */
#ifndef PFILTER_DECIDE_H
#define PFILTER_DECIDE_H

#include "options.h"

struct decide {
	struct tool	*t;
	struct options	*o;
	struct state	*state;		/* at the time of the record; NULL: nothing asks for it */
	uint64_t	 nr;		/* of the record in the input, from 1, where something asks for it */
	bool		 bound;		/* the events are all known */
	uint64_t	 records[REASON_END], samples[REASON_END];	/* decided, by reason */
};

/* A record of type < PP_USER_TYPE_START of that event: enum reason; -1: it is not sound (in_err). */
int	decide_record(struct decide *, const struct pp_event *, const struct pp_rec *);
/* Does a record of that type go to both sides, as what both need to be complete? */
bool	decide_shared(uint32_t type);

#endif
