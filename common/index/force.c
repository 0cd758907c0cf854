/* SPDX-License-Identifier: ISC */
/* force.c - see force.h.  What begins and ends a task is said in state/state.h. */
#include <sys/queue.h>

#include <stdlib.h>
#include <string.h>

#include "force.h"
#include "record/meaning.h"
#include "record/raw.h"
#include "state/table.h"

/* Tasks that stay when they have ended: more than a state keeps. */
enum { DEAD = 512 };

struct record {
	struct link	 link;		/* of a map: by process and place */
	TAILQ_ENTRY(record) all, own;
	struct life	*life;		/* NULL: it stays */
	uint64_t	 time, order;
	uint32_t	 size;
	bool		 stays;		/* as long as its life */
	bool		 is_map;
	uint8_t		 raw[];
};
struct life {			/* of a tid */
	struct link	 link;		/* by the tid, unless that was given to another one */
	TAILQ_ENTRY(life) of, dead, check;
	TAILQ_HEAD(, record) own;
	struct group	*group;
	struct life	*from[2];	/* a thread of its parent, and one of the process that it has its maps of; NULL: none */
	struct record	*name;		/* a COMM that the next one replaces; NULL: none */
	uint32_t	 tid;
	unsigned	 children, threads;	/* lives that descend from it: in other processes, in its own */
	unsigned	 maps;
	bool		 listed;
	bool		 ended, late;	/* late: so many have ended since */
	bool		 idle, checked;
	bool		 parent;	/* a process from before the recording was said to be its child before anything else of it was said */
};
struct group {			/* a process */
	struct link	 link;
	TAILQ_ENTRY(group) all;
	TAILQ_HEAD(living, life) lives;
	uint32_t	 pid;
	unsigned	 n, idle;	/* lives; that could go */
	uint64_t	 forked;	/* order of the last FORK that copied its maps */
	uint64_t	 number;
	bool		 listed, stays;
};
struct force {
	TAILQ_HEAD(, record) all;
	TAILQ_HEAD(, group) every;
	TAILQ_HEAD(, life) dead, check;
	struct table	 lives, groups, maps, files, parents;	/* parents: links by the tids of those that are not known yet */
	unsigned	 ndead;
	uint64_t	 order, groups_made;
	size_t		 bytes;
	bool		 swap;
};

/* ---- lives ---------------------------------------------------------------------------------------------- */

static struct life *
life_find(const struct force *f, uint32_t tid)
{
	return (struct life *)pp_table_first(&f->lives, tid);
}

static struct group *
group_find(const struct force *f, uint32_t pid)
{
	return (struct group *)pp_table_first(&f->groups, pid);
}

static void
group_unlist(struct force *f, struct group *g)
{
	if (g && g->listed)
		pp_table_remove(&f->groups, &g->link);
	if (g)
		g->listed = false;
}

static void
record_drop(struct force *f, struct record *r)
{
	if (r->is_map) {
		pp_table_remove(&f->maps, &r->link);
		r->life->maps--;
	}
	TAILQ_REMOVE(&f->all, r, all);
	TAILQ_REMOVE(&r->life->own, r, own);
	f->bytes -= sizeof *r + r->size;
	free(r);
}

static void
dead_remove(struct force *f, struct life *l)
{
	if (l->ended && !l->late) {
		TAILQ_REMOVE(&f->dead, l, dead);
		f->ndead--;
	}
	l->ended = l->late = false;
}

/* Something about the life has changed: can it go? */
static void
life_look(struct force *f, struct life *l)
{
	bool idle = (l->late || !l->listed) && !l->children && !l->parent;

	l->group->idle += idle;
	l->group->idle -= l->idle;
	l->idle = idle;
	if (!idle || l->checked)
		return;
	l->checked = true;
	TAILQ_INSERT_TAIL(&f->check, l, check);
}

/* Its number is no longer its own. */
static void
life_unlist(struct force *f, struct life *l)
{
	if (!l->listed)
		return;
	pp_table_remove(&f->lives, &l->link);
	l->listed = false;
	life_look(f, l);
}

static void
life_drop(struct force *f, struct life *l)
{
	struct group *g = l->group;
	struct record *r;

	while ((r = TAILQ_FIRST(&l->own)))
		record_drop(f, r);
	if (l->listed)
		pp_table_remove(&f->lives, &l->link);
	dead_remove(f, l);
	if (l->checked)
		TAILQ_REMOVE(&f->check, l, check);
	TAILQ_REMOVE(&g->lives, l, of);
	g->n--;
	g->idle -= l->idle;
	for (int i = 0; i < 2; i++)
		if (l->from[i]) {
			--*(l->from[i]->group == g ? &l->from[i]->threads : &l->from[i]->children);
			life_look(f, l->from[i]);
		}
	f->bytes -= sizeof *l;
	free(l);
	if (g->n)
		return;
	group_unlist(f, g);
	TAILQ_REMOVE(&f->every, g, all);
	f->bytes -= sizeof *g;
	free(g);
}

