/* SPDX-License-Identifier: ISC */
/*
 * build_ids.h - --sideband=needed: a HEADER_BUILD_ID stays if a map that stays names its file.
 *
 * perf.data has them in its header, in front of all maps: each waits for the first map that names its file, and goes out
 * right in front of that; one that nobody names goes.  Those of the kernel, its modules and guests stay where they are.
 * The header feature BUILD_ID holds the same records, which are taken out of it.
 */
#ifndef PFILTER_BUILD_IDS_H
#define PFILTER_BUILD_IDS_H

#include "perfpipe_inline.h"

struct build_ids;
/* NULL: no memory. */
struct build_ids *build_ids_new(bool swap, struct pp_err *);
void	build_ids_free(struct build_ids *);
/* Has build_ids_pass() to be asked of records of that type? */
static inline bool
build_ids_concern(uint32_t type)
{
	return type == PP_MMAP || type == PP_MMAP2 || type == PP_HEADER_BUILD_ID || type == PP_HEADER_FEATURE;
}
/*
 * A sound record is about to be written: shall it (1), or not, or not yet (0)?  What must go out in front of it is given to
 * `put'.  -1: no memory (pp_err), or what put said.
 */
int	build_ids_pass(struct build_ids *, const struct pp_rec *, int (*put)(void *arg, const struct pp_rec *), void *arg);
/* All that wait go out, and none waits any more. */
int	build_ids_all(struct build_ids *, int (*put)(void *arg, const struct pp_rec *), void *arg);

#endif
