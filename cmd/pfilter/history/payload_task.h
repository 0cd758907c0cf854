/* SPDX-License-Identifier: ISC */
/*
 * payload_task.h - --payload-tasks: tests every task that a sample involves by the options that select tasks: the task in which it
 * was taken, and the tasks that its payload names (record/payload.def).  The sample matches if one task satisfies all options.
 *
 * perf sched measures from the previous switch on the same CPU.  Usually that is the switch to the task that now stops.  If that
 * one was lost, it is an older switch between other tasks, which must be kept, too: a "gap", a sched_switch whose next task is not
 * the one that the next switch on its CPU stops.  payload_tasks_look() sees that next switch if it comes within PAYLOAD_AHEAD.  If
 * it comes later, the gap is written right before it.  So is the switch to a task that did not satisfy the options at that time,
 * but does when it stops, for example by a new name.
 *
 * Payloads have the numbers of the first pid namespace, samples those of perf's.  If they differ, the pairs are learnt.
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
 * The keys decide what is remembered of tasks; NULL: none are given.  `names': payload_tasks_named() must tell for each task
 * whether it is selected.
 */
void	payload_tasks_start(struct payload_tasks *, const struct pp_source *, const struct pp_state *,
	    const struct state_keys *, bool names);
/* When all events are known: a row of --task-field that fits no event, or an event whose format is missing, exits 2. */
void	payload_tasks_bind(struct payload_tasks *, const struct tool *);
/*
 * Does a sample match the options that select tasks?  Called in time order.  `gap': it is marked as a gap, see above.
 * KEPT, or the reason for its own task; -1: it is malformed.
 */
int	payload_tasks_match(struct payload_tasks *, const struct selection *, struct state_keys *, const struct pp_event *,
	    const struct pp_rec *, bool gap, struct pp_err *);
/* Look at a sample before its verdict, in time order.  The number of an earlier sample that is a gap; 0: none; -1: malformed. */
int64_t	payload_tasks_look(struct payload_tasks *, const struct pp_event *, const struct pp_rec *, uint64_t nr, struct pp_err *);
/* A FORK makes a new task.  Called twice, both in time order: with `ahead' among payload_tasks_look(), and among the verdicts. */
void	payload_tasks_fork(struct payload_tasks *, const struct pp_rec *, bool ahead);
/* Is the sample of the last payload_tasks_match() a switch, which may be needed later? */
bool	payload_tasks_waits(const struct payload_tasks *);
/* Other options reject that switch, so it is not needed later. */
void	payload_tasks_rejected(struct payload_tasks *);
/*
 * The verdict on the sample of the last payload_tasks_match(): kept or not.  If a record must be written before it, *front is that
 * record, valid until the next call; otherwise front->raw is NULL.  1, or -1: no memory.
 */
int	payload_tasks_verdict(struct payload_tasks *, const struct pp_rec *, bool kept, struct pp_rec *front);
/* The tasks of the sample of the last payload_tasks_match(), *n of them. */
const struct payload_task *payload_tasks_named(const struct payload_tasks *, size_t *n);
/* At the end: warn of what was not known. */
void	payload_tasks_end(const struct payload_tasks *, const struct tool *);
void	payload_tasks_free(struct payload_tasks *);

#endif