/* A thread goes before the one that made it. */
static void
group_drop(struct force *f, struct group *g)
{
	for (unsigned n = g->n; n; n--)
		life_drop(f, TAILQ_LAST(&g->lives, living));
}

/* Drop what can go.  A thread that has mapped something stays with its process, and so does the first one. */
static void
force_check(struct force *f)
{
	struct life *l;

	while ((l = TAILQ_FIRST(&f->check))) {
		struct group *g = l->group;

		TAILQ_REMOVE(&f->check, l, check);
		l->checked = false;
		if (!l->idle)
			continue;
		if (!l->maps && !l->threads && l->tid != g->pid) {
			if (g->n > 1)		/* the others may wait for it */
				life_look(f, TAILQ_FIRST(&g->lives) == l ? TAILQ_NEXT(l, of) : TAILQ_FIRST(&g->lives));
			life_drop(f, l);
		} else if (g->idle == g->n && !g->stays)
			group_drop(f, g);
	}
}

static void
life_end(struct force *f, struct life *l)
{
	struct life *oldest;

	l->name = NULL;
	if (l->ended)
		return;
	l->ended = true;
	TAILQ_INSERT_TAIL(&f->dead, l, dead);
	if (f->ndead++ < DEAD)
		return;
	oldest = TAILQ_FIRST(&f->dead);
	TAILQ_REMOVE(&f->dead, oldest, dead);
	f->ndead--;
	oldest->late = true;
	life_look(f, oldest);
}

static void
life_revive(struct force *f, struct life *l)
{
	if (!l->ended)
		return;
	dead_remove(f, l);
	l->name = NULL;
	life_look(f, l);
}

/* Is it the one that was waited for, by force_fork()? */
static bool
life_expected(struct force *f, uint32_t tid)
{
	struct link *l = pp_table_first(&f->parents, tid);

	if (!l)
		return false;
	pp_table_remove(&f->parents, l);
	f->bytes -= sizeof *l;
	free(l);
	return true;
}

static struct life *
life_new(struct force *f, uint32_t pid, uint32_t tid)
{
	struct group *g = group_find(f, pid);
	struct life *l = calloc(1, sizeof *l);

	if (!l || pp_table_add(&f->lives, &l->link, tid) < 0) {
		free(l);
		return NULL;
	}
	l->listed = true;
	if (!g && (!(g = calloc(1, sizeof *g)) || pp_table_add(&f->groups, &g->link, pid) < 0)) {
		pp_table_remove(&f->lives, &l->link);
		free(l);
		free(g);
		return NULL;
	}
	if (!g->n) {
		TAILQ_INIT(&g->lives);
		g->pid = pid;
		g->listed = true;
		g->number = ++f->groups_made;
		TAILQ_INSERT_TAIL(&f->every, g, all);
		f->bytes += sizeof *g;
	}
	TAILQ_INIT(&l->own);
	l->group = g;
	l->tid = tid;
	l->parent = life_expected(f, tid);
	TAILQ_INSERT_TAIL(&g->lives, l, of);
	g->n++;
	f->bytes += sizeof *l;
	return l;
}

/* The life of a record that shows it alive. */
static struct life *
life_get(struct force *f, uint32_t pid, uint32_t tid)
{
	struct life *l = life_find(f, tid);

	if (l && l->group->pid == pid && l->group->listed) {
		life_revive(f, l);
		return l;
	}
	if (l)
		life_unlist(f, l);
	return life_new(f, pid, tid);
}

/* ---- records --------------------------------------------------------------------------------------------- */

static struct record *
record_add(struct force *f, struct life *l, uint64_t time, const uint8_t *p, size_t n)
{
	struct record *r = malloc(sizeof *r + n);

	if (!r)
		return NULL;
	*r = (struct record){ .life = l, .time = time, .order = ++f->order, .size = (uint32_t)n };
	memcpy(r->raw, p, n);
	f->bytes += sizeof *r + n;
	TAILQ_INSERT_TAIL(&f->all, r, all);
	if (!l)
		return r;
	r->stays = TAILQ_EMPTY(&l->own);	/* the state has tasks in the order in which they appear */
	TAILQ_INSERT_TAIL(&l->own, r, own);
	return r;
}

