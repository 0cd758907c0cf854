/* SPDX-License-Identifier: ISC */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "report/plus.h"
#include "set.h"
#include "tasks.h"
#include "tool/tool.h"

_Static_assert(sizeof(struct epoch) == 64, "an epoch is a cache line");

/* ---- names ----------------------------------------------------------------------------------- */

static uint32_t
tasks_name_hash(const struct tasks *t, const char *p, size_t n)
{
	uint64_t x = t->k[0] ^ n;

	for (size_t i = 0; i < n; i++) {
		x = (x ^ (uint8_t)p[i]) * t->k[1];
		x ^= x >> 32;
	}
	return (uint32_t)x & (2 * TASKS_NAMES - 1);
}

static uint32_t
tasks_intern(struct tasks *t, const char *p, size_t n)
{
	uint32_t h, i;

	if (n > TASKS_NAME_LEN)
		n = TASKS_NAME_LEN;
	h = tasks_name_hash(t, p, n);
	for (; (i = t->name_slot[h]) != 0; h = (h + 1) & (2 * TASKS_NAMES - 1))
		if (strncmp(t->name[i].text, p, n) == 0 && t->name[i].text[n] == '\0')
			return i;
	if (t->names == TASKS_NAMES)
		return NAME_OTHER;
	i = t->names++;
	t->name[i].text = tool_alloc(n + 1, 1);
	memcpy(t->name[i].text, p, n);
	return t->name_slot[h] = i;
}

const char *
tasks_name(const struct tasks *t, const struct task_row *r, char buf[16])
{
	if (r->name != NAME_UNKNOWN)
		return t->name[r->name].text;
	snprintf(buf, 16, ":%d", (int32_t)r->tid);
	return buf;
}

/* ---- epochs ---------------------------------------------------------------------------------- */

static inline uint32_t
tasks_hash(const struct tasks *t, uint64_t key)
{
	uint64_t x = (key ^ t->k[0]) * t->k[1];

	x = (x ^ x >> 32) * t->k[1];
	return (uint32_t)(x >> 32) & t->mask;
}

/* The thread's newest epoch; 0 if it has none. */
static inline uint32_t
tasks_find(const struct tasks *t, uint64_t key)
{
	uint32_t h = tasks_hash(t, key), i;

	while ((i = t->slot[h]) != 0 && t->epoch[i].key != key)
		h = (h + 1) & t->mask;
	return i;
}

void
tasks_init(struct tasks *t)
{
	*t = (struct tasks){ .mask = 1023, .used = 1, .k = { pp_seed(), pp_seed() | 1 } };
	t->slot = tool_alloc(t->mask + 1, sizeof *t->slot);
	/* Large and zeroed: the pages that are not used take no memory.  An epoch is a cache line. */
	t->epochs = tool_alloc(TASKS_EPOCHS + 1, sizeof *t->epoch);
	t->epoch = (struct epoch *)(((uintptr_t)t->epochs + 63) & ~(uintptr_t)63);
	t->log = tool_alloc(TASKS_LOG, sizeof *t->log);
	t->name = tool_alloc(TASKS_NAMES, sizeof *t->name);
	t->name_slot = tool_alloc(2 * TASKS_NAMES, sizeof *t->name_slot);
	t->names = NAME_IDLE;
	t->name[NAME_UNKNOWN].text = NULL;
	t->name[NAME_OTHER].text = NULL;
	tasks_intern(t, "swapper", 7);
}

void
tasks_free(struct tasks *t)
{
	for (uint32_t i = 0; i < t->names; i++)
		free(t->name[i].text);
	free(t->name);
	free(t->name_slot);
	free(t->slot);
	free(t->epochs);
	free(t->log);
}

static void
tasks_put_slot(struct tasks *t, uint32_t i)
{
	uint32_t h = tasks_hash(t, t->epoch[i].key);

	while (t->slot[h])
		h = (h + 1) & t->mask;
	t->slot[h] = i;
	t->count++;
}

/* The slot of a key, which must be in the table. */
static uint32_t *
tasks_slot_of(struct tasks *t, uint64_t key)
{
	uint32_t h = tasks_hash(t, key);

	while (t->epoch[t->slot[h]].key != key || t->slot[h] == 0)
		h = (h + 1) & t->mask;
	return &t->slot[h];
}

