/* SPDX-License-Identifier: ISC */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "keys/payload_field.h"
#include "payload_task.h"
#include "record/raw.h"
#include "record/shape.h"
#include "set.h"
#include "state/table.h"

enum { HEAD = 4 };				/* bytes of RAW before the payload: its size */
enum { SEEN_MAX = 1 << 20 };			/* tasks that are remembered */

struct seen {				/* a task, by tid */
	struct link	 link;
	uint32_t	 pid;
	bool		 has_pid;
	bool		 missed;	/* a payload named it when no record had said its name or process yet */
	struct { bool known; uint64_t id; } cgroup[2];	/* of its last sample with a verdict; of the first one looked at */
};
struct pair {				/* by the number in payloads */
	struct link	 link;
	uint32_t	 tid;		/* in samples */
};
struct cpu {				/* its last sched_switch */
	uint64_t	 looked_nr;
	uint32_t	 looked_next, next;	/* next_pid of the last one looked at, and of the last with a verdict; */
	bool		 looked, any;		/* they are set */
	uint8_t		*p;		/* a copy of the last with a verdict, if the options that select tasks rejected it */
	uint32_t	 n, cap;
};
enum { CPUS = 1 << 16 };

struct payload_tasks {
	struct payload_rows rows;
	const struct pp_state *state;
	bool		 swap, by_name, cgroups, names;
	struct table	 seen, pairs;
	bool		 started, translates, numbered;	/* numbered: `translates' is known */
	uint64_t	 untranslated, missed;	/* missed: selected tasks; */
	bool		 any_missed;		/* others may follow */
	uint64_t	 late;		/* tasks were selected when they ran already */
	struct cpu	*cpu;
	size_t		 ncpus;

	/* the last sample */
	struct payload_task task[PAYLOAD_TASKS];
	size_t		 n;
	struct cpu	*on;		/* NULL: it is no sched_switch */
	uint32_t	 prev, next;
	bool		 stops;		/* it was taken in a selected task; */
	bool		 others;	/* and if it is rejected, then by other options */
};

struct payload_tasks *
payload_tasks_new(void)
{
	return tool_alloc(1, sizeof(struct payload_tasks));
}

void
payload_tasks_add(struct payload_tasks *p, const struct tool *t, const char *text)
{
	payload_rows_add(&p->rows, t, text);
}

void
payload_tasks_bind(struct payload_tasks *p, const struct tool *t)
{
	payload_rows_bind(&p->rows, t);
}

/* ---- tasks ------------------------------------------------------------------------------------------- */

void
payload_tasks_start(struct payload_tasks *p, const struct pp_source *in, const struct pp_state *state, const struct state_keys *keys,
    bool names)
{
	p->rows.in = in;
	p->state = state;
	p->swap = in->swap;
	p->by_name = state_keys_by_task(keys);
	p->cgroups = state_keys_by_cgroup(keys);
	p->names = names;
	pp_table_init(&p->seen);
	pp_table_init(&p->pairs);
	p->started = true;
}

/* The element of a key, made if there is none.  Begins again when there are too many.  NULL: no memory. */
static void *
payload_entry(struct table *t, uint32_t key, size_t size, struct pp_err *err)
{
	struct link *l = pp_table_first(t, key);

	if (l)
		return l;
	if (t->n >= SEEN_MAX) {
		pp_table_free(t, true);
		pp_table_init(t);
	}
	if (!(l = calloc(1, size)) || pp_table_add(t, l, key) < 0) {
		free(l);
		pp_fail_memory(err);
		return NULL;
	}
	return l;
}

/* The process of a thread at this time.  false: unknown.  *recorded: a record has said it. */
static bool
payload_pid_of(const struct payload_tasks *p, uint32_t tid, uint32_t *pid, bool *recorded)
{
	const struct pp_task *task = pp_state_task(p->state, tid);
	const struct link *l = task ? NULL : pp_table_first(&p->seen, tid);
	const struct seen *s = (const void *)l;

	*pid = task ? task->pid : s ? s->pid : 0;
	*recorded = task;
	return task || (s && s->has_pid) || !tid;
}

/* What a sample says of its own task, at its verdict or `ahead' of that: its process, unless a record has, and its cgroup. */
static int
payload_learn_task(struct payload_tasks *p, uint32_t pid, uint32_t tid, const uint8_t *cgroup, bool ahead, struct pp_err *err)
{
	struct seen *s;

	if (!tid || (!cgroup && pp_state_task(p->state, tid)))
		return 1;
	if (!(s = payload_entry(&p->seen, tid, sizeof *s, err)))
		return -1;
	s->pid = pid;
	s->has_pid = true;
	if (cgroup && !(ahead && s->cgroup[ahead].known)) {
		s->cgroup[ahead].known = true;
		s->cgroup[ahead].id = pp_get_u64(cgroup, p->swap);
	}
	return 1;
}

