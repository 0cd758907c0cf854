/* SPDX-License-Identifier: ISC */
/*
 * build_ids.h - --sideband=needed: keeps a HEADER_BUILD_ID only if a kept map names its file.
 *
 * A perf.data has its build-ids in the header, before all maps.  Each one is held until the first kept map that names its file,
 * and is written right before that map; one without such a map is dropped.  Build-ids of the kernel, its modules and guests are
 * kept in place.  The records in the header feature BUILD_ID are treated alike, and the feature is removed.
 */
#ifndef PFILTER_BUILD_IDS_H
#define PFILTER_BUILD_IDS_H

#include "perfpipe_inline.h"

struct build_ids;
/* NULL: no memory. */
struct build_ids *build_ids_new(bool swap, struct pp_err *);
void	build_ids_free(struct build_ids *);
/* Must records of that type go through build_ids_pass()? */
static inline bool
build_ids_concern(uint32_t type)
{
	return type == PP_MMAP || type == PP_MMAP2 || type == PP_HEADER_BUILD_ID || type == PP_HEADER_FEATURE;
}
/*
 * A valid record is about to be written: 1: write it; 0: it is dropped or held.  `put' gets the records that must be written
 * before it.  -1: no memory (pp_err), or put failed.
 */
int	build_ids_pass(struct build_ids *, const struct pp_rec *, int (*put)(void *arg, const struct pp_rec *), void *arg);
/* Write all held records, and hold none from here on. */
int	build_ids_all(struct build_ids *, int (*put)(void *arg, const struct pp_rec *), void *arg);

#endif
