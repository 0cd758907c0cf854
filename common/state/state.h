/* SPDX-License-Identifier: ISC */
/*
 * state.h - the state at one time of a recording: tasks, processes, names, maps, files, cgroups, namespaces, kernel symbols
 *
 * Feed the side-band in time order (that of pp_round_add(), not the order of arrival), with lookups in between.  The rules are
 * those by which perf rebuilds the state (tests/61-pfilter-state.bats compares each with perf):
 * - a COMM names one thread; a FORK copies the name;
 * - the threads of a process share its maps; a FORK of a process copies them, unless perf synthesised the record for a task
 *   that existed before (misc bit FORK_EXEC: its maps follow one by one);
 * - exec unmaps nothing: a map replaces what it overlaps, and the rest of that stays;
 * - a thread stays known after its EXIT, with its maps, because its last samples follow; a FORK that reuses its number ends it.
 *   Of the threads that have ended only the last 256 are kept, and the first thread of each process whose other threads live;
 * - any later record that shows such a thread alive undoes its end: COMM, NAMESPACES, MMAP or MMAP2 of it, a FORK by it.  The
 *   kernel writes that when a thread other than the first execs (as Go programs do): it waits until all others have ended, and
 *   takes the number of the first.  So there is an EXIT of the first, then its COMM with the exec bit, and never an EXIT for
 *   the number that the thread had before: the exec ends all other threads;
 * - the kernel is one more process, of pid -1.
 *
 * Cost: to find, insert or replace a map takes logarithmic time, a FORK constant time (maps are shared until one side changes
 * them).  Memory is proportional to what was alive at once, and to the number of different files: a process takes some 70 bytes,
 * with its first thread, each other thread 50, a map 48 (and 12, where addresses are looked for among many), each different name
 * some 30 (state_in.h).  Hash tables have a random key for each handle, so a recording cannot choose its collisions.
 *
 * A new side-band record is a case in pp_state_feed() (state.c) and in pp_state_knows() (state_known.c).  If pp_state_keep()
 * keeps the record, the snapshot has it too; else it is also a case in state_write.c.  tests/unit/state_law.c asks for all of them.
 */
#ifndef PP_STATE_H
#define PP_STATE_H

#include <string.h>

#include "record/meaning.h"

/* The handle, pp_state_feed(), the simplest lookups, struct pp_map and struct pp_dso are in perfpipe.h. */

struct pp_word {		/* bytes that tasks have in common: the name of all threads of that name */
	uint32_t	 row[2];	/* private, here and below; rows.h */
	uint32_t	 refs;
	uint16_t	 len;
	uint8_t		 mark;		/* for the caller; begins with 0 */
	char		 here[];	/* pp_word_text(), of WORD_HERE bytes at most; else, behind one byte, its address */
};
enum { WORD_HERE = 16 };		/* names of the kernel have 15 */
struct pp_process {		/* one life of a pid */
	uint8_t		 mark;		/* for the caller; begins with 0 */
	bool		 waits : 1;	/* its first thread has ended, but others live */
	/* Private: */
	bool		 listed : 1;	/* false: its pid belongs to another process now */
	bool		 led : 1;	/* its first thread is known */
};
struct pp_task {		/* one life of a tid */
	uint32_t	 tid, pid;
	uint32_t	 ppid, ptid;	/* by its FORK; UINT32_MAX, if there was none: */
	uint32_t	 comm;		/* pp_task_comm() */
	bool		 forked : 1;
	bool		 synthesised : 1;	/* that FORK was synthesised for a task that existed before (misc bit FORK_EXEC) */
	bool		 ended : 1;	/* by its EXIT or the exec of another thread, and not seen alive since */
	uint8_t		 mark;		/* for the caller; begins with 0 */
	struct pp_process process;	/* private: of the first thread of a process */
};
struct pp_maps;			/* all maps of one process */

/* ---- lookups: results are valid until the next pp_state_feed() ---------------------------------------- */

