/* SPDX-License-Identifier: ISC */
/* lives.c - see lives.h; where the lives are: life.h */
#include <stdlib.h>
#include <string.h>

#include "life.h"
#include "lives.h"
#include "set.h"
#include "tool/tool.h"

#define NEVER	UINT64_MAX			/* the first time of an input without one */
#define SLACK	UINT64_C(100000000)		/* ns */
enum { KEEP = 3 };				/* lives kept for a tid and input, if merged */

struct lives_in {
	uint64_t	 first, last;	/* times of its records */
	unsigned	 group;		/* the first input of its group */
	bool		 ended;
	struct tasks	 tasks;
};

struct waiting {			/* merged: a life that may collide */
	struct life	*life;
	uint64_t	 due;		/* the time when that is known */
};

struct lives {
	bool		 swap, merged, found;
	struct lives_hit hit;
	struct life_tables tables;
	struct lives_in	*in;
	unsigned	 n, living;	/* inputs; those that have not ended */
	uint64_t	 clock;		/* the largest time */
	uint32_t	 largest;	/* pid or tid */
	struct waiting	*queue;		/* in order of `due', from `at' on */
	size_t		 at, nqueue;
};

static uint32_t
lives_tid(const struct life *x)
{
	return (uint32_t)x->task->tid->link.key;
}

/* ---- two lives --------------------------------------------------------------------------------- */

static uint64_t
lives_begin_of(const struct lives *l, const struct life *x)
{
	uint64_t first = l->in[x->task->in].first;

	return x->begin > first ? x->begin : first;
}

/* An exec of its process ends a thread other than the first, also without an EXIT (state/state.h). */
static uint64_t
lives_exec_of(struct lives *l, const struct life *x)
{
	const struct task *first = lives_tid(x) == x->pid ? NULL : life_task(&l->tables, x->task->in, x->pid, NULL);
	uint64_t found = OPEN;

	for (const struct life *p = first ? first->newest : NULL; p; p = p->older)
		if (p->pid == x->pid && p->execs && p->begin > x->begin && p->begin < found)
			found = p->begin;
	return found;
}

static uint64_t
lives_end_of(struct lives *l, const struct life *x)
{
	const struct lives_in *in = &l->in[x->task->in];
	uint64_t end = x->end != OPEN ? x->end : lives_exec_of(l, x);

	return end != OPEN ? end : (l->merged && !in->ended ? l->clock : in->last) + 1;
}

/* Do they contradict each other? */
static bool
lives_differ(struct lives *l, const struct life *x, const struct kind *k)
{
	return x->pid != k->pid || (lives_tid(x) == x->pid && exec_maps_differ(l->tables.maps, x->maps, k->maps));
}

/* Have they a map in common? */
static bool
lives_same(const struct life *x, const struct life *y)
{
	return x && y && x->pid == y->pid && exec_maps_meet(x->maps, y->maps);
}

static const struct life *
lives_behind(const struct life *x)
{
	const struct life *found = NULL;

	for (const struct life *p = x->task->newest; p != x; p = p->older)
		found = p;
	return found;
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
	return to - from < SLACK && (lives_same(x->older, y) || lives_same(lives_behind(x), y) || lives_same(y->older, x) ||
	    lives_same(lives_behind(y), x)) ? NO : YES;
}

static void
lives_hits(struct lives *l, const struct life *x, const struct life *y)
{
	unsigned a = x->task->in, b = y->task->in;

	l->found = true;
	l->hit = (struct lives_hit){ a > b ? a : b, a > b ? b : a, lives_tid(x) };
}

/* Compare a life with the others of its tid, of inputs before `until'. */
static enum verdict
lives_check(struct lives *l, const struct life *x, unsigned until, bool final)
{
	enum verdict v = NO, one;
	struct kind *k;
	struct life *y;

	LIST_FOREACH(k, &x->task->tid->kinds, next) {
		if (l->found || k == x->kind || !lives_differ(l, x, k))
			continue;
		LIST_FOREACH(y, &k->lives, alike) {
			if (y->task->in >= until || l->in[x->task->in].group == l->in[y->task->in].group)
				continue;
			one = lives_collide(l, x, y, final);
			if (one == YES) {
				lives_hits(l, x, y);
				return YES;
			}
			v = one == LATER ? LATER : v;
		}
	}
	return v;
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
		lives_join(l, x->task->in, life_moment(&l->tables, x, end));
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
	if (l->at > l->nqueue / 2) {
		memmove(l->queue, l->queue + l->at, (l->nqueue - l->at) * sizeof *l->queue);
		l->nqueue -= l->at;
		l->at = 0;
	}
	l->queue = tool_need(array_more(l->queue, l->nqueue, 1, sizeof *l->queue));
	l->queue[l->nqueue++] = (struct waiting){ x, l->clock + SLACK };
	x->waits = true;
}

static void
lives_run_queue(struct lives *l, bool final)
{
	while (l->at < l->nqueue && (final || l->queue[l->at].due <= l->clock)) {
		struct life *x = l->queue[l->at++].life;

		x->waits = false;
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
	struct life *x = t ? t->newest : NULL;

	while (x && x->end != OPEN)
		x = x->older;
	return x;
}

/* If merged, only the last lives of a tid can still be compared. */
static void
lives_prune(struct lives *l, struct task *t)
{
	struct life **p = &t->newest;

	for (unsigned n = 0; *p;)
		if (++n < KEEP || (*p)->waits)
			p = &(*p)->older;
		else
			life_free(&l->tables, p);
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
	if (l->at < l->nqueue && l->queue[l->at].due <= l->clock)
		lives_run_queue(l, false);
}

/* All is known of a life. */
static void
lives_settle(struct lives *l, struct life *x)
{
	life_sort(&l->tables, x);
	lives_meet(l, x, false);
	lives_meet(l, x, true);
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
			life_free(&l->tables, &t->newest);
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
	if (!l)
		return;
	for (unsigned i = 0; i < l->n; i++)
		lives_free_lives(l, i);
	life_end(&l->tables);
	free(l->queue);
	free(l->in);
	free(l);
}
