/* SPDX-License-Identifier: ISC */
/* lives.c - see lives.h; the maps are in maps.c */
#include <sys/queue.h>

#include <stdlib.h>
#include <string.h>

#include "lives.h"
#include "maps.h"
#include "set.h"
#include "state/table.h"
#include "tool/tool.h"

#define OPEN	UINT64_MAX			/* the end of a life that goes on */
#define NEVER	UINT64_MAX			/* the first time of an input without one */
#define SLACK	UINT64_C(100000000)		/* ns */
enum { KEEP = 3 };				/* lives kept for a tid and input, if merged */

struct life {
	struct life	*older;		/* the previous one of the same tid, in any input */
	uint64_t	 begin, end;	/* 0: before the first record; the first time after it */
	uint32_t	 in, pid;
	bool		 waits;		/* in the queue */
	bool		 exits;		/* `end' is the time of its EXIT */
	bool		 execs;		/* it begins with an exec */
	struct exec_maps *maps;
};

struct tid {
	struct link	 link;
	struct life	*newest;
	STAILQ_ENTRY(tid) all;
};

struct lives_in {
	uint64_t	 first, last;	/* times of its records */
	unsigned	 group;		/* the first input of its group */
	bool		 ended;
};

struct waiting {			/* merged: a life that may collide */
	struct tid	*tid;
	struct life	*life;
	uint64_t	 due;		/* the time when that is known */
};

struct lives {
	bool		 swap, merged, found;
	struct lives_hit hit;
	struct table	 tids;
	STAILQ_HEAD(, tid) all;		/* in order of appearance, so that results are reproducible */
	struct lives_in	*in;
	unsigned	 n;
	uint64_t	 clock;		/* the largest time */
	uint32_t	 largest;	/* pid or tid */
	struct waiting	*queue;		/* in order of `due', from `at' on */
	size_t		 at, nqueue;
};

/* ---- two lives --------------------------------------------------------------------------------- */

static uint64_t
lives_begin_of(const struct lives *l, const struct life *x)
{
	return x->begin > l->in[x->in].first ? x->begin : l->in[x->in].first;
}

/* An exec of its process ends a thread other than the first, also without an EXIT (state/state.h). */
static uint64_t
lives_exec_of(const struct lives *l, const struct tid *t, const struct life *x)
{
	const struct tid *first = t->link.key == x->pid ? NULL : (struct tid *)pp_table_first(&l->tids, x->pid);
	uint64_t found = OPEN;

	for (const struct life *p = first ? first->newest : NULL; p; p = p->older)
		if (p->in == x->in && p->pid == x->pid && p->execs && p->begin > x->begin && p->begin < found)
			found = p->begin;
	return found;
}

static uint64_t
lives_end_of(const struct lives *l, const struct tid *t, const struct life *x)
{
	const struct lives_in *in = &l->in[x->in];
	uint64_t end = x->end != OPEN ? x->end : lives_exec_of(l, t, x);

	return end != OPEN ? end : (l->merged && !in->ended ? l->clock : in->last) + 1;
}

/* Do they contradict each other? */
static bool
lives_differ(const struct tid *t, const struct life *x, const struct life *y)
{
	return x->pid != y->pid || (t->link.key == x->pid && exec_maps_differ(x->maps, y->maps));
}

/* Have they a map in common? */
static bool
lives_same(const struct life *x, const struct life *y)
{
	return x && y && x->pid == y->pid && exec_maps_meet(x->maps, y->maps);
}

static const struct life *
lives_before(const struct life *x)
{
	const struct life *p = x->older;

	while (p && p->in != x->in)
		p = p->older;
	return p;
}

static const struct life *
lives_behind(const struct tid *t, const struct life *x)
{
	const struct life *found = NULL;

	for (const struct life *p = t->newest; p != x; p = p->older)
		if (p->in == x->in)
			found = p;
	return found;
}

enum verdict { NO, YES, LATER };

static enum verdict
lives_collide(const struct lives *l, const struct tid *t, const struct life *x, const struct life *y, bool final)
{
	uint64_t from, to;

	if (l->in[x->in].group == l->in[y->in].group || !lives_differ(t, x, y))
		return NO;
	from = lives_begin_of(l, x);
	to = lives_end_of(l, t, x);
	if (lives_begin_of(l, y) > from)
		from = lives_begin_of(l, y);
	if (lives_end_of(l, t, y) < to)
		to = lives_end_of(l, t, y);
	if (from >= to)
		return NO;
	if (!final && l->clock < from + SLACK)
		return LATER;
	return to - from < SLACK && (lives_same(lives_before(x), y) || lives_same(lives_behind(t, x), y) ||
	    lives_same(lives_before(y), x) ||
	    lives_same(lives_behind(t, y), x)) ? NO : YES;
}

