/* SPDX-License-Identifier: ISC */
/*
 * snapshot.c - see snapshot.h.  Lists keep the order of appearance, so that equal input makes equal snapshots; hash
 * tables over them find things.  A map of a process is start, length and offset (common/maps.h); all else that its
 * record said is its `kind', shared by all maps that are alike.
 */
#include <sys/queue.h>
#include <sys/random.h>

#include <stdlib.h>
#include <string.h>

#include "maps.h"
#include "snapshot.h"
#include "table.h"

enum { DEAD_MAX = 256 };		/* ended tasks that are still told */
enum { KSYMBOL_UNREGISTER = 1, BPF_EVENT_UNLOAD = 2 };

struct blob {			/* bytes of a record, shared by those who inherit them */
	unsigned	 refs;
	uint16_t	 len;
	uint8_t		 p[];
};

struct process {
	struct link	 link;		/* by pid */
	TAILQ_ENTRY(process) all;
	TAILQ_HEAD(, task) tasks;
	uint32_t	 pid;
	bool		 listed;	/* no: its pid has been given to another */
	struct pp_maps	 maps;
};

struct task {
	struct link	 link;		/* by tid */
	TAILQ_ENTRY(task) siblings, dead;
	struct process	*process;
	uint32_t	 tid;
	bool		 ended;
	struct blob	*comm;		/* with its NUL; NULL: not known */
	struct blob	*namespaces;	/* from nr_namespaces on */
};

struct kind {			/* what is the same for many maps */
	struct link	 link;		/* by hash of what follows */
	uint32_t	 index;
	bool		 used;		/* by a map of the last snapshot */
	uint32_t	 type;
	uint16_t	 misc, name_len;
	uint8_t		 fixed[32];	/* of an MMAP2: inode or build-id, prot, flags */
	uint8_t		 name[];
};

struct kept {			/* a record of which the last one of its key counts */
	struct link	 link;
	TAILQ_ENTRY(kept) all;
	uint32_t	 type, pid;
	uint64_t	 id;
	uint16_t	 size;
	uint8_t		 raw[];		/* without its trailer */
};

struct snapshot {
	struct pp_err	*err;
	bool		 swap;
	struct table	 processes, tasks, kinds, keeps;
	TAILQ_HEAD(, process) all_processes;
	TAILQ_HEAD(, task) dead;
	unsigned	 ndead;
	TAILQ_HEAD(, kept) all_kept;
	struct kind	**kind;		/* by index; NULL: free */
	uint32_t	 nkinds, cap_kinds, free_kind;	/* below free_kind all are taken */
	struct maps_pool pool;
};

static int
no_memory(struct snapshot *s)
{
	return pp_fail(s->err, "out of memory");
}

/* ---- blobs, kinds, kept records -------------------------------------------------------------------------- */

static struct blob *
blob_new(const uint8_t *p, size_t n)
{
	struct blob *b = malloc(sizeof *b + n);

	if (!b)
		return NULL;
	b->refs = 1;
	b->len = (uint16_t)n;
	memcpy(b->p, p, n);
	return b;
}

