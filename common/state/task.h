/* SPDX-License-Identifier: ISC */
/*
 * task.h - what tasks are called and what they have mapped, at one moment of a recording.
 *
 * Feed the side-band in time order (that of pp_round_add(); a stream's arrival order is not that), and ask in
 * between.  The rules are those by which perf itself rebuilds the state (perf-pipe(5)):
 *  - a COMM names one thread; a FORK hands the name on;
 *  - the threads of a process share its maps; a FORK of a process copies them, unless perf made up the
 *    record for a task that was there before (misc bit FORK_EXEC: its maps follow one by one);
 *  - exec unmaps nothing: a map pushes out what it overlaps, and what is left of that stays;
 *  - EXIT ends a thread, the last one the process: its number may come back for another;
 *  - the kernel is one more process, of pid -1.
 *
 * Cost: a map is found, put in or pushed out in logarithmic time, a fork is constant (maps are shared until
 * one side changes them), and memory is in proportion to the records fed less what has exited.  Only names
 * of files stay for good: their numbers are promised not to change.  Look-ups are hashed under a key drawn
 * per handle, so that no choice of pids and names makes them slow.
 */
#ifndef PP_TASK_H
#define PP_TASK_H

#include "round.h"
#include "perfpipe_inline.h"

struct pp_dso {			/* a file, or what stands for one, by the name that maps give it */
	const char	*name;		/* NUL-terminated; no promise about its bytes */
	uint32_t	 len;		/* of the name */
	uint32_t	 index;		/* 0, 1, 2... in order of appearance: for tables of one's own */
	uint32_t	 maj, min;	/* device and inode by the last MMAP2 that told them; ino 0: none did */
	uint64_t	 ino;
	uint8_t		 id[20];	/* build-id by the last MMAP2 that carried one */
	uint8_t		 id_len;	/* 0: none did */
	uint32_t	 jit;		/* memory with code of this process that no file has, /tmp/perf-PID.map to perf; 0: it is not */
};

struct pp_map {
	uint64_t	 start, len;	/* addresses start .. start + len - 1; never past 2^64 - 2 */
	uint64_t	 pgoff;		/* offset of `start' in the file */
	uint32_t	 dso;		/* index of its pp_dso */
	bool		 data;		/* PERF_RECORD_MISC_MMAP_DATA: not code */
	bool		 has_id;	/* its MMAP2 carried a build-id */
};

struct pp_task {		/* a thread that is alive */
	uint32_t	 pid, tid;
	uint32_t	 parent;	/* tid of the task that made it, if known; else its own tid */
	const char	*comm;		/* NUL-terminated; NULL: no record told */
};

struct pp_maps;			/* all maps of one process */
struct pp_tasks;

/* NULL: no memory, or no random bytes for the key.  `swap' as in struct pp_source. */
struct pp_tasks	*pp_tasks_new(bool swap, struct pp_err *);
void		 pp_tasks_free(struct pp_tasks *);
/*
 * Take in a record: MMAP, MMAP2, COMM, FORK, EXIT; of any other type nothing is done.
 * 1, or -1: the record is not sound (nothing was done), or no memory is left.
 */
int		 pp_tasks_feed(struct pp_tasks *, const struct pp_rec *);

/* The thread of that tid; NULL if no record told of it.  Valid until the next feed. */
const struct pp_task *pp_tasks_find(const struct pp_tasks *, uint32_t tid);

/*
 * The maps that an address belongs to, by the cpumode of PERF_RECORD_MISC_*: the kernel's, those of
 * process `pid', or NULL (nothing known of the process; hypervisor, guest, unknown mode).
 * Valid until the next feed.
 */
const struct pp_maps *pp_tasks_maps(const struct pp_tasks *, uint32_t pid, unsigned cpumode);
/* The map around an address; NULL if there is none. */
const struct pp_map *pp_maps_find(const struct pp_maps *, uint64_t ip);
/* Show all maps by ascending address, until the function returns -1: 1, or that. */
int		 pp_maps_each(const struct pp_maps *, int (*)(void *arg, const struct pp_map *), void *arg);
/*
 * A number for the contents: it changes with every change and never comes back, in any process, so what was
 * found out about an address may be kept under (version, address).  A fork starts with its parent's.
 */
uint64_t	 pp_maps_version(const struct pp_maps *);

/* The DSO of an index that a map, or pp_tasks_intern(), has told. */
const struct pp_dso *pp_tasks_dso(const struct pp_tasks *, uint32_t index);
/* The index of the DSO of that name, made if new; -1 if there is no memory. */
int64_t		 pp_tasks_intern(struct pp_tasks *, const char *name, size_t len);

#endif
