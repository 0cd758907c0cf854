/* SPDX-License-Identifier: ISC */
/* sample.c - the rules about samples; what is usual must cost little here */
#include <string.h>

#include "in.h"
#include "record/chain.h"
#include "record/raw.h"
#include "record/sample.h"
#include "record/shape.h"

enum { GAP_TIMES = 20, GAP_EVEN = 64, FLAG_DEFER_CALLCHAIN = 38 };

/* ---- what belongs to the event ------------------------------------------------------------------- */

/* At its first sample. */
static void
sample_of_event(struct check *c, const struct pp_event *ev, const struct pp_rec *r)
{
	enum { TRACEPOINT = 2, DYNAMIC = 6 };
	const struct pp_attr *a = &ev->attr;

	c->ev[ev->index].looked = true;
	if (!(a->sample_type & (PP_SAMPLE_IP | PP_SAMPLE_ADDR)) && a->type != TRACEPOINT)
		check_found(c, RULE_E_NO_ADDRESS, r, ev->name);
	if (c->pmus && a->type >= DYNAMIC && !(a->type < 8 * sizeof c->pmu && c->pmu[a->type / 8] >> a->type % 8 & 1))
		check_found(c, RULE_W_UNKNOWN_PMU, r, ev->name);
	if (a->type == TRACEPOINT && !c->formats && a->sample_type & PP_SAMPLE_RAW)
		check_found(c, RULE_E_NO_FORMATS, r, ev->name);
}

bool
check_needs_parts(const struct pp_event *ev)
{
	static const uint64_t counted = PP_SAMPLE_READ | PP_SAMPLE_CALLCHAIN | PP_SAMPLE_RAW | PP_SAMPLE_BRANCH_STACK |
	    PP_SAMPLE_REGS_USER | PP_SAMPLE_REGS_INTR;	/* count.c finds those that do not fit */

	for (unsigned i = 0; i < ev->shape.n; i++)
		if (!(ev->shape.step[i].bit & counted))
			return true;
	return ev->attr.flags >> FLAG_DEFER_CALLCHAIN & 1;
}

/* Fields behind the fixed part.  count.c does not look at all of them. */
static void
sample_parts(struct check *c, const struct pp_event *ev, const struct pp_rec *r)
{
	struct pp_part part[PP_SHAPE_STEPS];
	bool swap = c->in->swap;
	struct pp_err why = { .what = "" };
	int n = pp_sample_parts(part, PP_SAMPLE_CALLCHAIN | PP_SAMPLE_STACK_USER, ev, r, swap, &why);

	if (n < 0)
		check_found(c, RULE_E_SHORT_SAMPLE, r, why.what);

	for (int i = 0; i < n; i++) {
		const uint8_t *p = part[i].p;
		uint64_t size = pp_get_u64(p, swap), chain = part[i].n / 8;

		if (part[i].bit == PP_SAMPLE_STACK_USER && size && pp_get_u64(p + part[i].n - 8, swap) > size)
			check_found(c, RULE_E_STACK_SIZE, r, NULL);
		if (part[i].bit == PP_SAMPLE_CALLCHAIN && ev->attr.flags >> FLAG_DEFER_CALLCHAIN & 1 && chain >= 3 &&
		    pp_get_u64(p + part[i].n - 16, swap) == PP_CONTEXT(USER_DEFERRED)) {
			uint64_t cookie = pp_get_u64(p + part[i].n - 8, swap);

			c->cookie[cookie % CHECK_COOKIES] = cookie;
		}
	}
}

/* ---- names and maps ------------------------------------------------------------------------------ */

static bool
sample_mapped(const struct check *c, uint32_t pid, uint32_t mode, uint64_t ip)
{
	return known_has_map(c->known, mode == PP_MISC_KERNEL ? KNOWN_KERNEL : pid, ip, NULL);
}

