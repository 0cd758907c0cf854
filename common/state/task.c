/* SPDX-License-Identifier: ISC */
/*
 * task.c - see task.h.  Three hash tables: threads by tid, processes by pid, DSOs by name.
 *
 * A process lives as long as its threads that we know.  One that a FORK makes anew leaves the table at once,
 * whoever still holds on to the old one: its number has been given away.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "maps.h"

struct link {			/* first member of what stands in a table */
	struct link	*next;
	uint64_t	 hash;
};

struct table {
	struct link	**slot;
	size_t		 nslots, n;	/* nslots: a power of two, or 0 */
};

struct process {
	struct link	 link;
	uint32_t	 pid;
	uint32_t	 refs;		/* threads */
	bool		 listed;	/* in the table */
	struct pp_maps	 maps;
};

struct comm {			/* shared by those who inherit it */
	uint32_t	 refs;
	char		 text[];
};

struct task {
	struct link	 link;
	struct pp_task	 pub;
	struct process	*process;
	struct comm	*comm;
};

struct dso {
	struct link	 link;
	struct pp_dso	 pub;
	char		 name[];
};

struct pp_tasks {
	struct pp_err	*err;
	bool		 swap;
	uint64_t	 key[2];
	struct table	 tasks, processes, names;
	struct dso	**dso;		/* by index */
	size_t		 ndso, capdso;
	struct pp_maps	 kernel;
	struct maps_pool pool;
};

enum { MASK_GUEST = 4 };		/* bit of the cpumodes GUEST_KERNEL and GUEST_USER */

/* ---- hashing --------------------------------------------------------------------------------- */

static inline uint64_t
rotl(uint64_t x, int n)
{
	return x << n | x >> (64 - n);
}

static inline void
sip_round(uint64_t v[4])
{
	v[0] += v[1]; v[2] += v[3];
	v[1] = rotl(v[1], 13) ^ v[0]; v[3] = rotl(v[3], 16) ^ v[2];
	v[0] = rotl(v[0], 32);
	v[2] += v[1]; v[0] += v[3];
	v[1] = rotl(v[1], 17) ^ v[2]; v[3] = rotl(v[3], 21) ^ v[0];
	v[2] = rotl(v[2], 32);
}

/* SipHash-1-3 (Aumasson, Bernstein: SipHash, 2012): enough for tables */
static uint64_t
hash(const struct pp_tasks *t, const void *p, size_t n)
{
	uint64_t v[4] = { t->key[0] ^ 0x736f6d6570736575, t->key[1] ^ 0x646f72616e646f6d,
	    t->key[0] ^ 0x6c7967656e657261, t->key[1] ^ 0x7465646279746573 };
	const uint8_t *s = p;
	uint64_t m;
	size_t left;

	for (left = n; left >= 8; left -= 8, s += 8) {
		memcpy(&m, s, 8);
		v[3] ^= m;
		sip_round(v);
		v[0] ^= m;
	}
	m = 0;
	memcpy(&m, s, left);
	m ^= (uint64_t)n << 56;
	v[3] ^= m;
	sip_round(v);
	v[0] ^= m;
	v[2] ^= 0xff;
	for (int i = 0; i < 3; i++)
		sip_round(v);
	return v[0] ^ v[1] ^ v[2] ^ v[3];
}

static struct link *
table_first(const struct table *t, uint64_t h)
{
	struct link *l = t->nslots ? t->slot[h & (t->nslots - 1)] : NULL;

	while (l && l->hash != h)
		l = l->next;
	return l;
}

static struct link *
table_next(const struct link *l)
{
	uint64_t h = l->hash;

	do
		l = l->next;
	while (l && l->hash != h);
	return (struct link *)l;
}

