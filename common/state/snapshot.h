/* SPDX-License-Identifier: ISC */
/*
 * snapshot.h - the side-band that is in force at one moment: to be asked, and to be told anew as the records that a reader
 * needs who comes in there; these are what perf record itself makes up at the start of a recording.
 *
 *	kernel		maps, KSYMBOL, BPF_EVENT, TEXT_POKE; CGROUP names; maps of guests: the last record for each
 *	process		a COMM for each thread, NAMESPACES, an MMAP or MMAP2 for each map that is left of its maps
 *
 * Feed it in time order.  The rules are those of task.h, whose maps it uses; what it adds is what a record says
 * beyond name and place (protection, inode or build-id, misc).  A task that has ended is still told for a while,
 * and that it has, since its last samples follow its EXIT.  AUX_OUTPUT_HW_ID is not told.
 *
 * Memory: the state that is alive, and file names until the next snapshot_write().
 */
#ifndef PP_SNAPSHOT_H
#define PP_SNAPSHOT_H

#include "task.h"

struct snapshot;

/* NULL: no memory.  err must live as long. */
struct snapshot	*snapshot_new(bool swap, struct pp_err *);
void	snapshot_free(struct snapshot *);
/* Does a record of that type change the state? */
bool	snapshot_wants(uint32_t type);
/* Take in a sound record that ends with so many bytes of trailer.  1, or -1: no memory. */
int	snapshot_feed(struct snapshot *, const struct pp_rec *, size_t trailer);
/* Does it say only what is in force already?  (FORK never does.) */
bool	snapshot_knows(const struct snapshot *, const struct pp_rec *, size_t trailer);

/* ---- to be asked; what is returned is good until the next feed ---------------------------------------------- */

struct snapshot_comm {		/* what threads are called; shared by all of that name */
	const char	*text;		/* NUL-terminated; no promise about its bytes */
	uint16_t	 len;
	uint8_t		 mark;		/* the caller's; 0 at first */
};
struct snapshot_process {	/* one life of a pid */
	uint32_t	 pid;
	uint8_t		 mark;		/* the caller's; 0 at first */
};
struct snapshot_task {		/* one life of a tid */
	uint32_t	 pid, tid;
	int64_t		 ppid, ptid;	/* by its FORK; -1: none told */
	bool		 made_up;	/* that FORK was for a task that was there before (misc bit FORK_EXEC) */
	bool		 ended;		/* its EXIT came */
	uint8_t		 mark;		/* the caller's; 0 at first */
	struct snapshot_comm *comm;	/* NULL: no record told */
};

struct snapshot_task	*snapshot_task(const struct snapshot *, uint32_t tid);	/* NULL: unknown */
struct snapshot_process	*snapshot_process(const struct snapshot *, uint32_t pid);
struct snapshot_process	*snapshot_process_of(const struct snapshot_task *);
/*
 * The process whose FORK made this one, if that record could be told now: it is alive, its maps are still those that it
 * handed on.  NULL: there is none.
 */
struct snapshot_process	*snapshot_forker(const struct snapshot *, const struct snapshot_process *);
/* Call fn for each thread of a process that is known, until it returns -1: 1, or that. */
int	snapshot_each_task(const struct snapshot_process *, int (*fn)(void *arg, struct snapshot_task *), void *arg);
/* The maps for a cpumode of PERF_RECORD_MISC_*; NULL: nothing known. */
const struct pp_maps	*snapshot_maps(const struct snapshot *, uint32_t pid, unsigned cpumode);
/* What a map's record said of its file.  Two kinds of maps of one file have two of these. */
const struct pp_dso	*snapshot_file(const struct snapshot *, const struct pp_map *);
/* The path of a cgroup; NULL: no record told. */
const char		*snapshot_cgroup(const struct snapshot *, uint64_t id);

/* ---- to be told ------------------------------------------------------------------------------------------------ */

/*
 * Show the state as records, each ending with a trailer of so many zeros: time 0 and id 0, so perf takes them at
 * once and for its first event.  The record is good during the call.  1, or -1 as soon as `put' returns that.
 * Parents (FORK) are not told.
 */
int	snapshot_write(struct snapshot *, size_t trailer, int (*put)(void *arg, const struct pp_rec *), void *arg);

struct snapshot_stamp {
	uint64_t	 time;		/* of FORK and EXIT records */
	uint8_t		 told;		/* tasks and processes with this mark are known to the reader */
	uint8_t		 forked;	/* processes with this mark: only their FORK is */
	const uint8_t	*trailer;	/* with which records end */
	size_t		 len;
};
/*
 * Show one thread so: FORK (if one told of its parent), COMM, NAMESPACES; or a process: the same of its first thread,
 * then the maps.  Of those that its FORK handed on only what has changed, if the reader knows that FORK, or can be told as
 * snapshot_forker() is known to it.  A reader who had an earlier life of these numbers is rid of it.  Or that a thread has
 * ended: EXIT.
 */
int	snapshot_write_task(struct snapshot *, const struct snapshot_task *, const struct snapshot_stamp *,
	    int (*put)(void *arg, const struct pp_rec *), void *arg);
int	snapshot_write_exit(struct snapshot *, const struct snapshot_task *, const struct snapshot_stamp *,
	    int (*put)(void *arg, const struct pp_rec *), void *arg);
int	snapshot_write_process(struct snapshot *, const struct snapshot_process *, const struct snapshot_stamp *,
	    int (*put)(void *arg, const struct pp_rec *), void *arg);

#endif
