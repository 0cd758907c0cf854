/* SPDX-License-Identifier: ISC */
/*
 * life.h - the lives of tasks in several inputs, where lives.c finds them; private to common/join/lives.c
 *
 * A thousand inputs have the same tasks, mostly in agreement.  So nothing here walks the lives of a tid in all inputs: a life is found
 * by its tid and input, lives that agree stand together as a kind, and a begin or an end by its time.  Lives whose times are known are
 * found by these, as one tid may live a hundred thousand times.
 */
#ifndef PP_JOIN_LIFE_H
#define PP_JOIN_LIFE_H

#include <sys/queue.h>

#include "maps.h"
#include "state/table.h"

#define OPEN	UINT64_MAX		/* the end of a life that goes on */

struct life {
	struct life	*older, *newer;	/* the previous one of the task, and the next one */
	struct task	*task;
	struct kind	*kind;		/* NULL: not compared yet */
	LIST_ENTRY(life) alike;
	struct exec_maps *maps;
	struct life_waits *waits;	/* NULL: it is not in the queue */
	struct moment	*began, *ended;	/* NULL: by no record, or not said yet */
	uint64_t	 begin, end;	/* 0: before the first record; the first time after it */
	uint32_t	 pid;
	bool		 exits;		/* `end' is the time of its EXIT */
	bool		 execs;		/* it begins with an exec */
};

struct kind {				/* lives of a tid with the same process and the same maps: they agree */
	struct link	 link;
	LIST_ENTRY(kind) next;
	uint32_t	 tid, pid;
	struct exec_maps *maps;
	LIST_HEAD(, life) lives;	/* newest first */
};

struct tid {
	struct link	 link;		/* key: the number */
	LIST_HEAD(, kind) kinds;	/* newest first */
	struct life_times *times;	/* life_times(); NULL: not asked for since a life came or went */
};

struct task {				/* a tid in an input */
	struct link	 link;		/* key: input and number */
	struct tid	*tid;
	struct life	*newest;
	STAILQ_ENTRY(task) next;	/* of the input, in order of appearance, so that results are reproducible */
};
STAILQ_HEAD(tasks, task);

struct moment {				/* a begin or an end that lives of several inputs may have */
	struct link	 link;
	uint64_t	 time;
	uint32_t	 tid, pid;
	bool		 end;
	unsigned	 in;		/* the first input that had it */
	unsigned	 refs;
};

struct life_tables {
	struct table	 tids, tasks, kinds, moments;
	struct exec_maps_pool *maps;
};

void	life_init(struct life_tables *);
void	life_end(struct life_tables *);	/* all lives must have been freed */

static inline uint32_t
life_tid(const struct life *x)
{
	return (uint32_t)x->task->link.key;
}

static inline unsigned
life_in(const struct life *x)
{
	return (unsigned)(x->task->link.key >> 32);
}

/* The task of a tid in an input; NULL: none.  make: it is made, and added to `tasks', those of the input. */
struct task *life_task(struct life_tables *, unsigned in, uint32_t tid, struct tasks *make);
/* A new, open life of a task. */
struct life *life_new(struct task *, uint32_t pid, uint64_t begin);
/* Take a life out of its task and all tables.  at: where its task points to it. */
void	life_free(struct life_tables *, struct life **at);
/* Put a life, which has got other maps, where those of its kind are. */
void	life_sort(struct life_tables *, struct life *);
/* Note the begin, or the end, of a life.  Returns the first input that has the same one of the same process. */
unsigned life_moment(struct life_tables *, struct life *, bool end);
/* Its end is not that which was noted. */
void	life_goes_on(struct life_tables *, struct life *);

/*
 * The lives of a tid by time, whose begin and end are known and stay.  life_times_any() calls fn for those that have a time in common with
 * x, in any order, until it is true: then so is the result.  Lives of a kind for which `wanted' is false are left out together.
 */
struct life_times *life_times(struct tid *);
bool	life_times_any(const struct life_times *, const struct life *x, bool (*wanted)(void *, const struct life *x, const struct kind *),
	    bool (*fn)(void *, const struct life *x, const struct life *), void *arg);
void	life_times_forget(struct tid *);

#endif