static void
tasks_grow(struct tasks *t)
{
	uint32_t *old = t->slot, n = t->mask + 1;

	t->mask = 2 * n - 1;
	t->slot = tool_alloc(2 * (size_t)n, sizeof *t->slot);
	t->count = 0;
	for (uint32_t h = 0; h < n; h++)
		if (old[h])
			tasks_put_slot(t, old[h]);
	free(old);
}

/* Count a step of work for late records.  False: the limit per sample is reached. */
static bool
tasks_afford(struct tasks *t)
{
	if (t->spent++ < 8 * t->records + (1 << 20))
		return true;
	t->rough = true;
	return false;
}

/* The comm of a thread without records about it; as in perf, thread 0 is the idle task. */
static uint32_t
tasks_unnamed(uint64_t key)
{
	return (uint32_t)key == 0 ? NAME_IDLE : NAME_UNKNOWN;
}

/* By its epoch or, after a FORK, that of the parent at the FORK, and so on. */
uint32_t
tasks_name_at(struct tasks *t, uint64_t key, uint64_t time)
{
	for (int depth = 0; depth < 256; depth++) {
		const struct epoch *e;
		uint32_t i = tasks_find(t, key);

		while (i && t->epoch[i].since > time) {
			if (!tasks_afford(t))
				return NAME_UNKNOWN;
			i = t->epoch[i].older;
		}
		if (!i)
			return tasks_unnamed(key);
		e = &t->epoch[i];
		if (!e->forked)
			return e->name;
		time = e->since;
		key = e->parent;
	}
	return NAME_UNKNOWN;
}

static void
tasks_resolve(struct tasks *t, struct epoch *e)
{
	if (e->forked) {
		e->name = tasks_name_at(t, e->parent, e->since);
		e->forked = false;
	}
}

/* Add an epoch's samples to the total of its comm, and free the epoch. */
static void
tasks_fold(struct tasks *t, uint32_t i)
{
	struct epoch *e = &t->epoch[i];
	struct name *name = &t->name[e->name];

	name->samples += e->samples;
	plus(&name->period, e->period);
	name->pids += e->samples != 0;
	t->others.samples += e->samples;
	plus(&t->others.period, e->period);
	t->others.tasks += e->samples != 0;
	*e = (struct epoch){ .older = t->spare };
	t->spare = i;
}

void
tasks_passed(struct tasks *t, uint64_t time)
{
	uint32_t freed = 0;

	tasks_count(t);
	if (t->spare || t->used < TASKS_EPOCHS - TASKS_EPOCHS / 8 || t->full)
		return;
	for (uint32_t i = 1; i < t->used; i++)
		if (t->epoch[i].since < time)
			tasks_resolve(t, &t->epoch[i]);
	for (uint32_t h = 0; h <= t->mask; h++) {
		struct epoch *e = &t->epoch[t->slot[h]];

		if (!t->slot[h] || !e->exited || e->last >= time || e->since >= time ||
		    e->samples > t->records / 1024)
			continue;
		for (uint32_t i = t->slot[h], older; i; i = older) {
			older = t->epoch[i].older;
			tasks_fold(t, i);
			freed++;
		}
		t->slot[h] = 0;
	}
	uint32_t *old = t->slot;	/* rebuild: empty slots in between would end searches too early */
	t->slot = tool_alloc(t->mask + 1, sizeof *t->slot);
	t->count = 0;
	for (uint32_t h = 0; h <= t->mask; h++)
		if (old[h])
			tasks_put_slot(t, old[h]);
	free(old);
	t->full = freed < TASKS_EPOCHS / 8;
}

/* A free epoch; 0 if there is none. */
static uint32_t
tasks_take(struct tasks *t, uint64_t key, uint64_t since)
{
	uint32_t i = t->spare;

	if (i)
		t->spare = t->epoch[i].older;
	else if (t->used < TASKS_EPOCHS)
		i = t->used++;
	else
		return 0;
	t->epoch[i] = (struct epoch){ .key = key, .since = since, .name = tasks_unnamed(key) };
	return i;
}

