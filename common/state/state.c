/* SPDX-License-Identifier: ISC */
/* state.c - see state.h and state_in.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "set.h"
#include "state_in.h"

enum { BPF_EVENT_UNLOAD = 2 };

int
pp_state_no_memory(struct pp_state *s)
{
	return pp_fail_memory(s->err);
}

bool
pp_state_wants(uint32_t type)
{
	return pp_type_is(type, PP_CLASSES_STATE);
}

static int
feed(struct pp_state *s, const struct pp_rec *r, size_t trailer)
{
	size_t size = r->size - trailer;

	switch (trailer > r->size || size < pp_type_min(r->type) ? 0 : r->type) {
	case PP_MMAP:
	case PP_MMAP2:
		return pp_state_feed_mmap(s, r, size);
	case PP_COMM:
		return pp_state_feed_comm(s, r, size);
	case PP_NAMESPACES:
		return pp_state_feed_namespaces(s, r, size);
	case PP_FORK:
		return pp_state_feed_fork(s, r);
	case PP_EXIT:
		return pp_state_feed_exit(s, r);
	case PP_KSYMBOL:
		return pp_state_feed_ksymbol(s, r, size);
	case PP_BPF_EVENT:
		return pp_state_keep(s, r, size, 0, PP_RAW_GET(r->raw, BPF_EVENT, id, s->swap),
		    PP_RAW_GET(r->raw, BPF_EVENT, bpf_type, s->swap) == BPF_EVENT_UNLOAD);
	case PP_CGROUP:
		return pp_state_keep(s, r, size, 0, PP_RAW_GET(r->raw, CGROUP, id, s->swap), false);
	case PP_TEXT_POKE:
		return pp_state_keep(s, r, size, 0, PP_RAW_GET(r->raw, TEXT_POKE, addr, s->swap), false);
	default:
		return 1;
	}
}

int
pp_state_feed(struct pp_state *s, const struct pp_rec *r, size_t trailer)
{
	enum { FEW = 256 };

	s->fed[pp_type_class(r->type)]++;
	if (feed(s, r, trailer) < 0)
		return -1;
	if (!s->limit || pp_state_memory(s) <= s->limit)
		return 1;
	if (s->frees_files && s->kinds.n > s->left + s->left / 8 + FEW)	/* else there is little to be had, for a look at all maps */
		pp_state_sweep(s);
	if (pp_state_memory(s) > s->limit)
		return pp_fail(s->err, "tasks and maps need more than half of --max-memory, which is %zu bytes", s->limit);
	return 1;
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

	return t && t->pub.comm ? pp_word_text(word_at(s, t->pub.comm)) : NULL;
}

int64_t
pp_state_ppid(const struct pp_state *s, uint32_t pid)
{
	struct task *t = task_find(s, pid);

	return t && t->pub.pid == pid && t->pub.forked ? (int64_t)t->pub.ppid : -1;
}

struct pp_process *
pp_state_process(const struct pp_state *s, uint32_t pid)
{
	struct process *p = process_find(s, pid);

	return p ? process_pub(p) : NULL;
}

struct pp_process *
pp_state_process_of(const struct pp_state *s, const struct pp_task *pub)
{
	return process_pub(process_of(s, task_in(pub)));
}

struct pp_task *
pp_process_first(struct pp_process *pub)
{
	return pub->led ? &process_in(pub)->first.pub : NULL;
}

struct pp_word *
pp_task_comm(const struct pp_state *s, const struct pp_task *pub)
{
	return word_at(s, pub->comm);
}

struct pp_process *
pp_state_forker(const struct pp_state *s, const struct pp_process *pub)
{
	const struct process *p = process_in(pub);
	const struct task *leader = &p->first, *by;
	struct process *forker;

	if (!p->base || !pub->led || !leader->pub.forked)
		return NULL;
	if (!(by = task_find(s, leader->pub.ppid)))
		return NULL;
	forker = process_of(s, by);
	if (!is_first(by) || by->pub.ended || !process_pub(forker)->listed || process_serial(forker) >= process_serial(p) ||
	    forker->maps.root != p->base || (!leader->pub.comm && by->pub.comm))
		return NULL;
	return process_pub(forker);
}

