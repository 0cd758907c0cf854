/* SPDX-License-Identifier: ISC */
#include "in.h"
#include "record/chain.h"
#include "record/sample.h"
#include "record/shape.h"

static void
sample_chain(struct privacy *p, const struct pp_rec *r, const struct pp_part *x, bool kernel)
{
	bool swap = p->in->swap, cookie = false;

	for (uint32_t i = 8; i < x->n; i += 8) {
		uint64_t ip = pp_get_u64(x->p + i, swap);

		if (pp_is_context(ip)) {
			unsigned mode = pp_context_mode(ip);

			kernel = mode != PP_MISC_USER && mode != PP_MISC_GUEST_USER;
			cookie = ip == PP_CONTEXT(USER_DEFERRED);
		} else if (!cookie)
			privacy_addr(p, r, kernel, ip, 8);
	}
}

static void
sample_branches(struct privacy *p, const struct pp_event *ev, const struct pp_rec *r, const struct pp_part *x)
{
	bool swap = p->in->swap, any = false;
	uint64_t n = pp_get_u64(x->p, swap);
	const uint8_t *at = x->p + 8 + (ev->attr.branch_sample_type & PP_BRANCH_HW_INDEX ? 8 : 0);

	for (uint64_t i = 0; i < n; i++, at += 24) {
		any |= privacy_addr(p, r, false, pp_get_u64(at, swap), 8);
		any |= privacy_addr(p, r, false, pp_get_u64(at + 8, swap), 8);
	}
	if (any)
		privacy_value(p, ROW_BRANCHES, r, p->record, x->n - 8);
}

static bool
any_byte(const uint8_t *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (p[i])
			return true;
	return false;
}

static void
sample_part(struct privacy *p, const struct pp_event *ev, const struct pp_rec *r, const struct pp_part *x, bool kernel)
{
	switch (x->bit) {
	case PP_SAMPLE_CALLCHAIN:
		sample_chain(p, r, x, kernel);
		break;
	case PP_SAMPLE_BRANCH_STACK:
		sample_branches(p, ev, r, x);
		break;
	case PP_SAMPLE_STACK_USER:
		if (x->n > 16 && any_byte(x->p + 8, x->n - 16))
			privacy_value(p, ROW_STACKS, r, p->record, x->n - 16);
		break;
	case PP_SAMPLE_REGS_USER:
	case PP_SAMPLE_REGS_INTR:
		if (x->n > 8 && any_byte(x->p + 8, x->n - 8))
			privacy_value(p, ROW_REGISTERS, r, p->record, x->n - 8);
		break;
	case PP_SAMPLE_RAW:
		privacy_payload(p, ev, r, x->p + 4, x->n - 4);
		break;
	case PP_SAMPLE_PHYS_ADDR:
		if (any_byte(x->p, 8))
			privacy_value(p, ROW_PHYSICAL, r, pp_get_u64(x->p, p->in->swap) >> 12, 8);
		break;
	case PP_SAMPLE_AUX:
		if (x->n > 8)
			privacy_value(p, ROW_TRACE, r, p->record, x->n - 8);
		break;
	}
}

void
privacy_sample(struct privacy *p, const struct pp_event *ev, const struct pp_rec *r)
{
	struct pp_part part[PP_SHAPE_STEPS];
	struct pp_err err = { .what = "" };
	bool swap = p->in->swap, kernel = (r->misc & PP_MISC_CPUMODE_MASK) == PP_MISC_KERNEL;
	int n = ev->shape.n ? pp_sample_parts(part, UINT64_MAX, ev, r, swap, &err) : 0;

	if (ev->plan.tid) {
		privacy_value(p, ROW_PIDS, r, pp_get_u32(r->raw + ev->plan.tid, swap), 4);
		privacy_value(p, ROW_PIDS, r, pp_get_u32(r->raw + ev->plan.tid + 4, swap), 4);
	}
	if (ev->plan.ip)
		privacy_addr(p, r, kernel, pp_get_u64(r->raw + ev->plan.ip, swap), 8);
	if (ev->plan.addr)
		privacy_addr(p, r, false, pp_get_u64(r->raw + ev->plan.addr, swap), 8);
	for (int i = 0; i < n; i++)
		sample_part(p, ev, r, &part[i], kernel);
}
