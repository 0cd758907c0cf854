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
#include <stdlib.h>
#include <string.h>

#include "state_in.h"

/* ---- their ends ------------------------------------------------------------------------------------------ */

static uint32_t
process_number_of(const struct pp_state *s, uint32_t task)
{
	return rows_second(task) ? task : thread_at(s, task)->process;
}

static void
process_unlist(struct pp_state *s, uint32_t i)
{
	struct pp_process *p = process_pub(process_at(s, i));

	if (p->listed && !p->led)
		pp_rows_unlist(&s->tasks, i);
	p->listed = false;
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
process_lost(struct pp_state *s, uint32_t i)
{
	struct process *p = process_at(s, i);

	if (--p->alive || !process_pub(p)->waits)
		return;
	process_pub(p)->waits = false;
	dead_add(s, i);
}

static bool
task_waits(const struct task *t)
{
	return is_first(t) && t->pub.process.waits;
}

static void
task_end(struct pp_state *s, uint32_t task)
{
	struct task *t = task_at(s, task);
	uint32_t process = process_number_of(s, task);

	if (t->pub.ended)
		return;
	t->pub.ended = true;
	if (task == process)		/* if no other lives, that is over at once */
		t->pub.process.waits = true;
	else
		dead_add(s, task);
	process_lost(s, process);
}

/* It has ended, and lives. */
static void
task_revive(struct pp_state *s, uint32_t task)
{
	struct task *t = task_at(s, task);

	if (task_waits(t))
		t->pub.process.waits = false;
	else
		dead_remove(s, task);
	t->pub.ended = false;
	process_of(s, t)->alive++;
}

/* ---- the threads of a process behind its first one ------------------------------------------------------ */

static void
thread_append(struct pp_state *s, struct process *p, uint32_t task)
{
	struct thread *t = thread_at(s, task), *first = thread_at(s, p->threads);

	if (first) {
		thread_at(s, first->before)->behind = task;
		t->before = first->before;
		first->before = task;
	} else {
		t->before = p->threads = task;
	}
}

static void
thread_unlink(struct pp_state *s, struct process *p, const struct thread *t)
{
	struct thread *first = thread_at(s, p->threads);

	if (t == first)
		p->threads = t->behind;
	else
		thread_at(s, t->before)->behind = t->behind;
	if (t->behind)
		thread_at(s, t->behind)->before = t->before;
	else				/* it was the last one */
		first->before = t->before;
}

/* ---- new and gone -------------------------------------------------------------------------------------- */

/* Unless it has threads. */
static void
process_drop(struct pp_state *s, uint32_t i)
{
	struct process *p = process_at(s, i);

	if (process_pub(p)->led || p->threads)
		return;
	process_unlist(s, i);
	pp_maps_drop(&s->pool, &p->maps);
	pp_maps_release(&s->pool, p->base);
	pp_rows_drop(&s->tasks, i);
}

static void
task_drop(struct pp_state *s, uint32_t task)
{
	struct task *t = task_at(s, task);
	uint32_t process = process_number_of(s, task);
	struct process *p = process_at(s, process);

	if (!t->pub.ended)
		process_lost(s, process);
	else if (task_waits(t))
		t->pub.process.waits = false;
	else
		dead_remove(s, task);
	pp_state_word_set(s, &t->pub.comm, 0);
	pp_state_word_set(s, &t->namespaces, 0);
	if (task != process) {
		thread_unlink(s, p, (const struct thread *)t);
		pp_rows_unlist(&s->tasks, task);
		pp_rows_drop(&s->tasks, task);
	} else {
		if (!process_pub(p)->listed)
			pp_rows_unlist(&s->tasks, task);
		process_pub(p)->led = false;
	}
	process_drop(s, process);
}

/* 0: no memory. */
static uint32_t
process_get(struct pp_state *s, uint32_t pid)
{
	uint32_t i = process_number(s, pid);
	struct process *p;

	if (i || !(i = pp_rows_add(&s->tasks, pid, true)))
		return i;
	p = process_at(s, i);
	p->first.pub.pid = pid;
	p->serial_low = (uint32_t)++s->serial;
	p->maps.serial_high = s->serial >> 32 & UINT8_MAX;
	process_pub(p)->listed = true;
	return i;
}

/* A new thread of a process; NULL: no memory. */
static struct task *
task_new(struct pp_state *s, uint32_t process, uint32_t tid)
{
	struct process *p = process_at(s, process);
	uint32_t pid = p->first.pub.pid, task = process;
	struct task *t;

	if (tid == pid) {
		p->first = (struct task){ .next = p->first.next, .pub = { .process = *process_pub(p) } };
		process_pub(p)->led = true;
	} else {
		if (!(task = pp_rows_add(&s->tasks, tid, false)))
			return NULL;
		thread_at(s, task)->process = process;
		thread_append(s, p, task);
	}
	t = task_at(s, task);
	t->pub.tid = tid;
	t->pub.pid = pid;
	t->pub.ppid = t->pub.ptid = UINT32_MAX;
	p->alive++;
	return t;
}

struct task *
pp_state_task_get(struct pp_state *s, uint32_t pid, uint32_t tid)
{
	uint32_t task = task_number(s, tid), process;
	struct task *t = task_at(s, task);

	if (t && t->pub.pid == pid && process_pub(process_of(s, t))->listed) {
		if (t->pub.ended)
			task_revive(s, task);
		return t;
	}
	if (t)
		task_drop(s, task);
	if (!(process = process_get(s, pid)))
		return NULL;
	if (!(t = task_new(s, process, tid)))
		process_drop(s, process);
	return t;
}

static int
by_serial(const void *a, const void *b, void *arg)
{
	uint64_t x = process_serial(process_at(arg, *(const uint32_t *)a)), y = process_serial(process_at(arg, *(const uint32_t *)b));

	return (x > y) - (x < y);
}

uint32_t *
pp_state_processes(const struct pp_state *s, size_t *n)
{
	const struct rows_of *of = &s->tasks.of[true];
	uint32_t *list = malloc((of->n + 1) * sizeof *list);
	bool sorted = true;
	uint64_t last = 0;

	*n = 0;
	for (uint32_t k = 0; list && k < of->used; k++) {
		uint32_t i = rows_number(&s->tasks, k, true);
		struct process *p = process_at(s, i);

		if (!process_pub(p)->led && !p->threads)	/* it is dropped */
			continue;
		sorted &= process_serial(p) > last;
		last = process_serial(p);
		list[(*n)++] = i;
	}
	if (!sorted)			/* rows are used again */
		qsort_r(list, *n, sizeof *list, by_serial, (void *)(uintptr_t)s);
	return list;
}

/* ---- records --------------------------------------------------------------------------------------------- */

int
pp_state_feed_comm(struct pp_state *s, const struct pp_rec *r, size_t size)
{
	enum { AT = PP_RAW_AT(COMM, comm) };
	struct task *t = pp_state_task_get(s, PP_RAW_GET(r->raw, COMM, pid, s->swap), PP_RAW_GET(r->raw, COMM, tid, s->swap));
	uint32_t name;

	if (!t || !(name = pp_state_word(s, r->raw + AT, strnlen((const char *)r->raw + AT, size - AT))))
		return pp_state_no_memory(s);
	pp_state_word_set(s, &t->pub.comm, name);
	if (r->misc & PP_MISC_COMM_EXEC && is_first(t) && process_of(s, t)->alive > 1)
		for (uint32_t other = process_of(s, t)->threads; other; other = thread_at(s, other)->behind)
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
	if (pid != ppid && (process = process_number(s, pid)))
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
		pp_maps_share(&s->pool, &process_of(s, t)->maps, &p->maps);
		process_of(s, t)->base = pp_maps_hold(&s->pool, &p->maps);
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
