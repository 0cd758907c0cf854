/* SPDX-License-Identifier: ISC */
/* state_write.c - see state.h: the snapshot, which is the state as records */
#include <stdlib.h>
#include <string.h>

#include "state_in.h"

struct state_writer {
	struct pp_state	*s;
	struct pp_stamp stamp;	/* trailer NULL: zeros */
	int		(*put)(void *, const struct pp_rec *);
	void		*arg;
	const struct process *of;
	uint8_t		 buf[PP_RECORD_MAX + 1];
};

void
pp_state_writer_free(struct state_writer *w)
{
	free(w);
}

static struct state_writer *
begin(struct pp_state *s, const struct pp_stamp *stamp, int (*put)(void *, const struct pp_rec *), void *arg)
{
	if (!s->writer && !(s->writer = malloc(sizeof *s->writer))) {
		pp_fail_memory(s->err);
		return NULL;
	}
	s->writer->s = s;
	s->writer->stamp = *stamp;
	s->writer->put = put;
	s->writer->arg = arg;
	return s->writer;
}

/*
 * The task in a trailer is the one that the record is about, as the kernel has it, of a FORK the parent: perf sched looks for it.
 * A parent that is unknown leaves the one of the stamp.
 */
static void
name_task(struct state_writer *w, uint32_t type, uint8_t *to)
{
	bool fork = type == PP_FORK, swap = w->s->swap;
	uint32_t pid = fork ? PP_RAW_GET(w->buf, FORK, ppid, swap) : PP_RAW_GET(w->buf, COMM, pid, swap);
	uint32_t tid = fork ? PP_RAW_GET(w->buf, FORK, ptid, swap) : type == PP_EXIT ? PP_RAW_GET(w->buf, FORK, tid, swap) :
	    PP_RAW_GET(w->buf, COMM, tid, swap);

	if (pid == UINT32_MAX)
		return;
	pp_set_u32(to, pid, swap);
	pp_set_u32(to + 4, tid, swap);
}

/*
 * Put the record of n bytes in buf, after adding padding and trailer.  A record that exceeds the largest size with them is left
 * out.
 */
static int
emit(struct state_writer *w, uint32_t type, uint16_t misc, size_t n)
{
	size_t body = (n + 7) / 8 * 8, size = body + w->stamp.len;
	struct pp_rec r = { .raw = w->buf, .type = type, .misc = misc, .size = (uint16_t)size };

	if (size > PP_RECORD_MAX)
		return 1;
	memset(w->buf + n, 0, size - n);
	if (w->stamp.trailer)
		memcpy(w->buf + body, w->stamp.trailer, w->stamp.len);
	if (w->stamp.task)
		name_task(w, type, w->buf + size - w->stamp.task);
	pp_raw_head(w->buf, type, misc, r.size, w->s->swap);
	return w->put(w->arg, &r);
}

/* Write the name of a thread, and its namespaces. */
static int
emit_names(struct state_writer *w, const struct task *t)
{
	const struct pp_word *c = word_at(w->s, t->pub.comm), *set = word_at(w->s, t->namespaces);

	PP_RAW_SET(w->buf, COMM, pid, t->pub.pid, w->s->swap);
	PP_RAW_SET(w->buf, COMM, tid, t->pub.tid, w->s->swap);
	if (c) {
		memcpy(w->buf + PP_RAW_AT(COMM, comm), pp_word_text(c), c->len + 1u);
		if (emit(w, PP_COMM, 0, PP_RAW_AT(COMM, comm) + c->len + 1u) < 0)
			return -1;
	}
	if (!set)			/* else pid and tid are where they are in a COMM */
		return 1;
	memcpy(w->buf + PP_RAW_AT(NAMESPACES, nr_namespaces), pp_word_text(set), set->len);
	return emit(w, PP_NAMESPACES, 0, PP_RAW_AT(NAMESPACES, nr_namespaces) + set->len);
}

