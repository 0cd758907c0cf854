/* SPDX-License-Identifier: ISC */
#include <stdlib.h>

#include "descent.h"
#include "record/raw.h"

/* A thread without a FORK is what its process is. */
static const struct pp_task *
known(const struct pp_state *now, uint32_t pid, uint32_t tid)
{
	const struct pp_task *t = pp_state_task(now, tid);

	return (!t || t->ppid < 0) && pid != tid ? pp_state_task(now, pid) : t;
}

/* Does the task descend from a chosen one?  UNDECIDED: it does if its parent does, which is undecided itself. */
enum descends { NO, YES, UNDECIDED };
static enum descends
by_parent(const struct descent *d, const struct pp_state *now, const struct pp_task *t)
{
	uint32_t ppid = (uint32_t)t->ppid, ptid = (uint32_t)t->ptid;
	const struct pp_task *parent = pp_state_task(now, ptid);

	if (parent && parent->pid != ppid)	/* its number has been given away */
		parent = NULL;
	if (d->chosen(d->arg, ppid, ptid, parent))
		return YES;
	parent = known(now, ppid, ptid);
	if (!parent || parent == t)
		return NO;
	return parent->mark & MARK_UNDECIDED ? UNDECIDED : parent->mark & MARK_DESCENDS ? YES : NO;
}

/* Go up to the first ancestor that is decided, then give what it is to all on the way. */
static void
decide(struct descent *d, const struct pp_state *now, uint32_t tid)
{
	struct pp_task *t = pp_state_task(now, tid), *first = t;
	size_t steps = 0;
	enum descends answer = UNDECIDED;

	while (t && t->mark & MARK_UNDECIDED) {
		t->mark &= (uint8_t)~MARK_UNDECIDED;	/* so that a circle ends */
		steps++;
		if ((answer = by_parent(d, now, t)) != UNDECIDED)
			break;
		t = (struct pp_task *)(uintptr_t)known(now, (uint32_t)t->ppid, (uint32_t)t->ptid);
	}
	if (answer != YES)
		return;
	for (t = first; steps--; t = (struct pp_task *)(uintptr_t)known(now, (uint32_t)t->ppid, (uint32_t)t->ptid))
		t->mark |= MARK_DESCENDS;
}

static void
decide_all(struct descent *d, const struct pp_state *now)
{
	for (size_t i = 0; i < d->n; i++)
		decide(d, now, d->undecided[i]);
	d->n = 0;
}

int
descent_fork(struct descent *d, const struct pp_state *now, const struct pp_rec *r, bool swap)
{
	uint32_t tid = PP_RAW_GET(r->raw, FORK, tid, swap);
	struct pp_task *t = pp_state_task(now, tid);
	enum descends answer;
	uint32_t *p;

	if (!t)
		return 1;
	if (!t->synthesised && (answer = by_parent(d, now, t)) != UNDECIDED) {
		t->mark |= answer == YES ? MARK_DESCENDS : 0;
		return 1;
	}
	if (d->n == d->cap) {
		size_t cap = d->cap ? 2 * d->cap : 256;

		if (!(p = reallocarray(d->undecided, cap, sizeof *p)))
			return -1;
		d->undecided = p;
		d->cap = cap;
	}
	t->mark |= MARK_UNDECIDED;
	d->undecided[d->n++] = tid;
	return 1;
}

bool
descends(struct descent *d, const struct pp_state *now, uint32_t pid, uint32_t tid)
{
	const struct pp_task *t;

	if (d->n)
		decide_all(d, now);
	t = known(now, pid, tid);
	return t && t->mark & MARK_DESCENDS;
}

void
descent_free(struct descent *d)
{
	free(d->undecided);
}
