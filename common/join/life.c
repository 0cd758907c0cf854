/* SPDX-License-Identifier: ISC */
/* life.c - see life.h */
#include <stdlib.h>
#include <string.h>

#include "life.h"
#include "tool/tool.h"

static void
life_add(struct table *t, struct link *l, uint64_t key)
{
	if (pp_table_add(t, l, key) < 0)
		tool_no_memory();
}

static struct tid *
life_tid_at(struct life_tables *t, uint32_t tid)
{
	struct tid *x = (struct tid *)pp_table_first(&t->tids, tid);

	if (!x) {
		x = tool_alloc(1, sizeof *x);
		LIST_INIT(&x->kinds);
		life_add(&t->tids, &x->link, tid);
	}
	return x;
}

struct task *
life_task(struct life_tables *t, unsigned in, uint32_t tid, struct tasks *make)
{
	uint64_t key = (uint64_t)in << 32 | tid;
	struct task *x = (struct task *)pp_table_first(&t->tasks, key);

	if (x || !make)
		return x;
	x = tool_alloc(1, sizeof *x);
	*x = (struct task){ .tid = life_tid_at(t, tid) };
	life_add(&t->tasks, &x->link, key);
	STAILQ_INSERT_TAIL(make, x, next);
	return x;
}

struct life *
life_new(struct task *task, uint32_t pid, uint64_t begin)
{
	struct life *x = tool_alloc(1, sizeof *x);

	*x = (struct life){ .older = task->newest, .task = task, .begin = begin, .end = OPEN, .pid = pid };
	if (x->older)
		x->older->newer = x;
	task->newest = x;
	return x;
}

/* ---- kinds --------------------------------------------------------------------------------------- */

static void
life_leave_kind(struct life_tables *t, struct life *x)
{
	struct kind *k = x->kind;

	if (!k)
		return;
	life_times_forget(x->task->tid);
	LIST_REMOVE(x, alike);
	x->kind = NULL;
	if (!LIST_EMPTY(&k->lives))
		return;
	LIST_REMOVE(k, next);
	pp_table_remove(&t->kinds, &k->link);
	exec_maps_free(t->maps, k->maps);
	free(k);
}

/* The kind of a life. */
static struct kind *
life_kind(struct life_tables *t, const struct life *x)
{
	struct kind *k;
	uint64_t word[] = { (uint64_t)life_tid(x) << 32 | x->pid, (uintptr_t)x->maps };
	uint64_t key = pp_table_hash(&t->kinds, 0, (const uint8_t *)word, sizeof word);

	for (k = (struct kind *)pp_table_first(&t->kinds, key); k; k = (struct kind *)pp_table_next(&k->link))
		if (k->pid == x->pid && k->maps == x->maps && k->tid == life_tid(x))
			return k;
	k = tool_alloc(1, sizeof *k);
	*k = (struct kind){ .tid = life_tid(x), .pid = x->pid, .maps = exec_maps_share(x->maps) };
	LIST_INIT(&k->lives);
	life_add(&t->kinds, &k->link, key);
	LIST_INSERT_HEAD(&x->task->tid->kinds, k, next);
	return k;
}

void
life_sort(struct life_tables *t, struct life *x)
{
	if (x->kind && x->kind->maps == x->maps)
		return;
	life_leave_kind(t, x);
	life_times_forget(x->task->tid);
	x->kind = life_kind(t, x);
	LIST_INSERT_HEAD(&x->kind->lives, x, alike);
}

/* ---- moments ------------------------------------------------------------------------------------- */

static void
life_free_moment(struct life_tables *t, struct moment **at)
{
	struct moment *m = *at;

	*at = NULL;
	if (!m || --m->refs)
		return;
	pp_table_remove(&t->moments, &m->link);
	free(m);
}

unsigned
life_moment(struct life_tables *t, struct life *x, bool end)
{
	struct moment **at = end ? &x->ended : &x->began, *m;
	uint32_t tid = life_tid(x);
	uint64_t time = end ? x->end : x->begin;
	uint64_t word[] = { time, (uint64_t)tid << 32 | x->pid, end };
	uint64_t key = pp_table_hash(&t->moments, 0, (const uint8_t *)word, sizeof word);

	life_free_moment(t, at);
	m = (struct moment *)pp_table_first(&t->moments, key);
	while (m && (m->time != time || m->tid != tid || m->pid != x->pid || m->end != end))
		m = (struct moment *)pp_table_next(&m->link);
	if (!m) {
		m = tool_alloc(1, sizeof *m);
		*m = (struct moment){ .time = time, .tid = tid, .pid = x->pid, .end = end, .in = life_in(x) };
		life_add(&t->moments, &m->link, key);
	}
	m->refs++;
	*at = m;
	return m->in;
}

void
life_goes_on(struct life_tables *t, struct life *x)
{
	life_free_moment(t, &x->ended);
}

/* ---- all ----------------------------------------------------------------------------------------- */

void
life_free(struct life_tables *t, struct life **at)
{
	struct life *x = *at;

	*at = x->older;
	if (x->older)
		x->older->newer = x->newer;
	life_leave_kind(t, x);
	life_free_moment(t, &x->began);
	life_free_moment(t, &x->ended);
	exec_maps_free(t->maps, x->maps);
	free(x);
}

void
life_init(struct life_tables *t)
{
	pp_table_init(&t->tids);
	pp_table_init(&t->tasks);
	pp_table_init(&t->kinds);
	pp_table_init(&t->moments);
	t->maps = exec_maps_pool_new();
}

void
life_end(struct life_tables *t)
{
	pp_table_free(&t->tids, true);
	pp_table_free(&t->tasks, true);
	pp_table_free(&t->kinds, true);
	pp_table_free(&t->moments, true);
	exec_maps_pool_free(t->maps);
}