/* The MMAP or MMAP2 of what is left of a map. */
static int
emit_map_of(struct state_writer *w, uint32_t pid, const struct pp_map *m)
{
	const struct kind *k = w->s->kind[m->dso];
	size_t at = map_name_at(k->type);

	PP_RAW_SET(w->buf, MMAP, pid, pid, w->s->swap);
	PP_RAW_SET(w->buf, MMAP, tid, pid, w->s->swap);
	PP_RAW_SET(w->buf, MMAP, start, m->start, w->s->swap);
	PP_RAW_SET(w->buf, MMAP, len, m->len, w->s->swap);
	PP_RAW_SET(w->buf, MMAP, pgoff, m->pgoff, w->s->swap);
	if (k->type == PP_MMAP2)
		memcpy(w->buf + PP_RAW_AT(MMAP2, inode_or_build_id), k->fixed, sizeof k->fixed);
	memcpy(w->buf + at, k->name, k->file.len + 1);
	return emit(w, k->type, k->misc, at + k->file.len + 1);
}

static int
emit_map(void *arg, const struct pp_map *m)
{
	struct state_writer *w = arg;

	return w->of && w->of->first.pub.process.listed ? emit_map_of(w, w->of->first.pub.pid, m) : 1;
}

/* ---- tasks ----------------------------------------------------------------------------------------------- */

/* NULL: unknown. */
static const struct task *
leader_of(const struct process *p)
{
	return p->first.pub.process.led ? &p->first : NULL;
}

/* FORK and EXIT */
static int
emit_task(struct state_writer *w, uint32_t type, uint16_t misc, const struct pp_task *t, uint32_t ppid, uint32_t ptid)
{
	PP_RAW_SET(w->buf, FORK, pid, t->pid, w->s->swap);
	PP_RAW_SET(w->buf, FORK, ppid, ppid, w->s->swap);
	PP_RAW_SET(w->buf, FORK, tid, t->tid, w->s->swap);
	PP_RAW_SET(w->buf, FORK, ptid, ptid, w->s->swap);
	PP_RAW_SET(w->buf, FORK, time, w->stamp.time, w->s->swap);
	return emit(w, type, misc, sizeof(struct pp_raw_FORK));
}

/* The end of a thread: newer versions of perf forget the thread then. */
static int
emit_exit(struct state_writer *w, const struct pp_task *t)
{
	return emit_task(w, PP_EXIT, 0, t, t->ppid, t->ptid);
}

/*
 * The process that a FORK names as the parent: another one, or of a thread its own.  The child also gets the name of the parent, so a
 * thread without a name needs a parent whose name the reader does not know; and perf would forget a thread with the number of the parent
 * that is not the parent.  In these cases the FORK names none: UINT32_MAX.
 */
static uint32_t
parent_of(const struct state_writer *w, const struct task *t)
{
	uint32_t parent = is_first(t) ? t->pub.ppid : t->pub.pid;
	const struct task *by = task_find(w->s, parent);

	if ((by && by->pub.pid != parent) || (!t->pub.comm && !(by && by->pub.mark & w->stamp.known && !by->pub.comm)))
		return UINT32_MAX;
	return parent;
}

/* Write a FORK, as perf synthesises it or as the kernel writes it (maps: the child gets those of its parent). */
static int
emit_fork(struct state_writer *w, const struct task *t, bool maps)
{
	uint32_t parent = parent_of(w, t);

	if (!t->pub.forked)
		return 1;
	return emit_task(w, PP_FORK, maps && parent != UINT32_MAX ? 0 : PP_MISC_FORK_EXEC, &t->pub, parent, parent);
}

/* The maps of w->of; changes: those that its FORK did not copy. */
static int
emit_maps(struct state_writer *w, bool changes)
{
	const struct process *p = w->of;

	return changes ? pp_maps_each_new(w->s, &p->maps, p->base, emit_map, w) : pp_maps_each(w->s, &p->maps, emit_map, w);
}

/* ---- all ------------------------------------------------------------------------------------------------- */

/*
 * The leader comes first: perf shares its maps with the other threads.  If its maps are still those of the process that forked it,
 * which is written by now, there is a FORK instead of the maps that both have: else many children would make the snapshot large.
 */
