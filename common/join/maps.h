/* SPDX-License-Identifier: ISC */
/* maps.h - the files that a process has mapped executable, up to the number that lives.h compares */
#ifndef PP_JOIN_MAPS_H
#define PP_JOIN_MAPS_H

#include "perfpipe_inline.h"

struct exec_maps;		/* reference counted; NULL: no maps */

/*
 * In a pool the same maps, added in the same order, are one struct exec_maps, and a comparison is remembered.  Maps of a pool are
 * changed, compared and freed with it; others with NULL.
 */
struct exec_maps_pool;
struct exec_maps_pool *exec_maps_pool_new(void);
void	exec_maps_pool_free(struct exec_maps_pool *);		/* and all maps in it */

/* Is it an MMAP or MMAP2 of a file that a process maps executable? */
bool	exec_maps_wants(const struct pp_rec *);
/* Add such a map; synthesised: perf read it from /proc, the kernel did not record it.  *m, a reference, is replaced. */
void	exec_maps_add(struct exec_maps_pool *, struct exec_maps **m, const struct pp_rec *, bool swap, bool synthesised);
/* Another reference to the maps; the caller frees it by exec_maps_free(). */
struct exec_maps *exec_maps_share(struct exec_maps *);
void	exec_maps_free(struct exec_maps_pool *, struct exec_maps *);
/* Do they have a map in common? */
bool	exec_maps_meet(const struct exec_maps *, const struct exec_maps *);
/* Do they contradict each other, so that they are not of one process?  false if one has no maps. */
bool	exec_maps_differ(struct exec_maps_pool *, const struct exec_maps *, const struct exec_maps *);

#endif