static int
table_add(struct table *t, struct link *new)
{
	struct link **slot, *l;
	size_t n = t->nslots ? t->nslots * 2 : 64;

	if (t->n >= t->nslots) {
		if (!(slot = calloc(n, sizeof *slot)))
			return -1;
		for (size_t i = 0; i < t->nslots; i++)
			while ((l = t->slot[i])) {
				t->slot[i] = l->next;
				l->next = slot[l->hash & (n - 1)];
				slot[l->hash & (n - 1)] = l;
			}
		free(t->slot);
		t->slot = slot;
		t->nslots = n;
	}
	new->next = t->slot[new->hash & (t->nslots - 1)];
	t->slot[new->hash & (t->nslots - 1)] = new;
	t->n++;
	return 1;
}

static void
table_remove(struct table *t, struct link *old)
{
	struct link **l = &t->slot[old->hash & (t->nslots - 1)];

	while (*l != old)
		l = &(*l)->next;
	*l = old->next;
	t->n--;
}

/* ---- DSOs ------------------------------------------------------------------------------------ */

static int
no_memory(struct pp_tasks *t)
{
	return pp_fail(t->err, "tasks: %s", strerror(ENOMEM));
}

int64_t
pp_tasks_intern(struct pp_tasks *t, const char *name, size_t len)
{
	uint64_t h = hash(t, name, len);
	struct dso *d;

	for (struct link *l = table_first(&t->names, h); l; l = table_next(l)) {
		d = (struct dso *)l;
		if (d->pub.len == len && memcmp(d->name, name, len) == 0)
			return d->pub.index;
	}
	if (t->ndso == t->capdso) {
		size_t cap = t->capdso ? t->capdso * 2 : 64;
		struct dso **p = reallocarray(t->dso, cap, sizeof *p);

		if (!p)
			return no_memory(t);
		t->dso = p;
		t->capdso = cap;
	}
	if (!(d = calloc(1, sizeof *d + len + 1)))
		return no_memory(t);
	memcpy(d->name, name, len);
	d->pub = (struct pp_dso){ .name = d->name, .len = (uint32_t)len, .index = (uint32_t)t->ndso };
	d->link.hash = h;
	if (table_add(&t->names, &d->link) < 0) {
		free(d);
		return no_memory(t);
	}
	t->dso[t->ndso] = d;
	return (int64_t)t->ndso++;
}

const struct pp_dso *
pp_tasks_dso(const struct pp_tasks *t, uint32_t index)
{
	return &t->dso[index]->pub;
}

/* ---- threads and processes ------------------------------------------------------------------- */

static struct task *
task_find(const struct pp_tasks *t, uint32_t tid)
{
	struct link *l = table_first(&t->tasks, hash(t, &tid, sizeof tid));

	while (l && ((struct task *)l)->pub.tid != tid)
		l = table_next(l);
	return (struct task *)l;
}

static struct process *
process_find(const struct pp_tasks *t, uint32_t pid)
{
	struct link *l = table_first(&t->processes, hash(t, &pid, sizeof pid));

	while (l && ((struct process *)l)->pid != pid)
		l = table_next(l);
	return (struct process *)l;
}

static void
process_unlist(struct pp_tasks *t, struct process *p)
{
	if (p->listed)
		table_remove(&t->processes, &p->link);
	p->listed = false;
}

static void
process_drop(struct pp_tasks *t, struct process *p)
{
	if (--p->refs)
		return;
	process_unlist(t, p);
	maps_clear(&t->pool, &p->maps);
	free(p);
}

static void
comm_drop(struct comm *c)
{
	if (c && --c->refs == 0)
		free(c);
}

static void
task_drop(struct pp_tasks *t, struct task *task)
{
	table_remove(&t->tasks, &task->link);
	process_drop(t, task->process);
	comm_drop(task->comm);
	free(task);
}

/* The process of that pid with one more reference; NULL: no memory. */
static struct process *
process_hold(struct pp_tasks *t, uint32_t pid)
{
	struct process *p = process_find(t, pid);

	if (!p) {
		if (!(p = calloc(1, sizeof *p)))
			return NULL;
		p->pid = pid;
		p->link.hash = hash(t, &pid, sizeof pid);
		if (table_add(&t->processes, &p->link) < 0) {
			free(p);
			return NULL;
		}
		p->listed = true;
	}
	p->refs++;
	return p;
}