static int
emit_process(struct state_writer *w, uint32_t process)
{
	struct process *p = process_at(w->s, process);
	const struct task *t, *leader = leader_of(p);
	bool forked = leader && leader->pub.comm && pp_state_forker(w->s, process_pub(p));
	uint32_t i;

	w->of = p;
	if (!process_pub(p)->listed)
		return pp_maps_each(w->s, &p->maps, emit_map, w);
	if (forked && emit_fork(w, leader, true) < 0)
		return -1;
	if (leader && emit_names(w, leader) < 0)
		return -1;
	if (emit_maps(w, forked) < 0)
		return -1;
	for (i = p->threads; i; i = task_behind(w->s, i))
		if (emit_names(w, task_at(w->s, i)) < 0)
			return -1;
	for (i = task_begin(w->s, process); i; i = task_behind(w->s, i))
		if ((t = task_at(w->s, i))->pub.ended && emit_exit(w, &t->pub) < 0)
			return -1;
	return 1;
}

int
pp_state_write(struct pp_state *s, size_t trailer, int (*put)(void *, const struct pp_rec *), void *arg)
{
	struct state_writer *w = begin(s, &(struct pp_stamp){ .len = trailer }, put, arg);
	const struct kept *k;
	uint32_t *process;
	size_t n;
	int rc = 1;

	if (!w)
		return -1;
	TAILQ_FOREACH(k, &s->all_kept, all) {
		memcpy(w->buf, k->raw, k->size);
		if (emit(w, k->type, PP_RAW_GET(k->raw, header, misc, s->swap), k->size) < 0)
			return -1;
	}
	w->of = NULL;			/* the kernel's maps were kept as records */
	pp_maps_each(s, &s->kernel, emit_map, w);
	if (!(process = pp_state_processes(s, &n)))
		return pp_state_no_memory(s);
	for (size_t i = 0; i < n && rc > 0; i++)
		rc = emit_process(w, process[i]);
	free(process);
	if (rc > 0)
		pp_state_sweep(s);
	return rc;
}

/* ---- one ------------------------------------------------------------------------------------------------- */

int
pp_state_write_task(struct pp_state *s, const struct pp_task *pub, const struct pp_stamp *stamp,
    int (*put)(void *, const struct pp_rec *), void *arg)
{
	struct state_writer *w = begin(s, stamp, put, arg);

	return !w || emit_fork(w, task_in(pub), false) < 0 || emit_names(w, task_in(pub)) < 0 ? -1 : 1;
}

int
pp_state_write_exit(struct pp_state *s, const struct pp_task *t, const struct pp_stamp *stamp,
    int (*put)(void *, const struct pp_rec *), void *arg)
{
	struct state_writer *w = begin(s, stamp, put, arg);

	return w ? emit_exit(w, t) : -1;
}

int
pp_state_write_process(struct pp_state *s, const struct pp_process *pub, const struct pp_stamp *stamp,
    int (*put)(void *, const struct pp_rec *), void *arg)
{
	struct state_writer *w = begin(s, stamp, put, arg);
	const struct pp_process *by = pp_state_forker(s, pub);
	const struct task *leader;
	bool shared;

	if (!w)
		return -1;
	w->of = process_in(pub);
	leader = leader_of(w->of);
	shared = pub->mark & stamp->forked || (by && by->mark & stamp->known && parent_of(w, leader) != UINT32_MAX);
	if (leader && !(pub->mark & stamp->forked) && emit_fork(w, leader, shared) < 0)
		return -1;
	if (leader && emit_names(w, leader) < 0)
		return -1;
	return emit_maps(w, shared);
}

int
pp_state_write_map(struct pp_state *s, uint32_t pid, const struct pp_map *m, const struct pp_stamp *stamp,
    int (*put)(void *, const struct pp_rec *), void *arg)
{
	struct state_writer *w = begin(s, stamp, put, arg);

	return w ? emit_map_of(w, pid, m) : -1;
}
