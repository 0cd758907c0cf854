/* SPDX-License-Identifier: ISC */
/*
 * payload_task.h - --payload-tasks: the options that select tasks are asked of every task that a sample involves: the one it was
 * taken in, and those that its payload names by the rows of record/payload.def.  One that satisfies all of them is enough.
 *
 * perf sched takes the time of a task's switch from the last one of its CPU, whoever's that was.  Usually that one names the task
 * too; if the recording lacks it, an older one counts.  So a sched_switch that the next of its CPU does not continue is kept:
 * payload_tasks_look() sees both PAYLOAD_AHEAD before the verdict on the first; if they are further apart, it is put in front of
 * the second.  So is the switch to a task that satisfies the options only since, as by a new name.
 *
 * Payloads have the numbers of the first pid namespace, samples those of perf's.  Where both differ the pairs are learnt.
 */
#ifndef PFILTER_PAYLOAD_TASK_H
#define PFILTER_PAYLOAD_TASK_H

#include "keys/select.h"
#include "state_keys.h"

enum { PAYLOAD_AHEAD = 1000000000 };	/* ns */
enum { PAYLOAD_TASKS = 17 };		/* most tasks of one sample, with its own: PAYLOAD_FIELDS + 1 */

struct payload_tasks;
struct payload_task {
	uint32_t tid;
	bool	 selected;	/* it satisfies the options; not set without `names' where another does */
};

struct payload_tasks *payload_tasks_new(void);
/* Add a row, EVENT:FIELD[:tgid]; an error exits 2. */
void	payload_tasks_add(struct payload_tasks *, const struct tool *, const char *text);
/*
 * The keys say what is remembered of tasks; NULL: none.  `names': payload_tasks_named() must know what is selected.
 */
void	payload_tasks_start(struct payload_tasks *, const struct pp_source *, const struct pp_state *,
	    const struct state_keys *, bool names);
/* When all events are known: a row of --task-field that fits none, or an event whose format is missing, exits 2. */
void	payload_tasks_bind(struct payload_tasks *, const struct tool *);
/*
 * Does a sample match the options of tasks?  In time order.  `gap': it is a switch that the next of its CPU does not continue.
 * KEPT, or the reason for its own task; -1: it is malformed.
 */
int	payload_tasks_match(struct payload_tasks *, const struct selection *, struct state_keys *, const struct pp_event *,
	    const struct pp_rec *, bool gap, struct pp_err *);
/* A sample in time order, before its verdict.  The number of the one to mark as a gap; 0: none; -1: it is malformed. */
int64_t	payload_tasks_look(struct payload_tasks *, const struct pp_event *, const struct pp_rec *, uint64_t nr, struct pp_err *);
/* A FORK, in time order: the task is a new one.  Once `ahead', as payload_tasks_look(), and once at its turn. */
void	payload_tasks_fork(struct payload_tasks *, const struct pp_rec *, bool ahead);
/* Is the sample of the last payload_tasks_match() a switch that might be needed later, unless other options reject it?  They do. */
bool	payload_tasks_waits(const struct payload_tasks *);
void	payload_tasks_rejected(struct payload_tasks *);
/*
 * The verdict on the sample of the last payload_tasks_match(): kept or not.  A record that must be written in front of it: then
 * *front is that (until the next call), else its raw is NULL.  1, or -1: no memory.
 */
int	payload_tasks_verdict(struct payload_tasks *, const struct pp_rec *, bool kept, struct pp_rec *front);
/* The tasks of the sample of the last payload_tasks_match(), *n of them. */
const struct payload_task *payload_tasks_named(const struct payload_tasks *, size_t *n);
/* At the end: warn of what was not known. */
void	payload_tasks_end(const struct payload_tasks *, const struct tool *);
void	payload_tasks_free(struct payload_tasks *);

#endif
