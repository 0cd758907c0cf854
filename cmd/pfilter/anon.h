/* SPDX-License-Identifier: ISC */
/*
 * anon.h - a change on the way: names, paths, hosts, pids, addresses become keyed pseudonyms.
 */
#ifndef PFILTER_ANON_H
#define PFILTER_ANON_H

#include "columns.h"

struct anon {				/* zeroed: nothing */
	unsigned what;			/* bits of what --anon lists: anon.c */
	const char *key_file;		/* NULL: a random key */
};
void	anon_list(const struct tool *, struct anon *, const char *text);
bool	anon_any(const struct anon *);
/* Read the key, before confinement; and add to `columns' what cannot be anonymised and so has to go. */
void	anon_ready(const struct tool *, struct anon *, struct columns *);
struct out *anon_new(const struct tool *, const struct anon *, struct pp_source *in, struct out *next, struct pp_err *);

#endif
