/* SPDX-License-Identifier: ISC */
/*
 * sample.c - all fields of a SAMPLE, in the order of the kernel's perf_output_sample(), which is not the order
 * of the sample_type bits.
 */
#include <string.h>

#include "perfpipe.h"

void
pp_read_get(struct pp_read *rd, struct pp_cur *c, uint64_t format)
{
	*rd = (struct pp_read){ .nr = 1, .group = format & PP_FORMAT_GROUP, .stride = 8 };
	if (format & PP_FORMAT_ID) {
		rd->id_at = rd->stride;
		rd->stride += 8;
	}
	if (format & PP_FORMAT_LOST) {
		rd->lost_at = rd->stride;
		rd->stride += 8;
	}
	if (rd->group)
		rd->nr = pp_take_u64(c);
	else
		rd->values = pp_take(c, 8);
	if (format & PP_FORMAT_TOTAL_TIME_ENABLED)
		rd->time_enabled = pp_take_u64(c);
	if (format & PP_FORMAT_TOTAL_TIME_RUNNING)
		rd->time_running = pp_take_u64(c);
	if (rd->group) {
		rd->values = pp_take_n(c, rd->nr, rd->stride);
		return;
	}
	/* One value: its id and lost count stand behind the times. */
	rd->stride = 0;
	if (rd->id_at)
		rd->id_at = (uint8_t)(pp_take(c, 8) ? c->p - 8 - rd->values : 0);
	if (rd->lost_at)
		rd->lost_at = (uint8_t)(pp_take(c, 8) ? c->p - 8 - rd->values : 0);
}

static void
regs(struct pp_cur *c, uint64_t mask, uint64_t *abi, struct pp_span *to)
{
	*abi = pp_take_u64(c);
	if (!*abi)
		return;			/* PERF_SAMPLE_REGS_ABI_NONE */
	to->n = (uint64_t)__builtin_popcountll(mask);
	to->p = pp_take_n(c, to->n, 8);
}

static void
branches(struct pp_sample *s, struct pp_cur *c, uint64_t type)
{
	s->branches.n = pp_take_u64(c);
	if (type & PP_BRANCH_HW_INDEX)
		s->branch_hw_idx = pp_take(c, 8);
	s->branches.p = pp_take_n(c, s->branches.n, 24);
	if (type & PP_BRANCH_COUNTERS) {
		s->branch_counters.n = s->branches.n;
		s->branch_counters.p = pp_take_n(c, s->branches.n, 8);
	}
}

/* One field of the sample, by its bit. */
static void
take_field(struct pp_sample *s, unsigned bit, struct pp_cur *c, const struct pp_attr *a)
{
	switch (1u << bit) {
	case PP_SAMPLE_IDENTIFIER:	s->identifier = pp_take_u64(c); break;
	case PP_SAMPLE_IP:		s->ip = pp_take_u64(c); break;
	case PP_SAMPLE_TID:		s->pid = pp_take_u32(c); s->tid = pp_take_u32(c); break;
	case PP_SAMPLE_TIME:		s->time = pp_take_u64(c); break;
	case PP_SAMPLE_ADDR:		s->addr = pp_take_u64(c); break;
	case PP_SAMPLE_ID:		s->id = pp_take_u64(c); break;
	case PP_SAMPLE_STREAM_ID:	s->stream_id = pp_take_u64(c); break;
	case PP_SAMPLE_CPU:		s->cpu = pp_take_u32(c); pp_take(c, 4); break;
	case PP_SAMPLE_PERIOD:		s->period = pp_take_u64(c); break;
	case PP_SAMPLE_READ:		pp_read_get(&s->read, c, a->read_format); break;
	case PP_SAMPLE_CALLCHAIN:
		s->callchain.n = pp_take_u64(c);
		s->callchain.p = pp_take_n(c, s->callchain.n, 8);
		break;
	case PP_SAMPLE_RAW:
		s->raw.n = pp_take_u32(c);
		s->raw.p = pp_take(c, s->raw.n);
		break;
	case PP_SAMPLE_BRANCH_STACK:	branches(s, c, a->branch_sample_type); break;
	case PP_SAMPLE_REGS_USER:	regs(c, a->sample_regs_user, &s->regs_user_abi, &s->regs_user); break;
	case PP_SAMPLE_STACK_USER:
		if (!(s->stack_user.n = pp_take_u64(c)))
			break;
		s->stack_user.p = pp_take(c, s->stack_user.n);
		s->stack_dyn_size = pp_take_u64(c);
		break;
	case PP_SAMPLE_WEIGHT:
	case PP_SAMPLE_WEIGHT_STRUCT:	s->weight = pp_take_u64(c); break;
	case PP_SAMPLE_DATA_SRC:	s->data_src = pp_take_u64(c); break;
	case PP_SAMPLE_TRANSACTION:	s->transaction = pp_take_u64(c); break;
	case PP_SAMPLE_REGS_INTR:	regs(c, a->sample_regs_intr, &s->regs_intr_abi, &s->regs_intr); break;
	case PP_SAMPLE_PHYS_ADDR:	s->phys_addr = pp_take_u64(c); break;
	case PP_SAMPLE_CGROUP:		s->cgroup = pp_take_u64(c); break;
	case PP_SAMPLE_DATA_PAGE_SIZE:	s->data_page_size = pp_take_u64(c); break;
	case PP_SAMPLE_CODE_PAGE_SIZE:	s->code_page_size = pp_take_u64(c); break;
	case PP_SAMPLE_AUX:
		s->aux.n = pp_take_u64(c);
		s->aux.p = pp_take(c, s->aux.n);
		break;
	}
}