/* Add the first epoch of a thread. */
static uint32_t
tasks_add(struct tasks *t, uint64_t key)
{
	uint32_t i;

	if (4 * t->count > t->mask)	/* sparse: most searches take one step */
		tasks_grow(t);
	if ((i = tasks_take(t, key, 0)) != 0)
		tasks_put_slot(t, i);
	return i;
}

/* The epoch of a sample that is older than the thread's newest one. */
static uint32_t
tasks_epoch_at(struct tasks *t, uint32_t newest, uint64_t time)
{
	uint32_t i = newest, older;

	for (; t->epoch[i].since > time; i = older) {
		if (!tasks_afford(t))
			return newest;
		older = t->epoch[i].older;
		if (!older) {		/* older than the first epoch */
			older = tasks_take(t, t->epoch[i].key, 0);
			t->epoch[i].older = older;
			if (!older)
				return 0;
		}
	}
	return i;
}

void
tasks_count(struct tasks *t)
{
	uint32_t at[TASKS_BATCH];
	unsigned n = t->waiting;

	t->waiting = 0;
	for (unsigned k = 0; k < n; k++) {
		at[k] = tasks_hash(t, t->wait[k].key);
		__builtin_prefetch(&t->slot[at[k]]);
	}
	for (unsigned k = 0; k < n; k++) {
		at[k] = t->slot[at[k]];
		__builtin_prefetch(&t->epoch[at[k]], 1);
	}
	for (unsigned k = 0; k < n; k++) {
		const struct waiting *w = &t->wait[k];
		uint32_t i = at[k];
		struct epoch *e;

		if ((i == 0 || t->epoch[i].key != w->key) && (i = tasks_find(t, w->key)) == 0)
			i = tasks_add(t, w->key);
		if (w->time < t->epoch[i].since && w->time != 0)
			i = tasks_epoch_at(t, i, w->time);
		e = &t->epoch[i];
		e->samples++;
		plus(&e->period, w->period);
		if (w->time > e->last)
			e->last = w->time;
		t->log[t->records % TASKS_LOG] = (struct logged){ .time = w->time, .period = w->period,
		    .epoch = i, .before = e->log };
		e->log = (uint32_t)++t->records;
	}
}

/* Move samples counted in `from' that are newer than the start of `to' to `to'. */
static void
tasks_move(struct tasks *t, uint32_t from, uint32_t to)
{
	struct epoch *f = &t->epoch[from], *e = &t->epoch[to];
	uint32_t *keep = &f->log, *give = &e->log, seq, before;

	if (f->last <= e->since)
		return;
	for (seq = f->log; seq; seq = before) {
		struct logged *l = &t->log[(seq - 1) % TASKS_LOG];

		if ((uint32_t)t->records - seq >= TASKS_LOG || l->epoch != from || !tasks_afford(t))
			break;
		before = l->before;
		if (l->time <= e->since) {
			*keep = seq;
			keep = &l->before;
			continue;
		}
		l->epoch = to;
		*give = seq;
		give = &l->before;
		f->samples--;
		f->period -= f->period == UINT64_MAX ? 0 : l->period;
		e->samples++;
		plus(&e->period, l->period);
	}
	*keep = *give = 0;
	e->last = f->last;
	f->last = e->since;
}

/* Insert a new epoch of the thread by its time; 0 if there is no free one. */
static uint32_t
tasks_begin(struct tasks *t, uint64_t key, uint64_t time)
{
	uint32_t i, at, n;

	tasks_count(t);			/* samples before this record are counted first */
	if (!(i = tasks_find(t, key))) {
		if ((i = tasks_add(t, key)) != 0)
			t->epoch[i].since = time;
		return i;
	}
	if (!time)			/* no time: it applies from here on */
		time = t->epoch[i].since;
	if (t->epoch[i].since == time && t->epoch[i].samples == 0)
		return i;		/* the new epoch has no duration */
	for (at = i; at && t->epoch[at].since > time; at = t->epoch[at].older)
		if (!tasks_afford(t))
			return 0;
	if (!(n = tasks_take(t, key, time)))
		return 0;
	t->epoch[n].older = at;
	if (at == i)
		*tasks_slot_of(t, key) = n;
	else {
		uint32_t newer = i;

		while (t->epoch[newer].older != at)
			newer = t->epoch[newer].older;
		t->epoch[newer].older = n;
	}
	if (at)
		tasks_move(t, at, n);
	return n;
}

