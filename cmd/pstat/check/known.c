/* SPDX-License-Identifier: ISC */
#include <stdlib.h>
#include <string.h>

#include "known.h"
#include "record/order.h"
#include "set.h"
#include "tool/tool.h"


struct ranges {				/* shared by processes after a FORK; ascending, with space between them */
	uint32_t refs, n, cap;
	bool	 full;			/* all addresses count as mapped */
	struct known_range r[];
};
/*
 * A parent's name and maps may come after the FORK, as the records of other CPUs do: so who has none is asked for those of the
 * parent, up to PARENTS generations back.
 */
enum { PARENTS = 8 };
struct thread { uint32_t tid, parent; uint64_t exit; bool used, named; };	/* parent: tid, 0: none */
struct process { uint32_t pid, parent; bool used, exited; struct ranges *maps; };

struct known {
	struct thread	*thread;	/* open addressing, two slots for each */
	struct process	*process;
	uint32_t	 nthreads, nprocesses;
	size_t		 nranges;	/* allocated */
	bool		 threads_full, processes_full, ranges_full;
	uint64_t	 changes;
	uint64_t	 mul;		/* random: a stream cannot cause collisions */
};

struct known *
known_new(void)
{
	struct known *k = tool_alloc(1, sizeof *k);

	k->thread = tool_alloc(2 * KNOWN_THREADS, sizeof *k->thread);
	k->process = tool_alloc(2 * KNOWN_PROCESSES, sizeof *k->process);
	k->mul = pp_seed() | 1;
	k->changes = 1;
	return k;
}

/* ---- ranges -------------------------------------------------------------------------------------- */

static void
ranges_drop(struct known *k, struct ranges *m)
{
	if (!m || --m->refs)
		return;
	k->nranges -= m->cap;
	free(m);
}

void
known_free(struct known *k)
{
	if (!k)
		return;
	for (uint32_t i = 0; i < 2 * KNOWN_PROCESSES; i++)
		ranges_drop(k, k->process[i].maps);
	free(k->thread);
	free(k->process);
	free(k);
}

/* The number of ranges that end before the address. */
static uint32_t
ranges_before(const struct ranges *m, uint64_t addr)
{
	uint32_t lo = 0, hi = m->n;

	ORDER_FIND(lo, hi, i, m->r[i].end >= addr);
	return lo;
}

/* Have the process's ranges to itself, with space for one more.  false: there is none. */
static bool
ranges_own(struct known *k, struct process *p)
{
	struct ranges *m = p->maps, *new;
	uint32_t cap = m ? m->cap : 2;

	if (m && m->refs == 1 && m->n < m->cap)
		return true;
	if (m && m->n == m->cap)
		cap *= 2;
	if (cap > KNOWN_RANGES_EACH || k->nranges + cap > KNOWN_RANGES)
		return false;
	new = tool_alloc(1, sizeof *new + cap * sizeof *new->r);
	*new = (struct ranges){ .refs = 1, .cap = cap };
	k->nranges += cap;
	if (m) {
		new->n = m->n;
		new->full = m->full;
		memcpy(new->r, m->r, m->n * sizeof *m->r);
	}
	ranges_drop(k, m);
	p->maps = new;
	return true;
}

static void
ranges_add(struct known *k, struct process *p, uint64_t start, uint64_t end)
{
	struct ranges *m;
	uint32_t i, j;

	if (p->maps && p->maps->full)
		return;
	if (!ranges_own(k, p)) {
		if (p->maps && p->maps->refs == 1)
			p->maps->full = true;
		else
			k->ranges_full = true;
		return;
	}
	m = p->maps;
	i = ranges_before(m, start ? start - 1 : 0);	/* the first that touches it, or is behind it */
	for (j = i; j < m->n && (end == UINT64_MAX || m->r[j].start <= end + 1); j++) {
		if (m->r[j].start < start)
			start = m->r[j].start;
		if (m->r[j].end > end)
			end = m->r[j].end;
	}
	memmove(&m->r[i + 1], &m->r[j], (m->n - j) * sizeof *m->r);
	m->n = m->n - (j - i) + 1;
	m->r[i] = (struct known_range){ start, end };
}

/* ---- processes ----------------------------------------------------------------------------------- */

static uint32_t
known_hash(const struct known *k, uint32_t key, uint32_t slots)
{
	return (uint32_t)((key + UINT64_C(1)) * k->mul >> 32) & (slots - 1);
}

static struct process *
process_find(const struct known *k, uint32_t pid)
{
	uint32_t h = known_hash(k, pid, 2 * KNOWN_PROCESSES);

	while (k->process[h].used && k->process[h].pid != pid)
		h = (h + 1) & (2 * KNOWN_PROCESSES - 1);
	return &k->process[h];
}

/* Forget the processes and threads that have exited. */
static void
known_sweep(struct known *k)
{
	struct process *p = k->process;
	struct thread *t = k->thread;
	uint32_t h;

	k->process = tool_alloc(2 * KNOWN_PROCESSES, sizeof *p);
	k->thread = tool_alloc(2 * KNOWN_THREADS, sizeof *t);
	k->nprocesses = k->nthreads = 0;
	for (uint32_t i = 0; i < 2 * KNOWN_PROCESSES; i++) {
		if (p[i].used && p[i].exited)
			ranges_drop(k, p[i].maps);
		else if (p[i].used) {
			*process_find(k, p[i].pid) = p[i];
			k->nprocesses++;
		}
	}
	for (uint32_t i = 0; i < 2 * KNOWN_THREADS; i++) {
		if (!t[i].used || t[i].exit)
			continue;
		h = known_hash(k, t[i].tid, 2 * KNOWN_THREADS);
		while (k->thread[h].used)
			h = (h + 1) & (2 * KNOWN_THREADS - 1);
		k->thread[h] = t[i];
		k->nthreads++;
	}
	free(p);
	free(t);
	k->processes_full = k->nprocesses > KNOWN_PROCESSES / 8 * 7;
	k->threads_full = k->nthreads > KNOWN_THREADS / 8 * 7;
	k->ranges_full = k->nranges > KNOWN_RANGES / 8 * 7;
	k->changes++;
}

