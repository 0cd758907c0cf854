/* SPDX-License-Identifier: ISC */
/*
 * hits.h - BUILD_ID records for the files that are mapped (--buildid-all: in front of the first map), or for those that samples
 * hit (--build-ids: at the first hit, by the walk)
 */
#ifndef HITS_H
#define HITS_H

#include "file_ids.h"
#include "walk.h"

/*
 * A stage: BUILD_IDs for all files that the walk finds hit, or (NULL) for all mapped files.  The input must be open.
 * strict: a file without an id makes the exit status 1.
 */
struct out	*hits_new(struct tool *, struct lookup *, struct walk *, bool strict, struct out *next);

#endif
