/* SPDX-License-Identifier: ISC */
#include <stdlib.h>
#include <string.h>

#include "needed.h"
#include "record/raw.h"
#include "set.h"

struct needed {
	struct pp_source *in;
	struct pp_state	*now;
	uint8_t		 known;		/* mark of tasks and processes: names or maps were written */
	uint8_t		 gone;		/* mark of a task that has ended: its EXIT was written */
	uint8_t		 forked;	/* mark of a process: only its FORK was written, which copies maps */
	bool		 fork;		/* the last record was such a FORK */
	bool		 untimed;	/* one of the first `nevents' events has samples with a time, but no trailers */
	unsigned	 nevents;
	uint8_t		 named;		/* mark of tasks: their name was written, perhaps without their process */
	uint32_t	 cache[TASK_SLOTS];	/* by task_slot(): 1 + the tid of a known task */
	uint8_t		 trailer[UINT8_MAX];
	struct pp_process **line;	/* stack of processes, each forked by the next */
	struct pp_err	*err;
	uint64_t	 seen, written;	/* bytes of side-band read, and synthesised here */
};
enum { WRITTEN_FREE = 64 << 20, WRITTEN_TIMES = 8 };

/* Synthesising records in front of the current one: their destination and common fields. */
struct writing {
	struct needed	*n;
	struct pp_stamp stamp;
	int		(*put)(void *, const struct pp_rec *);
	void		*arg;
};

struct needed *
needed_new(struct pp_source *in, struct pp_state *state, bool rest, struct pp_err *err)
{
	struct needed *n = calloc(1, sizeof *n);

	if (!n) {
		pp_fail_memory(err);
		return NULL;
	}
	n->in = in;
	n->now = state;
	n->err = err;
	n->known = rest ? MARK_WRITTEN_REST : MARK_WRITTEN;
	n->named = (uint8_t)(n->known << MARK_NAME_SHIFT);
	n->gone = n->forked = (uint8_t)(n->known << MARK_SIDE_SHIFT);
	return n;
}

void
needed_free(struct needed *n)
{
	if (n)
		free(n->line);
	free(n);
}

static uint32_t *
needed_cached(struct needed *n, uint32_t tid)
{
	return &n->cache[task_slot(tid)];
}

/* Was the EXIT of the thread written?  The mark of one that lived on after an EXIT is of that one. */
static bool
needed_is_gone(const struct needed *n, const struct pp_task *t)
{
	return t->ended && t->mark & n->gone;
}

/* Was the name of the thread written? */
static bool
needed_task_known(const struct needed *n, uint32_t pid, uint32_t tid)
{
	const struct pp_task *t = pp_state_task(n->now, tid);

	return t && t->pid == pid && t->mark & (n->known | n->named);
}

/* The trailer of records in front of this one: its task, event and CPU. */
static struct pp_stamp
needed_stamp_of(struct needed *n, const struct pp_event *ev, const struct pp_rec *r, uint64_t since)
{
	const struct pp_plan *p = &ev->plan;
	const struct { uint16_t from, to, len; } fields[] = {
		{ p->tid, p->t_tid, 8 }, { p->time, p->t_time, 8 }, { p->id, p->t_id, 8 },
		{ p->stream_id, p->t_stream_id, 8 }, { p->cpu, p->t_cpu, 8 }, { p->identifier, p->t_identifier, 8 },
	};
	struct pp_stamp s = { .known = n->known, .forked = n->forked, .trailer = n->trailer, .len = p->trailer, .task = p->t_tid };
	uint8_t *end = n->trailer + p->trailer;

	if (r->type != PP_SAMPLE && pp_has_trailer(ev, r))
		memcpy(n->trailer, r->raw + r->size - p->trailer, p->trailer);
	else
		for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
			if (fields[i].from && fields[i].to)
				memcpy(end - fields[i].to, r->raw + fields[i].from, fields[i].len);
	if (pp_time(ev, r, n->in->swap, &s.time) && s.time > since)
		s.time = since;
	if (p->t_time)
		pp_set_u64(end - p->t_time, s.time, n->in->swap);
	return s;
}

/*
 * Write a synthesised record.  For children of a parent that has ended or changed its maps, all maps are written one by one; an
 * artificial recording could make this grow without bound, so there is a limit.
 */
static int
needed_put_made(void *arg, const struct pp_rec *r)
{
	const struct writing *t = arg;
	struct needed *n = t->n;

	n->written += r->size;
	if (n->written > WRITTEN_FREE && n->written / WRITTEN_TIMES > n->seen)
		return pp_fail(n->err, "--sideband=needed: snapshots exceed %d times the side-band of the input; use "
		    "--sideband=all", WRITTEN_TIMES);
	return t->put(t->arg, r);
}

static int
needed_write_task(void *arg, struct pp_task *task)
{
	struct writing *t = arg;

	if (task->mark & t->n->known)
		return 1;
	task->mark |= t->n->known;
	return pp_state_write_task(t->n->now, task, &t->stamp, needed_put_made, t);
}

