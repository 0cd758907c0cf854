/* SPDX-License-Identifier: ISC */
/*
 * tasks.h - samples per task and per comm, the comm being the one that the thread had at the sample's time.
 *
 * A thread's life is a list of epochs, newest first: from `since' on it had one comm, given by a COMM or
 * taken over from the parent by a FORK.  Records of different CPUs do not come in time order, so
 *  - a sample older than the newest epoch is counted in the epoch it belongs to;
 *  - an epoch that arrives late takes over the samples that were counted under the one before it, as far as the
 *    log of the last TASKS_LOG samples remembers them;
 *  - what a FORK takes over is found out when it is asked for: the parent's COMM may come after the FORK.
 *
 * Memory is bounded.  When all epochs are in use, those of tasks that have exited and had few samples are
 * folded into their comm's total and `others'; when that frees too little, further tasks count as `others'.
 * The work done for what comes out of order is bounded as well: beyond that, `rough' tells that samples may
 * stand under a neighbouring comm of their thread.
 */
#ifndef PSTAT_TASKS_H
#define PSTAT_TASKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	TASKS_EPOCHS = 32 << 10,
	TASKS_NAMES = 8 << 10,		/* distinct comms */
	TASKS_NAME_LEN = 63,		/* the kernel's are 15 long at most; longer ones are cut */
	TASKS_LOG = 32 << 10,
	TASKS_BATCH = 32,		/* samples counted together, so that they wait for memory together */
};
enum { NAME_UNKNOWN, NAME_OTHER, NAME_IDLE };	/* first names; what was not told, what was too much, "swapper" */

struct epoch {
	uint64_t key;			/* pid << 32 | tid */
	uint64_t since, last;		/* start; latest sample, or the exit */
	uint64_t samples, period;
	uint64_t parent;		/* key of the parent, if forked */
	uint32_t log;			/* 1 + number of its newest log entry; 0: none */
	uint32_t older;			/* the epoch before; 0: none */
	uint32_t name;			/* if not forked */
	bool	 forked, exited;
};

struct logged { uint64_t time, period; uint32_t epoch, before; };

struct waiting { uint64_t key, time, period; };

struct name {
	char	*text;
	uint64_t samples, period;	/* in total, once tasks_finish() has been called */
	uint32_t pids;
};

struct tasks {
	uint32_t *slot;			/* newest epoch by hash of key */
	uint32_t mask;
	uint32_t used, count;		/* epochs handed out, keys in slot */
	uint32_t spare;			/* epochs given back, linked by older */
	bool	 full, rough;
	uint64_t k[2];			/* hash key, random: a hostile stream cannot make ids collide */
	uint64_t records, spent;	/* samples; steps taken for late ones */
	struct epoch *epoch;		/* [0] counts what has no epoch */
	void	*epochs;		/* its allocation */
	struct logged *log;
	struct name *name;
	uint32_t *name_slot, names;
	struct { uint64_t tasks, samples, period; } others;
	struct waiting wait[TASKS_BATCH];
	unsigned waiting;
};

struct task_row { uint32_t pid, tid, name; uint64_t samples, period; };

void	tasks_init(struct tasks *);
void	tasks_free(struct tasks *);
/* time 0: not known, then it is the newest that counts. */
void	tasks_comm(struct tasks *, uint32_t pid, uint32_t tid, uint64_t time, const char *comm, size_t len);
void	tasks_fork(struct tasks *, uint64_t child, uint64_t parent, uint64_t time);
void	tasks_exit(struct tasks *, uint32_t pid, uint32_t tid, uint64_t time);
/* Nothing older than this is expected any more. */
void	tasks_passed(struct tasks *, uint64_t time);
/*
 * Add up.  Rows per (pid, comm) by falling samples, the caller frees; *n how many.  The totals of names are
 * right from now on, and no more may be counted.
 */
struct task_row *tasks_finish(struct tasks *, size_t *n);
/* A row's comm in `buf' as perf shows it; ":tid" if the stream did not tell. */
const char *tasks_name(const struct tasks *, const struct task_row *, char buf[16]);

/* Count the samples that wait. */
void	tasks_count(struct tasks *);

static inline uint64_t
tasks_key(uint32_t pid, uint32_t tid)
{
	return (uint64_t)pid << 32 | tid;
}

/* Count a sample; time 0 if it has none. */
static inline void
tasks_sample(struct tasks *t, uint64_t key, uint64_t time, uint64_t period)
{
	t->wait[t->waiting++] = (struct waiting){ .key = key, .time = time, .period = period };
	if (t->waiting == TASKS_BATCH)
		tasks_count(t);
}

#endif
