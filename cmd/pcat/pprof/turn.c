/* SPDX-License-Identifier: ISC */
/* turn.c - samples in time order, each with its stack: what was where, and what it was called */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "in.h"

uint32_t
pprof_turn_place(void *arg, const struct pp_map *m, unsigned mode, uint64_t ip)
{
	struct pprof *o = arg;
	const struct pp_dso *d;
	char jit[sizeof "/tmp/perf-4294967295.map"];

	if (!m)
		return pprof_place(&o->tables, 0, ip, mode);
	d = pp_state_dso(o->state, m);
	if (d->jit)
		snprintf(jit, sizeof jit, "/tmp/perf-%" PRIu32 ".map", d->jit);
	return pprof_place(&o->tables, pprof_map(&o->tables, m, d->jit ? jit : d->name), ip, mode);
}

/* The name of a thread, as in perf. */
static uint32_t
turn_name(struct pprof *o, uint32_t tid)
{
	const struct pp_task *task = pp_state_task(o->state, tid);
	char number[FIELD_NAMELESS];
	const char *name = task && task->comm ? pp_word_text(pp_task_comm(o->state, task)) : field_nameless(tid, number);

	return pprof_string(&o->tables, name, strlen(name));
}

static struct pprof_labels
turn_labels(struct pprof *o, uint32_t pid, uint32_t tid)
{
	struct pprof_labels l = { .pid = UINT32_MAX, .tid = UINT32_MAX };
	unsigned wanted = o->what->labels;

	if (pid == UINT32_MAX)
		return l;
	if (wanted & 1 << PPROF_COMM)
		l.comm = turn_name(o, pid);
	if (wanted & 1 << PPROF_THREAD_COMM)
		l.thread_comm = turn_name(o, tid);
	if (wanted & 1 << PPROF_PID)
		l.pid = pid;
	if (wanted & 1 << PPROF_TID)
		l.tid = tid;
	return l;
}

/* Bytes of the limit that tasks and maps leave for the tables: an eighth at least. */
static size_t
turn_room(const struct pprof *o)
{
	size_t tasks = o->what->tasks ? pp_state_memory(o->state) : 0;

	return o->memory - (tasks < o->what->tasks ? tasks : o->what->tasks);
}

int
pprof_turn_begin(void *arg)
{
	struct pprof *o = arg;

	return pprof_tables_memory(&o->tables) > turn_room(o) ? pprof_next_file(o) : 1;
}

int
pprof_turn_sample(void *arg, const struct walk_sample *s)
{
	struct pprof *o = arg;
	struct pprof_labels labels = turn_labels(o, s->pid, s->tid);
	struct pprof_stack *x = pprof_stack(&o->tables, s->place, s->depth, &labels, s->event);

	if (o->tables.failed)
		return pp_fail_memory(o->err);
	if (__builtin_add_overflow(x->periods, s->period, &x->periods))
		x->periods = UINT64_MAX;	/* more than a profile can hold, which is said when it is written */
	x->samples++;
	if (s->time && s->time < o->facts.first)
		o->facts.first = s->time;
	if (s->time > o->facts.last)
		o->facts.last = s->time;
	return 1;
}