/* The process; made if it is new.  NULL: there is no place. */
static struct process *
process_get(struct known *k, uint32_t pid)
{
	struct process *p = process_find(k, pid);

	if (p->used)
		return p;
	if (k->nprocesses == KNOWN_PROCESSES) {
		if (!k->processes_full)
			known_sweep(k);
		if (k->nprocesses == KNOWN_PROCESSES) {
			k->processes_full = true;
			return NULL;
		}
		p = process_find(k, pid);
	}
	*p = (struct process){ .pid = pid, .used = true };
	k->nprocesses++;
	return p;
}

void
known_map(struct known *k, uint32_t pid, uint64_t start, uint64_t len)
{
	uint64_t end = start + len - 1;
	struct process *p;

	if (!k || !len)
		return;
	if (end < start)
		end = UINT64_MAX;
	if (!k->ranges_full && k->nranges > KNOWN_RANGES - KNOWN_RANGES_EACH)
		known_sweep(k);
	if ((p = process_get(k, pid)))
		ranges_add(k, p, start, end);
}

static bool
map_find(const struct known *k, uint32_t pid, uint64_t addr, struct known_range *range, int generation)
{
	const struct process *p = process_find(k, pid);
	const struct ranges *m = p->maps;
	bool full = k->ranges_full || (!p->used ? k->processes_full : m && m->full);
	uint32_t i = m ? ranges_before(m, addr) : 0;

	if (m && i < m->n && m->r[i].start <= addr) {
		if (range)
			*range = m->r[i];
		return true;
	}
	if (!full && p->parent && p->parent != pid && generation < PARENTS)
		return map_find(k, p->parent, addr, range, generation + 1);
	if (full && range)
		*range = (struct known_range){ addr, addr };
	return full;
}

bool
known_has_map(const struct known *k, uint32_t pid, uint64_t addr, struct known_range *range)
{
	return map_find(k, pid, addr, range, 0);
}

bool
known_has_maps(const struct known *k, uint32_t pid)
{
	const struct process *p = k ? process_find(k, pid) : NULL;

	return p && p->used && p->maps && p->maps->n;
}

/* ---- threads ------------------------------------------------------------------------------------- */

static struct thread *
thread_find(const struct known *k, uint32_t tid)
{
	uint32_t h = known_hash(k, tid, 2 * KNOWN_THREADS);

	while (k->thread[h].used && k->thread[h].tid != tid)
		h = (h + 1) & (2 * KNOWN_THREADS - 1);
	return &k->thread[h];
}

/* As process_get(). */
static struct thread *
thread_get(struct known *k, uint32_t tid)
{
	struct thread *t = thread_find(k, tid);

	if (!t->used && k->nthreads == KNOWN_THREADS) {
		if (!k->threads_full)
			known_sweep(k);
		if (k->nthreads == KNOWN_THREADS) {
			k->threads_full = true;
			return NULL;
		}
		t = thread_find(k, tid);
	}
	if (!t->used) {
		*t = (struct thread){ .tid = tid, .used = true };
		k->nthreads++;
	}
	return t;
}

void
known_comm(struct known *k, uint32_t tid)
{
	struct thread *t = k ? thread_get(k, tid) : NULL;

	if (t)
		t->named = true;
}

void
known_fork(struct known *k, uint32_t pid, uint32_t tid, uint32_t ppid, uint32_t ptid, bool with_maps)
{
	struct process *p;
	struct ranges *maps;
	struct thread *t;
	bool named;

	if (!k)
		return;
	named = known_has_name(k, ptid);
	if ((t = thread_get(k, tid))) {
		t->named = named;
		t->parent = ptid;
		t->exit = 0;
	}
	if (pid == ppid || !(p = process_get(k, pid)))
		return;
	maps = with_maps ? process_find(k, ppid)->maps : NULL;
	if (maps)
		maps->refs++;
	ranges_drop(k, p->maps);
	*p = (struct process){ .pid = pid, .used = true, .maps = maps, .parent = with_maps ? ppid : 0 };
}

void
known_exit(struct known *k, uint32_t pid, uint32_t tid, uint64_t time)
{
	struct process *p;
	struct thread *t;

	if (!k)
		return;
	t = thread_find(k, tid);
	p = process_find(k, pid);
	if (t->used)
		t->exit = time ? time : KNOWN_UNTIMED;
	if (pid == tid && p->used)
		p->exited = true;
}

void
known_alive(struct known *k, uint32_t pid, uint32_t tid, uint64_t time)
{
	struct process *p;
	struct thread *t = k ? thread_find(k, tid) : NULL;

	if (!t || !t->used || !t->exit || t->exit >= time)
		return;
	t->exit = 0;
	if (pid == tid && (p = process_find(k, pid))->used)
		p->exited = false;
}

bool
known_has_name(const struct known *k, uint32_t tid)
{
	for (int i = 0; i <= PARENTS; i++) {
		const struct thread *t = thread_find(k, tid);

		if (tid == 0 || (t->used ? t->named : k->threads_full))
			return true;
		if (!t->used || !t->parent)
			return false;
		tid = t->parent;
	}
	return false;
}

uint64_t
known_exit_time(const struct known *k, uint32_t tid)
{
	const struct thread *t = thread_find(k, tid);

	return t->used ? t->exit : 0;
}

uint64_t
known_changes(const struct known *k)
{
	return k->changes;
}
