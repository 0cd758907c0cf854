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
	if (plan->tid && !c->glance) {
		uint32_t mode = r->misc & PP_MISC_CPUMODE_MASK;

		if (plan->ip && mode != PP_MISC_KERNEL && mode != PP_MISC_USER)
			check_found(c, RULE_W_NO_MODE, r, NULL);
		turns_sample(c->turns, ev, r, time);
	}
	if (plan->cpu) {
		uint32_t cpu = pp_get_u32(r->raw + plan->cpu, swap);

		if (c->about.nr_cpus && cpu >= c->about.nr_cpus && cpu != UINT32_MAX)
			check_found(c, RULE_E_UNKNOWN_CPU, r, NULL);
		if (time && cpu < CHECK_CPUS && !c->glance)
			sample_gap(c, r, cpu, time);
	}
}