static void
blob_drop(struct blob *b)
{
	if (b && --b->refs == 0)
		free(b);
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

/* The kind of a map; its name ends at n.  NULL: no memory. */
static struct kind *
kind_of(struct snapshot *s, const struct pp_rec *r, const uint8_t *fixed, const uint8_t *name, size_t n)
{
	uint64_t key = table_hash(&s->kinds, r->type ^ (uint64_t)r->misc << 32, fixed, 32);
	struct kind *k;

	key = table_hash(&s->kinds, key, name, n);
	for (struct link *l = table_first(&s->kinds, key); l; l = table_next(l)) {
		k = (struct kind *)l;
		if (k->type == r->type && k->misc == r->misc && k->name_len == n && !memcmp(k->fixed, fixed, 32) &&
		    !memcmp(k->name, name, n))
			return k;
	}
	if (kind_room(s) < 0 || !(k = calloc(1, sizeof *k + n)))
		return NULL;
	k->type = r->type;
	k->misc = r->misc;
	k->name_len = (uint16_t)n;
	k->index = s->free_kind;
	memcpy(k->fixed, fixed, 32);
	memcpy(k->name, name, n);
	if (table_add(&s->kinds, &k->link, key) < 0) {
		free(k);
		return NULL;
	}
	s->kind[k->index] = k;
	if (k->index == s->nkinds)
		s->nkinds++;
	return k;
}

static int
keep(struct snapshot *s, const struct pp_rec *r, size_t size, uint32_t pid, uint64_t id, bool remove)
{
	uint64_t key = (id ^ (uint64_t)pid << 40) + r->type;
	struct link *l = table_first(&s->keeps, key);
	struct kept *k;

	while (l && ((k = (struct kept *)l)->type != r->type || k->pid != pid || k->id != id))
		l = table_next(l);
	if (l) {			/* the new one goes to the end: it pushes out what it overlaps */
		k = (struct kept *)l;
		table_remove(&s->keeps, l);
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
	if (table_add(&s->keeps, &k->link, key) < 0) {
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
	if (t->ended) {
		TAILQ_REMOVE(&s->dead, t, dead);
		s->ndead--;
	}
	TAILQ_REMOVE(&p->tasks, t, siblings);
	if (TAILQ_EMPTY(&p->tasks)) {
		process_unlist(s, p);
		TAILQ_REMOVE(&s->all_processes, p, all);
		maps_clear(&s->pool, &p->maps);
		free(p);
	}
	blob_drop(t->comm);
	blob_drop(t->namespaces);
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
	p->pid = pid;
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

	if (t && t->process->pid == pid && t->process->listed)
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
	t->tid = tid;
	TAILQ_INSERT_TAIL(&t->process->tasks, t, siblings);
	return t;
}

static void
task_end(struct snapshot *s, struct task *t)
{
	if (t->ended)
		return;
	t->ended = true;
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
	    .pgoff = pp_get_u64(r->raw + 32, s->swap) };
	const uint8_t *name = r->raw + (two ? 72 : 40);
	unsigned mode = r->misc & PP_MISC_CPUMODE_MASK;
	struct task *t;
	struct kind *k;

	if ((mode && mode != PP_MISC_USER) || pid == UINT32_MAX)
		return keep(s, r, size, pid, m.start, false);
	if (m.len > UINT64_MAX - m.start)
		m.len = UINT64_MAX - m.start;
	if (!(t = task_get(s, pid, tid)))
		return no_memory(s);
	if (!m.len)
		return 1;
	k = kind_of(s, r, two ? r->raw + 40 : none, name, strnlen((const char *)name, size - (size_t)(name - r->raw)));
	if (!k)
		return no_memory(s);
	m.dso = k->index;
	return maps_insert(&s->pool, &t->process->maps, &m) < 0 ? no_memory(s) : 1;
}

static int
feed_text(struct snapshot *s, const struct pp_rec *r, size_t size)
{
	const uint8_t *text = r->raw + 16;
	struct task *t = task_get(s, pp_get_u32(r->raw + 8, s->swap), pp_get_u32(r->raw + 12, s->swap));
	size_t n = size - 16;
	struct blob **to, *new;

	if (r->type == PP_COMM)
		n = strnlen((const char *)text, n - 1) + 1;
	if (!t || !(new = blob_new(text, n)))
		return no_memory(s);
	to = r->type == PP_COMM ? &t->comm : &t->namespaces;
	blob_drop(*to);
	*to = new;
	if (r->type == PP_COMM)
		new->p[n - 1] = 0;
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
	parent = task_find(s, ptid);
	if (parent && parent != t && parent->comm) {
		parent->comm->refs++;
		blob_drop(t->comm);
		t->comm = parent->comm;
	}
	if (pid != ppid && !(r->misc & PP_MISC_FORK_EXEC) && (p = process_find(s, ppid)))
		maps_share(&t->process->maps, &p->maps);
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
	case PP_NAMESPACES:
		return feed_text(s, r, size);
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

/* ---- the snapshot ------------------------------------------------------------------------------------ */

struct writer {
	struct snapshot	*s;
	size_t		 trailer;
	int		(*put)(void *, const struct pp_rec *);
	void		*arg;
	const struct process *of;
	uint8_t		 buf[PP_RECORD_MAX + 1];
};

/* A record of n bytes in buf, less padding and trailer.  One that is too long with them is not told. */
static int
emit(struct writer *w, uint32_t type, uint16_t misc, size_t n)
{
	size_t size = (n + 7) / 8 * 8 + w->trailer;
	struct pp_rec r = { .raw = w->buf, .type = type, .misc = misc, .size = (uint16_t)size };

	if (size > PP_RECORD_MAX)
		return 1;
	memset(w->buf + n, 0, size - n);
	pp_set_u32(w->buf, type, w->s->swap);
	pp_set_u16(w->buf + 4, misc, w->s->swap);
	pp_set_u16(w->buf + 6, r.size, w->s->swap);
	return w->put(w->arg, &r);
}

static int
emit_text(struct writer *w, uint32_t type, const struct task *t, const struct blob *b)
{
	if (!b)
		return 1;
	pp_set_u32(w->buf + 8, t->process->pid, w->s->swap);
	pp_set_u32(w->buf + 12, t->tid, w->s->swap);
	memcpy(w->buf + 16, b->p, b->len);
	return emit(w, type, 0, 16 + (size_t)b->len);
}

static int
emit_map(void *arg, const struct pp_map *m)
{
	struct writer *w = arg;
	struct kind *k = w->s->kind[m->dso];
	size_t at = 40;

	k->used = true;
	if (!w->of->listed)
		return 1;
	pp_set_u32(w->buf + 8, w->of->pid, w->s->swap);
	pp_set_u32(w->buf + 12, w->of->pid, w->s->swap);
	pp_set_u64(w->buf + 16, m->start, w->s->swap);
	pp_set_u64(w->buf + 24, m->len, w->s->swap);
	pp_set_u64(w->buf + 32, m->pgoff, w->s->swap);
	if (k->type == PP_MMAP2) {
		memcpy(w->buf + at, k->fixed, sizeof k->fixed);
		at += sizeof k->fixed;
	}
	memcpy(w->buf + at, k->name, k->name_len);
	w->buf[at + k->name_len] = 0;
	return emit(w, k->type, k->misc, at + k->name_len + 1);
}

/* The first thread comes first: the maps that perf gives to the others are those of that one. */
static int
emit_process(struct writer *w, const struct process *p)
{
	const struct task *t, *leader = task_find(w->s, p->pid);

	w->of = p;
	if (!p->listed)
		return pp_maps_each(&p->maps, emit_map, w);
	if (leader && leader->process == p &&
	    (emit_text(w, PP_COMM, leader, leader->comm) < 0 ||
	     emit_text(w, PP_NAMESPACES, leader, leader->namespaces) < 0))
		return -1;
	if (pp_maps_each(&p->maps, emit_map, w) < 0)
		return -1;
	TAILQ_FOREACH(t, &p->tasks, siblings)
		if (t != leader && (emit_text(w, PP_COMM, t, t->comm) < 0 ||
		    emit_text(w, PP_NAMESPACES, t, t->namespaces) < 0))
			return -1;
	return 1;
}

/* Let go of kinds that no map has any more. */
static void
sweep(struct snapshot *s)
{
	for (uint32_t i = 0; i < s->nkinds; i++) {
		struct kind *k = s->kind[i];

		if (k && !k->used) {
			table_remove(&s->kinds, &k->link);
			free(k);
			s->kind[i] = NULL;
		} else if (k) {
			k->used = false;
		}
	}
	s->free_kind = 0;
}

int
snapshot_write(struct snapshot *s, size_t trailer, int (*put)(void *, const struct pp_rec *), void *arg)
{
	struct writer *w = malloc(sizeof *w);
	const struct process *p;
	const struct kept *k;
	int rc = 1;

	if (!w)
		return no_memory(s);
	w->s = s;
	w->trailer = trailer;
	w->put = put;
	w->arg = arg;
	TAILQ_FOREACH(k, &s->all_kept, all) {
		memcpy(w->buf, k->raw, k->size);
		if ((rc = emit(w, k->type, pp_get_u16(k->raw + 4, s->swap), k->size)) < 0)
			break;
	}
	TAILQ_FOREACH(p, &s->all_processes, all)
		if (rc < 0 || (rc = emit_process(w, p)) < 0)
			break;
	if (rc > 0)
		sweep(s);
	free(w);
	return rc;
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
	s->processes.mul = s->tasks.mul = s->kinds.mul = s->keeps.mul = seed[0] | 1;
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
	maps_pool_end(&s->pool);
	free(s->kind);
	free(s->processes.slot);
	free(s->tasks.slot);
	free(s->kinds.slot);
	free(s->keeps.slot);
	free(s);
}
