/* SPDX-License-Identifier: ISC */
/*
 * sample.c - shows all fields of a SAMPLE, in the order of the kernel's perf_output_sample(), which is not that of the bits; those
 * of a trailer, and READ values
 */
#include <string.h>

#include "attr.h"
#include "sample.h"
#include "event.h"
#include "meaning.h"
#include "shape.h"

/* ---- READ --------------------------------------------------------------------------------------- */

_Static_assert(PP_FORMAT_TIMES == (PP_FORMAT_TOTAL_TIME_ENABLED | PP_FORMAT_TOTAL_TIME_RUNNING) &&
    PP_FORMAT_EACH == (PP_FORMAT_ID | PP_FORMAT_LOST), "a number that pp_read_get() does not pass, or show_read() does not show");

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

/* ---- the rows ---------------------------------------------------------------------------------- */

_Static_assert(PP_SAMPLE_KNOWN + 1 == 1 << PP_SAMPLE_BITS, "a bit of sample_type has no row, or two");
const struct pp_sample_row pp_sample_rows[PP_SAMPLE_BITS] = {
#define PLACE_EDGE(name)	offsetof(struct pp_plan, name), offsetof(struct pp_plan, t_##name)
#define PLACE_BOTH(name)	offsetof(struct pp_plan, name), offsetof(struct pp_plan, t_##name)
#define PLACE_FIXED(name)	offsetof(struct pp_plan, name), PP_NOWHERE
#define PLACE_TAIL(name)	PP_NOWHERE, PP_NOWHERE
#define SAMPLE(bit, NAME, name, where, form, role, ...) \
	{ #name, bit, PP_WHERE_##where, PP_FORM_##form, PP_ROLE_##role, \
	    PP_ROLES_ADDRESS & PP_ROLE_BIT(role) ? PP_K_HEX : PP_K_UINT, PLACE_##where(name) },
#include "sample.def"
#undef SAMPLE
};

const struct pp_sample_row *
pp_sample_row(uint32_t field)
{
	static const uint8_t rows[PP_SAMPLE_BITS] = {
#define SAMPLE(bit, NAME, ...) [bit] = PP_ROW_##NAME,
#include "sample.def"
#undef SAMPLE
	};

	return &pp_sample_rows[rows[__builtin_ctz(field)]];
}

/* ---- the walk ---------------------------------------------------------------------------------- */

struct look {			/* a field whose parts are being shown */
	const uint8_t	*at;		/* the next part */
	bool		 swap;
	uint64_t	 roles;		/* of the parts to be shown */
	pp_visit	*visit;
	void		*arg;
	int		 rc;		/* of the visitor */
	struct pp_value	 v;		/* the last part; index, entries and field are those of the next one, too */
};

static inline void
show(struct look *k, const char *name, enum pp_kind kind, size_t len, enum pp_role role)
{
	if (k->rc > 0 && k->roles >> role & 1) {
		k->v.name = name;
		k->v.kind = kind;
		k->v.p = k->at;
		k->v.len = len;
		k->v.role = role;
		k->rc = k->visit(k->arg, &k->v);
	}
	k->at += len;
}

static uint16_t
place(const struct pp_plan *plan, uint16_t member)
{
	uint16_t at;

	memcpy(&at, (const uint8_t *)plan + member, sizeof at);
	return at;
}

/* Begin a list, end it (0). */
static void
list(struct look *k, uint64_t entries)
{
	k->v.entries = (unsigned)entries;
	k->v.index = 0;
}

static void
show_read(struct look *k, uint64_t format)
{
	bool group = format & PP_FORMAT_GROUP;
	uint64_t n = group ? pp_get_u64(k->at, k->swap) : 1;

	show(k, group ? "nr" : "value", PP_K_UINT, 8, PP_ROLE_PLAIN);
	if (format & PP_FORMAT_TOTAL_TIME_ENABLED)
		show(k, "time_enabled", PP_K_UINT, 8, PP_ROLE_PLAIN);
	if (format & PP_FORMAT_TOTAL_TIME_RUNNING)
		show(k, "time_running", PP_K_UINT, 8, PP_ROLE_PLAIN);
	for (list(k, group ? n : 0); n; n--, k->v.index++) {
		if (group)
			show(k, "value", PP_K_UINT, 8, PP_ROLE_PLAIN);
		if (format & PP_FORMAT_ID)
			show(k, "id", PP_K_UINT, 8, PP_ROLE_ID_REF);
		if (format & PP_FORMAT_LOST)
			show(k, "lost", PP_K_UINT, 8, PP_ROLE_PLAIN);
	}
	list(k, 0);
}

static void
show_branches(struct look *k, const struct pp_sample_row *row, uint64_t type)
{
	uint64_t n = pp_get_u64(k->at, k->swap), left = n;

	show(k, "nr", PP_K_UINT, 8, PP_ROLE_PLAIN);
	if (type & PP_BRANCH_HW_INDEX)
		show(k, "hw_idx", PP_K_UINT, 8, PP_ROLE_PLAIN);
	for (list(k, n); left; left--, k->v.index++) {
		show(k, "from", PP_K_HEX, 8, (enum pp_role)row->role);
		show(k, "to", PP_K_HEX, 8, (enum pp_role)row->role);
		show(k, "flags", PP_K_BRANCH, 8, PP_ROLE_PLAIN);
	}
	list(k, 0);
	if (type & PP_BRANCH_COUNTERS)
		show(k, "counters", PP_K_WORDS, 8 * (size_t)n, PP_ROLE_PLAIN);
}

/* A size, so many bytes, and of a stack that is not empty how many of these are used. */
static void
show_bytes(struct look *k, const struct pp_sample_row *row)
{
	unsigned width = row->form == PP_FORM_RAW ? 4 : 8;
	uint64_t n = width == 4 ? pp_get_u32(k->at, k->swap) : pp_get_u64(k->at, k->swap);

	show(k, "size", PP_K_UINT, width, PP_ROLE_PLAIN);
	if (n)
		show(k, row->name, PP_K_BYTES, (size_t)n, (enum pp_role)row->role);
	if (n && row->form == PP_FORM_STACK)
		show(k, "dyn_size", PP_K_UINT, 8, PP_ROLE_PLAIN);
}

/* A field of the fixed part or of a trailer. */
static inline void
show_fixed(struct look *k, const struct pp_sample_row *row, const uint8_t *p)
{
	const enum pp_role role = (enum pp_role)row->role;

	k->at = p;
	k->v.field = UINT32_C(1) << row->bit;
	if (row->form == PP_FORM_U64) {
		show(k, row->name, (enum pp_kind)row->kind, 8, role);
	} else if (row->form == PP_FORM_PID_TID) {
		show(k, "pid", PP_K_UINT, 4, PP_ROLE_PID);
		show(k, row->name, PP_K_UINT, 4, role);
	} else {
		show(k, row->name, PP_K_UINT, 4, role);
		show(k, "reserved", PP_K_UINT, 4, PP_ROLE_PAD);
	}
}

/* A field behind the fixed part. */
static void
show_part(struct look *k, const struct pp_part *x, const struct pp_event *ev)
{
	const struct pp_sample_row *row = pp_sample_row(x->bit);
	const enum pp_role role = (enum pp_role)row->role;

	k->at = x->p;
	k->v.field = x->bit;
	switch ((enum pp_sample_form)row->form) {
	case PP_FORM_U64:
	case PP_FORM_WEIGHT:
		show(k, row->name, (enum pp_kind)row->kind, 8, role);
		break;
	case PP_FORM_READ:
		show_read(k, ev->attr.read_format);
		break;
	case PP_FORM_CHAIN:
	case PP_FORM_REGS:
		show(k, row->form == PP_FORM_CHAIN ? "nr" : "abi", PP_K_UINT, 8, PP_ROLE_PLAIN);
		if (x->n > 8)
			show(k, row->name, PP_K_WORDS, x->n - 8, role);
		break;
	case PP_FORM_BRANCHES:
		show_branches(k, row, ev->attr.branch_sample_type);
		break;
	case PP_FORM_RAW:
	case PP_FORM_STACK:
	case PP_FORM_AUX:
		show_bytes(k, row);
		break;
	case PP_FORM_PID_TID:		/* of the fixed part */
	case PP_FORM_CPU:
	case PP_FORMS:
		break;
	}
}

struct pp_choice
pp_choose(uint64_t roles, uint32_t fields)
{
	static const uint64_t has[PP_FORMS] = {		/* besides the role of the row */
		[PP_FORM_PID_TID] = PP_ROLE_BIT(PID), [PP_FORM_CPU] = PP_ROLE_BIT(PAD),
		[PP_FORM_READ] = PP_ROLE_BIT(PLAIN) | PP_ROLE_BIT(ID_REF), [PP_FORM_CHAIN] = PP_ROLE_BIT(PLAIN),
		[PP_FORM_RAW] = PP_ROLE_BIT(PLAIN), [PP_FORM_BRANCHES] = PP_ROLE_BIT(PLAIN), [PP_FORM_REGS] = PP_ROLE_BIT(PLAIN),
		[PP_FORM_STACK] = PP_ROLE_BIT(PLAIN), [PP_FORM_AUX] = PP_ROLE_BIT(PLAIN),
	};
	struct pp_choice c = { roles, 0, 0 };

	for (unsigned i = 0; i < PP_SAMPLE_BITS; i++) {
		const struct pp_sample_row *row = &pp_sample_rows[i];

		if (fields >> row->bit & 1 && roles & (has[row->form] | UINT64_C(1) << row->role)) {
			c.fields |= UINT32_C(1) << row->bit;
			c.rows |= UINT32_C(1) << i;
		}
	}
	return c;
}

int
pp_sample_walk(const struct pp_event *ev, const struct pp_rec *r, bool swap, const struct pp_choice *choice, pp_visit *visit,
    void *arg, struct pp_err *err)
{
	struct look k = { .swap = swap, .roles = choice->roles, .visit = visit, .arg = arg, .rc = 1 };
	uint32_t rows = visit ? ev->shape.rows & choice->rows : 0;
	struct pp_part part[PP_SHAPE_STEPS];
	int n = pp_sample_parts(part, rows & PP_ROWS_TAIL ? choice->fields : 0, ev, r, swap, err);

	if (n < 0)
		return -1;
	for (rows &= ~(uint32_t)PP_ROWS_TAIL; rows; rows &= rows - 1) {
		const struct pp_sample_row *row = &pp_sample_rows[__builtin_ctz(rows)];

		show_fixed(&k, row, r->raw + place(&ev->plan, row->plan));
	}
	for (const struct pp_part *x = part; x < part + n; x++)
		show_part(&k, x, ev);
	return k.rc;
}

int
pp_read_walk(const uint8_t *p, uint64_t format, bool swap, const struct pp_choice *choice, pp_visit *visit, void *arg)
{
	struct look k = { .at = p, .swap = swap, .roles = choice->roles, .visit = visit, .arg = arg, .rc = 1 };

	show_read(&k, format);
	return k.rc;
}

int
pp_trailer_walk(const struct pp_event *ev, const struct pp_rec *r, bool swap, const struct pp_choice *choice, pp_visit *visit, void *arg)
{
	struct look k = { .swap = swap, .roles = choice->roles, .visit = visit, .arg = arg, .rc = 1 };
	uint32_t all = pp_has_trailer(ev, r) ? ev->shape.rows & choice->rows : 0;
	const uint8_t *end = r->raw + r->size;

	for (int edge = 0; edge < 2; edge++)
		for (uint32_t rows = all & (edge ? PP_ROWS_EDGE : PP_ROWS_BOTH); rows; rows &= rows - 1) {
			const struct pp_sample_row *row = &pp_sample_rows[__builtin_ctz(rows)];

			show_fixed(&k, row, end - place(&ev->plan, row->trailer));
		}
	return k.rc;
}
