/* SPDX-License-Identifier: ISC */
/* join_maps.h - the files that a process has mapped executable, as many as distinguish it from another (join_lives.h) */
#ifndef PCAT_JOIN_MAPS_H
#define PCAT_JOIN_MAPS_H

#include "perfpipe_inline.h"

struct exec_maps;		/* NULL: none */

/* Is it an MMAP or MMAP2 of a file that is mapped executable in a process? */
bool	exec_maps_wants(const struct pp_rec *);
/* Add such a one; `synthesised': perf read it from /proc, it does not come from the kernel. */
void	exec_maps_add(struct exec_maps **, const struct pp_rec *, bool swap, bool synthesised);
/* The same maps for one more; each is freed by exec_maps_free(). */
struct exec_maps *exec_maps_share(struct exec_maps *);
void	exec_maps_free(struct exec_maps *);
/* Does one of them stand in both? */
bool	exec_maps_meet(const struct exec_maps *, const struct exec_maps *);
/* Can't they be of one process?  (No, where there are none.) */
bool	exec_maps_differ(const struct exec_maps *, const struct exec_maps *);

#endif
