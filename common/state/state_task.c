/* SPDX-License-Identifier: ISC */
/*
 * state_task.c - see state_in.h: tasks and processes
 *
 * A process lives as long as its known threads.  A FORK of a process with its number removes it from the table at once, even if
 * threads still refer to it.
 *
 * A thread that has ended is in the ring of the dead, or is the first one of a process that `waits': as long as others live, one
 * of them may take its number by an exec, however many other tasks end before.
 */
#include <string.h>

#include "state_in.h"

/* ---- tasks and processes --------------------------------------------------------------------------------- */

static void
process_unlist(struct pp_state *s, uint32_t i)
{
	struct process *p = process_at(s, i);

	if (p->pub.listed)
		pp_rows_unlist(&s->processes, i);
	p->pub.listed = false;
}

static void task_drop(struct pp_state *, uint32_t);

/* The slot of the i-th ended thread. */
static uint32_t *
dead_at(struct pp_state *s, unsigned i)
{
	return &s->dead[(s->first_dead + i) % DEAD_MAX];
}

/* The oldest one is forgotten if there is no place. */
static void
dead_add(struct pp_state *s, uint32_t task)
{
	if (s->ndead == DEAD_MAX)
		task_drop(s, *dead_at(s, 0));
	*dead_at(s, s->ndead++) = task;
}

/* Usually the first one; another one only if its number is reused soon. */
static void
dead_remove(struct pp_state *s, uint32_t task)
{
	unsigned i = 0;

	while (*dead_at(s, i) != task)
		i++;
	for (; i > 0; i--)
		*dead_at(s, i) = *dead_at(s, i - 1);
	s->first_dead++;
	s->ndead--;
}

/* A thread of the process lives no longer. */
static void
process_lost(struct pp_state *s, struct process *p)
{
	if (--p->alive || !p->pub.waits)
		return;
	p->pub.waits = false;
	dead_add(s, task_number(s, p->pub.pid));
}

static bool
task_waits(const struct pp_state *s, const struct task *t)
{
	const struct process *p = process_of(s, t);

	return p->pub.waits && t->pub.tid == p->pub.pid;
}

static void
task_end(struct pp_state *s, uint32_t task)
{
	struct task *t = task_at(s, task);
	struct process *p = process_of(s, t);

	if (t->pub.ended)
		return;
	t->pub.ended = true;
	if (t->pub.tid == p->pub.pid && p->alive > 1)
		p->pub.waits = true;
	else
		dead_add(s, task);
	process_lost(s, p);
}

/* It has ended, and lives. */
static void
task_revive(struct pp_state *s, uint32_t task)
{
	struct task *t = task_at(s, task);

	if (task_waits(s, t))
		process_of(s, t)->pub.waits = false;
	else
		dead_remove(s, task);
	t->pub.ended = false;
	process_of(s, t)->alive++;
}

/* ---- lists: threads of a process, processes ------------------------------------------------------------ */

static void
task_append(struct pp_state *s, struct process *p, uint32_t task)
{
	struct task *t = task_at(s, task), *first = task_at(s, p->tasks);

	if (first) {
		task_at(s, first->before)->behind = task;
		t->before = first->before;
		first->before = task;
	} else {
		t->before = p->tasks = task;
	}
}

static void
task_unlink(struct pp_state *s, struct process *p, const struct task *t)
{
	struct task *first = task_at(s, p->tasks);

	if (t == first)
		p->tasks = t->behind;
	else
		task_at(s, t->before)->behind = t->behind;
	if (t->behind)
		task_at(s, t->behind)->before = t->before;
	else				/* it was the last one */
		first->before = t->before;
}

static void
process_append(struct pp_state *s, uint32_t i)
{
	process_at(s, i)->before = s->last_process;
	*(s->last_process ? &process_at(s, s->last_process)->behind : &s->first_process) = i;
	s->last_process = i;
}

static void
process_drop(struct pp_state *s, uint32_t i)
{
	struct process *p = process_at(s, i);

	process_unlist(s, i);
	*(p->before ? &process_at(s, p->before)->behind : &s->first_process) = p->behind;
	*(p->behind ? &process_at(s, p->behind)->before : &s->last_process) = p->before;
	pp_maps_drop(&s->pool, &p->maps);
	pp_maps_release(&s->pool, p->base);
	pp_rows_drop(&s->processes, i);
}

/* ---- new and gone -------------------------------------------------------------------------------------- */

static void
task_drop(struct pp_state *s, uint32_t task)
{
	struct task *t = task_at(s, task);
	struct process *p = process_of(s, t);

	pp_rows_unlist(&s->tasks, task);
	if (!t->pub.ended)
		process_lost(s, p);
	else if (task_waits(s, t))
		p->pub.waits = false;
	else
		dead_remove(s, task);
	task_unlink(s, p, t);
	if (!p->tasks)
		process_drop(s, t->process);
	pp_state_word_set(s, &t->pub.comm, 0);
	pp_state_word_set(s, &t->namespaces, 0);
	pp_rows_drop(&s->tasks, task);
}

