/* SPDX-License-Identifier: ISC */
/* snapshot.c - see snapshot.h: taking records in, and being asked; snapshot_write.c tells. */
#include <sys/random.h>

#include <stdlib.h>
#include <string.h>

#include "snapshot_in.h"

enum { DEAD_MAX = 256 };		/* ended tasks that are still known */
enum { MASK_GUEST = 4 };		/* bit of the cpumodes GUEST_KERNEL and GUEST_USER */
enum { KSYMBOL_UNREGISTER = 1, BPF_EVENT_UNLOAD = 2 };

static int
no_memory(struct snapshot *s)
{
	return pp_fail(s->err, "out of memory");
}

/* ---- names, kinds, kept records ---------------------------------------------------------------------------- */

static void
comm_drop(struct snapshot *s, struct snapshot_comm *pub)
{
	struct comm *c;

	if (!pub)
		return;
	c = (struct comm *)((uint8_t *)pub - offsetof(struct comm, pub));
	if (--c->refs)
		return;
	table_remove(&s->comms, &c->link);
	free(c);
}

/* Give the thread a name; it may be its own. */
static void
comm_give(struct snapshot *s, struct task *t, struct snapshot_comm *pub)
{
	if (pub)
		((struct comm *)((uint8_t *)pub - offsetof(struct comm, pub)))->refs++;
	comm_drop(s, t->pub.comm);
	t->pub.comm = pub;
}

/* The name of n bytes, which nobody may have yet.  NULL: no memory. */
static struct snapshot_comm *
comm_of(struct snapshot *s, const uint8_t *text, size_t n)
{
	uint64_t key = table_hash(&s->comms, n, text, n);
	struct comm *c;

	for (struct link *l = table_first(&s->comms, key); l; l = table_next(l)) {
		c = (struct comm *)l;
		if (c->pub.len == n && !memcmp(c->text, text, n))
			return &c->pub;
	}
	if (!(c = calloc(1, sizeof *c + n + 1)))
		return NULL;
	memcpy(c->text, text, n);
	c->pub.text = c->text;
	c->pub.len = (uint16_t)n;
	if (table_add(&s->comms, &c->link, key) < 0) {
		free(c);
		return NULL;
	}
	return &c->pub;
}

static int
kind_room(struct snapshot *s)
{
	uint32_t cap = s->cap_kinds ? 2 * s->cap_kinds : 64;
	struct kind **p;

	while (s->free_kind < s->nkinds && s->kind[s->free_kind])
		s->free_kind++;
	if (s->free_kind < s->cap_kinds)
		return 1;
	if (!(p = reallocarray(s->kind, cap, sizeof *p)))
		return -1;
	s->kind = p;
	s->cap_kinds = cap;
	return 1;
}

/* MMAP2's union of device and inode, or of a build-id; include/uapi/linux/perf_event.h */
static void
learn_file(struct pp_dso *d, const uint8_t *u, bool has_id, bool swap)
{
	if (has_id) {
		d->id_len = u[0] < sizeof d->id ? u[0] : (uint8_t)sizeof d->id;
		memcpy(d->id, u + 4, sizeof d->id);
	} else {
		d->maj = pp_get_u32(u, swap);
		d->min = pp_get_u32(u + 4, swap);
		d->ino = pp_get_u64(u + 8, swap);
	}
}

/* Does perf take the map for code that was made at run time?  (map__new() of perf 6.1 to 7.2) */
static bool
is_jit(const struct pp_rec *r, const uint8_t *name, size_t n, bool swap)
{
	static const char *const starts[] = { "//anon", "/dev/zero", "/anon_hugepage", "[stack", "/SYSV", "[heap]" };
	enum { EXEC = 4, HUGETLB = 0x40000 };

	if (r->type == PP_MMAP2 ? !(pp_get_u32(r->raw + 64, swap) & EXEC) : r->misc & PP_MISC_MMAP_DATA)
		return false;
	if (r->type == PP_MMAP2 && pp_get_u32(r->raw + 68, swap) & HUGETLB)
		return true;
	for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
		if (n >= strlen(starts[i]) && !memcmp(name, starts[i], strlen(starts[i])))
			return true;
	return false;
}

