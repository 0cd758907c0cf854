/* SPDX-License-Identifier: ISC */
/* sample.c - decodes all fields of a SAMPLE, in the order of the kernel's perf_output_sample(), which is not that of the bits */
#include <string.h>

#include "sample.h"
#include "event.h"

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
	/* One value: its id and lost count are behind the times. */
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

static void
stack(struct pp_cur *c, struct pp_span *bytes, uint64_t *dyn_size)
{
	if (!(bytes->n = pp_take_u64(c)))
		return;
	bytes->p = pp_take(c, bytes->n);
	*dyn_size = pp_take_u64(c);
}

#define TAKE_U64(name)		s->name = pp_take_u64(&c)
#define TAKE_WEIGHT(name)	s->name = pp_take_u64(&c)
#define TAKE_PID_TID(name)	s->pid = pp_take_u32(&c), s->tid = pp_take_u32(&c)
#define TAKE_CPU(name)		s->cpu = pp_take_u32(&c), pp_take(&c, 4)
#define TAKE_READ(name)		pp_read_get(&s->name, &c, ev->attr.read_format)
#define TAKE_CHAIN(name)	s->name.n = pp_take_u64(&c), s->name.p = pp_take_n(&c, s->name.n, 8)
#define TAKE_RAW(name)		s->name.n = pp_take_u32(&c), s->name.p = pp_take(&c, s->name.n)
#define TAKE_BRANCHES(name)	branches(s, &c, ev->attr.branch_sample_type)
#define TAKE_REGS(name)		regs(&c, ev->attr.sample_##name, &s->name##_abi, &s->name)
#define TAKE_STACK(name)	stack(&c, &s->name, &s->stack_dyn_size)
#define TAKE_AUX(name)		s->name.n = pp_take_u64(&c), s->name.p = pp_take(&c, s->name.n)

int
pp_sample_get(struct pp_sample *s, const struct pp_event *ev, const struct pp_rec *r, bool swap, struct pp_err *err)
{
	struct pp_cur c = pp_cur(r->raw + PP_HEADER_SIZE, r->size - PP_HEADER_SIZE, swap);
	uint64_t type = pp_sample_slots(ev->attr.sample_type);

	memset(s, 0, sizeof *s);
#define SAMPLE(bit, NAME, name, where, form, role)						\
	if (type & PP_SAMPLE_##NAME) {								\
		s->at[bit].p = c.p;								\
		TAKE_##form(name);								\
		if (c.bad)									\
			return pp_fail(err, "%s lies past the end of %u bytes", #name, r->size);	\
		s->at[bit].n = (uint64_t)(c.p - s->at[bit].p);					\
	}
#include "sample.def"
#undef SAMPLE
	return 1;
}

/* ---- the walk ---------------------------------------------------------------------------------- */

_Static_assert(PP_SAMPLE_KNOWN + 1 == 1 << PP_SAMPLE_BITS, "a bit of sample_type has no row, or two");
const struct pp_sample_row pp_sample_rows[PP_SAMPLE_BITS] = {
#define PLACE_EDGE(name)	offsetof(struct pp_plan, name), offsetof(struct pp_plan, t_##name)
#define PLACE_BOTH(name)	offsetof(struct pp_plan, name), offsetof(struct pp_plan, t_##name)
#define PLACE_FIXED(name)	offsetof(struct pp_plan, name), PP_NOWHERE
#define PLACE_TAIL(name)	PP_NOWHERE, PP_NOWHERE
#define SAMPLE(bit, NAME, name, where, form, role) \
	{ #name, bit, PP_WHERE_##where, PP_FORM_##form, PP_ROLE_##role, PLACE_##where(name) },
#include "sample.def"
#undef SAMPLE
};

/* How a field of each form is shown: as one value; 0: as parts. */
static const uint8_t kinds[PP_FORMS] = {
	[PP_FORM_U64] = PP_K_HEX, [PP_FORM_WEIGHT] = PP_K_HEX, [PP_FORM_READ] = PP_K_WORDS, [PP_FORM_CHAIN] = PP_K_WORDS,
	[PP_FORM_BRANCHES] = PP_K_WORDS, [PP_FORM_REGS] = PP_K_WORDS,
};

static int
show_parts(const struct pp_sample_row *row, const struct pp_span *at, bool swap, pp_visit *visit, void *arg)
{
	struct pp_value v[3] = { { row->name, PP_K_UINT, at->p, 4, 0, PP_ROLE_PLAIN },
	    { row->name, PP_K_UINT, at->p + 4, 4, 0, row->role } };
	unsigned n = 2;
	uint64_t len;
	int rc = 1;

	switch (row->form) {
	case PP_FORM_PID_TID:
		v[0].name = "pid";
		v[0].role = PP_ROLE_PID;
		break;
	case PP_FORM_CPU:
		v[0].role = row->role;
		v[1].name = "reserved";
		v[1].role = PP_ROLE_PAD;
		break;
	case PP_FORM_RAW:
		v[1] = (struct pp_value){ row->name, PP_K_BYTES, at->p + 4, (size_t)at->n - 4, 0, row->role };
		break;
	default:			/* STACK, AUX */
		len = pp_get_u64(at->p, swap);
		v[0].len = 8;
		v[1] = (struct pp_value){ row->name, PP_K_BYTES, at->p + 8, (size_t)len, 0, row->role };
		v[2] = (struct pp_value){ "dyn_size", PP_K_UINT, at->p + 8 + len, 8, 0, PP_ROLE_PLAIN };
		n = len ? 2 + (at->n > 8 + len) : 1;
	}
	for (unsigned i = 0; i < n && rc > 0; i++)
		rc = visit(arg, &v[i]);
	return rc;
}

int
pp_sample_walk(const struct pp_sample *s, bool swap, pp_visit *visit, void *arg)
{
	int rc = 1;

	for (const struct pp_sample_row *row = pp_sample_rows; row < pp_sample_rows + PP_SAMPLE_BITS && rc > 0; row++) {
		const struct pp_span *at = &s->at[row->bit];

		if (!at->p)
			continue;
		if (kinds[row->form])
			rc = visit(arg, &(struct pp_value){ row->name, kinds[row->form], at->p, (size_t)at->n, 0, row->role });
		else
			rc = show_parts(row, at, swap, visit, arg);
	}
	return rc;
}