struct pp_task	*pp_state_task(const struct pp_state *, uint32_t tid);		/* NULL: unknown, here and below */
struct pp_process *pp_state_process(const struct pp_state *, uint32_t pid);
struct pp_process *pp_state_process_of(const struct pp_state *, const struct pp_task *);
/* The first thread of a process, whose tid is the pid; NULL: unknown. */
struct pp_task	*pp_process_first(struct pp_process *);
/* The name of a thread; NULL: unknown. */
struct pp_word	*pp_task_comm(const struct pp_state *, const struct pp_task *);
/* NUL-terminated; any bytes. */
static inline const char *
pp_word_text(const struct pp_word *w)
{
	const char *there;

	if (w->len <= WORD_HERE)
		return w->here;
	memcpy(&there, w->here + 1, sizeof there);
	return there;
}
/* Call fn for each thread of a process, beginning with the first one, until it returns -1.  1, or -1. */
int		 pp_state_each_task(const struct pp_state *, const struct pp_process *, int (*fn)(void *arg, struct pp_task *), void *arg);
/*
 * The maps for an address by the cpumode in misc (PERF_RECORD_MISC_*): of the kernel, or of process `pid'.  NULL: unknown
 * process; hypervisor, guest, unknown mode.
 */
const struct pp_maps *pp_state_maps(const struct pp_state *, uint32_t pid, unsigned cpumode);
/*
 * pp_state_map() of the kernel, or of a process of which a thread has not ended; NULL: none, or another.  So the result stays the same
 * until there is a record of a task of that process, or a map of the kernel.  A process without threads is forgotten when others end.
 */
const struct pp_map *pp_state_map_of_living(const struct pp_state *, uint32_t pid, unsigned cpumode, uint64_t addr);
/* The name of the code in the kernel that a KSYMBOL put at an address (a BPF program); perf uses it where no map is. */
const char	*pp_state_ksymbol(const struct pp_state *, uint64_t addr);
/* The map that contains an address; NULL: none. */
const struct pp_map *pp_maps_find(const struct pp_state *, const struct pp_maps *, uint64_t addr);
/* Call fn for all maps by ascending address, until it returns -1.  1, or -1. */
int		 pp_maps_each(const struct pp_state *, const struct pp_maps *, int (*fn)(void *arg, const struct pp_map *), void *arg);
/* The same for the maps that have an address from start to last. */
int		 pp_maps_each_in(const struct pp_state *, const struct pp_maps *, uint64_t start, uint64_t last,
		    int (*fn)(void *arg, const struct pp_map *), void *arg);
/*
 * A number that identifies the contents: each change in any process gives a number not used before.  So results for an address
 * can be cached under (version, address).  A fork begins with the version of its parent.
 */
uint64_t	 pp_maps_version(const struct pp_maps *);
/*
 * PROT_READ, PROT_WRITE, PROT_EXEC of a map, by its MMAP2.  An MMAP says only whether it is code: what it does not say is taken to be
 * permitted.
 */
unsigned	 pp_state_prot(const struct pp_state *, const struct pp_map *);
/*
 * Get the file that an MMAP or MMAP2 with a trailer of so many bytes names; index and jit are 0.  The name points into the
 * record.
 */
void		 pp_dso_get(struct pp_dso *, const struct pp_rec *, size_t trailer, bool swap);

/* Does perf take what this MMAP or MMAP2 of a process maps for JIT code?  The dso is by pp_dso_get(). */
bool		 pp_map_is_jit(const struct pp_rec *, const struct pp_dso *, bool swap);

/* In the order of NAMESPACES records. */
enum pp_namespace { PP_NS_NET, PP_NS_UTS, PP_NS_IPC, PP_NS_PID, PP_NS_USER, PP_NS_MNT, PP_NS_CGROUP };
/* The inode of a thread's namespace, by its last NAMESPACES record; 0: unknown. */
uint64_t	 pp_state_namespace(const struct pp_state *, uint32_t tid, enum pp_namespace);

/* How many records of that class were fed: for who remembers what depends on them, and is in no maps. */
uint64_t	 pp_state_fed(const struct pp_state *, enum pp_class);

/* Bytes in use, approximately: what has ended does not count, though its memory is kept for what comes. */
size_t		 pp_state_memory(const struct pp_state *);
/*
 * From now on pp_state_feed() fails when more is in use, and says that it is half of --max-memory; 0: no limit.  What was fed is
 * there all the same.
 */