/* Bits of sample_type in the order of the record. */
static const struct { uint8_t bit; const char *name; } order[] = {
	{ 16, "identifier" }, { 0, "ip" }, { 1, "tid" }, { 2, "time" }, { 3, "addr" }, { 6, "id" }, { 9, "stream_id" },
	{ 7, "cpu" }, { 8, "period" }, { 4, "read" }, { 5, "callchain" }, { 10, "raw" }, { 11, "branch_stack" },
	{ 12, "regs_user" }, { 13, "stack_user" }, { 14, "weight" }, { 24, "weight" }, { 15, "data_src" },
	{ 17, "transaction" }, { 18, "regs_intr" }, { 19, "phys_addr" }, { 21, "cgroup" }, { 22, "data_page_size" },
	{ 23, "code_page_size" }, { 20, "aux" },
};

int
pp_sample_get(struct pp_sample *s, const struct pp_event *ev, const struct pp_rec *r, bool swap, struct pp_err *err)
{
	struct pp_cur c = pp_cur(r->raw + PP_HEADER_SIZE, r->size - PP_HEADER_SIZE, swap);
	uint64_t type = ev->attr.sample_type;

	memset(s, 0, sizeof *s);
	if (type & PP_SAMPLE_WEIGHT)
		type &= ~(uint64_t)PP_SAMPLE_WEIGHT_STRUCT;	/* one slot, whichever it is */
	for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
		struct pp_span *at = &s->at[order[i].bit];

		if (!(type >> order[i].bit & 1))
			continue;
		at->p = c.p;
		take_field(s, order[i].bit, &c, &ev->attr);
		if (c.bad)
			return pp_fail(err, "%s lies past the end of %u bytes", order[i].name, r->size);
		at->n = (uint64_t)(c.p - at->p);
	}
	return 1;
}

/* What a field consists of, for those that are not one u64 or all u64s. */
static int
show_parts(unsigned bit, const char *name, const struct pp_span *at, bool swap, pp_visit *visit, void *arg)
{
	struct pp_value v[3] = { { name, PP_K_UINT, at->p, 4, 0 }, { name, PP_K_UINT, at->p + 4, 4, 0 } };
	unsigned n = 2;
	uint64_t len;
	int rc = 1;

	switch (1u << bit) {
	case PP_SAMPLE_TID:
		v[0].name = "pid";
		break;
	case PP_SAMPLE_CPU:
		v[1].name = "reserved";
		break;
	case PP_SAMPLE_RAW:
		v[1] = (struct pp_value){ name, PP_K_BYTES, at->p + 4, (size_t)at->n - 4, 0 };
		break;
	default:			/* STACK_USER, AUX: u64 size, bytes [, u64 dyn_size] */
		len = pp_get_u64(at->p, swap);
		v[0].len = 8;
		v[1] = (struct pp_value){ name, PP_K_BYTES, at->p + 8, (size_t)len, 0 };
		v[2] = (struct pp_value){ "dyn_size", PP_K_UINT, at->p + 8 + len, 8, 0 };
		n = len ? 2 + (at->n > 8 + len) : 1;
	}
	for (unsigned i = 0; i < n && rc > 0; i++)
		rc = visit(arg, &v[i]);
	return rc;
}

int
pp_sample_walk(const struct pp_sample *s, bool swap, pp_visit *visit, void *arg)
{
	const uint32_t parts = PP_SAMPLE_TID | PP_SAMPLE_CPU | PP_SAMPLE_RAW | PP_SAMPLE_STACK_USER | PP_SAMPLE_AUX;
	const uint32_t words = PP_SAMPLE_READ | PP_SAMPLE_CALLCHAIN | PP_SAMPLE_BRANCH_STACK | PP_SAMPLE_REGS_USER |
	    PP_SAMPLE_REGS_INTR;
	int rc = 1;

	for (size_t i = 0; i < sizeof order / sizeof *order && rc > 0; i++) {
		const struct pp_span *at = &s->at[order[i].bit];
		uint32_t bit = 1u << order[i].bit;

		if (!at->p)
			continue;
		if (bit & parts)
			rc = show_parts(order[i].bit, order[i].name, at, swap, visit, arg);
		else
			rc = visit(arg, &(struct pp_value){ order[i].name, bit & words ? PP_K_WORDS : PP_K_HEX,
			    at->p, (size_t)at->n, 0 });
	}
	return rc;
}
