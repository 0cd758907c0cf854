/* SPDX-License-Identifier: ISC */
/* state.c - see state.h: takes records in, and looks things up. */
#include <sys/random.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "record/meaning.h"
#include "state_in.h"

enum { DEAD_MAX = 256 };		/* ended tasks that are still known */
enum { MASK_GUEST = 4 };		/* bit of the cpumodes GUEST_KERNEL and GUEST_USER */
enum { KSYMBOL_UNREGISTER = 1, BPF_EVENT_UNLOAD = 2 };

static int
no_memory(struct pp_state *s)
{
	return pp_fail(s->err, "out of memory");
}

/* ---- names, kinds, kept records ---------------------------------------------------------------------------- */

static void
comm_drop(struct pp_state *s, struct pp_comm *pub)
{
	struct comm *c;

	if (!pub)
		return;
	c = (struct comm *)((uint8_t *)pub - offsetof(struct comm, pub));
	if (--c->refs)
		return;
	pp_table_remove(&s->comms, &c->link);
	free(c);
}

/* Give the thread a name; it may be its own. */
static void
comm_give(struct pp_state *s, struct task *t, struct pp_comm *pub)
{
	if (pub)
		((struct comm *)((uint8_t *)pub - offsetof(struct comm, pub)))->refs++;
	comm_drop(s, t->pub.comm);
	t->pub.comm = pub;
}

/* The name of n bytes, which nobody may have yet.  NULL: no memory. */
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
	return &c->pub;
}

static int
kind_slot(struct pp_state *s)
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

void
pp_dso_get(struct pp_dso *d, const struct pp_rec *r, size_t trailer, bool swap)
{
	size_t at = r->type == PP_MMAP2 ? 72 : 40;

	*d = (struct pp_dso){ .name = (const char *)r->raw + at };
	d->len = (uint32_t)strnlen(d->name, r->size - trailer - at);
	if (r->type == PP_MMAP2)
		learn_file(d, r->raw + 40, r->misc & PP_MISC_MMAP_BUILD_ID, swap);
}

/* Does perf take the map for code that was made at run time?  (map__new() of perf 6.1 to 7.2) */
static bool
is_jit(const struct pp_rec *r, const struct pp_dso *d, bool swap)
{
	static const char *const starts[] = { "//anon", "/dev/zero", "/anon_hugepage", "[stack", "/SYSV", "[heap]" };
	enum { EXEC = 4, HUGETLB = 0x40000 };

	if (r->type == PP_MMAP2 ? !(pp_get_u32(r->raw + 64, swap) & EXEC) : r->misc & PP_MISC_MMAP_DATA)
		return false;
	if (r->type == PP_MMAP2 && pp_get_u32(r->raw + 68, swap) & HUGETLB)
		return true;
	for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
		if (d->len >= strlen(starts[i]) && !memcmp(d->name, starts[i], strlen(starts[i])))
			return true;
	return false;
}

