/* SPDX-License-Identifier: ISC */
#include <stdlib.h>

#include "descent.h"
#include "record/raw.h"
#include "set.h"

enum answer { NO, YES, UNDECIDED };	/* UNDECIDED: the parent's own descent is not determined yet */

const struct pp_task *
descent_source(const struct pp_state *now, uint32_t pid, uint32_t tid)
{
	const struct pp_task *t = pp_state_task(now, tid);

	return (!t || !t->forked) && pid != tid ? pp_state_task(now, pid) : t;
}

/* Does the task descend from a selected one, by its parent? */
static enum answer
descent_by_parent(const struct descent *d, const struct pp_state *now, const struct pp_task *t)
{
	uint32_t ppid = t->ppid, ptid = t->ptid;
	const struct pp_task *parent = pp_state_task(now, ptid);

	if (parent && parent->pid != ppid)	/* the tid was given to another task */
		parent = NULL;
	if (d->chosen(d->arg, now, ppid, ptid, parent))
		return YES;
	parent = descent_source(now, ppid, ptid);
	if (!parent || parent == t)
		return NO;
	return parent->mark & MARK_UNDECIDED ? UNDECIDED : parent->mark & MARK_DESCENDS ? YES : NO;
}

/* Determine the descent of a task: go up to the first ancestor whose descent is known, and mark all tasks on the way. */
static void
descent_determine(struct descent *d, const struct pp_state *now, uint32_t tid)
{
	struct pp_task *t = pp_state_task(now, tid), *first = t;
	size_t steps = 0;
	enum answer answer = UNDECIDED;

	while (t && t->mark & MARK_UNDECIDED) {
		t->mark &= (uint8_t)~MARK_UNDECIDED;	/* so that a cycle ends */
		steps++;
		if ((answer = descent_by_parent(d, now, t)) != UNDECIDED)
			break;
		t = (struct pp_task *)(uintptr_t)descent_source(now, t->ppid, t->ptid);
	}
	if (answer != YES)
		return;
	for (t = first; steps--; t = (struct pp_task *)(uintptr_t)descent_source(now, t->ppid, t->ptid))
		t->mark |= MARK_DESCENDS;
}

void
descent_begin(struct descent *d, const struct pp_state *now)
{
	for (size_t i = 0; i < d->n; i++)
		descent_determine(d, now, d->undecided[i]);
	d->n = 0;
}

int
descent_fork(struct descent *d, const struct pp_state *now, const struct pp_rec *r, bool swap)
{
	uint32_t tid = PP_RAW_GET(r->raw, FORK, tid, swap);
	struct pp_task *t = pp_state_task(now, tid);
	uint32_t *p;
	enum answer answer;

	if (!t)
		return 1;
	if (!t->synthesised && (answer = descent_by_parent(d, now, t)) != UNDECIDED) {
		t->mark |= answer == YES ? MARK_DESCENDS : 0;
		return 1;
	}
	if (!(p = array_more(d->undecided, d->n, 1, sizeof *p)))
		return -1;
	d->undecided = p;
	t->mark |= MARK_UNDECIDED;
	d->undecided[d->n++] = tid;
	return 1;
}

bool
descends(struct descent *d, const struct pp_state *now, uint32_t pid, uint32_t tid)
{
	const struct pp_task *t;

	descent_begin(d, now);
	t = descent_source(now, pid, tid);
	return t && t->mark & MARK_DESCENDS;
}

void
descent_free(struct descent *d)
{
	free(d->undecided);
}
