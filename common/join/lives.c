/* SPDX-License-Identifier: ISC */
/* lives.c - see lives.h; where the lives are: life.h */
#include <stdlib.h>
#include <string.h>

#include "life.h"
#include "lives.h"
#include "record/order.h"
#include "set.h"
#include "tool/tool.h"

#define NEVER	UINT64_MAX			/* the first time of an input without one */
#define SLACK	UINT64_C(100000000)		/* ns */
/* If merged, lives kept for a tid and input, and with those that wait.  No kernel gives a number out so often in SLACK. */
enum { KEEP = 3, KEEP_WAITING = 64 };

struct lives_in {
	uint64_t	 first, last;	/* times of its records */
	unsigned	 group;		/* the first input of its group */
	bool		 ended;
	struct tasks	 tasks;
};

struct life_waits {			/* merged: in the queue */
	struct life	*life;		/* it may collide; NULL: it is gone */
	uint64_t	 due;		/* the time when that is known */
	STAILQ_ENTRY(life_waits) next;
};

struct lives {
	bool		 swap, merged, found;
	struct lives_hit hit;
	struct life_tables tables;
	struct lives_in	*in;
	unsigned	 n, living;	/* inputs; those that have not ended */
	uint64_t	 clock;		/* the largest time */
	uint32_t	 largest;	/* pid or tid */
	STAILQ_HEAD(, life_waits) queue;	/* in order of `due' */
};

/* ---- two lives --------------------------------------------------------------------------------- */

static uint64_t
lives_begin_of(const struct lives *l, const struct life *x)
{
	uint64_t first = l->in[life_in(x)].first;

	return x->begin > first ? x->begin : first;
}

/* An exec of its process ends a thread other than the first, also without an EXIT (state/state.h). */
static uint64_t
lives_exec_of(struct lives *l, const struct life *x)
{
	const struct task *first = life_tid(x) == x->pid ? NULL : life_task(&l->tables, life_in(x), x->pid, NULL);
	uint64_t found = OPEN;

	for (const struct life *p = first ? first->newest : NULL; p; p = p->older)
		if (p->pid == x->pid && p->execs && p->begin > x->begin && p->begin < found)
			found = p->begin;
	return found;
}

static uint64_t
lives_end_of(struct lives *l, const struct life *x)
{
	const struct lives_in *in = &l->in[life_in(x)];
	uint64_t end = x->end != OPEN ? x->end : lives_exec_of(l, x);

	return end != OPEN ? end : (l->merged && !in->ended ? l->clock : in->last) + 1;
}

/* Do they contradict each other? */
static bool
lives_differ(struct lives *l, const struct life *x, const struct kind *k)
{
	return x->pid != k->pid || (life_tid(x) == x->pid && exec_maps_differ(l->tables.maps, x->maps, k->maps));
}

/* Have they a map in common? */
static bool
lives_same(const struct life *x, const struct life *y)
{
	return x && y && x->pid == y->pid && exec_maps_meet(x->maps, y->maps);
}

enum verdict { NO, YES, LATER };

/* Of lives that contradict each other. */
static enum verdict
lives_collide(struct lives *l, const struct life *x, const struct life *y, bool final)
{
	uint64_t from = lives_begin_of(l, x), to = lives_end_of(l, x);

	if (lives_begin_of(l, y) > from)
		from = lives_begin_of(l, y);
	if (lives_end_of(l, y) < to)
		to = lives_end_of(l, y);
	if (from >= to)
		return NO;
	if (!final && l->clock < from + SLACK)
		return LATER;
	return to - from < SLACK && (lives_same(x->older, y) || lives_same(x->newer, y) || lives_same(y->older, x) ||
	    lives_same(y->newer, x)) ? NO : YES;
}

static void
lives_hits(struct lives *l, const struct life *x, const struct life *y)
{
	unsigned a = life_in(x), b = life_in(y);

	l->found = true;
	l->hit = (struct lives_hit){ a > b ? a : b, a > b ? b : a, life_tid(x) };
}

struct lives_asked {
	struct lives	*l;
	unsigned	 until;
};

static bool
lives_may_collide(void *arg, const struct life *x, const struct kind *k)
{
	const struct lives_asked *a = arg;

	return k != x->kind && lives_differ(a->l, x, k);
}

/* Of lives that contradict each other, if they are compared at all. */
static enum verdict
lives_try(const struct lives_asked *a, const struct life *x, const struct life *y, bool final)
{
	const struct lives_in *in = a->l->in;

	return life_in(y) < a->until && in[life_in(x)].group != in[life_in(y)].group ? lives_collide(a->l, x, y, final) : NO;
}