/* 0: no memory. */
static uint32_t
process_get(struct pp_state *s, uint32_t pid)
{
	uint32_t i = rows_first(&s->processes, pid, sizeof(struct process));
	struct process *p;

	if (i || !(i = pp_rows_add(&s->processes, pid)))
		return i;
	p = process_at(s, i);
	p->serial_low = (uint32_t)++s->serial;
	p->pub.serial_high = (uint8_t)(s->serial >> 32);
	p->pub.listed = true;
	process_append(s, i);
	return i;
}

struct task *
pp_state_task_get(struct pp_state *s, uint32_t pid, uint32_t tid)
{
	uint32_t task = task_number(s, tid), process;
	struct task *t = task_at(s, task);

	if (t && t->pub.pid == pid && process_of(s, t)->pub.listed) {
		if (t->pub.ended)
			task_revive(s, task);
		return t;
	}
	if (t)
		task_drop(s, task);
	if (!(task = pp_rows_add(&s->tasks, tid)))
		return NULL;
	if (!(process = process_get(s, pid))) {
		pp_rows_unlist(&s->tasks, task);
		pp_rows_drop(&s->tasks, task);
		return NULL;
	}
	t = task_at(s, task);
	t->pub.pid = pid;
	t->pub.ppid = t->pub.ptid = UINT32_MAX;
	t->process = process;
	process_at(s, process)->alive++;
	task_append(s, process_at(s, process), task);
	return t;
}

/* ---- records --------------------------------------------------------------------------------------------- */

int
pp_state_feed_comm(struct pp_state *s, const struct pp_rec *r, size_t size)
{
	enum { AT = PP_RAW_AT(COMM, comm) };
	struct task *t = pp_state_task_get(s, PP_RAW_GET(r->raw, COMM, pid, s->swap), PP_RAW_GET(r->raw, COMM, tid, s->swap));
	const struct process *p;
	uint32_t name;

	if (!t || !(name = pp_state_word(s, r->raw + AT, strnlen((const char *)r->raw + AT, size - AT))))
		return pp_state_no_memory(s);
	pp_state_word_set(s, &t->pub.comm, name);
	p = process_of(s, t);
	if (r->misc & PP_MISC_COMM_EXEC && t->pub.tid == t->pub.pid && p->alive > 1)
		for (uint32_t other = p->tasks; other; other = task_at(s, other)->behind)
			if (task_at(s, other) != t)
				task_end(s, other);
	return 1;
}

int
pp_state_feed_namespaces(struct pp_state *s, const struct pp_rec *r, size_t size)
{
	size_t n = size - PP_RAW_AT(NAMESPACES, nr_namespaces);
	struct task *t = pp_state_task_get(s, PP_RAW_GET(r->raw, NAMESPACES, pid, s->swap),
	    PP_RAW_GET(r->raw, NAMESPACES, tid, s->swap));
	uint32_t word = t ? pp_state_word(s, r->raw + size - n, n) : 0;

	if (!word)
		return pp_state_no_memory(s);
	pp_state_word_set(s, &t->namespaces, word);
	return 1;
}

int
pp_state_feed_fork(struct pp_state *s, const struct pp_rec *r)
{
	uint32_t pid = PP_RAW_GET(r->raw, FORK, pid, s->swap), ppid = PP_RAW_GET(r->raw, FORK, ppid, s->swap);
	uint32_t tid = PP_RAW_GET(r->raw, FORK, tid, s->swap), ptid = PP_RAW_GET(r->raw, FORK, ptid, s->swap);
	uint32_t was = task_number(s, tid), parent = task_number(s, ptid), name = 0, process;
	const struct task *by = task_at(s, parent);
	struct process *p;
	struct task *t;

	if (by)				/* which may be the same task */
		pp_state_word_set(s, &name, by->pub.comm);
	if (was)			/* it has ended, or its EXIT is lost */
		task_drop(s, was);
	if (pid != ppid && (process = rows_first(&s->processes, pid, sizeof *p)))
		process_unlist(s, process);
	if (!(t = pp_state_task_get(s, pid, tid))) {
		pp_state_word_set(s, &name, 0);
		return pp_state_no_memory(s);
	}
	t->pub.forked = true;
	t->pub.ppid = ppid;
	t->pub.ptid = ptid;
	t->pub.synthesised = r->misc & PP_MISC_FORK_EXEC;
	if (name)
		pp_state_word_set(s, &t->pub.comm, name);
	pp_state_word_set(s, &name, 0);
	parent = task_number(s, ptid);
	if ((by = task_at(s, parent)) && by != t && by->pub.ended && by->pub.pid == ppid && !t->pub.synthesised)
		task_revive(s, parent);
	if (pid != ppid && !(r->misc & PP_MISC_FORK_EXEC) && (p = process_find(s, ppid))) {
		pp_maps_share(&process_of(s, t)->maps, &p->maps);
		process_of(s, t)->base = pp_maps_hold(&p->maps);
	}
	return 1;
}

int
pp_state_feed_exit(struct pp_state *s, const struct pp_rec *r)
{
	uint32_t task = task_number(s, PP_RAW_GET(r->raw, EXIT, tid, s->swap));

	if (task)
		task_end(s, task);
	return 1;
}