void
tasks_comm(struct tasks *t, uint32_t pid, uint32_t tid, uint64_t time, const char *comm, size_t len)
{
	uint32_t i = tasks_begin(t, tasks_key(pid, tid), time);

	if (i) {
		t->epoch[i].name = tasks_intern(t, comm, len);
		t->epoch[i].forked = false;
	}
}

void
tasks_fork(struct tasks *t, uint64_t child, uint64_t parent, uint64_t time)
{
	uint32_t i = tasks_begin(t, child, time);

	if (i) {
		t->epoch[i].parent = parent;
		t->epoch[i].forked = true;
		t->epoch[i].exited = false;
	}
}

void
tasks_exit(struct tasks *t, uint32_t pid, uint32_t tid, uint64_t time)
{
	uint32_t i;

	tasks_count(t);
	i = tasks_find(t, tasks_key(pid, tid));
	if (i && time >= t->epoch[i].since) {
		t->epoch[i].exited = true;
		if (time > t->epoch[i].last)
			t->epoch[i].last = time;
	}
}

/* ---- totals ---------------------------------------------------------------------------------- */

static int
tasks_by_pid_name(const void *va, const void *vb)
{
	const struct task_row *a = va, *b = vb;

	if (a->pid != b->pid)
		return a->pid < b->pid ? -1 : 1;
	if (a->name != b->name)
		return a->name < b->name ? -1 : 1;
	return a->tid < b->tid ? -1 : a->tid > b->tid;
}

static int
tasks_by_samples(const void *va, const void *vb)
{
	const struct task_row *a = va, *b = vb;

	if (a->samples != b->samples)
		return a->samples > b->samples ? -1 : 1;
	if (a->period != b->period)
		return a->period > b->period ? -1 : 1;
	return tasks_by_pid_name(a, b);
}

/* Merge rows of one pid and comm, if the comm is known. */
static size_t
tasks_merge(struct task_row *row, size_t n)
{
	size_t out = 0;

	qsort(row, n, sizeof *row, tasks_by_pid_name);
	for (size_t i = 0; i < n; i++) {
		struct task_row *last = out ? &row[out - 1] : NULL;

		if (last && last->pid == row[i].pid && last->name == row[i].name &&
		    (last->name != NAME_UNKNOWN || last->tid == row[i].tid)) {
			last->samples += row[i].samples;
			plus(&last->period, row[i].period);
		} else
			row[out++] = row[i];
	}
	return out;
}

struct task_row *
tasks_finish(struct tasks *t, size_t *nrows)
{
	struct task_row *row;
	size_t n = 0;

	tasks_count(t);
	free(t->log);			/* so that the rows can reuse its memory */
	t->log = NULL;
	for (uint32_t i = 1; i < t->used; i++)
		n += t->epoch[i].samples != 0;
	row = tool_alloc(n + 1, sizeof *row);
	n = 0;
	for (uint32_t i = 1; i < t->used; i++) {
		struct epoch *e = &t->epoch[i];

		if (e->samples == 0)
			continue;
		tasks_resolve(t, e);
		row[n++] = (struct task_row){ .pid = (uint32_t)(e->key >> 32), .tid = (uint32_t)e->key,
		    .name = e->name, .samples = e->samples, .period = e->period };
	}
	n = tasks_merge(row, n);
	for (size_t i = 0; i < n; i++) {
		struct name *name = &t->name[row[i].name];

		name->samples += row[i].samples;
		plus(&name->period, row[i].period);
		name->pids++;
	}
	if (t->epoch[0].samples) {
		t->name[NAME_OTHER].samples += t->epoch[0].samples;
		plus(&t->name[NAME_OTHER].period, t->epoch[0].period);
		t->others.samples += t->epoch[0].samples;
		plus(&t->others.period, t->epoch[0].period);
	}
	qsort(row, n, sizeof *row, tasks_by_samples);
	*nrows = n;
	return row;
}
