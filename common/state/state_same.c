/* SPDX-License-Identifier: ISC */
/* state_same.c - pp_state_same(): whether nothing that is fed or looked up from now on can tell two states apart */
#include <stdlib.h>
#include <string.h>

#include "state_in.h"

/* A walk over the maps of one state, with those of the other beside it. */
struct same {
	const struct pp_state *s, *other;
	const struct pp_maps *maps;
	size_t		 n;
};

static bool
same_kind(const struct kind *a, const struct kind *b)
{
	return a->type == b->type && a->misc == b->misc && a->file.len == b->file.len && a->file.jit == b->file.jit &&
	    !memcmp(a->fixed, b->fixed, sizeof a->fixed) && !memcmp(a->name, b->name, a->file.len);
}

static int
same_map(void *arg, const struct pp_map *m)
{
	struct same *x = arg;
	const struct pp_map *o = pp_maps_find(x->other, x->maps, m->start);

	x->n++;
	if (!o || o->start != m->start || o->len != m->len || o->pgoff != m->pgoff || o->data != m->data || o->has_id != m->has_id)
		return -1;
	/* those of KSYMBOLs have no file */
	return x->maps == &x->other->symbols || same_kind(x->s->kind[m->dso], x->other->kind[o->dso]) ? 1 : -1;
}

static int
count_map(void *arg, const struct pp_map *m)
{
	(void)m;
	++*(size_t *)arg;
	return 1;
}

static bool
same_maps(const struct pp_state *s, const struct pp_maps *a, const struct pp_state *o, const struct pp_maps *b)
{
	struct same x = { .s = s, .other = o, .maps = b };
	size_t n = 0;

	if (pp_maps_each(s, a, same_map, &x) < 0)
		return false;
	pp_maps_each(o, b, count_map, &n);
	return n == x.n;
}

static bool
same_word(const struct pp_state *s, uint32_t a, const struct pp_state *o, uint32_t b)
{
	const struct pp_word *v = word_at(s, a), *w = word_at(o, b);

	return !v || !w ? v == w : v->len == w->len && !memcmp(pp_word_text(v), pp_word_text(w), v->len);
}

static bool
same_task(const struct pp_state *s, const struct task *a, const struct pp_state *o, const struct task *b)
{
	const struct pp_task *t = &a->pub, *u = b ? &b->pub : NULL;

	return u && t->tid == u->tid && t->pid == u->pid && t->ppid == u->ppid && t->ptid == u->ptid && t->forked == u->forked &&
	    t->synthesised == u->synthesised && t->ended == u->ended && same_word(s, t->comm, o, u->comm) &&
	    same_word(s, a->namespaces, o, b->namespaces);
}

/*
 * Do both processes, in their places, have the same threads in the same order, and the same maps?  What a process still shares with
 * the one that forked it is not compared: only what is written of a state depends on that.
 */
static bool
same_process(const struct pp_state *s, uint32_t i, const struct pp_state *o, uint32_t k)
{
	const struct process *p = process_at(s, i), *q = process_at(o, k);
	const struct pp_process *a = &p->first.pub.process, *b = &q->first.pub.process;

	if (p->first.pub.pid != q->first.pub.pid || a->waits != b->waits || a->listed != b->listed || p->alive != q->alive)
		return false;
	for (i = task_begin(s, i), k = task_begin(o, k); i && k; i = task_behind(s, i), k = task_behind(o, k))
		if (!same_task(s, task_at(s, i), o, task_at(o, k)))
			return false;
	return !i && !k && same_maps(s, &p->maps, o, &q->maps);
}

static bool
same_dead(const struct pp_state *s, const struct pp_state *o)
{
	if (s->ndead != o->ndead)
		return false;
	for (unsigned i = 0; i < s->ndead; i++)
		if (task_at(s, s->dead[(s->first_dead + i) % DEAD_MAX])->pub.tid != task_at(o, o->dead[(o->first_dead + i) % DEAD_MAX])->pub.tid)
			return false;
	return true;
}

static bool
same_kept(const struct pp_state *s, const struct pp_state *o)
{
	const struct kept *a = TAILQ_FIRST(&s->all_kept), *b = TAILQ_FIRST(&o->all_kept);

	for (; a && b; a = TAILQ_NEXT(a, all), b = TAILQ_NEXT(b, all))		/* what they are found by is in the record */
		if (a->size != b->size || memcmp(a->raw, b->raw, a->size))
			return false;
	return !a && !b;
}

bool
pp_state_same(const struct pp_state *s, const struct pp_state *o)
{
	size_t n = 0, m = 0, i = 0;
	uint32_t *a, *b;
	bool same;

	if (!same_kept(s, o) || !same_dead(s, o) || !same_maps(s, &s->kernel, o, &o->kernel) || !same_maps(s, &s->symbols, o, &o->symbols))
		return false;
	a = pp_state_processes(s, &n);
	b = pp_state_processes(o, &m);
	for (same = a && b && n == m; same && i < n; i++)
		same = same_process(s, a[i], o, b[i]);
	free(a);
	free(b);
	return same;
}