/* The kind of a map whose record describes that file.  NULL: no memory. */
static struct kind *
kind_of(struct pp_state *s, const struct pp_rec *r, const struct pp_dso *d)
{
	static const uint8_t none[32];
	const uint8_t *fixed = r->type == PP_MMAP2 ? r->raw + 40 : none;
	uint64_t key = pp_table_hash(&s->kinds, (r->type ^ (uint64_t)r->misc << 32) + ((uint64_t)d->jit << 17), fixed, 32);
	struct kind *k;

	key = pp_table_hash(&s->kinds, key, (const uint8_t *)d->name, d->len);
	for (struct link *l = pp_table_first(&s->kinds, key); l; l = pp_table_next(l)) {
		k = (struct kind *)l;
		if (k->type == r->type && k->misc == r->misc && k->file.len == d->len && k->file.jit == d->jit &&
		    !memcmp(k->fixed, fixed, 32) && !memcmp(k->name, d->name, d->len))
			return k;
	}
	if (kind_slot(s) < 0 || !(k = calloc(1, sizeof *k + d->len + 1)))
		return NULL;
	k->type = r->type;
	k->misc = r->misc;
	memcpy(k->fixed, fixed, 32);
	memcpy(k->name, d->name, d->len);
	k->file = *d;
	k->file.name = k->name;
	k->file.index = s->free_kind;
	if (pp_table_add(&s->kinds, &k->link, key) < 0) {
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
pp_state_kept(const struct pp_state *s, uint32_t type, uint32_t pid, uint64_t id)
{
	struct link *l = pp_table_first(&s->keeps, kept_key(type, pid, id));
	const struct kept *k;

	while (l && ((k = (struct kept *)l)->type != type || k->pid != pid || k->id != id))
		l = pp_table_next(l);
	return (struct kept *)l;
}

static int
keep(struct pp_state *s, const struct pp_rec *r, size_t size, uint32_t pid, uint64_t id, bool remove)
{
	struct kept *k = pp_state_kept(s, r->type, pid, id);

	if (k) {			/* the new one goes to the end: it pushes out what it overlaps */
		pp_table_remove(&s->keeps, &k->link);
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
	if (pp_table_add(&s->keeps, &k->link, kept_key(k->type, pid, id)) < 0) {
		free(k);
		return no_memory(s);
	}
	TAILQ_INSERT_TAIL(&s->all_kept, k, all);
	return 1;
}

/* ---- tasks ------------------------------------------------------------------------------------------- */

static struct task *
task_find(const struct pp_state *s, uint32_t tid)
{
	return (struct task *)pp_table_first(&s->tasks, tid);
}

static struct process *
process_find(const struct pp_state *s, uint32_t pid)
{
	return (struct process *)pp_table_first(&s->processes, pid);
}

static void
process_unlist(struct pp_state *s, struct process *p)
{
	if (p->listed)
		pp_table_remove(&s->processes, &p->link);
	p->listed = false;
}

static void
task_drop(struct pp_state *s, struct task *t)
{
	struct process *p = t->process;

	pp_table_remove(&s->tasks, &t->link);
	if (t->pub.ended) {
		TAILQ_REMOVE(&s->dead, t, dead);
		s->ndead--;
	}
	TAILQ_REMOVE(&p->tasks, t, siblings);
	if (TAILQ_EMPTY(&p->tasks)) {
		process_unlist(s, p);
		TAILQ_REMOVE(&s->all_processes, p, all);
		pp_maps_clear(&s->pool, &p->maps);
		pp_maps_clear(&s->pool, &p->base);
		free(p);
	}
	comm_drop(s, t->pub.comm);
	free(t->namespaces);
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
	p->pub.pid = pid;
	p->serial = ++s->serial;
	p->listed = true;
	TAILQ_INIT(&p->tasks);
	TAILQ_INSERT_TAIL(&s->all_processes, p, all);
	return p;
}

/* The thread, made if need be, also when its number belonged to another process so far.  NULL: no memory. */
static struct task *
task_get(struct pp_state *s, uint32_t pid, uint32_t tid)
{
	struct task *t = task_find(s, tid);

	if (t && t->pub.pid == pid && t->process->listed)
		return t;
	if (t)
		task_drop(s, t);
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
	t->pub = (struct pp_task){ .pid = pid, .tid = tid, .ppid = -1, .ptid = -1 };
	TAILQ_INSERT_TAIL(&t->process->tasks, t, siblings);
	return t;
}

static void
task_end(struct pp_state *s, struct task *t)
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
feed_mmap(struct pp_state *s, const struct pp_rec *r, size_t size)
{
	uint32_t pid = pp_get_u32(r->raw + 8, s->swap), tid = pp_get_u32(r->raw + 12, s->swap);
	struct pp_map m = { .start = pp_get_u64(r->raw + 16, s->swap), .len = pp_get_u64(r->raw + 24, s->swap),
	    .pgoff = pp_get_u64(r->raw + 32, s->swap), .data = r->misc & PP_MISC_MMAP_DATA };
	unsigned mode = r->misc & PP_MISC_CPUMODE_MASK;
	bool own = pp_state_is_own(r, s->swap);
	struct pp_maps *maps = &s->kernel;
	struct pp_dso file;
	struct task *t;
	struct kind *k;

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
	pp_dso_get(&file, r, r->size - size, s->swap);
	file.jit = own && is_jit(r, &file, s->swap) ? pid : 0;
	if (!(k = kind_of(s, r, &file)))
		return no_memory(s);
	m.dso = k->file.index;
	m.has_id = k->file.id_len;
	return pp_maps_insert(&s->pool, maps, &m) < 0 ? no_memory(s) : 1;
}

static int
feed_comm(struct pp_state *s, const struct pp_rec *r, size_t size)
{
	struct task *t = task_get(s, pp_get_u32(r->raw + 8, s->swap), pp_get_u32(r->raw + 12, s->swap));
	struct pp_comm *c;

	if (!t || !(c = comm_of(s, r->raw + 16, strnlen((const char *)r->raw + 16, size - 16))))
		return no_memory(s);
	comm_give(s, t, c);
	return 1;
}

static int
feed_namespaces(struct pp_state *s, const struct pp_rec *r, size_t size)
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
feed_fork(struct pp_state *s, const struct pp_rec *r)
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
	t->pub.synthesised = r->misc & PP_MISC_FORK_EXEC;
	if ((parent = task_find(s, ptid)) && parent != t)
		comm_give(s, t, parent->pub.comm);
	if (pid != ppid && !(r->misc & PP_MISC_FORK_EXEC) && (p = process_find(s, ppid))) {
		pp_maps_share(&t->process->maps, &p->maps);
		pp_maps_share(&t->process->base, &p->maps);
	}
	return 1;
}

bool
pp_state_wants(uint32_t type)
{
	return pp_type_is(type, PP_CLASSES_STATE);
}

int
pp_state_feed(struct pp_state *s, const struct pp_rec *r, size_t trailer)
{
	size_t size = r->size - trailer;
	struct task *t;

	switch (trailer > r->size || size < pp_type_min(r->type) ? 0 : r->type) {
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

/* ---- lookups --------------------------------------------------------------------------------------------- */

struct pp_task *
pp_state_task(const struct pp_state *s, uint32_t tid)
{
	struct task *t = task_find(s, tid);

	return t ? &t->pub : NULL;
}

const char *
pp_state_comm(const struct pp_state *s, uint32_t tid)
{
	struct task *t = task_find(s, tid);

	return t && t->pub.comm ? t->pub.comm->text : NULL;
}

int64_t
pp_state_ppid(const struct pp_state *s, uint32_t pid)
{
	struct task *t = task_find(s, pid);

	return t && t->pub.pid == pid ? t->pub.ppid : -1;
}

struct pp_process *
pp_state_process(const struct pp_state *s, uint32_t pid)
{
	struct process *p = process_find(s, pid);

	return p ? &p->pub : NULL;
}

struct pp_process *
pp_state_process_of(const struct pp_task *pub)
{
	return &((const struct task *)((const uint8_t *)pub - offsetof(struct task, pub)))->process->pub;
}

struct pp_process *
pp_state_forker(const struct pp_state *s, const struct pp_process *pub)
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
pp_state_each_task(const struct pp_process *pub, int (*fn)(void *, struct pp_task *), void *arg)
{
	const struct process *p = (const struct process *)((const uint8_t *)pub - offsetof(struct process, pub));
	struct task *t;

	TAILQ_FOREACH(t, &p->tasks, siblings)
		if (fn(arg, &t->pub) < 0)
			return -1;
	return 1;
}

const struct pp_maps *
pp_state_maps(const struct pp_state *s, uint32_t pid, unsigned cpumode)
{
	struct process *p;

	if (cpumode == PP_MISC_KERNEL)
		return &s->kernel;
	if (cpumode != PP_MISC_USER || !(p = process_find(s, pid)))
		return NULL;
	return &p->maps;
}

const struct pp_map *
pp_state_map(const struct pp_state *s, uint32_t pid, unsigned cpumode, uint64_t addr)
{
	const struct pp_maps *maps = pp_state_maps(s, pid, cpumode);

	return maps ? pp_maps_find(maps, addr) : NULL;
}

const struct pp_dso *
pp_state_dso(const struct pp_state *s, const struct pp_map *m)
{
	return &s->kind[m->dso]->file;
}

const char *
pp_state_cgroup(const struct pp_state *s, uint64_t id)
{
	const struct kept *k = pp_state_kept(s, PP_CGROUP, 0, id);

	return k ? (const char *)k->raw + 16 : NULL;
}

struct pp_state *
pp_state_new(bool swap, struct pp_err *err)
{
	struct pp_state *s = calloc(1, sizeof *s);

	if (!s) {
		pp_fail(err, "out of memory");
		return NULL;
	}
	if (pp_table_init(&s->tasks, err) < 0 || getrandom(&s->pool.seed, sizeof s->pool.seed, 0) != sizeof s->pool.seed) {
		pp_fail(err, "random numbers: %s", strerror(errno));
		free(s);
		return NULL;
	}
	s->processes = s->comms = s->kinds = s->keeps = s->tasks;
	s->err = err;
	s->swap = swap;
	TAILQ_INIT(&s->all_processes);
	TAILQ_INIT(&s->dead);
	TAILQ_INIT(&s->all_kept);
	return s;
}

void
pp_state_free(struct pp_state *s)
{
	struct process *p;

	if (!s)
		return;
	while ((p = TAILQ_FIRST(&s->all_processes)))
		task_drop(s, TAILQ_FIRST(&p->tasks));
	pp_maps_clear(&s->pool, &s->kernel);
	pp_maps_pool_end(&s->pool);
	pp_state_writer_free(s->writer);
	free(s->kind);
	pp_table_free(&s->processes, false);
	pp_table_free(&s->tasks, false);
	pp_table_free(&s->comms, false);
	pp_table_free(&s->kinds, true);
	pp_table_free(&s->keeps, true);
	free(s);
}