/* The kind of a map; its name ends at n.  NULL: no memory. */
static struct kind *
kind_of(struct snapshot *s, const struct pp_rec *r, const uint8_t *fixed, const uint8_t *name, size_t n, uint32_t jit)
{
	uint64_t key = table_hash(&s->kinds, (r->type ^ (uint64_t)r->misc << 32) + ((uint64_t)jit << 17), fixed, 32);
	struct kind *k;

	key = table_hash(&s->kinds, key, name, n);
	for (struct link *l = table_first(&s->kinds, key); l; l = table_next(l)) {
		k = (struct kind *)l;
		if (k->type == r->type && k->misc == r->misc && k->file.len == n && k->file.jit == jit && !memcmp(k->fixed, fixed, 32) &&
		    !memcmp(k->name, name, n))
			return k;
	}
	if (kind_room(s) < 0 || !(k = calloc(1, sizeof *k + n + 1)))
		return NULL;
	k->type = r->type;
	k->misc = r->misc;
	memcpy(k->fixed, fixed, 32);
	memcpy(k->name, name, n);
	k->file = (struct pp_dso){ .name = k->name, .len = (uint32_t)n, .index = s->free_kind, .jit = jit };
	if (r->type == PP_MMAP2)
		learn_file(&k->file, fixed, r->misc & PP_MISC_MMAP_BUILD_ID, s->swap);
	if (table_add(&s->kinds, &k->link, key) < 0) {
		free(k);
		return NULL;
	}
	s->kind[k->file.index] = k;
	if (k->file.index == s->nkinds)
		s->nkinds++;
	return k;
}

static uint64_t
kept_key(uint32_t type, uint32_t pid, uint64_t id)
{
	return (id ^ (uint64_t)pid << 40) + type;
}

struct kept *
snapshot_kept(const struct snapshot *s, uint32_t type, uint32_t pid, uint64_t id)
{
	struct link *l = table_first(&s->keeps, kept_key(type, pid, id));
	const struct kept *k;

	while (l && ((k = (struct kept *)l)->type != type || k->pid != pid || k->id != id))
		l = table_next(l);
	return (struct kept *)l;
}

static int
keep(struct snapshot *s, const struct pp_rec *r, size_t size, uint32_t pid, uint64_t id, bool remove)
{
	struct kept *k = snapshot_kept(s, r->type, pid, id);

	if (k) {			/* the new one goes to the end: it pushes out what it overlaps */
		table_remove(&s->keeps, &k->link);
		TAILQ_REMOVE(&s->all_kept, k, all);
		free(k);
	}
	if (remove)
		return 1;
	if (!(k = malloc(sizeof *k + size)))
		return no_memory(s);
	k->type = r->type;
	k->pid = pid;
	k->id = id;
	k->size = (uint16_t)size;
	memcpy(k->raw, r->raw, size);
	if (table_add(&s->keeps, &k->link, kept_key(k->type, pid, id)) < 0) {
		free(k);
		return no_memory(s);
	}
	TAILQ_INSERT_TAIL(&s->all_kept, k, all);
	return 1;
}

/* ---- tasks ------------------------------------------------------------------------------------------- */

static struct task *
task_find(const struct snapshot *s, uint32_t tid)
{
	return (struct task *)table_first(&s->tasks, tid);
}

static struct process *
process_find(const struct snapshot *s, uint32_t pid)
{
	return (struct process *)table_first(&s->processes, pid);
}

static void
process_unlist(struct snapshot *s, struct process *p)
{
	if (p->listed)
		table_remove(&s->processes, &p->link);
	p->listed = false;
}

static void
task_drop(struct snapshot *s, struct task *t)
{
	struct process *p = t->process;

	table_remove(&s->tasks, &t->link);
	if (t->pub.ended) {
		TAILQ_REMOVE(&s->dead, t, dead);
		s->ndead--;
	}
	TAILQ_REMOVE(&p->tasks, t, siblings);
	if (TAILQ_EMPTY(&p->tasks)) {
		process_unlist(s, p);
		TAILQ_REMOVE(&s->all_processes, p, all);
		maps_clear(&s->pool, &p->maps);
		maps_clear(&s->pool, &p->base);
		free(p);
	}
	comm_drop(s, t->pub.comm);
	free(t->namespaces);
	free(t);
}

