/* SPDX-License-Identifier: ISC */
#include <stdlib.h>
#include <string.h>

#include "needed.h"

struct needed {
	struct pp_source *in;
	struct snapshot	*now;
	uint8_t		 told;		/* our bit of the marks */
	bool		 untimed;	/* of the first `nevents' events some has samples with a time, but no trailers */
	unsigned	 nevents;
	uint32_t	 known[STATE_SLOTS];	/* by state_slot(): 1 + that of one that is told */
	uint8_t		 trailer[UINT8_MAX];
};

struct needed *
needed_new(struct pp_source *in, struct state *state, struct pp_err *err)
{
	struct needed *n = calloc(1, sizeof *n);

	if (!n) {
		pp_fail(err, "out of memory");
		return NULL;
	}
	n->in = in;
	n->now = state_snapshot(state);
	n->told = state_told(state);
	return n;
}

void
needed_free(struct needed *n)
{
	free(n);
}

static uint32_t *
known(struct needed *n, uint32_t tid)
{
	return &n->known[state_slot(tid)];
}

/* A thread whose name we have told. */
static bool
task_told(const struct needed *n, uint32_t pid, uint32_t tid)
{
	const struct snapshot_task *t = snapshot_task(n->now, tid);

	return t && t->pid == pid && t->mark & n->told;
}

/* The trailer of a record that goes out in front of this one: the same task, event and CPU. */
static struct snapshot_stamp
stamp_of(struct needed *n, const struct pp_event *ev, const struct pp_rec *r, uint64_t since)
{
	const struct pp_plan *p = &ev->plan;
	const struct { uint16_t from, to, len; } fields[] = {
		{ p->tid, p->t_tid, 8 }, { p->time, p->t_time, 8 }, { p->id, p->t_id, 8 },
		{ p->stream_id, p->t_stream_id, 8 }, { p->cpu, p->t_cpu, 8 }, { p->identifier, p->t_identifier, 8 },
	};
	struct snapshot_stamp s = { .told = n->told, .trailer = n->trailer, .len = p->trailer };
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

static int
tell(struct needed *n, struct snapshot_process *p, struct snapshot_task *t, const struct snapshot_stamp *stamp,
    int (*put)(void *, const struct pp_rec *), void *arg)
{
	struct snapshot_task *leader;

	if (!(p->mark & n->told)) {
		if (snapshot_write_process(n->now, p, stamp, put, arg) < 0)
			return -1;
		p->mark |= n->told;
		if ((leader = snapshot_task(n->now, p->pid)) && snapshot_process_of(leader) == p)
			leader->mark |= n->told;
	}
	if (!t || t->mark & n->told)
		return 1;
	t->mark |= n->told;
	return snapshot_write_task(n->now, t, stamp, put, arg);
}

/* Can nothing be told at the time of a sample? */
static bool
keeps_all(struct needed *n)
{
	const struct pp_events *e = n->in->events;

	for (; n->nevents < e->n; n->nevents++)
		n->untimed |= e->ev[n->nevents]->plan.time && !e->ev[n->nevents]->plan.t_time;
	return n->untimed;
}

static int
sideband_mmap(struct needed *n, const struct pp_event *ev, const struct pp_rec *r, int (*put)(void *, const struct pp_rec *),
    void *arg)
{
	unsigned mode = r->misc & PP_MISC_CPUMODE_MASK;
	uint32_t pid = pp_get_u32(r->raw + 8, n->in->swap), tid = pp_get_u32(r->raw + 12, n->in->swap);
	struct snapshot_process *p;
	struct snapshot_task *t;
	struct snapshot_stamp stamp;

	if ((mode && mode != PP_MISC_USER) || pid == UINT32_MAX)
		return 1;
	if (!(p = snapshot_process(n->now, pid)) || !(p->mark & n->told))
		return 0;
	/* perf finds the process by the thread: a reader must not take it for an earlier one of that number. */
	t = snapshot_task(n->now, tid);
	if (!t || t->pid != pid || t->mark & n->told)
		return 1;
	stamp = stamp_of(n, ev, r, UINT64_MAX);
	return tell(n, p, t, &stamp, put, arg);
}

int
needed_sideband(struct needed *n, const struct pp_event *ev, const struct pp_rec *r, int (*put)(void *, const struct pp_rec *),
    void *arg)
{
	uint32_t pid = pp_get_u32(r->raw + 8, n->in->swap);

	if (keeps_all(n))
		return 1;
	if (state_is_task(r->type))
		*known(n, pp_get_u32(r->raw + (r->type == PP_FORK || r->type == PP_EXIT ? 16 : 12), n->in->swap)) = 0;
	switch (r->type) {
	case PP_MMAP:
	case PP_MMAP2:
		return sideband_mmap(n, ev, r, put, arg);
	case PP_COMM:
	case PP_NAMESPACES:
		return task_told(n, pid, pp_get_u32(r->raw + 12, n->in->swap));
	case PP_EXIT:
		return task_told(n, pid, pp_get_u32(r->raw + 16, n->in->swap));
	case PP_FORK:			/* the child is told when it is needed */
		return 0;
	default:
		return 1;
	}
}

int
needed_sample(struct needed *n, const struct pp_event *ev, const struct pp_rec *r, uint64_t since,
    int (*put)(void *arg, const struct pp_rec *), void *arg)
{
	struct snapshot_stamp stamp;
	struct snapshot_task *t;
	struct snapshot_process *p;
	uint32_t pid, tid, *slot;

	if (!pp_pid_tid(ev, r, n->in->swap, &pid, &tid) || keeps_all(n))
		return 1;
	slot = known(n, tid);
	if (*slot == tid + 1 && *slot)
		return 1;
	/* A thread stays with its process, whatever later records say: so does perf's. */
	t = snapshot_task(n->now, tid);
	if (t && t->mark & n->told) {
		*slot = tid + 1;
		return 1;
	}
	p = t ? snapshot_process_of(t) : snapshot_process(n->now, pid);
	if (!p || (!t && p->mark & n->told))
		return 1;
	stamp = stamp_of(n, ev, r, since);
	return tell(n, p, t, &stamp, put, arg);
}