static int
needed_write_alive(void *arg, struct pp_task *task)
{
	return task->ended ? 1 : needed_write_task(arg, task);
}

static int
needed_write_process(struct writing *t, struct pp_process *p)
{
	struct needed *n = t->n;
	struct pp_task *leader;

	if (pp_state_write_process(n->now, p, &t->stamp, needed_put_made, t) < 0)
		return -1;
	p->mark |= n->known;
	if ((leader = pp_process_first(p)))
		leader->mark |= n->known;
	return 1;
}

/*
 * Write a process, and before it the ancestors that its maps come from, starting with the first that was not written.  So each
 * map is written once, and readers copy it at each FORK.
 */
static int
needed_write_line(struct writing *t, struct pp_process *p)
{
	struct needed *n = t->n;
	size_t len = 0;

	for (; p && !(p->mark & n->known); p = p->mark & n->forked ? NULL : pp_state_forker(n->now, p)) {
		struct pp_process **line = array_more(n->line, len, 1, sizeof *line);

		if (!line)
			return -1;
		n->line = line;
		n->line[len++] = p;
	}
	while (len)
		if (needed_write_process(t, n->line[--len]) < 0)
			return -1;
	return 1;
}

static int
needed_write_all(struct writing *t, struct pp_process *p, struct pp_task *task)
{
	return needed_write_line(t, p) < 0 || (task && needed_write_task(t, task) < 0) ? -1 : 1;
}

/*
 * perf since 6.9 deletes a thread at its EXIT and treats later records as of a thread without a name, with the maps of the
 * process's first thread if that exists.  So the EXIT of a first thread is written after the names of the other threads.
 */
static int
needed_write_others(struct writing *t, const struct pp_task *task)
{
	return task->pid == task->tid ? pp_state_each_task(t->n->now, pp_state_process_of(t->n->now, task), needed_write_alive, t) : 1;
}

static int
needed_write_exit(struct writing *t, struct pp_task *task)
{
	if (needed_is_gone(t->n, task))
		return 1;
	task->mark |= t->n->gone;
	return needed_write_others(t, task) < 0 ? -1 : pp_state_write_exit(t->n->now, task, &t->stamp, needed_put_made, t);
}

/* Must all side-band be kept, since no record can be synthesised with the time of a sample? */
static bool
needed_keeps_all(struct needed *n)
{
	const struct pp_events *e = n->in->events;

	for (; n->nevents < e->n; n->nevents++)
		n->untimed |= e->ev[n->nevents]->plan.time && !e->ev[n->nevents]->plan.t_time;
	return n->untimed;
}

static int
needed_sideband_mmap(struct needed *n, const struct pp_event *ev, const struct pp_rec *r,
    int (*put)(void *, const struct pp_rec *), void *arg)
{
	unsigned mode = r->misc & PP_MISC_CPUMODE_MASK;
	uint32_t pid = PP_RAW_GET(r->raw, MMAP, pid, n->in->swap), tid = PP_RAW_GET(r->raw, MMAP, tid, n->in->swap);
	struct pp_process *p;
	struct pp_task *t;

	if ((mode && mode != PP_MISC_USER) || pid == UINT32_MAX)
		return 1;
	if (!(p = pp_state_process(n->now, pid)) || !(p->mark & n->known))
		return 0;
	/* perf finds the process by the tid: the reader must not mistake this thread for an earlier one with that tid. */
	t = pp_state_task(n->now, tid);
	if (!t || t->pid != pid || t->mark & n->known)
		return 1;
	return needed_write_all(&(struct writing){ n, needed_stamp_of(n, ev, r, UINT64_MAX), put, arg }, p, t);
}

static int
needed_other_lives(void *arg, struct pp_task *t)
{
	(void)arg;
	return t->ended || t->tid == t->pid ? 1 : -1;
}

/*
 * Does the reader know of this thread because the FORK of its process was written, and is nothing left of that behind its EXIT?  Else the
 * next process of this number would be the same one to a reader of several outputs (psort --merge).
 */
static bool
needed_ends_fork(const struct needed *n, const struct pp_task *t)
{
	struct pp_process *p = t->tid == t->pid ? pp_state_process_of(n->now, t) : NULL;

	return p && p->mark & n->forked && pp_state_each_task(n->now, p, needed_other_lives, NULL) > 0;
}

static int
needed_sideband_exit(struct needed *n, const struct pp_event *ev, const struct pp_rec *r, int (*put)(void *, const struct pp_rec *),
    void *arg)
{
	struct pp_task *t = pp_state_task(n->now, PP_RAW_GET(r->raw, EXIT, tid, n->in->swap));

	if (!t || t->pid != PP_RAW_GET(r->raw, EXIT, pid, n->in->swap))
		return 0;
	if (!(t->mark & n->known))
		return needed_ends_fork(n, t);
	if (needed_is_gone(n, t))
		return 1;
	t->mark |= n->gone;
	return needed_write_others(&(struct writing){ n, needed_stamp_of(n, ev, r, UINT64_MAX), put, arg }, t);
}

