/* SPDX-License-Identifier: ISC */
/* state_known.c - pp_state_knows(): whether the state has everything that a record says */
#include <string.h>

#include "state_in.h"

/* The task of a COMM, NAMESPACES, MMAP or MMAP2, which begin with the same fields. */
static const struct task *
task_of(const struct pp_state *s, const struct pp_rec *r)
{
	const struct task *t = task_find(s, PP_RAW_GET(r->raw, COMM, tid, s->swap));

	return t && t->pub.pid == PP_RAW_GET(r->raw, COMM, pid, s->swap) && process_pub(process_of(s, t))->listed ? t : NULL;
}

static bool
is_word(const struct pp_state *s, uint32_t word, const void *p, size_t n)
{
	const struct pp_word *w = word_at(s, word);

	return w && w->len == n && !memcmp(pp_word_text(w), p, n);
}

static bool
knows_comm(const struct pp_state *s, const struct pp_rec *r, size_t size)
{
	const struct task *t = task_of(s, r);
	const char *text = (const char *)r->raw + PP_RAW_AT(COMM, comm);
	size_t n = strnlen(text, size - PP_RAW_AT(COMM, comm));

	if (t && t->pub.ended && r->misc & PP_MISC_COMM_EXEC)		/* it lives */
		return false;
	return t && is_word(s, t->pub.comm, text, n);
}

static bool
knows_namespaces(const struct pp_state *s, const struct pp_rec *r, size_t size)
{
	const struct task *t = task_of(s, r);
	size_t n = size - PP_RAW_AT(NAMESPACES, nr_namespaces);

	return t && is_word(s, t->namespaces, r->raw + size - n, n);
}

/* Is everything behind the header equal to the record kept? */
static bool
knows_kept(const struct pp_state *s, const struct pp_rec *r, size_t size, uint32_t pid, uint64_t id)
{
	const struct kept *k = pp_state_kept(s, r->type, pid, id);

	return k && k->size == size && PP_RAW_GET(k->raw, header, misc, s->swap) == r->misc &&
	    !memcmp(k->raw + PP_HEADER_SIZE, r->raw + PP_HEADER_SIZE, size - PP_HEADER_SIZE);
}

static bool
knows_map(const struct pp_state *s, const struct pp_rec *r, size_t size)
{
	uint64_t start = PP_RAW_GET(r->raw, MMAP, start, s->swap);
	const struct task *t = task_of(s, r);
	const struct pp_map *m;
	const struct kind *k;
	struct pp_dso d;

	if (!map_is_own(r, s->swap))
		return knows_kept(s, r, size, PP_RAW_GET(r->raw, MMAP, pid, s->swap), start);
	if (!t || !(m = pp_maps_find(s, &process_of(s, t)->maps, start)))
		return false;
	k = s->kind[m->dso];
	pp_dso_get(&d, r, r->size - size, s->swap);
	return m->start == start && m->len == PP_RAW_GET(r->raw, MMAP, len, s->swap) &&
	    m->pgoff == PP_RAW_GET(r->raw, MMAP, pgoff, s->swap) && k->type == r->type && k->misc == r->misc &&
	    (r->type == PP_MMAP || !memcmp(k->fixed, r->raw + PP_RAW_AT(MMAP2, inode_or_build_id), sizeof k->fixed)) &&
	    k->file.len == d.len && !memcmp(k->name, d.name, d.len);
}

/* Of a snapshot, which has the FORK of a task that has ended, too; one that perf synthesised may be of another task. */
static bool
knows_fork(const struct pp_state *s, const struct pp_rec *r)
{
	const struct task *t = task_find(s, PP_RAW_GET(r->raw, FORK, tid, s->swap));

	return t && !(r->misc & PP_MISC_FORK_EXEC) && process_pub(process_of(s, t))->listed && t->pub.pid == PP_RAW_GET(r->raw, FORK, pid, s->swap) &&
	    t->pub.ppid == PP_RAW_GET(r->raw, FORK, ppid, s->swap);
}

static bool
knows_exit(const struct pp_state *s, const struct pp_rec *r)
{
	const struct task *t = task_find(s, PP_RAW_GET(r->raw, EXIT, tid, s->swap));

	return !t || t->pub.ended;
}

bool
pp_state_knows(const struct pp_state *s, const struct pp_rec *r, size_t trailer)
{
	size_t size = r->size - trailer;

	switch (trailer > r->size || size < pp_type_min(r->type) ? 0 : r->type) {
	case PP_MMAP: case PP_MMAP2:
		return knows_map(s, r, size);
	case PP_COMM:
		return knows_comm(s, r, size);
	case PP_NAMESPACES:
		return knows_namespaces(s, r, size);
	case PP_EXIT:
		return knows_exit(s, r);
	case PP_FORK:
		return knows_fork(s, r);
	case PP_KSYMBOL:
		return knows_kept(s, r, size, 0, PP_RAW_GET(r->raw, KSYMBOL, addr, s->swap));
	case PP_CGROUP:
		return knows_kept(s, r, size, 0, PP_RAW_GET(r->raw, CGROUP, id, s->swap));
	case PP_TEXT_POKE:
		return knows_kept(s, r, size, 0, PP_RAW_GET(r->raw, TEXT_POKE, addr, s->swap));
	case PP_BPF_EVENT:
		return knows_kept(s, r, size, 0, PP_RAW_GET(r->raw, BPF_EVENT, id, s->swap));
	default:
		return false;
	}
}
