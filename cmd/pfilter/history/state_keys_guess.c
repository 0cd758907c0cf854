/* SPDX-License-Identifier: ISC */
/*
 * state_keys_guess.c - verdicts that are known when a sample arrives: nothing is compared or noted for them, so they are as if they
 * had not been asked for.  They depend on the task of the sample and on its process, whose numbers are slots by task_slot().
 */
#include "record/raw.h"
#include "state_keys_in.h"

_Static_assert(PP_GUESS_KEYS == (int)TASK_SLOTS, "slots of tasks are what guesses depend on");

static int
guess_by_file(const struct state_keys *k, const struct pp_state *state, const struct pp_event *ev, const struct pp_rec *r, uint32_t pid)
{
	const struct pp_map *m = pp_state_map_of_living(state, pid, r->misc & PP_MISC_CPUMODE_MASK, pp_get_u64(r->raw + ev->plan.ip, k->swap));

	return m && m->dso < k->nfiles && k->file[m->dso] && k->freed == pp_state_freed(state) ? keys_by_file_mark(k, k->file[m->dso]) : NO_VERDICT;
}

static int
guess_by_cgroup(const struct state_keys *k, const struct pp_event *ev, const struct pp_rec *r)
{
	const struct cgroup_verdict *v;
	uint64_t id;

	/* If the sample is cut, it is refused at its turn. */
	if (!(ev->attr.sample_type & PP_SAMPLE_CGROUP) || keys_cgroup_of(k, ev, r, &id, NULL) < 0)
		return NO_VERDICT;
	v = &k->cgroup[id % CGROUP_SLOTS];
	return v->era == k->cgroup_era && v->id == id && v->mark ? keys_by_cgroup_mark(k, v->mark) : NO_VERDICT;
}

/* What the keys of files and cgroups say of a sample that those of tasks select. */
static pp_guess __attribute__((noinline))
guess_more(const struct state_keys *k, const struct pp_state *state, const struct pp_event *ev, const struct pp_rec *r)
{
	uint32_t pid = pp_get_u32(r->raw + ev->plan.tid, k->swap), tid = pp_get_u32(r->raw + ev->plan.tid + 4, k->swap);
	int why = KEPT;

	if (k->by_file)
		why = ev->plan.ip ? guess_by_file(k, state, ev, r, pid) : NO_VERDICT;
	if (why == KEPT && k->by_cgroup)
		why = guess_by_cgroup(k, ev, r);
	return why == NO_VERDICT ? PP_NO_GUESS : pp_guess_of(task_slot(tid), task_slot(pid), (unsigned)why, 0);
}

pp_guess
state_keys_guess(struct state_keys *k, const struct pp_state *state, const struct pp_event *ev, const struct pp_rec *r)
{
	const struct task_verdict *v;
	uint32_t pid, tid;

	if (!ev->plan.tid)
		return PP_NO_GUESS;
	if (!k->by_task)
		return guess_more(k, state, ev, r);
	pid = pp_get_u32(r->raw + ev->plan.tid, k->swap);
	tid = pp_get_u32(r->raw + ev->plan.tid + 4, k->swap);
	if (!(v = keys_cached(k, pid, tid)))
		return PP_NO_GUESS;
	if (v->why == KEPT && (k->by_file || k->by_cgroup))
		return guess_more(k, state, ev, r);
	return pp_guess_of(task_slot(tid), task_slot(pid), (unsigned)v->why, 0);
}

static int
changes_thread(void *arg, struct pp_task *t)
{
	pp_changes_key(arg, task_slot(t->tid));
	return 1;
}

/* A record of a task.  Its process may be another before the record, and loses it. */
static void
changes_task(const struct state_keys *k, const struct pp_state *state, const struct pp_rec *r, uint32_t tid, struct pp_changed *c)
{
	uint32_t pid = PP_RAW_GET(r->raw, COMM, pid, k->swap);		/* at the same place in all of them */
	bool map = r->type == PP_MMAP || r->type == PP_MMAP2;
	const struct pp_process *p = k->by_task ? keys_exec(state, r, k->swap) : NULL;
	const struct pp_task *t;

	if (k->by_task || k->by_file)
		pp_changes_key(c, task_slot(tid));
	if (p)
		pp_state_each_task(state, p, changes_thread, c);
	if (!k->by_file)
		return;
	pp_changes_key(c, task_slot(pid));
	if ((t = pp_state_task(state, tid)))
		pp_changes_key(c, task_slot(t->pid));
	if (map && ((r->misc & PP_MISC_CPUMODE_MASK) != PP_MISC_USER || pid == UINT32_MAX))	/* of a kernel */
		pp_changes_all(c);
}

void
state_keys_changes(const struct state_keys *k, const struct pp_state *state, const struct pp_rec *r, struct pp_changed *c)
{
	uint32_t tid;

	if (task_of_record(r, k->swap, &tid))
		changes_task(k, state, r, tid, c);
	if (k->by_cgroup && r->type == PP_CGROUP)
		pp_changes_all(c);
	/* While some descent is not determined, all may depend on it: state_keys_feed(). */
	if (k->inherit && r->type == PP_FORK && (r->misc & PP_MISC_FORK_EXEC || k->descent.n))
		pp_changes_all(c);
}