/* A payload names a task about which options ask what no record has said yet. */
static int
payload_miss(struct payload_tasks *p, uint32_t tid, struct pp_err *err)
{
	struct seen *s = payload_entry(&p->seen, tid, sizeof *s, err);

	if (!s)
		return -1;
	p->any_missed = s->missed = true;
	return 1;
}

/* A task has a sample and is selected: was it missed before? */
static void
payload_count_missed(struct payload_tasks *p, uint32_t tid)
{
	struct link *l = pp_table_first(&p->seen, tid);

	if (!l)
		return;
	p->missed += ((struct seen *)(void *)l)->missed;
	((struct seen *)(void *)l)->missed = false;
}

void
payload_tasks_fork(struct payload_tasks *p, const struct pp_rec *r, bool ahead)
{
	struct link *l = pp_table_first(&p->seen, PP_RAW_GET(r->raw, FORK, tid, p->swap));

	if (l)
		((struct seen *)(void *)l)->cgroup[ahead].known = false;
}

/* The cgroup of a task that a payload names, by its samples before, or the next one; NULL: not known. */
static const uint64_t *
payload_cgroup_of(const struct payload_tasks *p, uint32_t tid)
{
	const struct link *l = pp_table_first(&p->seen, tid);
	const struct seen *s = (const void *)l;

	return !l ? NULL : s->cgroup[false].known ? &s->cgroup[false].id : s->cgroup[true].known ? &s->cgroup[true].id : NULL;
}

/* The thread in samples of one in payloads.  false: not known. */
static bool
payload_translate(struct payload_tasks *p, uint32_t *tid)
{
	const struct link *l;

	if (!p->translates || !*tid)
		return true;
	if (!(l = pp_table_first(&p->pairs, *tid))) {
		p->untranslated++;
		return false;
	}
	*tid = ((const struct pair *)(const void *)l)->tid;
	return true;
}

static int
payload_learn_pair(struct payload_tasks *p, uint32_t common, uint32_t tid, struct pp_err *err)
{
	struct pair *x;

	if (!common || (common == tid && !p->translates))
		return 1;
	p->translates = true;
	if (!tid)			/* it is in no pid namespace of perf's */
		return 1;
	if (!(x = payload_entry(&p->pairs, common, sizeof *x, err)))
		return -1;
	x->tid = tid;
	return 1;
}

static bool
payload_has_task(const struct payload_tasks *p, uint32_t tid)
{
	for (size_t i = 0; i < p->n; i++)
		if (p->task[i].tid == tid)
			return true;
	return false;
}

static void
payload_add_task(struct payload_tasks *p, uint32_t tid, bool selected)
{
	for (size_t i = 0; i < p->n; i++)
		if (p->task[i].tid == tid) {
			p->task[i].selected |= selected;
			return;
		}
	p->task[p->n++] = (struct payload_task){ tid, selected };
}

struct asked {			/* the options */
	struct payload_tasks *p;
	const struct selection *sel;
	struct state_keys *keys;
};

/* Does a task satisfy all options?  `cgroup': of its sample; NULL: the last known one. */
static int
payload_ask(const struct asked *a, bool known, uint32_t pid, uint32_t tid, const uint64_t *cgroup)
{
	const struct selection *s = a->sel;
	const bool own = cgroup;
	int why;

	SELECT_TESTS(EVENT);		/* those of tasks */
	if ((s->pid.n || s->no_pid.n) && (!known || !select_lists(&s->pid, &s->no_pid, (int32_t)pid)))
		return NOT_PID;
	if (!select_lists(&s->tid, &s->no_tid, (int32_t)tid))
		return NOT_TID;
	if (!a->keys)
		return KEPT;
	if ((why = state_keys_match_task(a->keys, a->p->state, known ? pid : tid, tid)) != KEPT || !a->p->cgroups)
		return why;
	if (!own)
		cgroup = payload_cgroup_of(a->p, tid);
	return cgroup ? state_keys_match_cgroup(a->keys, a->p->state, *cgroup, own) : NOT_CGROUP;
}

