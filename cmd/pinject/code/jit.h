/* SPDX-License-Identifier: ISC */
/*
 * jit.h - code made at run time, from the jitdumps of the processes (--jit)
 *
 * A process with an executable map of .../jit-PID.dump writes its functions into that file.  At each FINISHED_ROUND, its new
 * functions are read, up to the time that the walk has delivered.  Those of one process and round go into one ELF file (image.h) in
 * the store, and an MMAP2 for each function is put before the FINISHED_ROUND.
 *
 *	jit.c		the stage: what happens to the maps of processes that have dumps
 *	jit_dump.c	the dumps of processes, from the map to the end
 *	jit_image.c	the ELF files, and the MMAP2s
 */
#ifndef JIT_H
#define JIT_H

#include "ids/walk.h"
#include "lookup/lookup.h"
#include "store/store.h"

struct jit;

/* strict: a dump that cannot be used makes the exit status 1.  The input must be open. */
struct jit	*jit_new(struct tool *, struct lookup *, struct store *, struct walk *, bool strict);
/* The stage, behind that of the walk. */
struct out	*jit_stage(struct jit *, struct out *next);
/* Is the code of that process known by its dump? */
bool		 jit_knows(const struct jit *, uint32_t pid);
/* Is it one of the maps that are put in, by the state of the walk? */
bool		 jit_is_put(const void *jit, const struct pp_map *);

#endif
