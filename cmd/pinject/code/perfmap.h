/* SPDX-License-Identifier: ISC */
/*
 * perfmap.h - the stage of --perf-map: names of functions from perf-PID.map, which runtimes write for perf
 *
 * When a sample hits anonymous memory of a process that has such a file, an ELF image of the names that lie in the map is stored,
 * and an MMAP2 with the image's build-id is put over the map, 1 ns before the hit.  New lines of the file are read at the end of
 * each round, and when an address has no name.  When a sample hits a new function, all new functions in the map get an image, and
 * MMAP2s for their addresses only.
 */
#ifndef PERFMAP_H
#define PERFMAP_H

#include "code/jit.h"
#include "ids/walk.h"
#include "lookup/lookup.h"
#include "store/store.h"

/* jit: processes whose code it knows are left to it; or NULL.  strict: a file that cannot be used makes the exit status 1. */
struct out	*perfmap_new(struct tool *, struct lookup *, struct store *, struct walk *, const struct jit *jit, bool strict,
		    struct out *next);

#endif