/* The thread, made if need be, also when its number belonged to another process so far. */
static struct task *
task_get(struct pp_tasks *t, uint32_t pid, uint32_t tid)
{
	struct task *task = task_find(t, tid);

	if (task && task->pub.pid == pid && task->process->listed)
		return task;
	if (task)
		task_drop(t, task);
	if (!(task = calloc(1, sizeof *task)))
		return NULL;
	if (!(task->process = process_hold(t, pid))) {
		free(task);
		return NULL;
	}
	task->pub = (struct pp_task){ .pid = pid, .tid = tid, .parent = tid };
	task->link.hash = hash(t, &tid, sizeof tid);
	if (table_add(&t->tasks, &task->link) < 0) {
		process_drop(t, task->process);
		free(task);
		return NULL;
	}
	return task;
}

static void
task_name(struct task *task, struct comm *c)
{
	if (c)
		c->refs++;
	comm_drop(task->comm);
	task->comm = c;
	task->pub.comm = c ? c->text : NULL;
}

/* ---- records --------------------------------------------------------------------------------- */

/* The string that ends within what is left; its length, or -1. */
static int64_t
text(const struct pp_cur *c, const char **s)
{
	const uint8_t *nul = c->bad ? NULL : memchr(c->p, 0, pp_left(c));

	*s = (const char *)c->p;
	return nul ? nul - c->p : -1;
}

static int
unsound(struct pp_tasks *t, const struct pp_rec *r)
{
	return pp_fail(t->err, "%s: cut short, or a string without an end, in %u bytes",
	    pp_type_name(r->type), r->size);
}

/* MMAP2's union of device and inode, or of a build-id; include/uapi/linux/perf_event.h */
static void
learn_file(struct pp_dso *d, const uint8_t *u, bool has_id, bool swap)
{
	if (has_id) {
		d->id_len = u[0] < sizeof d->id ? u[0] : (uint8_t)sizeof d->id;
		memcpy(d->id, u + 4, sizeof d->id);
	} else if (pp_get_u64(u + 8, swap)) {
		d->maj = pp_get_u32(u, swap);
		d->min = pp_get_u32(u + 4, swap);
		d->ino = pp_get_u64(u + 8, swap);
	}
}

static int
feed_mmap(struct pp_tasks *t, const struct pp_rec *r, struct pp_cur *c)
{
	uint32_t pid = pp_take_u32(c), tid = pp_take_u32(c);
	uint64_t start = pp_take_u64(c), size = pp_take_u64(c), pgoff = pp_take_u64(c);
	struct pp_map m = { .start = start, .len = size, .pgoff = pgoff, .data = r->misc & PP_MISC_MMAP_DATA };
	const uint8_t *u = r->type == PP_MMAP2 ? pp_take(c, 32) : NULL;
	unsigned mode = r->misc & PP_MISC_CPUMODE_MASK;
	bool kernel = mode == PP_MISC_KERNEL || pid == UINT32_MAX;
	struct pp_maps *maps = &t->kernel;
	const char *name;
	int64_t len = text(c, &name), dso;

	if (len < 0)
		return unsound(t, r);
	if (mode & MASK_GUEST || mode == PP_MISC_HYPERVISOR)
		return 1;
	/* perf takes a kernel without addresses (kptr_restrict) for all of the address space */
	if (kernel && !m.start && !m.len)
		m.len = UINT64_MAX;
	if (m.len > UINT64_MAX - m.start)
		m.len = UINT64_MAX - m.start;
	if ((dso = pp_tasks_intern(t, name, (size_t)len)) < 0)
		return -1;
	m.dso = (uint32_t)dso;
	if (u) {
		m.has_id = r->misc & PP_MISC_MMAP_BUILD_ID && u[0];
		learn_file(&t->dso[dso]->pub, u, r->misc & PP_MISC_MMAP_BUILD_ID, t->swap);
	}
	if (!kernel) {
		struct task *task = task_get(t, pid, tid);

		if (!task)
			return no_memory(t);
		maps = &task->process->maps;
	}
	if (m.len && maps_insert(&t->pool, maps, &m) < 0)
		return no_memory(t);
	return 1;
}

