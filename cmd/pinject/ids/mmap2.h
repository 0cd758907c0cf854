/* SPDX-License-Identifier: ISC */
/*
 * mmap2.h - build-ids inside the records of maps (MMAP2 with PP_MISC_MMAP_BUILD_ID), which is right also where several files
 * have one name
 *
 * --mmap2-buildid-all puts an id into each MMAP and MMAP2 in its place.  --mmap2-buildids keeps the maps, and writes one when a
 * sample first hits it: as much of it as is mapped then, 1 ns before that sample.  Maps without a
 * file, of guests and of other stages stay as they are.
 */
#ifndef MMAP2_H
#define MMAP2_H

#include "file_ids.h"
#include "walk.h"

/*
 * A stage: for the maps that the walk finds hit, and only these, or (NULL) for all.  The input must be open.
 * is_put(jit, map): is it one that was put into the state of that walk, and into this stage, by another?  NULL: none is.
 * strict: a file without an id makes the exit status 1.
 */
struct out	*mmap2_new(struct tool *, struct lookup *, struct walk *, bool (*is_put)(const void *jit, const struct pp_map *),
			    const void *jit, bool strict, struct out *next);

#endif