static void
sample_report(struct check *c, const struct unsure *u)
{
	char detail[80];

	if (!known_has_name(c->known, u->tid)) {
		snprintf(detail, sizeof detail, "thread %d of process %d", (int32_t)u->tid, (int32_t)u->pid);
		check_found_at(c, RULE_W_NO_COMM, u->count, true, u->off, u->record, PP_SAMPLE, detail);
	}
	if ((u->mode == PP_MISC_KERNEL || u->mode == PP_MISC_USER) && !sample_mapped(c, u->pid, u->mode, u->ip)) {
		snprintf(detail, sizeof detail, "process %d, address 0x%jx", (int32_t)u->pid, (uintmax_t)u->ip);
		check_found_at(c, u->mode == PP_MISC_KERNEL ? RULE_W_NO_KERNEL_MAP : RULE_W_NO_MAP, u->count, true, u->off,
		    u->record, PP_SAMPLE, detail);
	}
}

void
check_unsure(struct check *c, uint64_t round)
{
	unsigned left = 0;

	for (unsigned i = 0; i < c->nunsure; i++)
		if (c->unsure[i].round <= round)
			sample_report(c, &c->unsure[i]);
		else
			c->unsure[left++] = c->unsure[i];
	c->nunsure = left;
}

/* Neither name nor map may be known when the sample comes: a record about it may be on its way. */
static void
sample_unsure(struct check *c, const struct unsure *u)
{
	for (unsigned i = c->nunsure; i-- > 0 && c->nunsure - i <= 16;)
		if (c->unsure[i].tid == u->tid && c->unsure[i].pid == u->pid && c->unsure[i].mode == u->mode &&
		    c->unsure[i].ip == u->ip) {
			c->unsure[i].count++;
			return;
		}
	if (c->nunsure == CHECK_UNSURE)
		check_unsure(c, c->unsure[CHECK_UNSURE / 2].round);
	c->unsure[c->nunsure++] = *u;
}

static inline bool
is_in(const struct known_range *range, uint64_t ip)
{
	return ip - range->start <= range->end - range->start && range->end;
}

static inline struct check_thread *
sample_slot(struct check *c, uint32_t tid)
{
	return &c->cache[tid * UINT64_C(0x9e3779b97f4a7c15) >> 52];
}
_Static_assert(CHECK_CACHE == 4096, "sample_slot() takes the highest 12 bits");

void
check_forget(struct check *c, uint32_t tid)
{
	if (c->glance)
		return;
	sample_slot(c, tid)->range[0] = sample_slot(c, tid)->range[1] = (struct known_range){ 1, 0 };
	sample_slot(c, tid)->key = 0;
	if (c->changes != known_changes(c->known)) {
		c->changes = known_changes(c->known);
		memset(c->cache, 0, sizeof c->cache);
	}
}

static void
sample_look(struct check *c, const struct pp_event *ev, const struct pp_rec *r, struct check_thread *slot, uint64_t key,
    uint64_t time)
{
	uint32_t pid = (uint32_t)(key >> 32), tid = (uint32_t)key;
	uint64_t gone = known_exit_time(c->known, tid), ip = ev->plan.ip ? pp_get_u64(r->raw + ev->plan.ip, c->in->swap) : 0;
	uint32_t mode = r->misc & PP_MISC_CPUMODE_MASK;
	bool placed = ev->plan.ip && (mode == PP_MISC_KERNEL || mode == PP_MISC_USER);
	struct known_range range = { 1, 0 };

	if (gone && time > gone)
		check_found(c, gone == KNOWN_UNTIMED ? RULE_E_UNTIMED_EXIT : RULE_W_AFTER_EXIT, r, NULL);
	if (!known_has_name(c->known, tid) ||
	    (placed && !known_has_map(c->known, mode == PP_MISC_KERNEL ? KNOWN_KERNEL : pid, ip, &range))) {
		sample_unsure(c, &(struct unsure){ .pid = pid, .tid = tid, .mode = placed ? mode : 0, .ip = ip, .count = 1,
		    .off = pp_offset(c->in, r), .record = c->record, .round = c->rounds });
		return;
	}
	if (gone || !placed)
		return;
	if (slot->key != key)
		*slot = (struct check_thread){ .key = key };
	if (mode == PP_MISC_KERNEL)
		c->kernel = range;
	else {
		slot->range[1] = slot->range[0];
		slot->range[0] = range;
	}
}

