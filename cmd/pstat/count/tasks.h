/* SPDX-License-Identifier: ISC */
/*
 * tasks.h - count samples per task and per comm, by the comm of the thread at the time of the sample.
 *
 * A thread has a list of epochs, newest first.  In an epoch, which begins at `since', it has one comm, from a COMM or, by a
 * FORK, from its parent.  Records of different CPUs do not arrive in time order, so
 *  - a sample older than the newest epoch is counted in the epoch of its time;
 *  - an epoch that arrives late gets the samples of its time that were counted in the previous epoch, if they are in the
 *    log of the last TASKS_LOG samples;
 *  - the comm after a FORK is looked up when it is needed, since the COMM of the parent may arrive after the FORK.
 *
 * Memory is bounded.  When all epochs are in use, those of exited tasks with few samples are added to the total of their
 * comm and to `others', and freed; if too few are freed, further tasks count as `others'.  The work for late records is
 * bounded, too: beyond the limit, `rough' is set, and samples may be counted under another comm of their thread.
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
	TASKS_BATCH = 32,		/* samples counted together, so that their cache misses overlap */
};
enum { NAME_UNKNOWN, NAME_OTHER, NAME_IDLE };	/* the first names: unknown, the rest, "swapper" */

struct epoch {
	uint64_t key;			/* pid << 32 | tid */
	uint64_t since, last;		/* start; time of the newest sample or the exit */
	uint64_t samples, period;
	uint64_t parent;		/* key of the parent, if forked */
	uint32_t log;			/* 1 + number of its newest log entry; 0: none */
	uint32_t older;			/* the previous epoch; 0: none */
	uint32_t name;			/* if not forked */
	bool	 forked, exited;
};

struct logged { uint64_t time, period; uint32_t epoch, before; };

struct waiting { uint64_t key, time, period; };

struct name {
	char	*text;
	uint64_t samples, period;	/* totals, valid after tasks_finish() */
	uint32_t pids;
};

struct tasks {
	uint32_t *slot;			/* newest epoch by hash of key */
	uint32_t mask;
	uint32_t used, count;		/* epochs used, keys in slot */
	uint32_t spare;			/* freed epochs, linked by `older' */
	bool	 full, rough;
	uint64_t k[2];			/* hash key, random: a stream cannot cause collisions */
	uint64_t records, spent;	/* samples; steps of work for late records */
	struct epoch *epoch;		/* [0]: samples without an epoch */
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
/* Time 0: unknown; then the record counts as the newest. */
void	tasks_comm(struct tasks *, uint32_t pid, uint32_t tid, uint64_t time, const char *comm, size_t len);
void	tasks_fork(struct tasks *, uint64_t child, uint64_t parent, uint64_t time);
void	tasks_exit(struct tasks *, uint32_t pid, uint32_t tid, uint64_t time);
/* The watermark: no older records are expected. */
void	tasks_passed(struct tasks *, uint64_t time);
/*
 * Sum up.  *n rows per (pid, comm) by descending samples, which the caller frees.  After this the totals of names are valid,
 * and no more samples may be counted.
 */
struct task_row *tasks_finish(struct tasks *, size_t *n);
/* A row's comm in `buf' as perf prints it; ":tid" if it is unknown. */
const char *tasks_name(const struct tasks *, const struct task_row *, char buf[16]);
/* The comm of a thread at that time: its index in `name', NAME_UNKNOWN if it has none. */
uint32_t tasks_name_at(struct tasks *, uint64_t key, uint64_t time);

/* Count the samples of the current batch. */
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
