/* SPDX-License-Identifier: ISC */
/*
 * drop.h - a change on the way: events leave the stream with all that speaks of them; record types leave it.
 */
#ifndef PFILTER_DROP_H
#define PFILTER_DROP_H

#include "out.h"

struct drop {				/* zeroed: drop nothing */
	struct drop_names { char **v; size_t n; } events;	/* --drop-event */
	bool	 unused;		/* --drop-unused-events */
	bool	*type;			/* --drop-type: by number below PP_TYPE_END and up to 255; NULL */
	bool	 force;
	const uint64_t *kept;		/* with `unused': kept samples by index of the event, counted by a first pass */
	unsigned nkept;
};
void	drop_events(const struct tool *, struct drop *, const char *text);
void	drop_types(const struct tool *, struct drop *, const char *text);
bool	drop_any(const struct drop *);
struct out *drop_new(const struct tool *, const struct drop *, struct pp_source *in, struct out *next, struct pp_err *);

#endif