static struct process *
process_get(struct snapshot *s, uint32_t pid)
{
	struct process *p = process_find(s, pid);

	if (p || !(p = calloc(1, sizeof *p)))
		return p;
	if (table_add(&s->processes, &p->link, pid) < 0) {
		free(p);
		return NULL;
	}
	p->pub.pid = pid;
	p->serial = ++s->serial;
	p->listed = true;
	TAILQ_INIT(&p->tasks);
	TAILQ_INSERT_TAIL(&s->all_processes, p, all);
	return p;
}

/* The thread, made if need be, also when its number belonged to another process so far.  NULL: no memory. */
static struct task *
task_get(struct snapshot *s, uint32_t pid, uint32_t tid)
{
	struct task *t = task_find(s, tid);

	if (t && t->pub.pid == pid && t->process->listed)
		return t;
	if (t)
		task_drop(s, t);
	if (!(t = calloc(1, sizeof *t)))
		return NULL;
	if (table_add(&s->tasks, &t->link, tid) < 0) {
		free(t);
		return NULL;
	}
	if (!(t->process = process_get(s, pid))) {
		table_remove(&s->tasks, &t->link);
		free(t);
		return NULL;
	}
	t->pub = (struct snapshot_task){ .pid = pid, .tid = tid, .ppid = -1, .ptid = -1 };
	TAILQ_INSERT_TAIL(&t->process->tasks, t, siblings);
	return t;
}

static void
task_end(struct snapshot *s, struct task *t)
{
	if (t->pub.ended)
		return;
	t->pub.ended = true;
	TAILQ_INSERT_TAIL(&s->dead, t, dead);
	if (++s->ndead > DEAD_MAX)
		task_drop(s, TAILQ_FIRST(&s->dead));
}

/* ---- records ----------------------------------------------------------------------------------------- */

static int
feed_mmap(struct snapshot *s, const struct pp_rec *r, size_t size)
{
	static const uint8_t none[32];
	bool two = r->type == PP_MMAP2;
	uint32_t pid = pp_get_u32(r->raw + 8, s->swap), tid = pp_get_u32(r->raw + 12, s->swap);
	struct pp_map m = { .start = pp_get_u64(r->raw + 16, s->swap), .len = pp_get_u64(r->raw + 24, s->swap),
	    .pgoff = pp_get_u64(r->raw + 32, s->swap), .data = r->misc & PP_MISC_MMAP_DATA };
	const uint8_t *name = r->raw + (two ? 72 : 40);
	unsigned mode = r->misc & PP_MISC_CPUMODE_MASK;
	bool own = snapshot_is_own(r, s->swap);
	struct pp_maps *maps = &s->kernel;
	struct task *t;
	struct kind *k;
	size_t n;

	if (!own && keep(s, r, size, pid, m.start, false) < 0)
		return -1;
	if (!own && (mode & MASK_GUEST || mode == PP_MISC_HYPERVISOR))
		return 1;
	/* perf takes a kernel without addresses (kptr_restrict) for all of the address space */
	if ((!own && !m.start && !m.len) || m.len > UINT64_MAX - m.start)
		m.len = UINT64_MAX - m.start;
	if (own) {
		if (!(t = task_get(s, pid, tid)))
			return no_memory(s);
		maps = &t->process->maps;
	}
	if (!m.len)
		return 1;
	n = strnlen((const char *)name, size - (size_t)(name - r->raw));
	k = kind_of(s, r, two ? r->raw + 40 : none, name, n, own && is_jit(r, name, n, s->swap) ? pid : 0);
	if (!k)
		return no_memory(s);
	m.dso = k->file.index;
	m.has_id = k->file.id_len;
	return maps_insert(&s->pool, maps, &m) < 0 ? no_memory(s) : 1;
}