/* Compare a life with the others of its tid, of inputs before `until'.  The first that it collides with is the hit. */
static enum verdict
lives_check(struct lives *l, const struct life *x, unsigned until, bool final)
{
	struct lives_asked a = { l, until };
	enum verdict v = NO, one;
	struct kind *k;
	struct life *y;

	LIST_FOREACH(k, &x->task->tid->kinds, next) {
		if (l->found || !lives_may_collide(&a, x, k))
			continue;
		LIST_FOREACH(y, &k->lives, alike) {
			one = lives_try(&a, x, y, final);
			if (one == YES) {
				lives_hits(l, x, y);
				return YES;
			}
			v = one == LATER ? LATER : v;
		}
	}
	return v;
}

static bool
lives_collides(void *arg, const struct life *x, const struct life *y)
{
	return lives_try(arg, x, y, true) == YES;
}

/* Would lives_check() find one, of lives whose ends are known? */
static bool
lives_finds(struct lives *l, const struct life *x, unsigned until)
{
	struct lives_asked a = { l, until };
	struct tid *tid = x->task->tid;

	if (!LIST_NEXT(LIST_FIRST(&tid->kinds), next))
		return false;
	return life_times_any(life_times(tid), x, lives_may_collide, lives_collides, &a);
}

/* ---- groups -------------------------------------------------------------------------------------- */

unsigned
lives_group(const struct lives *l, unsigned in)
{
	return l->in[in].group;
}

void
lives_join(struct lives *l, unsigned a, unsigned b)
{
	unsigned from = l->in[a].group, to = l->in[b].group;

	if (from == to)
		return;
	if (from < to) {
		from = to;
		to = l->in[a].group;
	}
	for (unsigned i = 0; i < l->n; i++)
		if (l->in[i].group == from)
			l->in[i].group = to;
}

/* Join the inputs that have this begin, or this end, of a task. */
static void
lives_meet(struct lives *l, struct life *x, bool end)
{
	if (end ? x->exits : x->begin)
		lives_join(l, life_in(x), life_moment(&l->tables, x, end));
}

/* ---- the queue ----------------------------------------------------------------------------------- */

/* Queue the life, because it has changed or its input has begun. */
static void
lives_changed(struct lives *l, struct life *x)
{
	if (!l->merged)
		return;
	life_sort(&l->tables, x);
	if (x->waits || lives_check(l, x, l->n, false) != LATER)
		return;
	x->waits = tool_alloc(1, sizeof *x->waits);
	*x->waits = (struct life_waits){ .life = x, .due = l->clock + SLACK };
	STAILQ_INSERT_TAIL(&l->queue, x->waits, next);
}

static void
lives_run_queue(struct lives *l, bool final)
{
	struct life_waits *w;

	while ((w = STAILQ_FIRST(&l->queue)) && (final || w->due <= l->clock)) {
		struct life *x = w->life;

		STAILQ_REMOVE_HEAD(&l->queue, next);
		free(w);
		if (!x)
			continue;
		x->waits = NULL;
		if (lives_check(l, x, l->n, final) == LATER)
			lives_changed(l, x);
	}
}

/* ---- lives --------------------------------------------------------------------------------------- */

static struct task *
lives_task(struct lives *l, unsigned in, uint32_t tid)
{
	return life_task(&l->tables, in, tid, &l->in[in].tasks);
}

static struct life *
lives_open_life(const struct task *t)
{
	struct life *x = t ? t->newest : NULL;	/* those before it have ended with its begin, or before */

	return x && x->end == OPEN ? x : NULL;
}

static void
lives_free_life(struct lives *l, struct life **at)
{
	if ((*at)->waits)
		(*at)->waits->life = NULL;
	life_free(&l->tables, at);
}

/* If merged, only the last lives of a tid can still be compared. */
static void
lives_prune(struct lives *l, struct task *t)
{
	struct life **p = &t->newest;

	for (unsigned n = 0; *p;)
		if (++n < KEEP || (n < KEEP_WAITING && (*p)->waits))
			p = &(*p)->older;
		else
			lives_free_life(l, p);
}

static struct life *
lives_begin_life(struct lives *l, struct task *t, uint32_t pid, uint64_t time)
{
	struct life *x = lives_open_life(t);

	if (x)
		x->end = time;
	if (l->merged)
		lives_prune(l, t);
	x = life_new(t, pid, time);
	if (l->merged)
		lives_meet(l, x, false);
	return x;
}

