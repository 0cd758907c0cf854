/* SPDX-License-Identifier: ISC */
/*
 * state.h - who is who at one moment of a recording: tasks, processes, names, maps, files, cgroups, namespaces, kernel symbols.
 *
 * Feed the side-band in time order (that of pp_round_add(); the order of arrival in a stream is another one), and look things up
 * in between.  The rules are those by which perf rebuilds the state (tests/61-pfilter-state.bats compares each with perf):
 *  - a COMM names one thread; a FORK hands the name on;
 *  - the threads of a process share its maps; a FORK of a process copies them, unless perf synthesised the record for a task
 *    that was there before (misc bit FORK_EXEC: its maps follow one by one);
 *  - exec unmaps nothing: a map replaces what it overlaps, and the rest of that stays;
 *  - a thread stays known after its EXIT, with its maps, since its last samples follow; a FORK that gives its number to another
 *    ends it.  Of the threads that have ended only the last 256 are kept;
 *  - the kernel is one more process, of pid -1.
 *
 * Cost: a map is found, put in or replaced in logarithmic time, a FORK is constant (maps are shared until one side changes
 * them).  Memory is in proportion to what is alive, and to the number of different files.  Lookups are hashed under a key
 * drawn per handle, so a recording cannot choose its collisions.
 */
#ifndef PP_STATE_H
#define PP_STATE_H

#include "perfpipe_inline.h"

/* The handle, how it is fed, its simplest lookups, struct pp_map and struct pp_dso: perfpipe.h. */

struct pp_comm {		/* a name of threads; shared by all of that name */
	const char	*text;		/* NUL-terminated; any bytes */
	uint16_t	 len;
	uint8_t		 mark;		/* the caller's; 0 at first */
};
struct pp_process {		/* one life of a pid */
	uint32_t	 pid;
	uint8_t		 mark;		/* the caller's; 0 at first */
};
struct pp_task {		/* one life of a tid */
	uint32_t	 pid, tid;
	int64_t		 ppid, ptid;	/* by its FORK; -1: unknown */
	bool		 synthesised;	/* that FORK was for a task that was there before (misc bit FORK_EXEC) */
	bool		 ended;		/* its EXIT came */
	uint8_t		 mark;		/* the caller's; 0 at first */
	struct pp_comm	*comm;		/* NULL: unknown */
};
struct pp_maps;			/* all maps of one process */

/* ---- lookups: what is returned is valid until the next feed ------------------------------------------------------- */

struct pp_task	*pp_state_task(const struct pp_state *, uint32_t tid);		/* NULL: unknown, here and below */
struct pp_process *pp_state_process(const struct pp_state *, uint32_t pid);
struct pp_process *pp_state_process_of(const struct pp_task *);
/* Call fn for each thread of a process, until it returns -1: 1, or that. */
int		 pp_state_each_task(const struct pp_process *, int (*fn)(void *arg, struct pp_task *), void *arg);
/*
 * The maps that an address belongs to by the cpumode of PERF_RECORD_MISC_*: the kernel's, those of process `pid', or NULL
 * (unknown process; hypervisor, guest, unknown mode).
 */
const struct pp_maps *pp_state_maps(const struct pp_state *, uint32_t pid, unsigned cpumode);
/* The map around an address; NULL: there is none. */
const struct pp_map *pp_maps_find(const struct pp_maps *, uint64_t addr);
/* Call fn for all maps by ascending address, until it returns -1: 1, or that. */
int		 pp_maps_each(const struct pp_maps *, int (*fn)(void *arg, const struct pp_map *), void *arg);
/*
 * A number for the contents: it changes with every change and never comes back, in any process, so what was found out about an
 * address may be cached under (version, address).  A fork starts with that of its parent.
 */
uint64_t	 pp_maps_version(const struct pp_maps *);
/* The file that an MMAP or MMAP2 with so many bytes of trailer names; index and jit are 0.  The name is the record's. */
void		 pp_dso_get(struct pp_dso *, const struct pp_rec *, size_t trailer, bool swap);

/* ---- snapshot: the state as records, as perf record synthesises them at the start of a recording ------------------- */

/*
 *	kernel		maps, KSYMBOL, BPF_EVENT, TEXT_POKE; CGROUP names; maps of guests: the last record for each
 *	process		a COMM for each thread, NAMESPACES, an MMAP or MMAP2 for each map that is left of its maps; the EXIT of
 *			threads that have ended
 *
 * Each record ends with a trailer of so many zeros: time 0 and id 0, so perf takes it at once and for its first event.  The
 * record is valid during the call.  1, or -1 as soon as `put' returns that.  Parents (FORK) and AUX_OUTPUT_HW_ID are left out.
 * Frees what describes files without maps: an index may become that of another file.
 */
int		 pp_state_write(struct pp_state *, size_t trailer, int (*put)(void *arg, const struct pp_rec *), void *arg);
/* Does the record say only what is in force already?  (A FORK never does.) */
bool		 pp_state_knows(const struct pp_state *, const struct pp_rec *, size_t trailer);

/*
 * The process whose FORK made this one, if that record could be written now: it is alive, its maps are still those that it
 * handed on.  NULL: there is none.
 */
struct pp_process *pp_state_forker(const struct pp_state *, const struct pp_process *);

struct pp_stamp {		/* how the records of single tasks are written */
	uint64_t	 time;		/* of FORK and EXIT records */
	uint8_t		 known;		/* tasks and processes with this mark are known to the reader */
	uint8_t		 forked;	/* processes with this mark: the reader has only their FORK */
	const uint8_t	*trailer;	/* with which records end */
	size_t		 len;
};
/*
 * Write one thread: FORK (if its parent is known), COMM, NAMESPACES; or a process: the same of its first thread, then the
 * maps.  Of maps that its FORK handed on only what has changed is written, if the reader knows that FORK, or it can be written
 * and pp_state_forker() is known to the reader.  An earlier life of these numbers ends in the reader.  Or the end of a thread:
 * EXIT.
 */
int		 pp_state_write_task(struct pp_state *, const struct pp_task *, const struct pp_stamp *,
		    int (*put)(void *arg, const struct pp_rec *), void *arg);
int		 pp_state_write_exit(struct pp_state *, const struct pp_task *, const struct pp_stamp *,
		    int (*put)(void *arg, const struct pp_rec *), void *arg);
int		 pp_state_write_process(struct pp_state *, const struct pp_process *, const struct pp_stamp *,
		    int (*put)(void *arg, const struct pp_rec *), void *arg);

#endif