int
pp_state_each_task(const struct pp_state *s, const struct pp_process *pub, int (*fn)(void *, struct pp_task *), void *arg)
{
	struct process *p = process_in(pub);

	if (pub->led && fn(arg, &p->first.pub) < 0)
		return -1;
	for (uint32_t i = p->threads; i; i = thread_at(s, i)->behind)
		if (fn(arg, &task_at(s, i)->pub) < 0)
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

	return maps ? pp_maps_find(s, maps, addr) : NULL;
}

const struct pp_map *
pp_state_map_of_living(const struct pp_state *s, uint32_t pid, unsigned cpumode, uint64_t addr)
{
	const struct process *p;

	if (cpumode != PP_MISC_USER)
		return pp_state_map(s, pid, cpumode, addr);
	p = process_find(s, pid);
	return p && p->alive ? pp_maps_find(s, &p->maps, addr) : NULL;
}

const struct pp_dso *
pp_state_dso(const struct pp_state *s, const struct pp_map *m)
{
	return &s->kind[m->dso]->file;
}

const char *
pp_state_ksymbol(const struct pp_state *s, uint64_t addr)
{
	const struct pp_map *m = pp_maps_find(s, &s->symbols, addr);
	uint64_t start = m ? m->start - m->pgoff : 0;
	const struct kept *k = m ? pp_state_kept(s, PP_KSYMBOL, 0, start) : NULL;

	return k && addr - start < PP_RAW_GET(k->raw, KSYMBOL, len, s->swap) ? (const char *)k->raw + PP_RAW_AT(KSYMBOL, name) : NULL;
}

uint64_t
pp_state_namespace(const struct pp_state *s, uint32_t tid, enum pp_namespace which)
{
	enum { HEAD = 8, ENTRY = PP_RAW_ENTRY(NAMESPACES, dev) };	/* u64 nr, then dev and ino of each */
	const struct task *t = task_find(s, tid);
	const struct pp_word *w = t ? word_at(s, t->namespaces) : NULL;
	const uint8_t *p;

	if (!w || w->len < HEAD + (which + 1u) * ENTRY)
		return 0;
	p = (const uint8_t *)pp_word_text(w);
	return pp_get_u64(p, s->swap) <= which ? 0 : pp_get_u64(p + HEAD + which * ENTRY + 8, s->swap);
}

const char *
pp_state_cgroup(const struct pp_state *s, uint64_t id)
{
	const struct kept *k = pp_state_kept(s, PP_CGROUP, 0, id);

	return k ? (const char *)k->raw + PP_RAW_AT(CGROUP, path) : NULL;
}

uint64_t
pp_state_fed(const struct pp_state *s, enum pp_class class)
{
	return s->fed[class];
}

size_t
pp_state_memory(const struct pp_state *s)
{
	return s->bytes + s->pool.bytes + pp_rows_memory(&s->tasks) + pp_rows_memory(&s->words);
}

void
pp_state_free_files(struct pp_state *s)
{
	s->frees_files = true;
}

unsigned
pp_state_freed(const struct pp_state *s)
{
	return s->sweeps;
}

void *
pp_state_by_file(const struct pp_state *s, void *p, size_t *n, unsigned *freed, size_t i, size_t size)
{
	if (*freed != s->sweeps && *n)
		memset(p, 0, *n * size);
	*freed = s->sweeps;
	return array_reach(p, n, i, size);
}

void
pp_state_limit(struct pp_state *s, size_t bytes)
{
	s->limit = bytes;
}

/* ---- all of it -------------------------------------------------------------------------------------------- */

struct pp_state *
pp_state_new(bool swap, struct pp_err *err)
{
	struct pp_state *s = calloc(1, sizeof *s);

	if (!s) {
		pp_fail_memory(err);
		return NULL;
	}
	pp_rows_init(&s->tasks, sizeof(struct thread), sizeof(struct process));
	pp_rows_init(&s->words, WORD_SIZE, WORD_SECOND);
	pp_table_init(&s->kinds);
	s->keeps = s->kinds;
	s->pool.seed = pp_seed();
	s->err = err;
	s->swap = swap;
	TAILQ_INIT(&s->all_kept);
	return s;
}

void
pp_state_free(struct pp_state *s)
{
	if (!s)
		return;
	pp_maps_pool_end(&s->pool);
	pp_state_writer_free(s->writer);
	free(s->kind);
	pp_rows_free(&s->tasks);
	pp_state_words_free(s);
	pp_table_free(&s->kinds, true);
	pp_table_free(&s->keeps, true);
	free(s);
}