/* The CPU of a sched_switch; NULL: not known. */
static struct cpu *
payload_cpu_of(struct payload_tasks *p, const struct pp_event *ev, const struct pp_rec *r)
{
	uint16_t id = ev->plan.identifier ? ev->plan.identifier : ev->plan.id;
	uint32_t cpu;

	if (!pp_cpu(ev, r, p->swap, &cpu)) {
		int64_t by_id = id ? pp_cpu_of_id(p->rows.in->events, pp_get_u64(r->raw + id, p->swap)) : -1;

		if (by_id < 0)
			return NULL;
		cpu = (uint32_t)by_id;
	}
	if (cpu >= CPUS)
		return NULL;
	p->cpu = tool_need(array_reach(p->cpu, &p->ncpus, cpu, sizeof *p->cpu));
	return &p->cpu[cpu];
}

/* The payload of a sample, and its cgroup; NULL for what it lacks.  1; -1: malformed. */
static int
payload_parts_of(const struct payload_tasks *p, const struct pp_event *ev, const struct pp_rec *r, const uint8_t **raw, size_t *n,
    const uint8_t **cgroup, struct pp_err *err)
{
	struct pp_part part[PP_SHAPE_STEPS];
	uint64_t bits = PP_SAMPLE_RAW | (p->cgroups ? PP_SAMPLE_CGROUP : 0);
	size_t at = ev->plan.fixed;
	int found;

	*raw = *cgroup = NULL;
	*n = 0;
	if (!(ev->attr.sample_type & bits))
		return 1;
	if (ev->shape.n == 1 && ev->shape.step[0].bit == PP_SAMPLE_RAW && r->size >= at + HEAD &&
	    (*n = pp_get_u32(r->raw + at, p->swap)) <= (size_t)r->size - at - HEAD) {	/* it is all that varies */
		*raw = r->raw + at + HEAD;
		return 1;
	}
	*n = 0;
	found = pp_sample_parts(part, bits, ev, r, p->swap, err);
	for (int i = 0; i < found; i++)
		if (part[i].bit == PP_SAMPLE_RAW) {
			*raw = part[i].p + HEAD;
			*n = pp_get_u32(part[i].p, p->swap);
		} else
			*cgroup = part[i].p;
	return found < 0 ? -1 : 1;
}

int
payload_tasks_match(struct payload_tasks *p, const struct selection *sel, struct state_keys *keys, const struct pp_event *ev,
    const struct pp_rec *r, bool gap, struct pp_err *err)
{
	const struct asked a = { p, sel, state_keys_select(keys) ? keys : NULL };
	const struct payload_fields *of = payload_fields(&p->rows, ev);
	const uint8_t *raw = NULL, *cgroup = NULL;
	uint32_t pid, tid, common;
	uint64_t own_cgroup = 0;
	bool known = true, recorded, selected, has_task;
	size_t n = 0;
	int why = NOT_TID;

	p->n = 0;
	p->on = NULL;
	p->stops = p->others = false;
	has_task = pp_pid_tid(ev, r, p->swap, &pid, &tid);
	/* A payload that names no task is not needed, but for that of a task past its exit. */
	if ((of->n || p->cgroups || p->translates || !p->numbered || !has_task || tid == UINT32_MAX) &&
	    payload_parts_of(p, ev, r, &raw, &n, &cgroup, err) < 0)
		return -1;
	if (cgroup)
		own_cgroup = pp_get_u64(cgroup, p->swap);
	if (has_task) {
		bool has = raw && payload_number(of, of->common_pid, raw, n, &common);

		if (tid == UINT32_MAX && has && payload_translate(p, &common)) {	/* past its exit */
			tid = common;
			known = payload_pid_of(p, tid, &pid, &recorded);
		} else if (tid != UINT32_MAX && ((has && payload_learn_pair(p, common, tid, err) < 0) ||
		    payload_learn_task(p, pid, tid, cgroup, false, err) < 0))
			return -1;
		why = payload_ask(&a, known, pid, tid, cgroup ? &own_cgroup : NULL);
		payload_add_task(p, tid, why == KEPT);
		p->stops = why == KEPT;
		if (p->any_missed && why == KEPT)
			payload_count_missed(p, tid);
	}
	for (unsigned i = 0; raw && i < of->n; i++) {
		if (!payload_number(of, of->task[i].f, raw, n, &tid) || !payload_translate(p, &tid) ||
		    (of->task[i].kind == PAYLOAD_TID && payload_has_task(p, tid)))
			continue;
		known = payload_pid_of(p, tid, &pid, &recorded);
		if (of->task[i].kind == PAYLOAD_TGID) {
			pid = tid;
			known = true;
		}
		selected = (why != KEPT || p->names) && payload_ask(&a, known, pid, tid, NULL) == KEPT;
		payload_add_task(p, tid, selected);
		why = selected ? KEPT : why;
		if (why != KEPT && tid && ((p->by_name && !recorded) || (!known && sel->pid.n + sel->no_pid.n)) &&
		    payload_miss(p, tid, err) < 0)
			return -1;
	}
	if (raw && of->next && payload_number(of, of->prev, raw, n, &p->prev) && payload_number(of, of->next, raw, n, &p->next))
		p->on = payload_cpu_of(p, ev, r);
	p->others = gap || why == KEPT;
	return gap ? KEPT : why;
}

