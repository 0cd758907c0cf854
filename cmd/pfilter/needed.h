/* SPDX-License-Identifier: ISC */
/*
 * needed.h - --sideband=needed: the maps and names of a task are written at its first kept sample, and never if there is none.
 *
 *	original	COMM 1, MMAP 1 ..., COMM 2, MMAP 2 ..., sample 1, FORK 1 -> 3, sample 3, sample 1
 *	kept: 3		(FORK 3, COMM 3, MMAP 3 ...), sample 3
 *
 * What is in force for a process at that time is written as perf synthesises it for processes that are there when a recording
 * begins.  Later records about tasks that are known to the reader stay as they come, with their FORKs of other processes.  This
 * is done for each life of a number, so a reader sees the same names and maps for each kept sample.
 *
 * Maps that a process has from the one that forked it are written for that one, once, also if no sample of it is kept: its FORK
 * hands them on in the reader.  So the output is in the order of the input's size; more than that is refused.  Records about the
 * kernel, guests and cgroups always stay.
 *
 * In a recording whose samples have a time, but whose side-band has none (no sample_id_all), everything stays: a reader takes in
 * its side-band as it comes, and its samples a round later, so no record can be made with the time of a sample.
 */
#ifndef PFILTER_NEEDED_H
#define PFILTER_NEEDED_H

#include "task.h"

struct needed;
/* Two may share a state; `rest': it is the second one. */
struct needed *needed_new(struct pp_source *in, struct pp_state *, bool rest, struct pp_err *);
void	needed_free(struct needed *);
/*
 * In time order, a side-band record before it changes the state: is it needed (1) or not (0)?  Records that must go out in
 * front of it are given to `put', made with its time.  -1: no memory, what put returned, or
 * (pp_err) more would have to be written than is worth it.
 */
int	needed_sideband(struct needed *, const struct pp_event *ev, const struct pp_rec *,
	    int (*put)(void *arg, const struct pp_rec *), void *arg);
/* The same record, when it has changed the state. */
void	needed_learned(struct needed *, const struct pp_rec *);
/*
 * A record of a task that is about to be kept: records as above, with the time `since' or the record's if that is less.
 * Nothing that changes the state may have come between; others that are kept may, and be shown later.  1, or -1.
 */
int	needed_sample(struct needed *, const struct pp_event *ev, const struct pp_rec *, uint64_t since,
	    int (*put)(void *arg, const struct pp_rec *), void *arg);

#endif
