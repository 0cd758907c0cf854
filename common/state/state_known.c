/* SPDX-License-Identifier: ISC */
/* state_known.c - see state.h: does a record say only what is in force already? */
#include <string.h>

#include "state_in.h"

static const struct task *
task_of(const struct pp_state *s, const struct pp_rec *r)
{
	const struct task *t = (struct task *)pp_table_first(&s->tasks, pp_get_u32(r->raw + 12, s->swap));

	return t && t->pub.pid == pp_get_u32(r->raw + 8, s->swap) && t->process->listed ? t : NULL;
}

static bool
knows_comm(const struct pp_state *s, const struct pp_rec *r, size_t size)
{
	const struct task *t = task_of(s, r);
	size_t n = strnlen((const char *)r->raw + 16, size - 16);

	return t && t->pub.comm && t->pub.comm->len == n && !memcmp(t->pub.comm->text, r->raw + 16, n);
}

static bool
knows_namespaces(const struct pp_state *s, const struct pp_rec *r, size_t size)
{
	const struct task *t = task_of(s, r);

	return t && t->namespaces && t->namespaces->len == size - 16 && !memcmp(t->namespaces->p, r->raw + 16, size - 16);
}

/* All behind the header as it was kept? */
static bool
knows_kept(const struct pp_state *s, const struct pp_rec *r, size_t size, uint32_t pid, uint64_t id)
{
	const struct kept *k = pp_state_kept(s, r->type, pid, id);

	return k && k->size == size && pp_get_u16(k->raw + 4, s->swap) == r->misc &&
	    !memcmp(k->raw + PP_HEADER_SIZE, r->raw + PP_HEADER_SIZE, size - PP_HEADER_SIZE);
}

static bool
knows_map(const struct pp_state *s, const struct pp_rec *r, size_t size)
{
	bool two = r->type == PP_MMAP2;
	uint64_t start = pp_get_u64(r->raw + 16, s->swap);
	const uint8_t *name = r->raw + (two ? 72 : 40);
	const struct task *t = task_of(s, r);
	const struct pp_map *m;
	const struct kind *k;

	if (!pp_state_is_own(r, s->swap))
		return knows_kept(s, r, size, pp_get_u32(r->raw + 8, s->swap), start);
	if (!t || !(m = pp_maps_find(&t->process->maps, start)))
		return false;
	k = s->kind[m->dso];
	return m->start == start && m->len == pp_get_u64(r->raw + 24, s->swap) &&
	    m->pgoff == pp_get_u64(r->raw + 32, s->swap) && k->type == r->type && k->misc == r->misc &&
	    (!two || !memcmp(k->fixed, r->raw + 40, sizeof k->fixed)) &&
	    k->file.len == strnlen((const char *)name, size - (size_t)(name - r->raw)) && !memcmp(k->name, name, k->file.len);
}

static bool
knows_exit(const struct pp_state *s, const struct pp_rec *r)
{
	const struct task *t = (struct task *)pp_table_first(&s->tasks, pp_get_u32(r->raw + 16, s->swap));

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
	case PP_KSYMBOL: case PP_CGROUP: case PP_TEXT_POKE:
		return knows_kept(s, r, size, 0, pp_get_u64(r->raw + 8, s->swap));
	case PP_BPF_EVENT:
		return knows_kept(s, r, size, 0, pp_get_u32(r->raw + 12, s->swap));
	default:
		return false;
	}
}
