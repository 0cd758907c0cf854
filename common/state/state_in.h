/* SPDX-License-Identifier: ISC */
/*
 * state_in.h - the parts of the state; for state*.c only
 *
 *	state.c		new, free, feed, lookups
 *	state_task.c	tasks, processes
 *	state_word.c	names of threads, namespaces
 *	state_map.c	maps and files, and records that are kept as they are
 *	state_write.c	the state as records (snapshot)
 *	state_known.c	whether the state has everything that a record says
 *	state_same.c	whether two states are the same
 *
 * Lists are in order of appearance, so that equal input gives equal snapshots; hash tables over them find things.  A map of a
 * process is start, length and offset (maps.h); the rest of its record is its `kind', shared by all maps with equal contents.
 */
#ifndef PP_STATE_IN_H
#define PP_STATE_IN_H

#include <sys/queue.h>

#include "maps.h"
#include "record/raw.h"
#include "rows.h"
#include "state.h"
#include "table.h"

enum { DEAD_MAX = 256 };		/* tasks that are kept after their end */

/*
 * Tasks and words are rows (rows.h): uint32_t is the number of one, 0: none.  The key of a task is its tid, of a word its hash.
 *
 * Most processes have one thread, so a process and its first thread are one row, as large as a line of the cache: of the second
 * size of rows.  Its key is the pid, which is the tid of that thread.  It is found as a process while it is listed, as a thread
 * while that is known (led), so a process of which only other threads are known has a row without a first thread, and a row whose
 * number belongs to another process now may still be a thread.
 */
struct task {
	uint32_t	 next;		/* struct row, with the tid */
	struct pp_task	 pub;
	uint32_t	 namespaces;	/* a word: the record from nr_namespaces on */
};

struct process {
	struct task	 first;
	uint32_t	 alive;		/* threads that have not ended */
	uint32_t	 threads;	/* the others */
	uint32_t	 serial_low;	/* process_serial() */
	uint32_t	 base;		/* the maps that its FORK copied */
	struct pp_maps	 maps;
};

struct thread {				/* not the first of its process */
	struct task	 task;
	uint32_t	 process;
	uint32_t	 before, behind;	/* threads of its process; the first of these has the last one before it */
};
_Static_assert(sizeof(struct process) == 64, "a process is a line of the cache");

struct kind {			/* the common part of many maps */
	struct link	 link;		/* by hash of the members below */
	struct pp_dso	 file;		/* whose index this is */
	bool		 used;		/* by a map, while pp_state_sweep() runs */
	uint32_t	 type;
	uint16_t	 misc;
	uint8_t		 fixed[PP_RAW_AT(MMAP2, filename) - PP_RAW_AT(MMAP2, inode_or_build_id)];	/* of an MMAP2 */
	char		 name[];
};

struct kept {			/* a record of which only the last one of a key is kept */
	struct link	 link;
	TAILQ_ENTRY(kept) all;
	uint32_t	 type, pid;
	uint64_t	 id;
	uint16_t	 size;
	uint8_t		 raw[];		/* without its trailer; a NUL follows */
};

struct pp_state {
	struct pp_err	*err;
	bool		 swap;
	struct rows	 tasks, words;
	struct table	 kinds, keeps;
	uint32_t	 dead[DEAD_MAX];	/* ring of the last tasks that have ended; the oldest is at first_dead */
	unsigned	 first_dead, ndead;
	uint64_t	 serial;	/* of the last process */
	TAILQ_HEAD(, kept) all_kept;
	struct kind	**kind;		/* by index; NULL: free */
	uint32_t	 nkinds, cap_kinds, free_kind;	/* free_kind: all indices below are in use */
	struct pp_maps	 kernel;
	struct pp_maps	 symbols;	/* the addresses of KSYMBOL records; start - pgoff is the key of the record that is kept */
	bool		 frees_files;	/* pp_state_free_files() */
	uint64_t	 fed[PP_CLASSES];	/* records */
	unsigned	 sweeps;	/* of kinds that no map uses */
	size_t		 left;		/* kinds behind the last one */
	struct maps_pool pool;
	size_t		 bytes;		/* in long words, files, records that are kept */
	size_t		 limit;		/* of pp_state_memory() */
	struct state_writer *writer;	/* made at its first use */
};

/* Free the kinds that no map uses. */
void	pp_state_sweep(struct pp_state *);
/* Always -1. */
int	pp_state_no_memory(struct pp_state *);

_Static_assert(offsetof(struct task, pub.tid) == offsetof(struct row, key), "key");
_Static_assert(offsetof(struct pp_word, refs) == sizeof(struct row), "key");

/* Most names are short: words are rows of two sizes, of which one has 8 bytes of text and a NUL, or an address. */
enum { WORD_AT = offsetof(struct pp_word, here), WORD_SHORT = 8, WORD_SIZE = WORD_AT + WORD_SHORT + 1, WORD_SECOND = WORD_AT + WORD_HERE + 1 };
_Static_assert(WORD_AT + 1 + sizeof(char *) <= WORD_SIZE && (WORD_AT + 1) % sizeof(char *) == 0, "an address");

static inline struct task *
task_at(const struct pp_state *s, uint32_t i)
{
	return i ? rows_at(&s->tasks, i) : NULL;
}

static inline struct process *
process_at(const struct pp_state *s, uint32_t i)
{
	return (struct process *)task_at(s, i);
}

static inline struct thread *
thread_at(const struct pp_state *s, uint32_t i)
{
	return (struct thread *)task_at(s, i);
}

