/* SPDX-License-Identifier: ISC */
/* jit.c - see jit.h: what happens to the maps of processes that have dumps */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "jit_in.h"
#include "record/raw.h"
#include "set.h"

enum { NEAR = 64 };

static bool
jit_is_anonymous(const char *name)
{
	static const char *const starts[] = { "//anon", "[anon:", "/memfd:", "anon_inode:", "/dev/zero", "/anon_hugepage", "[heap]" };

	for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
		if (!strncmp(name, starts[i], strlen(starts[i])))
			return true;
	return false;
}

/* ---- in time order: members of struct walk_user ------------------------------------------------------- */

/* Write the functions that the last map has hidden. */
static int
jit_show_hidden(struct jit *j)
{
	for (size_t i = 0; i < j->nhidden; i++)
		if (jit_image_map(j, &j->hidden[i]) < 0)
			return -1;
	j->nhidden = 0;
	return j->nputs >= JIT_PUTS ? jit_image_flush(j) : 1;
}

struct jit_hiding {		/* a map that hides functions */
	struct jit	*j;
	uint64_t	 time, start, last;
	uint32_t	 pid, since;
};

/*
 * Functions that stand side by side in memory and in the image become one MMAP2, because some programs change the protection
 * of a large area for each function.
 */
static int
jit_hide(void *arg, const struct pp_map *m)
{
	const struct jit_hiding *h = arg;
	struct jit *j = h->j;
	uint32_t image = jit_image_of(j, m);
	uint64_t start = m->start < h->start ? h->start : m->start, last = m->start + (m->len - 1);
	struct jit_put *before = j->nhidden ? &j->hidden[j->nhidden - 1] : NULL, put;

	if (image == UINT32_MAX || image < h->since || j->made + j->nhidden >= JIT_MADE)
		return 1;
	if (last > h->last)
		last = h->last;
	put = (struct jit_put){ h->time, start, last - start + 1, m->pgoff + (start - m->start), h->pid, image };
	j->again++;
	if (before && before->image == image && put.pgoff - before->pgoff == start - before->start &&
	    start - (before->start + before->len) <= NEAR) {
		before->len = last - before->start + 1;
		return 1;
	}
	j->hidden = tool_need(array_more(j->hidden, j->nhidden, 1, sizeof *j->hidden));
	j->hidden[j->nhidden++] = put;
	return 1;
}

static int
jit_map(struct jit *j, uint64_t time, const struct pp_rec *r)
{
	bool swap = j->t->in->swap;
	uint32_t pid = PP_RAW_GET(r->raw, MMAP, pid, swap);
	uint64_t start = PP_RAW_GET(r->raw, MMAP, start, swap), len = PP_RAW_GET(r->raw, MMAP, len, swap);
	struct jit_process *p = jit_process_find(j, pid);
	const struct pp_maps *maps;
	struct jit_hiding h;
	struct pp_dso d;

	if (!jit_is_own(r, pid) || !len)
		return 1;
	if (time && jit_advance_of(j, p, time - 1) < 0)
		return -1;
	pp_dso_get(&d, r, 0, swap);
	if (jit_is_executable(r, swap) && jit_dump_pid(d.name))
		return jit_begin(j, pid, time, r, &d);
	if (!j->nimages || !jit_is_anonymous(d.name) || !(maps = pp_state_maps(walk_state(j->walk), pid, PP_MISC_USER)))
		return 1;
	h = (struct jit_hiding){ j, time + 1, start, start + (len - 1), pid, p ? p->since : 0 };
	if (h.last < start)
		h.last = UINT64_MAX;
	if (p)
		p->last = time + 1;
	return pp_maps_each_in(walk_state(j->walk), maps, start, h.last, jit_hide, &h);
}

/* A child has the maps of its parent (the state sees to that), and may write into the parent's dump. */
static int
jit_fork(struct jit *j, uint64_t time, const struct pp_rec *r)
{
	uint32_t pid = PP_RAW_GET(r->raw, FORK, pid, j->t->in->swap), ppid = PP_RAW_GET(r->raw, FORK, ppid, j->t->in->swap);
	struct jit_process *p = jit_process_find(j, ppid), *old, *child;

	if (pid == ppid)
		return 1;
	if (time && jit_advance_of(j, p, time) < 0)
		return -1;
	if ((old = jit_process_find(j, pid)))
		jit_process_end(j, old);
	if (!p || !(p->dump || p->heir_of || p->since))
		return 1;
	if (!(child = jit_process_get(j, pid)))
		return -1;
	child->heir_of = p->dump ? p->pid : p->heir_of;
	child->since = p->since;
	child->last = p->last;
	return 1;
}

static int
jit_exit(struct jit *j, uint64_t time, const struct pp_rec *r)
{
	struct jit_process *p = jit_process_find(j, PP_RAW_GET(r->raw, EXIT, pid, j->t->in->swap));

	if (!p || !walk_is_last(j->walk, r))
		return 1;
	if (jit_advance_of(j, p, time ? time : UINT64_MAX) < 0)
		return -1;
	jit_process_end(j, p);
	return 1;
}