/* The life of the task of a record, which shows it alive: its EXIT did not end it (state/state.h). */
static struct life *
lives_the_life(struct lives *l, struct task *t, uint32_t pid, uint64_t time)
{
	struct life *x = t->newest;

	if (!x || x->pid != pid)
		return lives_begin_life(l, t, pid, time);
	x->end = OPEN;
	x->exits = false;
	life_goes_on(&l->tables, x);
	return x;
}

static void
lives_fork_task(struct lives *l, unsigned in, const struct pp_rec *r, uint64_t time, const uint32_t id[4])
{
	enum { PID, PPID, TID };
	struct life *x = lives_begin_life(l, lives_task(l, in, id[TID]), id[PID], time), *parent;

	/* FORK synthesised for a task that existed before; its maps follow */
	if (id[PID] != id[PPID] && !(r->misc & PP_MISC_FORK_EXEC) &&
	    (parent = lives_open_life(life_task(&l->tables, in, id[PPID], NULL))))
		x->maps = exec_maps_share(parent->maps);
	lives_changed(l, x);
}

static void
lives_map(struct lives *l, unsigned in, const struct pp_rec *r, uint64_t time, uint32_t pid)
{
	struct life *x = lives_the_life(l, lives_task(l, in, pid), pid, time);

	exec_maps_add(l->tables.maps, &x->maps, r, l->swap, !time);
	lives_changed(l, x);
}

static void
lives_comm(struct lives *l, unsigned in, const struct pp_rec *r, uint64_t time, uint32_t pid, uint32_t tid)
{
	struct task *t = lives_task(l, in, tid);
	bool execs = r->misc & PP_MISC_COMM_EXEC;
	struct life *x = execs ? lives_begin_life(l, t, pid, time) : lives_the_life(l, t, pid, time);

	x->execs |= execs;
	lives_changed(l, x);
}

static void
lives_exit(struct lives *l, unsigned in, uint64_t time, uint32_t tid)
{
	struct life *x = lives_open_life(life_task(&l->tables, in, tid, NULL));

	if (!x)
		return;
	x->exits = time;
	x->end = time ? time : l->in[in].last;
	if (l->merged)
		lives_meet(l, x, true);
}

bool
lives_wants(uint32_t type)
{
	return type == PP_MMAP || type == PP_MMAP2 || type == PP_COMM || type == PP_FORK || type == PP_EXIT;
}

void
lives_put(struct lives *l, unsigned in, const struct pp_rec *r, uint64_t time, uint32_t shift)
{
	unsigned n = r->type == PP_FORK || r->type == PP_EXIT ? 4 : 2;
	uint32_t id[4] = { 0 };			/* pid, ppid, tid, ptid; or pid, tid */

	if (time)
		lives_clock(l, in, time);
	for (unsigned i = 0; i < n; i++) {
		id[i] = pp_get_u32(r->raw + PP_HEADER_SIZE + 4 * i, l->swap);
		if (!id[i] || id[i] == UINT32_MAX)
			return;			/* idle, the kernel */
		id[i] += shift;
		if (id[i] > l->largest)
			l->largest = id[i];
	}
	switch (r->type) {
	case PP_MMAP:
	case PP_MMAP2:
		if (exec_maps_wants(r))
			lives_map(l, in, r, time, id[0]);
		break;
	case PP_COMM:
		lives_comm(l, in, r, time, id[0], id[1]);
		break;
	case PP_FORK:
		lives_fork_task(l, in, r, time, id);
		break;
	case PP_EXIT:
		lives_exit(l, in, time, id[2]);
		break;
	}
}

/* ---- inputs -------------------------------------------------------------------------------------- */

/* Call fn for all lives of an input. */
static void
lives_each(struct lives *l, unsigned in, void (*fn)(struct lives *, struct life *))
{
	struct task *t;

	STAILQ_FOREACH(t, &l->in[in].tasks, next)
		for (struct life *x = t->newest; x; x = x->older)
			fn(l, x);
}

void
lives_compare(struct lives *l, unsigned in, unsigned until)
{
	struct task *t;

	STAILQ_FOREACH(t, &l->in[in].tasks, next)
		for (struct life *x = t->newest; x && !l->found; x = x->older)
			if (lives_finds(l, x, until))
				lives_check(l, x, until, true);
}