static inline struct pp_word *
word_at(const struct pp_state *s, uint32_t i)
{
	return i ? rows_at(&s->words, i) : NULL;
}

static inline bool
is_first(const struct task *t)
{
	return t->pub.tid == t->pub.pid;
}

static inline struct process *
process_of(const struct pp_state *s, const struct task *t)
{
	return is_first(t) ? (struct process *)(uintptr_t)t : process_at(s, ((const struct thread *)t)->process);
}

static inline struct pp_process *
process_pub(struct process *p)
{
	return &p->first.pub.process;
}

/* Ascending in order of appearance: of 40 bits, as a stream with so many processes has no end. */
static inline uint64_t
process_serial(const struct process *p)
{
	return (uint64_t)p->maps.serial_high << 32 | p->serial_low;
}

/* The row of that number or, behind it in its slot, the first with that tid. */
static inline uint32_t
task_seek(const struct pp_state *s, uint32_t i, uint32_t tid)
{
	return rows_seek(&s->tasks, i, tid);
}

static inline uint32_t
task_number(const struct pp_state *s, uint32_t tid)
{
	uint32_t i = rows_first(&s->tasks, tid);

	while (rows_second(i) && !process_at(s, i)->first.pub.process.led)
		i = task_seek(s, process_at(s, i)->first.next, tid);
	return i;
}

static inline uint32_t
process_number(const struct pp_state *s, uint32_t pid)
{
	uint32_t i = rows_first(&s->tasks, pid);

	while (i && !(rows_second(i) && process_at(s, i)->first.pub.process.listed))
		i = task_seek(s, task_at(s, i)->next, pid);
	return i;
}

static inline struct task *
task_find(const struct pp_state *s, uint32_t tid)
{
	return task_at(s, task_number(s, tid));
}

static inline struct process *
process_find(const struct pp_state *s, uint32_t pid)
{
	return process_at(s, process_number(s, pid));
}

static inline struct task *
task_in(const struct pp_task *pub)
{
	return (struct task *)((uintptr_t)pub - offsetof(struct task, pub));
}

static inline struct process *
process_in(const struct pp_process *pub)
{
	return (struct process *)((uintptr_t)pub - offsetof(struct process, first.pub.process));
}

/* The threads of a process, each once: the first of them, and the next; 0: there are no more.  `i' is the number of the process. */
static inline uint32_t
task_begin(const struct pp_state *s, uint32_t i)
{
	const struct process *p = process_at(s, i);

	return p->first.pub.process.led ? i : p->threads;
}

static inline uint32_t
task_behind(const struct pp_state *s, uint32_t task)
{
	return rows_second(task) ? process_at(s, task)->threads : thread_at(s, task)->behind;
}

/* ---- state_word.c ------------------------------------------------------------------------------------- */

/* The word of n bytes, without a reference; 0: no memory. */
uint32_t pp_state_word(struct pp_state *, const void *, size_t n);
/* Let *at refer to that word, which may be the one that it refers to, instead; 0: to none. */
void	pp_state_word_set(struct pp_state *, uint32_t *at, uint32_t word);
void	pp_state_words_free(struct pp_state *);

/* ---- state_task.c: the feed functions return 1, or -1: no memory -------------------------------------- */

/* The numbers of all processes in order of appearance, *n of them; the caller frees them.  NULL: no memory. */
uint32_t *pp_state_processes(const struct pp_state *, size_t *n);

/*
 * The thread of a record that shows it alive: made if absent, also if its number belonged to another process.  NULL: no memory.
 */
struct task *pp_state_task_get(struct pp_state *, uint32_t pid, uint32_t tid);
/* size: of the record without its trailer, here and below. */
int	pp_state_feed_comm(struct pp_state *, const struct pp_rec *, size_t size);
int	pp_state_feed_namespaces(struct pp_state *, const struct pp_rec *, size_t size);
int	pp_state_feed_fork(struct pp_state *, const struct pp_rec *);
int	pp_state_feed_exit(struct pp_state *, const struct pp_rec *);

/* ---- state_map.c ------------------------------------------------------------------------------------------ */

int	pp_state_feed_mmap(struct pp_state *, const struct pp_rec *, size_t size);
int	pp_state_feed_ksymbol(struct pp_state *, const struct pp_rec *, size_t size);
/* Keep the record instead of the last one of its key; remove: only drop that one. */
int	pp_state_keep(struct pp_state *, const struct pp_rec *, size_t size, uint32_t pid, uint64_t id, bool remove);
/* The record kept for a key; NULL: none. */
struct kept *pp_state_kept(const struct pp_state *, uint32_t type, uint32_t pid, uint64_t id);
/* The offset of the name in an MMAP or MMAP2. */
static inline size_t
map_name_at(uint32_t type)
{
	return type == PP_MMAP2 ? PP_RAW_AT(MMAP2, filename) : PP_RAW_AT(MMAP, filename);
}
/*
 * Is this MMAP or MMAP2 of a process?  Of the cpumodes perf asks for those of kernels only: perf inject -B writes maps of this
 * machine's processes with that of a guest's.
 */
static inline bool
map_is_own(const struct pp_rec *r, bool swap)
{
	unsigned mode = r->misc & PP_MISC_CPUMODE_MASK;

	return mode != PP_MISC_KERNEL && mode != PP_MISC_GUEST_KERNEL && PP_RAW_GET(r->raw, MMAP, pid, swap) != UINT32_MAX;
}

void	pp_state_writer_free(struct state_writer *);

#endif