void		 pp_state_limit(struct pp_state *, size_t bytes);

/*
 * From now on files that no map uses are freed when there are many, and others get their indexes.  Each time pp_state_freed() is another
 * number: what the caller knows by index is to be forgotten.
 */
void		 pp_state_free_files(struct pp_state *);
unsigned	 pp_state_freed(const struct pp_state *);
/*
 * array_reach() for what is known of files by their indexes: the array forgets all when some were freed.  *freed: pp_state_freed() of
 * what is in it; begins as 0.  NULL: no memory, and the array is as it was.
 */
void		*pp_state_by_file(const struct pp_state *, void *p, size_t *n, unsigned *freed, size_t i, size_t size);

/* ---- snapshot: the state as records, as perf record synthesises them at the start of a recording ------ */

/*
 *	kernel		maps, KSYMBOL, BPF_EVENT, TEXT_POKE; CGROUP names; maps of guests: the last record of each
 *	process		a COMM for each thread, NAMESPACES, an MMAP or MMAP2 for each map that is left; an EXIT for each thread
 *			that has ended; a FORK in front, if the process has maps in common with pp_state_forker(), for these maps
 *
 * Each record ends with a trailer of so many zero bytes: time 0 and id 0, so perf processes it at once and for its first event.
 * A record is valid during put().  1; -1: put() returned that, or no memory.  Other parents (FORK), and AUX_OUTPUT_HW_ID, are not
 * written.  Files that no map uses are freed: an index may be reused for another file.
 */
int		 pp_state_write(struct pp_state *, size_t trailer, int (*put)(void *arg, const struct pp_rec *), void *arg);
/* Is everything that the record says part of the state already?  Of a FORK in a snapshot: is the task known as its child? */
bool		 pp_state_knows(const struct pp_state *, const struct pp_rec *, size_t trailer);
/*
 * Does nothing that is fed to both, or looked up in them, from now on tell the two states apart?  Marks of callers, and which maps a
 * process still shares with the one that forked it, do not count.
 */
bool		 pp_state_same(const struct pp_state *, const struct pp_state *);

/*
 * The process whose FORK made this one, if that FORK could be written now: it is alive, and its maps are still those that it
 * copied.  NULL: none.
 */
struct pp_process *pp_state_forker(const struct pp_state *, const struct pp_process *);

struct pp_stamp {		/* how the records of single tasks are written */
	uint64_t	 time;		/* of FORK and EXIT records, ns */
	uint8_t		 known;		/* the reader knows tasks and processes with this mark */
	uint8_t		 forked;	/* the reader knows processes with this mark by their FORK only */
	const uint8_t	*trailer;	/* the `len' bytes of trailer of each record */
	size_t		 len;
	size_t		 task;		/* from the end of the trailer to its pid and tid, which are set for each record; 0: never */
};
/*
 * pp_state_write_task() writes one thread: FORK (if its parent is known), COMM, NAMESPACES.  pp_state_write_exit() writes its
 * EXIT.  pp_state_write_process() writes the same for the first thread of a process, and its maps.  Of maps that its FORK
 * copied it writes only the changes, if the reader knows that FORK, or if the FORK can be written and the reader knows
 * pp_state_forker().  Any earlier task with these numbers ends in the reader.  1; -1: put() returned that, or no memory.
 */
int		 pp_state_write_task(struct pp_state *, const struct pp_task *, const struct pp_stamp *,
		    int (*put)(void *arg, const struct pp_rec *), void *arg);
int		 pp_state_write_exit(struct pp_state *, const struct pp_task *, const struct pp_stamp *,
		    int (*put)(void *arg, const struct pp_rec *), void *arg);
int		 pp_state_write_process(struct pp_state *, const struct pp_process *, const struct pp_stamp *,
		    int (*put)(void *arg, const struct pp_rec *), void *arg);
/* Write what is left of a map of process `pid', as the record of the map describes it.  As above. */
int		 pp_state_write_map(struct pp_state *, uint32_t pid, const struct pp_map *, const struct pp_stamp *,
		    int (*put)(void *arg, const struct pp_rec *), void *arg);

#endif