static inline void
sample_task(struct check *c, const struct pp_event *ev, const struct pp_rec *r, uint64_t time)
{
	bool swap = c->in->swap;
	uint32_t pid = pp_get_u32(r->raw + ev->plan.tid, swap), tid = pp_get_u32(r->raw + ev->plan.tid + 4, swap);
	uint32_t mode = r->misc & PP_MISC_CPUMODE_MASK;
	uint64_t ip = ev->plan.ip ? pp_get_u64(r->raw + ev->plan.ip, swap) : 0, key = (uint64_t)pid << 32 | tid;
	struct check_thread *slot = sample_slot(c, tid);

	if (ev->plan.ip && mode != PP_MISC_KERNEL && mode != PP_MISC_USER)
		check_found(c, RULE_W_NO_MODE, r, NULL);
	if (slot->key != key ||
	    !(mode == PP_MISC_KERNEL ? is_in(&c->kernel, ip) : is_in(&slot->range[0], ip) || is_in(&slot->range[1], ip)))
		sample_look(c, ev, r, slot, key, time);
}

/* ---- gaps ---------------------------------------------------------------------------------------- */

/*
 * Records of a CPU come in the order of their times.  The usual interval goes up and down by an eighth with each one: that is
 * near the median, whatever the largest is.
 */
static void
sample_gap(struct check *c, const struct pp_rec *r, uint32_t cpu, uint64_t time)
{
	struct cpu_gap *g = &c->cpu[cpu];
	uint64_t ns = time - g->last;

	if (!g->last || time <= g->last) {
		g->last = time;
		return;
	}
	g->last = time;
	if (g->usual && ns > GAP_TIMES * g->usual) {
		g->gap.ns = g->even >= GAP_EVEN ? ns : 0;
		if (g->gap.ns) {
			g->gap.off = pp_offset(c->in, r);
			g->gap.record = c->record;
		}
		g->even = 0;
		return;
	}
	g->usual = !g->usual ? ns : ns > g->usual ? g->usual + (g->usual >> 3) + 1 : g->usual - (g->usual >> 3);
	if (ns > 4 * g->usual)
		return;
	if (++g->even == GAP_EVEN && g->gap.ns) {
		char detail[80];

		snprintf(detail, sizeof detail, "CPU %u, %ju.%09ju s", cpu, (uintmax_t)(g->gap.ns / 1000000000),
		    (uintmax_t)(g->gap.ns % 1000000000));
		check_found_at(c, RULE_N_GAP, 1, true, g->gap.off, g->gap.record, PP_SAMPLE, detail);
		g->gap.ns = 0;
	}
}

/* ---- all ----------------------------------------------------------------------------------------- */

void
check_sample(struct check *c, const struct pp_event *ev, const struct pp_rec *r)
{
	const struct pp_plan *plan = &ev->plan;
	bool swap = c->in->swap;
	uint64_t time = plan->time ? pp_get_u64(r->raw + plan->time, swap) : 0;

	c->any_sample = true;
	if (!c->ev[ev->index].looked)
		sample_of_event(c, ev, r);
	if (c->ev[ev->index].parts)
		sample_parts(c, ev, r);
	if (plan->time && (!time || time == UINT64_MAX)) {
		check_found(c, RULE_W_SAMPLE_UNTIMED, r, NULL);
		time = 0;
	}
	if (plan->tid && !c->glance)
		sample_task(c, ev, r, time);
	if (plan->cpu) {
		uint32_t cpu = pp_get_u32(r->raw + plan->cpu, swap);

		if (c->nr_cpus && cpu >= c->nr_cpus && cpu != UINT32_MAX)
			check_found(c, RULE_E_UNKNOWN_CPU, r, NULL);
		if (time && cpu < CHECK_CPUS && !c->glance)
			sample_gap(c, r, cpu, time);
	}
}
