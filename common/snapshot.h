/* SPDX-License-Identifier: ISC */
/*
 * snapshot.h - the side-band that is in force at one moment, as the records that would tell it to a reader who
 * comes in there: what perf record itself makes up at the start of a recording.
 *
 *	kernel		maps, KSYMBOL, BPF_EVENT, TEXT_POKE; CGROUP names; maps of guests: the last record for each
 *	process		a COMM for each thread, NAMESPACES, an MMAP or MMAP2 for each map that is left of its maps
 *
 * Feed it in time order.  The rules are those of task.h, whose maps it uses; what it adds is what a record says
 * beyond name and place (protection, inode or build-id, misc).  A task that has ended is still told for a while,
 * since its last samples follow its EXIT.  Parents (FORK) are not told, nor is AUX_OUTPUT_HW_ID.
 *
 * Memory: the state that is alive, and file names until the next snapshot.
 */
#ifndef PP_SNAPSHOT_H
#define PP_SNAPSHOT_H

#include "perfpipe.h"

struct snapshot;

/* NULL: no memory.  err must live as long. */
struct snapshot	*snapshot_new(bool swap, struct pp_err *);
void	snapshot_free(struct snapshot *);
/* Does a record of that type change the state? */
bool	snapshot_wants(uint32_t type);
/* Take in a sound record that ends with so many bytes of trailer.  1, or -1: no memory. */
int	snapshot_feed(struct snapshot *, const struct pp_rec *, size_t trailer);
/*
 * Show the state as records, each ending with a trailer of so many zeros: time 0 and id 0, so perf takes them at
 * once and for its first event.  The record is good during the call.  1, or -1 as soon as `put' returns that.
 */
int	snapshot_write(struct snapshot *, size_t trailer, int (*put)(void *arg, const struct pp_rec *), void *arg);

#endif