/* Compare a life with the others of its tid, of inputs before `until'. */
static enum verdict
lives_check(struct lives *l, const struct tid *t, const struct life *x, unsigned until, bool final)
{
	enum verdict v = NO, one;

	for (const struct life *y = t->newest; y && !l->found; y = y->older) {
		if (y->in >= until)
			continue;
		one = lives_collide(l, t, x, y, final);
		if (one == YES) {
			l->found = true;
			l->hit = (struct lives_hit){ x->in > y->in ? x->in : y->in, x->in > y->in ? y->in : x->in,
			    (uint32_t)t->link.key };
			return YES;
		}
		v = one == LATER ? LATER : v;
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
lives_meet(struct lives *l, struct tid *t, struct life *x)
{
	for (const struct life *y = t->newest; y; y = y->older)
		if (l->in[x->in].group != l->in[y->in].group && x->pid == y->pid &&
		    ((x->begin && x->begin == y->begin) || (x->exits && y->exits && x->end == y->end)))
			lives_join(l, x->in, y->in);
}

/* ---- the queue ----------------------------------------------------------------------------------- */

/* Queue the life, because it has changed or its input has begun. */
static void
lives_changed(struct lives *l, struct tid *t, struct life *x)
{
	if (!l->merged || x->waits || lives_check(l, t, x, l->n, false) != LATER)
		return;
	if (l->at > l->nqueue / 2) {
		memmove(l->queue, l->queue + l->at, (l->nqueue - l->at) * sizeof *l->queue);
		l->nqueue -= l->at;
		l->at = 0;
	}
	l->queue = tool_need(array_more(l->queue, l->nqueue, 1, sizeof *l->queue));
	l->queue[l->nqueue++] = (struct waiting){ t, x, l->clock + SLACK };
	x->waits = true;
}

static void
lives_run_queue(struct lives *l, bool final)
{
	while (l->at < l->nqueue && (final || l->queue[l->at].due <= l->clock)) {
		struct waiting w = l->queue[l->at++];

		w.life->waits = false;
		if (lives_check(l, w.tid, w.life, l->n, final) == LATER)
			lives_changed(l, w.tid, w.life);
	}
}

/* ---- lives --------------------------------------------------------------------------------------- */

static struct tid *
lives_find(struct lives *l, uint32_t tid, bool make)
{
	struct tid *t = (struct tid *)pp_table_first(&l->tids, tid);

	if (t || !make)
		return t;
	t = tool_alloc(1, sizeof *t);
	if (pp_table_add(&l->tids, &t->link, tid) < 0)
		tool_no_memory();
	STAILQ_INSERT_TAIL(&l->all, t, all);
	return t;
}

static struct life *
lives_open_life(const struct tid *t, unsigned in)
{
	struct life *x = t ? t->newest : NULL;

	while (x && (x->in != in || x->end != OPEN))
		x = x->older;
	return x;
}

static void
lives_free_life(struct life *x)
{
	exec_maps_free(x->maps);
	free(x);
}

/* If merged, only the last lives of a tid can still be compared. */
static void
lives_prune(struct tid *t, unsigned in)
{
	unsigned n = 0;

	for (struct life **p = &t->newest, *x; (x = *p);) {
		if (x->in != in || ++n < KEEP || x->waits) {
			p = &x->older;
			continue;
		}
		*p = x->older;
		lives_free_life(x);
	}
}

static struct life *
lives_begin_life(struct lives *l, unsigned in, struct tid *t, uint32_t pid, uint64_t time)
{
	struct life *x = lives_open_life(t, in);

	if (x)
		x->end = time;
	if (l->merged)
		lives_prune(t, in);
	x = tool_alloc(1, sizeof *x);
	*x = (struct life){ .older = t->newest, .begin = time, .end = OPEN, .in = in, .pid = pid };
	t->newest = x;
	if (l->merged)
		lives_meet(l, t, x);
	return x;
}

/* The life of the task of a record, which shows it alive: its EXIT did not end it (state/state.h). */
static struct life *
lives_the_life(struct lives *l, unsigned in, struct tid *t, uint32_t pid, uint64_t time)
{
	struct life *x = t->newest;

	while (x && x->in != in)
		x = x->older;
	if (!x || x->pid != pid)
		return lives_begin_life(l, in, t, pid, time);
	x->end = OPEN;
	x->exits = false;
	return x;
}

static void
lives_fork_task(struct lives *l, unsigned in, const struct pp_rec *r, uint64_t time, const uint32_t id[4])
{
	enum { PID, PPID, TID };
	struct tid *t = lives_find(l, id[TID], true);
	struct life *x = lives_begin_life(l, in, t, id[PID], time), *parent;

	/* FORK synthesised for a task that existed before; its maps follow */
	if (id[PID] != id[PPID] && !(r->misc & PP_MISC_FORK_EXEC) &&
	    (parent = lives_open_life(lives_find(l, id[PPID], false), in)))
		x->maps = exec_maps_share(parent->maps);
	lives_changed(l, t, x);
}

static void
lives_map(struct lives *l, unsigned in, const struct pp_rec *r, uint64_t time, uint32_t pid)
{
	struct tid *t = lives_find(l, pid, true);
	struct life *x = lives_the_life(l, in, t, pid, time);

	exec_maps_add(&x->maps, r, l->swap, !time);
	lives_changed(l, t, x);
}

static void
lives_comm(struct lives *l, unsigned in, const struct pp_rec *r, uint64_t time, uint32_t pid, uint32_t tid)
{
	struct tid *t = lives_find(l, tid, true);
	bool execs = r->misc & PP_MISC_COMM_EXEC;
	struct life *x = execs ? lives_begin_life(l, in, t, pid, time) : lives_the_life(l, in, t, pid, time);

	x->execs |= execs;
	lives_changed(l, t, x);
}

static void
lives_exit(struct lives *l, unsigned in, uint64_t time, uint32_t tid)
{
	struct tid *t = lives_find(l, tid, false);
	struct life *x = lives_open_life(t, in);

	if (!x)
		return;
	x->exits = time;
	x->end = time ? time : l->in[in].last;
	if (l->merged)
		lives_meet(l, t, x);
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
lives_each(struct lives *l, unsigned in, void (*fn)(struct lives *, struct tid *, struct life *))
{
	struct tid *t;

	STAILQ_FOREACH(t, &l->all, all)
		for (struct life *x = t->newest; x; x = x->older)
			if (x->in == in)
				fn(l, t, x);
}

void
lives_compare(struct lives *l, unsigned in, unsigned until)
{
	struct tid *t;

	STAILQ_FOREACH(t, &l->all, all)
		for (struct life *x = t->newest; x && !l->found; x = x->older)
			if (x->in == in)
				lives_check(l, t, x, until, true);
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

void
lives_end(struct lives *l, unsigned in)
{
	bool all = true;

	l->in[in].ended = true;
	if (!l->merged) {
		lives_each(l, in, lives_meet);
		l->clock = 0;
		return;
	}
	for (unsigned i = 0; i < l->n; i++)
		all &= l->in[i].ended;
	if (all)
		lives_run_queue(l, true);
}

void
lives_forget(struct lives *l, unsigned in)
{
	struct tid *t;

	STAILQ_FOREACH(t, &l->all, all)
		for (struct life **p = &t->newest, *x; (x = *p);) {
			if (x->in != in) {
				p = &x->older;
				continue;
			}
			*p = x->older;
			lives_free_life(x);
		}
	l->in[in] = (struct lives_in){ .first = NEVER, .group = l->in[in].group };
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

	*l = (struct lives){ .swap = swap, .merged = merged, .n = n };
	l->tids.mul = pp_seed() | 1;
	STAILQ_INIT(&l->all);
	l->in = tool_alloc(n, sizeof *l->in);
	for (unsigned i = 0; i < n; i++)
		l->in[i] = (struct lives_in){ .first = NEVER, .group = i };
	return l;
}

void
lives_free(struct lives *l)
{
	struct life *x;
	struct tid *t;

	if (!l)
		return;
	STAILQ_FOREACH(t, &l->all, all)
		while ((x = t->newest)) {
			t->newest = x->older;
			lives_free_life(x);
		}
	pp_table_free(&l->tids, true);
	free(l->queue);
	free(l->in);
	free(l);
}
