/* SPDX-License-Identifier: ISC */
#include <stdlib.h>
#include <string.h>

#include "history/kin.h"
#include "keys/payload_field.h"
#include "prune.h"

enum { CONDS = 24 };

struct prune {
	struct tool	*t;
	struct filter	*f;
	struct ppi_ask	 ask;
	struct ppi_cond	 cond[CONDS];
	size_t		 n;
	struct ppi_range *range[CONDS];		/* of cond[i].r */
	bool		 ready;			/* cond is right, with */
	unsigned	 nevents;		/* ... so many events */
	enum reason	 why[CONDS];		/* of samples that do not meet cond[i] */
	struct ppi_range *kin;			/* the tasks of --comms and --inherit; NULL: not known */
	size_t		 nkin;
};

/* The option that makes each sample count, whether it is kept or not; NULL: none. */
static const char *
prune_hinders(const struct options *o)
{
	const struct { bool given; const char *name; } all[] = {
		{ o->rejected, "--rejected" }, { o->stats, "--stats" }, { o->thin.every, "--every" }, { o->thin.max_rate, "--max-rate" },
		{ o->thin.scale, "--scale-period" }, { o->drop.spool, "--drop-unused-events" }, { o->sel.invert, "--invert" },
		{ o->sel.type, "--type" }, { o->windows, "--around and --span" }, { o->payload, "--payload-tasks" },
		{ expr_needs_place(o->expr), "nr or offset in --filter" },
	};

	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (all[i].given)
			return all[i].name;
	return NULL;
}

/* ---- conditions ------------------------------------------------------------------------------------------ */

static struct ppi_range *
prune_add(struct prune *p, enum ppi_by by, enum reason why, size_t n)
{
	struct ppi_range *r = p->range[p->n] = tool_need(reallocarray(p->range[p->n], n + 1, sizeof *r));

	p->cond[p->n] = (struct ppi_cond){ .by = by, .r = r, .n = n };
	p->why[p->n++] = why;
	return r;
}

/* Numbers of a list: of tasks as u32s, -1 last. */
static void
prune_add_list(struct prune *p, enum ppi_by by, enum reason why, const struct tool_list *l)
{
	size_t below = 0, k = 0;
	struct ppi_range *r;

	if (!l->n)
		return;
	while (below < l->n && l->r[below].lo < 0)
		below++;
	r = prune_add(p, by, why, l->n + below);
	for (size_t i = 0; i < l->n; i++)
		if (l->r[i].hi >= 0)
			r[k++] = (struct ppi_range){ l->r[i].lo < 0 ? 0 : (uint64_t)l->r[i].lo, (uint64_t)l->r[i].hi };
	for (size_t i = 0; i < below; i++)
		r[k++] = (struct ppi_range){ (uint32_t)l->r[i].lo, l->r[i].hi < 0 ? (uint32_t)l->r[i].hi : UINT32_MAX };
	p->cond[p->n - 1].n = k;
}

/* Events that are selected, and those that are not known yet. */
static void
prune_add_events(struct prune *p)
{
	const struct pp_events *e = p->t->in->events;
	const struct selection *s = &p->f->o->sel;
	struct ppi_range *r;
	size_t k = 0;

	if (!s->event.n && !s->no_event.n)
		return;
	r = prune_add(p, PPI_EVENT, NOT_EVENT, e->n + (size_t)1);
	for (unsigned i = 0; i < e->n; i++)
		if (select_names(s, e->ev[i]))
			r[k++] = (struct ppi_range){ i, i };
	r[k++] = (struct ppi_range){ e->n, UINT64_MAX };
	p->cond[p->n - 1].n = k;
}

static void
prune_add_times(struct prune *p)
{
	const struct times *s = &p->f->o->sel.times;
	struct ppi_range *r;

	if (!s->n || !s->ready)
		return;
	r = prune_add(p, PPI_TIME, NOT_TIME, s->n);
	for (size_t i = 0; i < s->n; i++)
		r[i] = (struct ppi_range){ s->r[i].start.ns, s->r[i].stop.ns };
}

/* The function for expr_bounds(). */
static void
prune_add_bound(void *arg, const char *field, const struct expr_bound *b, size_t n)
{
	static const struct { const char *name; enum ppi_by by; } all[] = { { "pid", PPI_TASK }, { "tid", PPI_TASK }, { "cpu", PPI_CPU },
	    { "time", PPI_TIME }, { "event.index", PPI_EVENT } };
	struct prune *p = arg;
	struct ppi_range *r;
	size_t by = 0;

	while (by < sizeof all / sizeof *all && strcmp(all[by].name, field) != 0)
		by++;
	if (by == sizeof all / sizeof *all || p->n >= CONDS - 1)
		return;
	r = prune_add(p, all[by].by, NOT_FILTER, n + 1);
	for (size_t i = 0; i < n; i++)
		r[i] = (struct ppi_range){ b[i].lo, b[i].hi };
	if (all[by].by == PPI_TASK)	/* -1 is a task, and below all others */
		r[n++] = (struct ppi_range){ UINT32_MAX, UINT32_MAX };
	p->cond[p->n - 1].n = n;
}

