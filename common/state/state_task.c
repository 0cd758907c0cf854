/* SPDX-License-Identifier: ISC */
/*
 * state_task.c - see state_in.h: tasks, processes and the names of threads
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

/* ---- names ----------------------------------------------------------------------------------------------- */

static struct comm *
comm_in(const struct pp_comm *pub)
{
	return (struct comm *)((uintptr_t)pub - offsetof(struct comm, pub));
}

static void
comm_drop(struct pp_state *s, struct pp_comm *pub)
{
	struct comm *c;

	if (!pub || --(c = comm_in(pub))->refs)
		return;
	pp_table_remove(&s->comms, &c->link);
	s->bytes -= sizeof *c + c->pub.len;
	free(c);
}

/* Set the name of the thread, which may be its present one. */
static void
comm_give(struct pp_state *s, struct task *t, struct pp_comm *pub)
{
	if (pub)
		comm_in(pub)->refs++;
	comm_drop(s, t->pub.comm);
	t->pub.comm = pub;
}

/* The name of n bytes, without a reference.  NULL: no memory. */
static struct pp_comm *
comm_of(struct pp_state *s, const uint8_t *text, size_t n)
{
	uint64_t key = pp_table_hash(&s->comms, n, text, n);
	struct comm *c;

	for (struct link *l = pp_table_first(&s->comms, key); l; l = pp_table_next(l)) {
		c = (struct comm *)l;
		if (c->pub.len == n && !memcmp(c->text, text, n))
			return &c->pub;
	}
	if (!(c = calloc(1, sizeof *c + n + 1)))
		return NULL;
	memcpy(c->text, text, n);
	c->pub.text = c->text;
	c->pub.len = (uint16_t)n;
	if (pp_table_add(&s->comms, &c->link, key) < 0) {
		free(c);
		return NULL;
	}
	s->bytes += sizeof *c + n;
	return &c->pub;
}

static void
blob_drop(struct pp_state *s, struct blob *b)
{
	s->bytes -= b ? sizeof *b + b->len : 0;
	free(b);
}

/* ---- tasks and processes --------------------------------------------------------------------------------- */

static void
process_unlist(struct pp_state *s, struct process *p)
{
	if (p->listed)
		pp_table_remove(&s->processes, &p->link);
	p->listed = false;
}

/* The slot of the i-th ended thread. */
static struct task **
dead_at(struct pp_state *s, unsigned i)
{
	return &s->dead[(s->first_dead + i) % DEAD_MAX];
}

/* The oldest one is forgotten if there is no place. */
static void
dead_add(struct pp_state *s, struct task *t)
{
	if (s->ndead == DEAD_MAX)
		pp_state_task_drop(s, *dead_at(s, 0));
	*dead_at(s, s->ndead++) = t;
}

/* Usually the first one; another one only if its number is reused soon. */
static void
dead_remove(struct pp_state *s, const struct task *t)
{
	unsigned i = 0;

	while (*dead_at(s, i) != t)
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
	if (--p->alive || !p->waits)
		return;
	p->waits = false;
	dead_add(s, task_find(s, p->pub.pid));
}

static bool
task_waits(const struct task *t)
{
	return t->process->waits && t->pub.tid == t->process->pub.pid;
}

static void
task_end(struct pp_state *s, struct task *t)
{
	struct process *p = t->process;

	if (t->pub.ended)
		return;
	t->pub.ended = true;
	if (t->pub.tid == p->pub.pid && p->alive > 1)
		p->waits = true;
	else
		dead_add(s, t);
	process_lost(s, p);
}

/* It has ended, and lives. */
static void
task_revive(struct pp_state *s, struct task *t)
{
	if (task_waits(t))
		t->process->waits = false;
	else
		dead_remove(s, t);
	t->pub.ended = false;
	t->process->alive++;
}

void
pp_state_task_drop(struct pp_state *s, struct task *t)
{
	struct process *p = t->process;

	pp_table_remove(&s->tasks, &t->link);
	if (!t->pub.ended)
		process_lost(s, p);
	else if (task_waits(t))
		p->waits = false;
	else
		dead_remove(s, t);
	TAILQ_REMOVE(&p->tasks, t, siblings);
	if (TAILQ_EMPTY(&p->tasks)) {
		process_unlist(s, p);
		TAILQ_REMOVE(&s->all_processes, p, all);
		pp_maps_release(&s->pool, p->maps.root);
		pp_maps_release(&s->pool, p->base);
		s->bytes -= sizeof *p;
		free(p);
	}
	comm_drop(s, t->pub.comm);
	blob_drop(s, t->namespaces);
	s->bytes -= sizeof *t;
	free(t);
}