void
lives_clock(struct lives *l, unsigned i, uint64_t time)
{
	struct lives_in *in = &l->in[i];
	bool begins = in->first == NEVER;

	if (time < in->first)
		in->first = time;
	if (time > in->last)
		in->last = time;
	if (time > l->clock)
		l->clock = time;
	if (!l->merged)
		return;
	if (begins)
		lives_each(l, i, lives_changed);
	lives_run_queue(l, false);
}

/* All is known of a life but its end, if no EXIT says that. */
static void
lives_settle(struct lives *l, struct life *x)
{
	life_sort(&l->tables, x);
	lives_meet(l, x, false);
	lives_meet(l, x, true);
}

struct lives_exec {
	uint32_t	 pid;
	uint64_t	 time;
};

static int
lives_order_exec(const void *a, const void *b)
{
	const struct lives_exec *x = a, *y = b;

	return x->pid != y->pid ? (x->pid < y->pid ? -1 : 1) : x->time < y->time ? -1 : x->time > y->time;
}

/* The times of all execs of an input, by process and time. */
static struct lives_exec *
lives_execs(const struct lives *l, unsigned in, size_t *n)
{
	struct lives_exec *all = NULL;
	struct task *t;

	*n = 0;
	STAILQ_FOREACH(t, &l->in[in].tasks, next)
		for (struct life *x = t->newest; x; x = x->older)
			if (x->execs && x->pid == life_tid(x)) {
				all = tool_need(array_more(all, *n, 1, sizeof *all));
				all[(*n)++] = (struct lives_exec){ x->pid, x->begin };
			}
	if (*n)
		qsort(all, *n, sizeof *all, lives_order_exec);
	return all;
}

/* Where no record says when lives of an input that has ended begin and end, let them have the times that they are compared with. */
static void
lives_settle_times(struct lives *l, unsigned in)
{
	struct task *t;
	size_t n;
	struct lives_exec *all = lives_execs(l, in, &n);

	STAILQ_FOREACH(t, &l->in[in].tasks, next)
		for (struct life *x = t->newest; x; x = x->older) {
			size_t lo = 0, hi = x->end == OPEN && x->pid != life_tid(x) ? n : 0;

			ORDER_FIND(lo, hi, i, all[i].pid > x->pid || (all[i].pid == x->pid && all[i].time > x->begin));
			if (x->end == OPEN)
				x->end = lo < n && all[lo].pid == x->pid && x->pid != life_tid(x) ? all[lo].time : l->in[in].last + 1;
			x->begin = lives_begin_of(l, x);
		}
	free(all);
}

void
lives_end(struct lives *l, unsigned in)
{
	if (l->in[in].ended)
		return;
	l->in[in].ended = true;
	l->living--;
	if (!l->merged) {
		lives_each(l, in, lives_settle);
		lives_settle_times(l, in);
		l->clock = 0;
	} else if (!l->living)
		lives_run_queue(l, true);
}

static void
lives_free_lives(struct lives *l, unsigned in)
{
	struct task *t;

	STAILQ_FOREACH(t, &l->in[in].tasks, next)
		while (t->newest)
			lives_free_life(l, &t->newest);
}

void
lives_forget(struct lives *l, unsigned in)
{
	lives_free_lives(l, in);
	l->in[in].first = NEVER;
	l->in[in].last = 0;
	l->living += l->in[in].ended;
	l->in[in].ended = false;
	l->found = false;
	l->clock = 0;
}

const struct lives_hit *
lives_hit(const struct lives *l)
{
	return l->found ? &l->hit : NULL;
}

uint32_t
lives_largest(const struct lives *l)
{
	return l->largest;
}

struct lives *
lives_new(unsigned n, bool swap, bool merged)
{
	struct lives *l = tool_alloc(1, sizeof *l);

	*l = (struct lives){ .swap = swap, .merged = merged, .n = n, .living = n };
	STAILQ_INIT(&l->queue);
	life_init(&l->tables);
	l->in = tool_alloc(n, sizeof *l->in);
	for (unsigned i = 0; i < n; i++) {
		l->in[i] = (struct lives_in){ .first = NEVER, .group = i };
		STAILQ_INIT(&l->in[i].tasks);
	}
	return l;
}

void
lives_free(struct lives *l)
{
	struct life_waits *w;

	if (!l)
		return;
	for (unsigned i = 0; i < l->n; i++)
		lives_free_lives(l, i);
	life_end(&l->tables);
	while ((w = STAILQ_FIRST(&l->queue))) {
		STAILQ_REMOVE_HEAD(&l->queue, next);
		free(w);
	}
	free(l->in);
	free(l);
}