static int
force_comm(struct force *f, uint64_t time, const struct pp_rec *r, size_t n)
{
	struct life *l = life_get(f, PP_RAW_GET(r->raw, COMM, pid, f->swap), PP_RAW_GET(r->raw, COMM, tid, f->swap)), *other;
	bool execs = r->misc & PP_MISC_COMM_EXEC;
	struct record *x = l ? record_add(f, l, time, r->raw, n) : NULL;

	if (!x)
		return -1;
	if (l->name && !l->name->stays && (l->name->time || !time))	/* force_fork() */
		record_drop(f, l->name);
	l->name = execs ? NULL : x;
	if (execs && l->tid == l->group->pid)
		TAILQ_FOREACH(other, &l->group->lives, of)
			if (other != l)
				life_end(f, other);
	return 1;
}

/* Put the key into the table.  1; 0: it was there; -1: no memory. */
static int
force_note(struct force *f, struct table *to, uint64_t key)
{
	struct link *l;

	if (pp_table_first(to, key))
		return 0;
	if (!(l = malloc(sizeof *l)) || pp_table_add(to, l, key) < 0) {
		free(l);
		return -1;
	}
	f->bytes += sizeof *l;
	return 1;
}

/* Is it the first map of its file, or of what stands for one? */
static int
force_is_new(struct force *f, const struct pp_rec *r, size_t n)
{
	size_t at = r->type == PP_MMAP2 ? PP_RAW_AT(MMAP2, filename) : PP_RAW_AT(MMAP, filename);
	size_t from = r->type == PP_MMAP2 ? PP_RAW_AT(MMAP2, inode_or_build_id) : at;
	uint64_t key = pp_table_hash(&f->files, r->misc & PP_MISC_MMAP_BUILD_ID, r->raw + from, at - from);

	key = pp_table_hash(&f->files, key, r->raw + at, strnlen((const char *)r->raw + at, n - at));
	return force_note(f, &f->files, key);
}

/* The map of the process at that place, which the one to come replaces before anybody could inherit it, goes. */
static void
force_replace(struct force *f, const struct group *g, uint64_t key, uint64_t start, uint64_t len)
{
	struct link *l = pp_table_first(&f->maps, key);
	struct record *old;

	for (; l; l = pp_table_next(l)) {
		old = (struct record *)l;
		if (old->life->group == g && PP_RAW_GET(old->raw, MMAP, start, f->swap) == start && PP_RAW_GET(old->raw, MMAP, len, f->swap) == len)
			break;
	}
	if (l && !old->stays && old->order > g->forked)
		record_drop(f, old);
}

static int
force_map(struct force *f, uint64_t time, const struct pp_rec *r, size_t n)
{
	uint32_t pid = PP_RAW_GET(r->raw, MMAP, pid, f->swap);
	unsigned mode = r->misc & PP_MISC_CPUMODE_MASK;
	uint64_t start = PP_RAW_GET(r->raw, MMAP, start, f->swap), len = PP_RAW_GET(r->raw, MMAP, len, f->swap), key;
	struct record *x;
	struct life *l;
	int is_new;

	if (mode == PP_MISC_KERNEL || mode == PP_MISC_GUEST_KERNEL || pid == UINT32_MAX)
		return record_add(f, NULL, time, r->raw, n) ? 1 : -1;
	if (!(l = life_get(f, pid, PP_RAW_GET(r->raw, MMAP, tid, f->swap))) || (is_new = force_is_new(f, r, n)) < 0)
		return -1;
	key = pp_table_hash(&f->maps, l->group->number, (const uint8_t *)(const uint64_t[]){ start, len }, 2 * sizeof start);
	force_replace(f, l->group, key, start, len);
	if (!(x = record_add(f, l, time, r->raw, n)) || pp_table_add(&f->maps, &x->link, key) < 0)
		return -1;
	x->is_map = true;
	x->stays |= is_new;
	l->group->stays |= is_new;
	l->maps++;
	return 1;
}

static void
life_descends(struct life *l, int which, struct life *from)
{
	if (!from || from == l)
		return;
	l->from[which] = from;
	++*(from->group == l->group ? &from->threads : &from->children);
	from->name = NULL;
}

/*
 * A FORK without a time is of a child from before the recording.  A reader asks for the name and the descent of its parent only when
 * a record with a time comes, so until then the parent may become known, and its name stays that it has then.
 */