static int
feed_comm(struct pp_tasks *t, const struct pp_rec *r, struct pp_cur *c)
{
	uint32_t pid = pp_take_u32(c), tid = pp_take_u32(c);
	const char *name;
	int64_t len = text(c, &name);
	struct task *task;
	struct comm *comm;

	if (len < 0)
		return unsound(t, r);
	if (!(task = task_get(t, pid, tid)) || !(comm = malloc(sizeof *comm + (size_t)len + 1)))
		return no_memory(t);
	comm->refs = 0;
	memcpy(comm->text, name, (size_t)len + 1);
	task_name(task, comm);
	return 1;
}

/* FORK and EXIT: pid, ppid, tid, ptid */
static int
feed_fork(struct pp_tasks *t, const struct pp_rec *r, struct pp_cur *c)
{
	uint32_t pid = pp_take_u32(c), ppid = pp_take_u32(c), tid = pp_take_u32(c), ptid = pp_take_u32(c);
	struct task *task = task_find(t, tid), *parent;
	struct process *p;

	if (c->bad)
		return unsound(t, r);
	if (task)			/* its EXIT is lost, or this is one */
		task_drop(t, task);
	if (r->type == PP_EXIT)
		return 1;
	if (pid != ppid && (p = process_find(t, pid)))
		process_unlist(t, p);
	if (!(task = task_get(t, pid, tid)))
		return no_memory(t);
	task->pub.parent = ptid;
	if ((parent = task_find(t, ptid)) && parent != task)
		task_name(task, parent->comm);
	if (pid != ppid && !(r->misc & PP_MISC_FORK_EXEC) && (p = process_find(t, ppid)))
		maps_share(&task->process->maps, &p->maps);
	return 1;
}

int
pp_tasks_feed(struct pp_tasks *t, const struct pp_rec *r)
{
	struct pp_cur c = pp_cur(r->raw, r->size, t->swap);

	pp_take(&c, PP_HEADER_SIZE);
	switch (r->type) {
	case PP_MMAP:
	case PP_MMAP2:
		return feed_mmap(t, r, &c);
	case PP_COMM:
		return feed_comm(t, r, &c);
	case PP_FORK:
	case PP_EXIT:
		return feed_fork(t, r, &c);
	}
	return 1;
}

const struct pp_task *
pp_tasks_find(const struct pp_tasks *t, uint32_t tid)
{
	struct task *task = task_find(t, tid);

	return task ? &task->pub : NULL;
}

const struct pp_maps *
pp_tasks_maps(const struct pp_tasks *t, uint32_t pid, unsigned cpumode)
{
	struct process *p;

	if (cpumode == PP_MISC_KERNEL)
		return &t->kernel;
	if (cpumode != PP_MISC_USER || !(p = process_find(t, pid)))
		return NULL;
	return &p->maps;
}

struct pp_tasks *
pp_tasks_new(bool swap, struct pp_err *err)
{
	struct pp_tasks *t = calloc(1, sizeof *t);
	uint64_t seed[3];

	if (!t || getrandom(seed, sizeof seed, 0) != sizeof seed) {
		pp_fail(err, "tasks: %s", strerror(errno));
		free(t);
		return NULL;
	}
	t->err = err;
	t->swap = swap;
	memcpy(t->key, seed, sizeof t->key);
	t->pool.seed = seed[2];
	return t;
}

void
pp_tasks_free(struct pp_tasks *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->tasks.nslots; i++)
		while (t->tasks.slot[i])
			task_drop(t, (struct task *)t->tasks.slot[i]);
	for (size_t i = 0; i < t->ndso; i++)
		free(t->dso[i]);
	maps_clear(&t->pool, &t->kernel);
	maps_pool_end(&t->pool);
	free(t->tasks.slot);
	free(t->processes.slot);
	free(t->names.slot);
	free(t->dso);
	free(t);
}
