/* SPDX-License-Identifier: ISC */
/*
 * state.h - what a recording has said of its tasks up to one moment: names, maps, cgroups, parents.
 *
 * A view of common/snapshot.h, which is fed in time order (hold.h sees to that) and asked in between.  A task that has
 * ended is known for a while longer, as its last samples follow its EXIT.
 */
#ifndef PFILTER_STATE_H
#define PFILTER_STATE_H

#include "state/snapshot.h"
#include "state/task.h"

struct state;

struct state *state_new(bool swap, struct pp_err *);
void	state_free(struct state *);
/* Does a record of that type change the state? */
bool	state_wants(uint32_t type);
/* Take in a sound record.  1, or -1: no memory. */
int	state_feed(struct state *, const struct pp_event *, const struct pp_rec *);

/* Is a record of that type about a thread: its number is at 16 in FORK and EXIT, at 12 in the others. */
bool	state_is_task(uint32_t type);
/* The comm of a thread; if no record told it, what state_nameless() makes of its number. */
enum { STATE_NAMELESS = 16 };
const char *state_comm(const struct state *, uint32_t tid, char number[static STATE_NAMELESS]);
/* As in perf: ":4711", and "swapper" for the idle task. */
const char *state_nameless(uint32_t tid, char number[static STATE_NAMELESS]);
/* pid of the process that forked process `pid'; -1: unknown. */
int64_t	state_ppid(const struct state *, uint32_t pid);
/* The map around an address, by cpumode of PERF_RECORD_MISC_*; NULL: none.  Good until the next feed. */
const struct pp_map *state_map(const struct state *, uint32_t pid, unsigned cpumode, uint64_t ip);
/* The file of such a map, by what its record said: name, build-id; `index' differs where any of that does. */
const struct pp_dso *state_dso(const struct state *, const struct pp_map *);
/* The path of a cgroup id (PERF_RECORD_CGROUP); NULL: no record told. */
const char *state_cgroup(const struct state *, uint64_t id);
/* All of it, and who uses which bit of the marks there; state_told() gives the first two out. */
struct snapshot *state_snapshot(const struct state *);
enum { MARK_TOLD = 1, MARK_TOLD_REST = 2, MARK_DESCENDS = 4, MARK_UNDECIDED = 8,
	MARK_SIDE_SHIFT = 4 /* from the first two to two more */ };
uint8_t	state_told(struct state *);

/* Where in a table of so many something is remembered of a thread; another one may push it out. */
enum { STATE_SLOT_BITS = 13, STATE_SLOTS = 1 << STATE_SLOT_BITS };
static inline uint32_t
state_slot(uint32_t tid)
{
	return tid * UINT32_C(0x9e3779b1) >> (32 - STATE_SLOT_BITS);
}

#endif