static int
feed_comm(struct snapshot *s, const struct pp_rec *r, size_t size)
{
	struct task *t = task_get(s, pp_get_u32(r->raw + 8, s->swap), pp_get_u32(r->raw + 12, s->swap));
	struct snapshot_comm *c;

	if (!t || !(c = comm_of(s, r->raw + 16, strnlen((const char *)r->raw + 16, size - 16))))
		return no_memory(s);
	comm_give(s, t, c);
	return 1;
}

static int
feed_namespaces(struct snapshot *s, const struct pp_rec *r, size_t size)
{
	struct task *t = task_get(s, pp_get_u32(r->raw + 8, s->swap), pp_get_u32(r->raw + 12, s->swap));
	struct blob *b = t ? malloc(sizeof *b + size - 16) : NULL;

	if (!b)
		return no_memory(s);
	b->len = (uint16_t)(size - 16);
	memcpy(b->p, r->raw + 16, b->len);
	free(t->namespaces);
	t->namespaces = b;
	return 1;
}

/* FORK: pid, ppid, tid, ptid */
static int
feed_fork(struct snapshot *s, const struct pp_rec *r)
{
	uint32_t pid = pp_get_u32(r->raw + 8, s->swap), ppid = pp_get_u32(r->raw + 12, s->swap);
	uint32_t tid = pp_get_u32(r->raw + 16, s->swap), ptid = pp_get_u32(r->raw + 20, s->swap);
	struct task *t = task_find(s, tid), *parent;
	struct process *p;

	if (t)				/* its EXIT is lost */
		task_drop(s, t);
	if (pid != ppid && (p = process_find(s, pid)))
		process_unlist(s, p);
	if (!(t = task_get(s, pid, tid)))
		return no_memory(s);
	t->pub.ppid = ppid;
	t->pub.ptid = ptid;
	t->pub.made_up = r->misc & PP_MISC_FORK_EXEC;
	if ((parent = task_find(s, ptid)) && parent != t)
		comm_give(s, t, parent->pub.comm);
	if (pid != ppid && !(r->misc & PP_MISC_FORK_EXEC) && (p = process_find(s, ppid))) {
		maps_share(&t->process->maps, &p->maps);
		maps_share(&t->process->base, &p->maps);
	}
	return 1;
}

bool
snapshot_wants(uint32_t type)
{
	switch (type) {
	case PP_MMAP: case PP_MMAP2: case PP_COMM: case PP_FORK: case PP_EXIT: case PP_NAMESPACES:
	case PP_KSYMBOL: case PP_BPF_EVENT: case PP_CGROUP: case PP_TEXT_POKE:
		return true;
	default:
		return false;
	}
}

int
snapshot_feed(struct snapshot *s, const struct pp_rec *r, size_t trailer)
{
	size_t size = r->size - trailer;
	struct task *t;

	switch (size < pp_type_min(r->type) ? 0 : r->type) {
	case PP_MMAP:
	case PP_MMAP2:
		return feed_mmap(s, r, size);
	case PP_COMM:
		return feed_comm(s, r, size);
	case PP_NAMESPACES:
		return feed_namespaces(s, r, size);
	case PP_FORK:
		return feed_fork(s, r);
	case PP_EXIT:
		if ((t = task_find(s, pp_get_u32(r->raw + 16, s->swap))))
			task_end(s, t);
		return 1;
	case PP_KSYMBOL:
		return keep(s, r, size, 0, pp_get_u64(r->raw + 8, s->swap),
		    pp_get_u16(r->raw + 22, s->swap) & KSYMBOL_UNREGISTER);
	case PP_BPF_EVENT:
		return keep(s, r, size, 0, pp_get_u32(r->raw + 12, s->swap),
		    pp_get_u16(r->raw + 8, s->swap) == BPF_EVENT_UNLOAD);
	case PP_CGROUP:
	case PP_TEXT_POKE:
		return keep(s, r, size, 0, pp_get_u64(r->raw + 8, s->swap), false);
	default:
		return 1;
	}
}

/* ---- being asked --------------------------------------------------------------------------------------- */