/* ---- switches that the next does not continue ---------------------------------------------------------- */

int64_t
payload_tasks_look(struct payload_tasks *p, const struct pp_event *ev, const struct pp_rec *r, uint64_t nr, struct pp_err *err)
{
	const struct payload_fields *of = payload_fields(&p->rows, ev);
	const uint8_t *raw = NULL, *cgroup = NULL;
	uint32_t pid, tid, prev, next;
	uint64_t gap = 0;
	struct cpu *on;
	size_t n;

	if ((of->next || p->cgroups || !p->numbered) && payload_parts_of(p, ev, r, &raw, &n, &cgroup, err) < 0)
		return -1;
	/* A task that no record has named yet, or whose cgroup is unknown, may be named by a payload before its first sample. */
	if (pp_pid_tid(ev, r, p->swap, &pid, &tid) && tid != UINT32_MAX) {
		if (payload_learn_task(p, pid, tid, cgroup, true, err) < 0)
			return -1;
		if (!p->numbered && tid && raw && payload_number(of, of->common_pid, raw, n, &prev) && prev) {
			p->numbered = true;
			p->translates |= prev != tid;
		}
	}
	if (!of->next || !raw || !payload_number(of, of->prev, raw, n, &prev) || !payload_number(of, of->next, raw, n, &next) ||
	    !(on = payload_cpu_of(p, ev, r)))
		return 0;
	if (on->looked && on->looked_next != prev)
		gap = on->looked_nr;
	on->looked = true;
	on->looked_nr = nr;
	on->looked_next = next;
	return (int64_t)gap;
}

bool
payload_tasks_waits(const struct payload_tasks *p)
{
	return p->on;
}

void
payload_tasks_rejected(struct payload_tasks *p)
{
	p->others = true;
}

int
payload_tasks_verdict(struct payload_tasks *p, const struct pp_rec *r, bool kept, struct pp_rec *front)
{
	struct cpu *on = p->on;

	front->raw = NULL;
	p->on = NULL;
	if (!on)
		return 1;
	if (kept && on->any && on->n && (on->next != p->prev || p->stops)) {
		*front = pp_rec_at(on->p, p->swap);
		p->late += on->next == p->prev && !p->translates;
	}
	on->n = 0;
	on->any = true;
	on->next = p->next;
	if (kept || p->others)
		return 1;
	if (on->cap < r->size) {
		uint8_t *copy = realloc(on->p, r->size);

		if (!copy)
			return -1;
		on->p = copy;
		on->cap = r->size;
	}
	memcpy(on->p, r->raw, r->size);
	on->n = r->size;
	return 1;
}

/* ---- the end ------------------------------------------------------------------------------------------- */

const struct payload_task *
payload_tasks_named(const struct payload_tasks *p, size_t *n)
{
	*n = p->n;
	return p->task;
}

void
payload_tasks_end(const struct payload_tasks *p, const struct tool *t)
{
	if (p->untranslated)
		tool_warn(t, "--payload-tasks: payloads number tasks in another pid namespace than samples; %" PRIu64 " times a task was "
		    "named that had no sample before, and is not known", p->untranslated);
	if (p->missed)
		tool_warn(t, "--payload-tasks: %" PRIu64 " tasks were selected only since their first sample, as no record before says their "
		    "name or process; `pfilter --sideband=needed' removes such records unless it has --payload-tasks, too", p->missed);
	if (p->late)
		tool_warn(t, "--payload-tasks: %" PRIu64 " times a task that ran already was selected, as by a new name: perf sched does "
		    "not know how long it had waited; --pid or --tid selects all of a task", p->late);
}

void
payload_tasks_free(struct payload_tasks *p)
{
	if (!p)
		return;
	payload_rows_free(&p->rows);
	for (uint32_t i = 0; i < p->ncpus; i++)
		free(p->cpu[i].p);
	if (p->started) {
		pp_table_free(&p->seen, true);
		pp_table_free(&p->pairs, true);
	}
	free(p->cpu);
	free(p);
}