static int
force_fork(struct force *f, uint64_t time, const struct pp_rec *r, size_t n)
{
	uint32_t pid = PP_RAW_GET(r->raw, FORK, pid, f->swap), ppid = PP_RAW_GET(r->raw, FORK, ppid, f->swap);
	uint32_t tid = PP_RAW_GET(r->raw, FORK, tid, f->swap);
	struct life *by = life_find(f, PP_RAW_GET(r->raw, FORK, ptid, f->swap)), *was = life_find(f, tid), *l;
	struct group *parent = group_find(f, ppid);

	if (was)
		life_unlist(f, was);
	if (pid != ppid)
		group_unlist(f, group_find(f, pid));
	if (!(l = life_get(f, pid, tid)))
		return -1;
	if (by && by->listed && by->group->pid == ppid && !(r->misc & PP_MISC_FORK_EXEC))
		life_revive(f, by);
	life_descends(l, 0, by);
	if (!by && !time && force_note(f, &f->parents, PP_RAW_GET(r->raw, FORK, ptid, f->swap)) < 0)
		return -1;
	if (pid != ppid && parent) {
		parent->forked = f->order;
		if (!by || by->group != parent)
			life_descends(l, 1, TAILQ_FIRST(&parent->lives));
	}
	for (int i = 0; i < 2; i++)
		if (l->from[i])
			life_look(f, l->from[i]);
	return record_add(f, l, time, r->raw, n) ? 1 : -1;
}

static int
force_exit(struct force *f, uint64_t time, const struct pp_rec *r, size_t n)
{
	struct life *l = life_find(f, PP_RAW_GET(r->raw, EXIT, tid, f->swap));

	if (!l || l->ended)		/* it says nothing new */
		return 1;
	if (!record_add(f, l, time, r->raw, n))
		return -1;
	life_end(f, l);
	return 1;
}

static int
force_take(struct force *f, uint64_t time, const struct pp_rec *r, size_t n)
{
	struct life *l;

	switch (n == r->size && n >= pp_type_min(r->type) ? r->type : 0) {
	case PP_COMM:
		return force_comm(f, time, r, n);
	case PP_MMAP:
	case PP_MMAP2:
		return force_map(f, time, r, n);
	case PP_FORK:
		return force_fork(f, time, r, n);
	case PP_EXIT:
		return force_exit(f, time, r, n);
	case PP_NAMESPACES:
		l = life_get(f, PP_RAW_GET(r->raw, NAMESPACES, pid, f->swap), PP_RAW_GET(r->raw, NAMESPACES, tid, f->swap));
		return l && record_add(f, l, time, r->raw, n) ? 1 : -1;
	default:
		return record_add(f, NULL, time, r->raw, n) ? 1 : -1;
	}
}

int
force_add(struct force *f, uint64_t time, const uint8_t *p, size_t n)
{
	struct pp_rec r = pp_rec_at(p, f->swap);
	int rc = force_take(f, time, &r, n);

	force_check(f);
	return rc;
}

size_t
force_memory(const struct force *f)
{
	return f->bytes;
}

int
force_each(const struct force *f, int (*fn)(void *, uint64_t, const uint8_t *, size_t), void *arg)
{
	const struct record *r;

	TAILQ_FOREACH(r, &f->all, all)
		if (fn(arg, r->time, r->raw, r->size) < 0)
			return -1;
	return 1;
}

struct force *
force_new(bool swap)
{
	struct force *f = calloc(1, sizeof *f);

	if (!f)
		return NULL;
	f->swap = swap;
	TAILQ_INIT(&f->all);
	TAILQ_INIT(&f->every);
	TAILQ_INIT(&f->dead);
	TAILQ_INIT(&f->check);
	pp_table_init(&f->lives);
	pp_table_init(&f->groups);
	pp_table_init(&f->maps);
	pp_table_init(&f->files);
	pp_table_init(&f->parents);
	return f;
}

void
force_free(struct force *f)
{
	struct record *r;
	struct group *g;
	struct life *l;

	if (!f)
		return;
	while ((r = TAILQ_FIRST(&f->all))) {
		TAILQ_REMOVE(&f->all, r, all);
		free(r);
	}
	while ((g = TAILQ_FIRST(&f->every))) {
		while ((l = TAILQ_FIRST(&g->lives))) {
			TAILQ_REMOVE(&g->lives, l, of);
			free(l);
		}
		TAILQ_REMOVE(&f->every, g, all);
		free(g);
	}
	pp_table_free(&f->lives, false);
	pp_table_free(&f->groups, false);
	pp_table_free(&f->maps, false);
	pp_table_free(&f->files, true);
	pp_table_free(&f->parents, true);
	free(f);
}