/* Another program, without the code of the one before. */
static int
jit_exec(struct jit *j, uint64_t time, const struct pp_rec *r)
{
	struct jit_process *p = jit_process_find(j, PP_RAW_GET(r->raw, COMM, pid, j->t->in->swap));

	if (!p)
		return 1;
	if (time && jit_advance_of(j, p, time) < 0)
		return -1;
	jit_process_close(j, p);
	p->heir_of = 0;
	p->done = 0;
	p->since = j->nimages;
	return 1;
}

static int
jit_record(void *arg, uint64_t time, const struct pp_rec *r)
{
	struct jit *j = arg;

	if (jit_show_hidden(j) < 0)
		return -1;
	switch (r->type) {
	case PP_MMAP:
	case PP_MMAP2:
		return jit_map(j, time, r);
	case PP_FORK:
		return jit_fork(j, time, r);
	case PP_EXIT:
		return jit_exit(j, time, r);
	case PP_COMM:
		return r->misc & PP_MISC_COMM_EXEC ? jit_exec(j, time, r) : 1;
	}
	return 1;
}

static int
jit_round(void *arg, uint64_t limit)
{
	struct jit *j = arg;
	struct jit_process *p, *next;

	if (jit_show_hidden(j) < 0)
		return -1;
	for (p = LIST_FIRST(&j->dumps); p; p = next) {
		next = LIST_NEXT(p, dumps);
		if (jit_advance(j, p, limit) < 0)
			return -1;
	}
	return jit_image_flush(j);
}

/* ---- as they arrive ----------------------------------------------------------------------------------- */

static int
jit_tell(struct jit *j, uint32_t pid)
{
	struct jit_process *p = jit_process_get(j, pid);

	if (!p)
		return -1;
	jit_process_close(j, p);
	p->told = true;
	return 1;
}

/* Is it an MMAP2 that an earlier run has added?  Then its process gets no more, nor does the one with the dump. */
static int
jit_learn_told(struct jit *j, const struct pp_rec *r)
{
	unsigned pid, number;
	struct pp_dso d;
	int n = 0;

	pp_dso_get(&d, r, 0, j->t->in->swap);
	if (!d.id_len || sscanf(d.name, "jitted-%9u-%9u.so%n", &pid, &number, &n) != 2 || !n || d.name[n])
		return 1;
	return jit_tell(j, pid) < 0 || jit_tell(j, PP_RAW_GET(r->raw, MMAP2, pid, j->t->in->swap)) < 0 ? -1 : 1;
}

static int
jit_put(struct out *o, struct pp_source *in, const struct pp_rec *r, bool stable)
{
	struct jit *j = (struct jit *)o;

	if (walk_passes(j->walk, r)) {
		if (r->type == PP_TIME_CONV)
			clock_cycles_learn(&j->cycles, r, in->swap);
		if (r->type == PP_MMAP2 && r->misc & PP_MISC_MMAP_BUILD_ID && jit_learn_told(j, r) < 0)
			return -1;
		if (r->type == PP_MMAP || r->type == PP_MMAP2)
			jit_arrived(j, r);
	}
	return o->next->put(o->next, in, r, stable);
}

static void
jit_report(const struct jit *j)
{
	tool_note(j->t, "jitted code: %ju functions and %ju moves in %ju files; %ju times written late, %ju again",
	    (uintmax_t)j->functions, (uintmax_t)j->moved, (uintmax_t)j->nimages_written, (uintmax_t)j->late, (uintmax_t)j->again);
	if (j->unmoved)
		tool_note(j->t, "jitted code: %ju moves of functions that are not known", (uintmax_t)j->unmoved);
	if (j->excess)
		tool_warn(j->t, "%ju functions of processes that have more than %d", (uintmax_t)j->excess, JIT_FUNCTIONS);
	if (j->made >= JIT_MADE)
		tool_warn(j->t, "more than %d MMAP2s of jitted code are needed: the rest is left out", JIT_MADE);
	unused_end(&j->unused);
}

static void
jit_free(struct jit *j)
{
	struct jit_process *p;
	struct jit_found *f;

	while ((p = LIST_FIRST(&j->dumps)))
		jit_process_close(j, p);
	while ((f = STAILQ_FIRST(&j->found))) {
		STAILQ_REMOVE_HEAD(&j->found, all);
		if (f->file.fd >= 0)
			close(f->file.fd);
		free(f);
	}
	pp_table_free(&j->processes, true);
	free(j->images);
	free(j->by_dso);
	free(j->puts);
	free(j->hidden);
	free(j);
}

static int
jit_finish(struct out *o)
{
	struct jit *j = (struct jit *)o;
	struct out *next = o->next;

	jit_report(j);
	jit_free(j);
	return next->finish(next);
}

struct jit *
jit_new(struct tool *t, struct lookup *lookup, struct store *store, struct walk *walk, bool strict)
{
	struct jit *j = tool_alloc(1, sizeof *j);

	*j = (struct jit){ .pub = { .put = jit_put, .finish = jit_finish }, .t = t, .lookup = lookup, .store = store, .walk = walk,
	    .unused = { t, "jitdumps", strict, 0 } };
	LIST_INIT(&j->dumps);
	STAILQ_INIT(&j->found);
	pp_table_init(&j->processes);
	walk_add(walk, &(struct walk_user){ .arg = j, .record = jit_record, .round = jit_round });
	return j;
}

struct out *
jit_stage(struct jit *j, struct out *next)
{
	j->pub.next = next;
	return &j->pub;
}