struct snapshot_task *
snapshot_task(const struct snapshot *s, uint32_t tid)
{
	struct task *t = task_find(s, tid);

	return t ? &t->pub : NULL;
}

struct snapshot_process *
snapshot_process(const struct snapshot *s, uint32_t pid)
{
	struct process *p = process_find(s, pid);

	return p ? &p->pub : NULL;
}

struct snapshot_process *
snapshot_process_of(const struct snapshot_task *pub)
{
	return &((const struct task *)((const uint8_t *)pub - offsetof(struct task, pub)))->process->pub;
}

struct snapshot_process *
snapshot_forker(const struct snapshot *s, const struct snapshot_process *pub)
{
	const struct process *p = (const struct process *)((const uint8_t *)pub - offsetof(struct process, pub));
	const struct task *leader = task_find(s, pub->pid), *by;

	if (!p->base.root || !leader || leader->process != p || leader->pub.ppid < 0)
		return NULL;
	by = task_find(s, (uint32_t)leader->pub.ppid);
	if (!by || by->pub.pid != by->pub.tid || by->pub.ended || !by->process->listed || by->process->serial >= p->serial ||
	    by->process->maps.version != p->base.version || (!leader->pub.comm && by->pub.comm))
		return NULL;
	return &by->process->pub;
}

int
snapshot_each_task(const struct snapshot_process *pub, int (*fn)(void *, struct snapshot_task *), void *arg)
{
	const struct process *p = (const struct process *)((const uint8_t *)pub - offsetof(struct process, pub));
	struct task *t;

	TAILQ_FOREACH(t, &p->tasks, siblings)
		if (fn(arg, &t->pub) < 0)
			return -1;
	return 1;
}

const struct pp_maps *
snapshot_maps(const struct snapshot *s, uint32_t pid, unsigned cpumode)
{
	struct process *p;

	if (cpumode == PP_MISC_KERNEL)
		return &s->kernel;
	if (cpumode != PP_MISC_USER || !(p = process_find(s, pid)))
		return NULL;
	return &p->maps;
}

const struct pp_dso *
snapshot_file(const struct snapshot *s, const struct pp_map *m)
{
	return &s->kind[m->dso]->file;
}

const char *
snapshot_cgroup(const struct snapshot *s, uint64_t id)
{
	const struct kept *k = snapshot_kept(s, PP_CGROUP, 0, id);

	return k ? (const char *)k->raw + 16 : NULL;
}

struct snapshot *
snapshot_new(bool swap, struct pp_err *err)
{
	struct snapshot *s = calloc(1, sizeof *s);
	uint64_t seed[2] = { UINT64_C(0x9e3779b97f4a7c15), UINT64_C(0xd1b54a32d192ed03) };

	if (!s) {
		pp_fail(err, "out of memory");
		return NULL;
	}
	if (getrandom(seed, sizeof seed, GRND_NONBLOCK) < 0)
		seed[0] ^= (uintptr_t)s;
	s->err = err;
	s->swap = swap;
	s->processes.mul = s->tasks.mul = s->comms.mul = s->kinds.mul = s->keeps.mul = seed[0] | 1;
	s->pool.seed = seed[1];
	TAILQ_INIT(&s->all_processes);
	TAILQ_INIT(&s->dead);
	TAILQ_INIT(&s->all_kept);
	return s;
}

void
snapshot_free(struct snapshot *s)
{
	struct process *p;
	struct kept *k;

	if (!s)
		return;
	while ((p = TAILQ_FIRST(&s->all_processes)))
		task_drop(s, TAILQ_FIRST(&p->tasks));
	while ((k = TAILQ_FIRST(&s->all_kept))) {
		TAILQ_REMOVE(&s->all_kept, k, all);
		free(k);
	}
	for (uint32_t i = 0; i < s->nkinds; i++)
		free(s->kind[i]);
	maps_clear(&s->pool, &s->kernel);
	maps_pool_end(&s->pool);
	snapshot_writer_free(s->writer);
	free(s->kind);
	free(s->processes.slot);
	free(s->tasks.slot);
	free(s->comms.slot);
	free(s->kinds.slot);
	free(s->keeps.slot);
	free(s);
}
