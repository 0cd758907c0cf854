/* SPDX-License-Identifier: ISC */
/*
 * join_lives.h - do two recordings mean different processes by the same pid at the same time?
 *
 * perf knows one process by a pid, and would show the samples of one under the other's name and files.  A life is kept for
 * each task of an input: from when to when it lived, and which files it had mapped executable (the first 32 since its
 * last exec).  Two lives of one pid or tid in two inputs collide if they overlap in time and contradict each other:
 *  - the thread belongs to different processes; or
 *  - no executable map (file, and the address of its first byte) is in both; or
 *  - where one maps one file, the other maps another.
 * A file is known by device and inode where both have them; by its name where one has none, or where the one was read
 * from /proc and the other comes from the kernel, which may name different devices then (overlayfs).
 *
 * Two recordings of one process see its exec some microseconds apart.  So lives that overlap by less than 100 ms do not
 * collide if the one behind or in front of either, in the same input, has a map in common with the other.
 *
 * Memory: about 100 bytes for each life, and 40 for each map of it; merged, only of the last lives of each tid.
 */
#ifndef PCAT_JOIN_LIVES_H
#define PCAT_JOIN_LIVES_H

#include "perfpipe_inline.h"

struct lives;
struct lives_hit {
	unsigned in, with;	/* inputs */
	uint32_t id;		/* the pid or tid */
};

/*
 * Records of so many inputs will come either all in order of time (merged), or of one input behind the other; of each
 * input in order of time in any case.  No memory: exits 1.
 */
struct lives *lives_new(unsigned n, bool swap, bool merged);
void	lives_free(struct lives *);
/* Inputs of one group are never compared.  At first each has a group of its own. */
void	lives_group(struct lives *, unsigned in, unsigned group);
/* Does a record of that type matter? */
bool	lives_wants(uint32_t type);
/* A sound record of a type that matters, and its time (0: it has none); pids and tids as they are, plus `shift'. */
void	lives_put(struct lives *, unsigned in, const struct pp_rec *, uint64_t time, uint32_t shift);
/* The input has a record of this time. */
void	lives_clock(struct lives *, unsigned in, uint64_t time);
/* The input has ended. */
void	lives_end(struct lives *, unsigned in);
/* Forget the lives of the input (not merged). */
void	lives_forget(struct lives *, unsigned in);
/* The first collision since lives_forget(); NULL: none.  Known: not merged, when the later input has ended. */
const struct lives_hit *lives_hit(const struct lives *);
/* The largest pid or tid that was put. */
uint32_t lives_largest(const struct lives *);

#endif
