/* SPDX-License-Identifier: ISC */
/*
 * lives.h - collisions of pids: whether two recordings have different processes of one pid at one time
 *
 * perf has one process for each pid, and would attribute the samples of one process to the name and files of the other.  For
 * each task of an input a life is kept: the time from its start to its end, and the files that it mapped executable (the first
 * 32 after its last exec).  Two lives of one pid or tid in two inputs collide if they overlap in time and contradict each
 * other:
 * - the thread belongs to different processes; or
 * - no executable map (file, and address of its first byte) is in both; or
 * - they map different files at one address.
 * Two files are compared by device and inode if both are known; by name if one has none, or if perf read one from /proc and the
 * kernel recorded the other, because these may differ in the device (overlayfs).
 *
 * Two recordings of one process see its exec some microseconds apart.  So lives that overlap by less than 100 ms do not collide
 * if the life before or after one of them, in the same input, has a map in common with the other.
 *
 * Parts of one recording never collide, whatever they contradict each other in: a part may lack the exec of a task that it has no
 * samples of.  The kernel dates each record by itself, to the nanosecond; so inputs in which one task begins, or ends, at the same
 * time are parts of one recording, or see the same tasks.
 *
 * Memory: about 200 bytes for each life; if merged, only for the last 64 lives of each tid in an input at most.  Maps that tasks
 * have in common are there once.
 * Time: a life costs the same however many inputs there are, if most of them agree on their tasks, and however often its tid lives.
 */
#ifndef PP_JOIN_LIVES_H
#define PP_JOIN_LIVES_H

#include "perfpipe_inline.h"

struct lives;
struct lives_hit {
	unsigned in, with;	/* numbers of inputs */
	uint32_t id;		/* the pid or tid */
};

/*
 * n inputs.  merged: records of all inputs come in time order; else all records of an input, in time order, before those of the
 * next.  Without memory it exits 1.
 */
struct lives *lives_new(unsigned n, bool swap, bool merged);
void	lives_free(struct lives *);
/*
 * Lives of inputs of one group are not compared.  At first each input has a group of its own; lives_join() joins the groups of two
 * inputs, and so does a beginning or an end of a task that both have.  The number of a group is that of its first input.
 */
void	lives_join(struct lives *, unsigned a, unsigned b);
unsigned lives_group(const struct lives *, unsigned in);
/* Does lives_put() need records of this type? */
bool	lives_wants(uint32_t type);
/* Add a sound record of such a type.  time: ns, 0: it has none; shift: added to its pids and tids. */
void	lives_put(struct lives *, unsigned in, const struct pp_rec *, uint64_t time, uint32_t shift);
/* The input has reached this time. */
void	lives_clock(struct lives *, unsigned in, uint64_t time);
/* The input has ended. */
void	lives_end(struct lives *, unsigned in);
/* Only if not merged: compare an input that has ended with those of lower numbers than `until'; and free its lives. */
void	lives_compare(struct lives *, unsigned in, unsigned until);
void	lives_forget(struct lives *, unsigned in);
/* The first collision since lives_forget(), by lives_compare(), or if merged; NULL: none. */
const struct lives_hit *lives_hit(const struct lives *);
/* The largest pid or tid of all lives_put(). */
uint32_t lives_largest(const struct lives *);

#endif