static struct process *
process_get(struct pp_state *s, uint32_t pid)
{
	struct process *p = process_find(s, pid);

	if (p || !(p = calloc(1, sizeof *p)))
		return p;
	if (pp_table_add(&s->processes, &p->link, pid) < 0) {
		free(p);
		return NULL;
	}
	s->bytes += sizeof *p;
	p->pub.pid = pid;
	p->serial = ++s->serial;
	p->listed = true;
	TAILQ_INIT(&p->tasks);
	TAILQ_INSERT_TAIL(&s->all_processes, p, all);
	return p;
}

struct task *
pp_state_task_get(struct pp_state *s, uint32_t pid, uint32_t tid)
{
	struct task *t = task_find(s, tid);

	if (t && t->pub.pid == pid && t->process->listed) {
		if (t->pub.ended)
			task_revive(s, t);
		return t;
	}
	if (t)
		pp_state_task_drop(s, t);
	if (!(t = calloc(1, sizeof *t)))
		return NULL;
	if (pp_table_add(&s->tasks, &t->link, tid) < 0) {
		free(t);
		return NULL;
	}
	if (!(t->process = process_get(s, pid))) {
		pp_table_remove(&s->tasks, &t->link);
		free(t);
		return NULL;
	}
	s->bytes += sizeof *t;
	t->pub = (struct pp_task){ .pid = pid, .tid = tid, .ppid = -1, .ptid = -1 };
	t->process->alive++;
	TAILQ_INSERT_TAIL(&t->process->tasks, t, siblings);
	return t;
}

/* ---- records --------------------------------------------------------------------------------------------- */

int
pp_state_feed_comm(struct pp_state *s, const struct pp_rec *r, size_t size)
{
	enum { AT = PP_RAW_AT(COMM, comm) };
	struct task *t = pp_state_task_get(s, PP_RAW_GET(r->raw, COMM, pid, s->swap), PP_RAW_GET(r->raw, COMM, tid, s->swap)), *other;
	struct pp_comm *c;

	if (!t || !(c = comm_of(s, r->raw + AT, strnlen((const char *)r->raw + AT, size - AT))))
		return pp_state_no_memory(s);
	comm_give(s, t, c);
	if (r->misc & PP_MISC_COMM_EXEC && t->pub.tid == t->pub.pid && t->process->alive > 1)
		TAILQ_FOREACH(other, &t->process->tasks, siblings)
			if (other != t)
				task_end(s, other);
	return 1;
}

int
pp_state_feed_namespaces(struct pp_state *s, const struct pp_rec *r, size_t size)
{
	size_t n = size - PP_RAW_AT(NAMESPACES, nr_namespaces);
	struct task *t = pp_state_task_get(s, PP_RAW_GET(r->raw, NAMESPACES, pid, s->swap),
	    PP_RAW_GET(r->raw, NAMESPACES, tid, s->swap));
	struct blob *b = t ? malloc(sizeof *b + n) : NULL;

	if (!b)
		return pp_state_no_memory(s);
	b->len = (uint16_t)n;
	memcpy(b->p, r->raw + size - n, n);
	blob_drop(s, t->namespaces);
	s->bytes += sizeof *b + n;
	t->namespaces = b;
	return 1;
}

int
pp_state_feed_fork(struct pp_state *s, const struct pp_rec *r)
{
	uint32_t pid = PP_RAW_GET(r->raw, FORK, pid, s->swap), ppid = PP_RAW_GET(r->raw, FORK, ppid, s->swap);
	uint32_t tid = PP_RAW_GET(r->raw, FORK, tid, s->swap), ptid = PP_RAW_GET(r->raw, FORK, ptid, s->swap);
	struct task *t = task_find(s, tid), *parent;
	struct pp_comm *name = NULL;
	struct process *p;

	if ((parent = task_find(s, ptid)) && parent->pub.comm) {	/* which may be the same task */
		name = parent->pub.comm;
		comm_in(name)->refs++;
	}
	if (t)				/* it has ended, or its EXIT is lost */
		pp_state_task_drop(s, t);
	if (pid != ppid && (p = process_find(s, pid)))
		process_unlist(s, p);
	if (!(t = pp_state_task_get(s, pid, tid))) {
		comm_drop(s, name);
		return pp_state_no_memory(s);
	}
	t->pub.ppid = ppid;
	t->pub.ptid = ptid;
	t->pub.synthesised = r->misc & PP_MISC_FORK_EXEC;
	if (name)
		comm_give(s, t, name);
	comm_drop(s, name);
	if ((parent = task_find(s, ptid)) && parent != t && parent->pub.ended && parent->pub.pid == ppid && !t->pub.synthesised)
		task_revive(s, parent);
	if (pid != ppid && !(r->misc & PP_MISC_FORK_EXEC) && (p = process_find(s, ppid))) {
		pp_maps_share(&t->process->maps, &p->maps);
		t->process->base = pp_maps_hold(&p->maps);
	}
	return 1;
}

int
pp_state_feed_exit(struct pp_state *s, const struct pp_rec *r)
{
	struct task *t = task_find(s, PP_RAW_GET(r->raw, EXIT, tid, s->swap));

	if (t)
		task_end(s, t);
	return 1;
}
