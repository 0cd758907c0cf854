/* SPDX-License-Identifier: ISC */
#include <stdlib.h>
#include <string.h>

#include "field/field.h"
#include "kin.h"
#include "record/order.h"
#include "record/raw.h"
#include "set.h"
#include "source/chunk.h"
#include "tool/words.h"

enum { MAX = 4 << 20 };			/* births, and tasks */

struct birth {
	uint32_t	 parent, child;
};
struct kin {
	struct words	*names;			/* of --comms */
	const struct tool_list *pids;		/* of --inherit; NULL: not given */
	struct birth	*births;
	uint32_t	*tasks;			/* those found; some more than once */
	size_t		 nbirths, ntasks;
	bool		 full;
};

static void
kin_add(struct kin *k, uint32_t task)
{
	if (k->ntasks && k->tasks[k->ntasks - 1] == task)
		return;
	k->tasks = tool_need(array_more(k->tasks, k->ntasks, 1, sizeof *k->tasks));
	k->tasks[k->ntasks++] = task;
	k->full |= k->ntasks > MAX;
}

static void
kin_born(struct kin *k, uint32_t parent, uint32_t child)
{
	if (parent == child)
		return;
	k->births = tool_need(array_more(k->births, k->nbirths, 1, sizeof *k->births));
	k->births[k->nbirths++] = (struct birth){ parent, child };
	k->full |= k->nbirths > MAX;
}

/* A name that a thread without a name is called by: "swapper", ":42". */
static void
kin_nameless(struct kin *k)
{
	char number[FIELD_NAMELESS];

	if (words_have(k->names, field_nameless(0, number)))
		kin_add(k, 0);
	for (size_t i = 0; i < k->names->n; i++) {
		const char *w = k->names->v[i];

		if (*w == ':')
			kin_add(k, (uint32_t)strtol(w + 1, NULL, 10));
		k->full |= strchr("*?[", *w) || (*w == ':' && strpbrk(w, "*?["));
	}
}

static void
kin_comm(struct kin *k, const struct pp_rec *r, bool swap)
{
	enum { AT = PP_RAW_AT(COMM, comm) };
	char name[PP_RECORD_MAX];
	size_t n = r->size > AT ? strnlen((const char *)r->raw + AT, r->size - (size_t)AT) : 0;

	memcpy(name, r->raw + AT, n);
	name[n] = 0;
	if (words_have(k->names, name))
		kin_add(k, PP_RAW_GET(r->raw, COMM, tid, swap));
}

static void
kin_fork(struct kin *k, const struct pp_rec *r, bool swap)
{
	uint32_t pid = PP_RAW_GET(r->raw, FORK, pid, swap), ppid = PP_RAW_GET(r->raw, FORK, ppid, swap);
	uint32_t tid = PP_RAW_GET(r->raw, FORK, tid, swap), ptid = PP_RAW_GET(r->raw, FORK, ptid, swap);

	kin_born(k, ptid, tid);
	if (!k->pids)			/* a child has the name of the thread that made it */
		return;
	kin_born(k, ptid, pid);
	kin_born(k, ppid, pid);
	kin_born(k, ppid, tid);
}

static void
kin_read(struct kin *k, struct pp_source *in)
{
	struct pp_rec r;

	while (!k->full && pp_next(in, &r) > 0)
		if (r.type == PP_COMM && k->names->n)
			kin_comm(k, &r, in->swap);
		else if (r.type == PP_FORK)
			kin_fork(k, &r, in->swap);
}

/* ---- what follows from it ------------------------------------------------------------------------------------ */

static int
kin_by_parent(const void *a, const void *b)
{
	const struct birth *x = a, *y = b;

	return x->parent != y->parent ? (x->parent > y->parent) - (x->parent < y->parent) : (x->child > y->child) - (x->child < y->child);
}

/* Add the children of that task.  Each birth serves once: its child is found then. */
static void
kin_children(struct kin *k, uint32_t task)
{
	size_t lo = 0, hi = k->nbirths;

	ORDER_FIND(lo, hi, i, k->births[i].parent >= task);
	for (; lo < k->nbirths && k->births[lo].parent == task && !k->full; lo++)
		if (k->births[lo].child != task) {
			kin_add(k, k->births[lo].child);
			k->births[lo].child = task;
		}
}

static void
kin_follow(struct kin *k)
{
	size_t n = k->nbirths;

	if (n)
		qsort(k->births, n, sizeof *k->births, kin_by_parent);
	if (k->pids && k->pids->n)
		for (size_t i = 0; i < n; i++)
			if (tool_list_has(k->pids, (int32_t)k->births[i].parent))
				kin_add(k, k->births[i].parent);
	for (size_t i = 0; i < k->ntasks && !k->full; i++)
		kin_children(k, k->tasks[i]);
}

/* Its tasks as ranges, with those of --pid. */
static struct ppi_range *
kin_ranges(struct kin *k, size_t *n)
{
	size_t own = k->pids ? k->pids->n : 0, i = 0;
	struct ppi_range *r = tool_alloc(k->ntasks + own + 1, sizeof *r);

	*n = 0;
	if (k->ntasks)
		qsort(k->tasks, k->ntasks, sizeof *k->tasks, order_u32);
	for (; i < k->ntasks; i++)
		if (*n && k->tasks[i] <= r[*n - 1].hi + 1)
			r[*n - 1].hi = k->tasks[i];
		else
			r[(*n)++] = (struct ppi_range){ k->tasks[i], k->tasks[i] };
	for (i = 0; i < own; i++)
		r[(*n)++] = k->pids->r[i].lo < 0 ? (struct ppi_range){ 0, UINT32_MAX } :
		    (struct ppi_range){ (uint64_t)k->pids->r[i].lo, (uint64_t)k->pids->r[i].hi };
	return r;
}

/* ppi_ask.conds: no sample is wanted. */
static const struct ppi_cond *
kin_conds(void *arg, size_t *n)
{
	static const struct ppi_cond none = { .by = PPI_TASK };

	(void)arg;
	*n = 1;
	return &none;
}

/* Of a piece of --jobs: has the recording more side-band than the piece has of all? */
static bool
kin_is_dear(struct tool *t, struct pp_source *in)
{
	struct pp_chunk all;
	bool reads;

	return t->jobs.slot && tool_index_sums(t, in, &all, &reads) && all.plain - all.sample_bytes > all.plain / t->piece.n;
}

struct ppi_range *
kin_find(struct tool *t, struct state_keys *keys, size_t *n)
{
	const struct ppi_ask ask = { .conds = kin_conds };
	const char *name = tool_twice(t);
	struct ppi_range *r = NULL;
	struct ppi_use *index;
	struct pp_source *in;
	struct pp_err err = { .what = "" };
	struct kin k = { 0 };

	if (!keys || !state_keys_kin(keys, &k.names, &k.pids) || !name ||
	    !(in = tool_source_ahead(t, name, 0, &err)))
		return NULL;
	if ((index = tool_index_use(t, in, &ask)) && !kin_is_dear(t, in)) {
		if (!k.pids || !k.pids->n)
			kin_nameless(&k);
		if (!k.full)
			kin_read(&k, in);
		if (!k.full)
			kin_follow(&k);
		if (!k.full)
			r = kin_ranges(&k, n);
	}
	pp_close(in);
	tool_ahead(t, &err);
	ppi_use_free(index);
	free(k.births);
	free(k.tasks);
	return r;
}
