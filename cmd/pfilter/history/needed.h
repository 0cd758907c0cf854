/* SPDX-License-Identifier: ISC */
/*
 * needed.h - --sideband=needed: writes the maps and names of a task at its first kept sample, and not at all if no sample is
 * kept.
 *
 *	original	COMM 1, MMAP 1 ..., COMM 2, MMAP 2 ..., sample 1, FORK 1 -> 3, sample 3, sample 1
 *	kept: 3		(FORK 3, COMM 3, MMAP 3 ...), sample 3
 *
 * At that sample, the state of the process is written as a snapshot, like perf record synthesises records of processes that run
 * when a recording begins.  Later records about tasks that were written are kept as they are; so are FORKs of other processes by
 * them.  If a pid is used again, the same is done for the new process.  So a reader sees the same names and maps for each kept
 * sample.
 *
 * If a process has inherited maps from its parent, these are written once, for the parent, even if no sample of the parent is
 * kept; the FORK copies them in the reader.  So the size of the output is bounded by that of the input; beyond a limit the tool
 * fails.  Records about the kernel, guests and cgroups are always kept.
 *
 * In a recording whose samples have a time but whose side-band has none (no sample_id_all), all side-band is kept: a reader
 * processes side-band without a time at once, and samples a round later, so a record cannot be placed before a sample.
 */
#ifndef PFILTER_NEEDED_H
#define PFILTER_NEEDED_H

#include "task.h"

struct needed;
/* Two may share a state; `rest': this one is for -U. */
struct needed *needed_new(struct pp_source *in, struct pp_state *, bool rest, struct pp_err *);
void	needed_free(struct needed *);
/*
 * A side-band record, in time order, before it changes the state: 1: it is needed, 0: it is not.  `put' gets the records that
 * must be written before it, with its time.  -1: no memory, put failed, or (pp_err) the output would exceed the limit.
 */
int	needed_sideband(struct needed *, const struct pp_event *ev, const struct pp_rec *,
	    int (*put)(void *arg, const struct pp_rec *), void *arg);
/* The same record, after it has changed the state. */
void	needed_learned(struct needed *, const struct pp_rec *);
/*
 * A record of a task that is kept: calls `put' as above, with the time `since' or that of the record, whichever is less.  No
 * record between that time and this one may have changed the state; other kept records may be in between, and be written later.
 * 1, or -1.
 */
int	needed_sample(struct needed *, const struct pp_event *ev, const struct pp_rec *, uint64_t since,
	    int (*put)(void *arg, const struct pp_rec *), void *arg);
/*
 * The same for a task that a kept sample's payload names: its name is needed.  `samples': samples of it will be kept, so its maps
 * are needed as well (a second FORK, with the maps, would make readers forget what they know of it).
 */
int	needed_name(struct needed *, const struct pp_event *ev, const struct pp_rec *, uint32_t tid, bool samples, uint64_t since,
	    int (*put)(void *arg, const struct pp_rec *), void *arg);

#endif