/*
 * A process that was written forks: the reader copies the maps at once, as they may change later.  It finds the process by the
 * thread that forks: it must not mistake that for an earlier one with its tid.
 */
static int
needed_sideband_fork(struct needed *n, const struct pp_event *ev, const struct pp_rec *r, int (*put)(void *, const struct pp_rec *),
    void *arg)
{
	uint32_t pid = PP_RAW_GET(r->raw, FORK, pid, n->in->swap), ppid = PP_RAW_GET(r->raw, FORK, ppid, n->in->swap);
	struct pp_process *p = pp_state_process(n->now, ppid);
	const struct pp_task *leader = pp_state_task(n->now, ppid);
	struct pp_task *t;

	n->fork = pid != ppid && !(r->misc & PP_MISC_FORK_EXEC) && p && p->mark & n->known && leader &&
	    leader->pid == ppid && !leader->ended;
	if (!n->fork)
		return 0;
	t = pp_state_task(n->now, PP_RAW_GET(r->raw, FORK, ptid, n->in->swap));
	if (!t || t->pid != ppid || t->ended || t->mark & n->known)
		return 1;
	return needed_write_all(&(struct writing){ n, needed_stamp_of(n, ev, r, UINT64_MAX), put, arg }, p, t);
}

void
needed_learned(struct needed *n, const struct pp_rec *r)
{
	struct pp_process *p;

	if (n->fork && (p = pp_state_process(n->now, PP_RAW_GET(r->raw, FORK, pid, n->in->swap))))
		p->mark |= n->forked;
	n->fork = false;
}

int
needed_sideband(struct needed *n, const struct pp_event *ev, const struct pp_rec *r, int (*put)(void *, const struct pp_rec *),
    void *arg)
{
	uint32_t tid;

	if (needed_keeps_all(n))
		return 1;
	n->seen += r->size;
	if (task_of_record(r, n->in->swap, &tid))
		*needed_cached(n, tid) = 0;
	switch (r->type) {
	case PP_MMAP:
	case PP_MMAP2:
		return needed_sideband_mmap(n, ev, r, put, arg);
	case PP_COMM:
	case PP_NAMESPACES:
		return needed_task_known(n, PP_RAW_GET(r->raw, COMM, pid, n->in->swap), tid);
	case PP_EXIT:
		return needed_sideband_exit(n, ev, r, put, arg);
	case PP_FORK:			/* other children are written at their first kept sample */
		return needed_sideband_fork(n, ev, r, put, arg);
	default:
		return 1;
	}
}

static int
needed_task(struct needed *n, const struct pp_event *ev, const struct pp_rec *r, uint32_t pid, uint32_t tid, uint64_t since,
    int (*put)(void *, const struct pp_rec *), void *arg)
{
	struct pp_task *t;
	struct pp_process *p;
	struct writing w;
	uint32_t *slot = needed_cached(n, tid);

	if (*slot == tid + 1 && *slot)
		return 1;
	/* As in perf, a thread belongs to the process that its first record gives. */
	t = pp_state_task(n->now, tid);
	if (t && t->mark & n->known && (!t->ended || needed_is_gone(n, t))) {
		*slot = tid + 1;
		return 1;
	}
	p = t ? pp_state_process_of(n->now, t) : pp_state_process(n->now, pid);
	if (!p || (!t && p->mark & n->known))
		return 1;
	w = (struct writing){ n, needed_stamp_of(n, ev, r, since), put, arg };
	if ((!t || !(t->mark & n->known)) && needed_write_all(&w, p, t) < 0)
		return -1;
	return t && t->ended ? needed_write_exit(&w, t) : 1;
}

int
needed_sample(struct needed *n, const struct pp_event *ev, const struct pp_rec *r, uint64_t since,
    int (*put)(void *arg, const struct pp_rec *), void *arg)
{
	uint32_t pid, tid;

	if (!pp_pid_tid(ev, r, n->in->swap, &pid, &tid) || needed_keeps_all(n))
		return 1;
	return needed_task(n, ev, r, pid, tid, since, put, arg);
}

int
needed_name(struct needed *n, const struct pp_event *ev, const struct pp_rec *r, uint32_t tid, bool samples,
    uint64_t since, int (*put)(void *, const struct pp_rec *), void *arg)
{
	struct pp_task *t;
	struct writing w;

	if (needed_keeps_all(n) || !(t = pp_state_task(n->now, tid)))
		return 1;
	if (samples)
		return needed_task(n, ev, r, t->pid, tid, since, put, arg);
	if (t->mark & (n->known | n->named))
		return 1;
	t->mark |= n->named;
	w = (struct writing){ n, needed_stamp_of(n, ev, r, since), put, arg };
	return pp_state_write_task(n->now, t, &w.stamp, needed_put_made, &w);
}
