/* SPDX-License-Identifier: ISC */
/*
 * anon.h - a change on the way: names, paths, hosts, pids, addresses become keyed pseudonyms.
 *
 * The same key gives the same pseudonyms, in every part of a stream and in every run; without --anon-key it is random
 * and known to nobody.  Records keep their layout but for the length of names; what has no pseudonym (RAW, user
 * stacks, AUX; with `addr' registers and physical addresses) is overwritten with zeros here and left out by `columns'.
 * With `addr' records come out in time order, as psort's, since what an address means depends on the maps before it.
 * What goes and what stays, type by type and field by field: record.c, feature.c.
 */
#ifndef PFILTER_ANON_H
#define PFILTER_ANON_H

#include "drop/columns.h"

struct anon_dict;

struct anon {				/* zeroed: nothing */
	unsigned what, except;		/* bits of what --anon lists, and lists with a - : out.h */
	const char *key_file;		/* NULL: a random key */
	const char *map_file;		/* NULL: no dictionary is written */
	struct anon_dict *dict;		/* by anon_ready(); NULL: none.  the caller finishes and frees it */
	uint8_t	 key[32];		/* by anon_ready() */
	size_t	 memory;		/* most bytes of records that wait for their turn; 0: 256M */
};
/* --anon host,comm,...: an unknown word exits 2. */
void	anon_list(const struct tool *, struct anon *, const char *text);
bool	anon_any(const struct anon *);
/* Read the key and begin the dictionary, before confinement; and add to `columns' what cannot be anonymised and so has to go. */
void	anon_ready(struct tool *, struct anon *, struct columns *);
/* NULL: no memory.  tool, in and err must live until finish(); `anon' need not. */
struct out *anon_new(const struct tool *, const struct anon *, struct pp_source *in, struct out *next, struct pp_err *);

#endif