/* In the order in which samples are judged. */
static void
prune_make(struct prune *p)
{
	const struct selection *s = &p->f->o->sel;

	p->n = 0;
	prune_add_events(p);
	prune_add_list(p, PPI_TASK, NOT_PID, &s->pid);
	prune_add_list(p, PPI_TASK, NOT_TID, &s->tid);
	prune_add_list(p, PPI_CPU, NOT_CPU, &s->cpu);
	prune_add_times(p);
	if (p->kin)
		memcpy(prune_add(p, PPI_TASK, NOT_COMM, p->nkin), p->kin, p->nkin * sizeof *p->kin);
	expr_bounds(p->f->o->expr, prune_add_bound, p);
	p->ready = !s->times.n || s->times.ready;
	p->nevents = p->t->in->events->n;
}

/* ppi_ask.conds */
static const struct ppi_cond *
prune_conds(void *arg, size_t *n)
{
	struct prune *p = arg;
	const struct pp_events *e = p->t->in->events;
	bool descents = state_keys_all_samples(p->f->o->keys, e);

	if (!p->f->decide.bound || e->reads || descents) {
		p->t->index.why = !p->f->decide.bound ? NULL : descents ? "--inherit, without sample_id_all" : "events with PERF_SAMPLE_READ";
		return NULL;
	}
	if (!p->ready || p->nevents != e->n)
		prune_make(p);
	*n = p->n;
	return p->cond;
}

/* ---- what is left out ------------------------------------------------------------------------------------ */

/* Samples of sched_switch are dropped by their task. */
static bool
prune_switches(const struct prune *p, const struct pp_chunk *c)
{
	const struct pp_events *e = p->t->in->events;

	for (unsigned i = 0; i < e->n && i < 64 * c->nevents; i++)
		if (c->events[i / 64] >> i % 64 & 1 && payload_is_switch(e->ev[i]) && select_names(&p->f->o->sel, e->ev[i]))
			return true;
	return false;
}

/* ppi_ask.left: for the messages that nothing matched. */
static void
prune_left(void *arg, const struct pp_chunk *c, size_t which)
{
	struct prune *p = arg;
	struct selection *s = &p->f->o->sel;
	enum reason why = p->why[which];

	p->f->decide.samples[why] += c->samples;
	p->f->decide.unsure = true;
	if (why == NOT_TIME && c->last) {
		select_not_time(s, c->first);
		select_not_time(s, c->last);
	}
	if (why == NOT_CPU)
		for (unsigned i = 0; i < c->ncpus && i < SEEN_CPUS / 64; i++)
			s->seen->cpus[i] |= c->cpus[i];
	if (!s->switch_dropped && (why == NOT_PID || why == NOT_TID))
		s->switch_dropped = prune_switches(p, c);
}

/* Does a key select tasks by their names or parents? */
static bool
prune_by_kin(const struct prune *p)
{
	struct words *names;
	const struct tool_list *pids;

	return p->f->o->keys && state_keys_kin(p->f->o->keys, &names, &pids);
}

bool
prune_needs_pass(const struct prune *p)
{
	return p->t->index.ask && prune_by_kin(p);
}

void
prune_pass(struct prune *p)
{
	if (prune_needs_pass(p))
		p->kin = kin_find(p->t, p->f->o->keys, &p->nkin);
}

/* The function for expr_bounds(). */
static void
prune_note_bound(void *arg, const char *field, const struct expr_bound *b, size_t n)
{
	(void)field, (void)b, (void)n;
	*(bool *)arg = true;
}

struct prune *
prune_new(struct tool *t, struct filter *f)
{
	struct prune *p = tool_alloc(1, sizeof *p);
	const struct selection *s = &f->o->sel;
	bool bounded = false;

	p->t = t;
	p->f = f;
	p->ask = (struct ppi_ask){ .conds = prune_conds, .left = prune_left, .arg = p };
	t->index.why = prune_hinders(f->o);
	expr_bounds(f->o->expr, prune_note_bound, &bounded);
	if (!t->index.why && !s->event.n && !s->no_event.n && !s->pid.n && !s->tid.n && !s->cpu.n && !s->times.n && !prune_by_kin(p) &&
	    !bounded)
		t->index.why = "no option selects by event, task, CPU or time";
	if (!t->index.why)
		t->index.ask = &p->ask;
	/* What is needed is told from all that was written before, and spans by all samples near them. */
	t->index.snaps = f->o->sideband != SIDEBAND_NEEDED && !f->o->windows;
	return p;
}

void
prune_free(struct prune *p)
{
	for (size_t i = 0; i < CONDS; i++)
		free(p->range[i]);
	free(p->kin);
	free(p);
}
