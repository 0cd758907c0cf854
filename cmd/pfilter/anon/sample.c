/* SPDX-License-Identifier: ISC */
/* sample.c - how --anon changes samples and attrs */
#include <string.h>

#include "field.h"
#include "record/attr.h"
#include "record/event.h"
#include "record/raw.h"
#include "record/sample.h"
#include "record/shape.h"

/* ---- attrs --------------------------------------------------------------------------------------------- */

void
anon_attr(const struct anon_out *a, uint8_t *attr, size_t n)
{
	static const struct { uint16_t at; uint8_t size, role; } fields[] = {
#define ATTR(field, kind, bytes, role) { offsetof(struct pp_attr_raw, field), bytes, PP_ROLE_##role },
#include "record/attr.def"
#undef ATTR
	};
	enum { TYPE_BREAKPOINT = 5, TYPE_DYNAMIC = 6 };
	/* kprobe_func, uprobe_path: pointers into the memory of perf record; kprobe_addr.  Other values are smaller. */
	const uint64_t pointer = UINT64_C(1) << 40;
	uint32_t type = n >= 4 ? pp_get_u32(attr, a->swap) : 0;

	for (size_t i = 0; i < sizeof fields / sizeof *fields && a->what & A_ADDR; i++) {
		uint8_t *p = attr + fields[i].at;

		if (fields[i].at + (size_t)fields[i].size > n)
			return;
		if (anon_how(fields[i].role) == BLANK_BY_ADDR || (anon_how(fields[i].role) == CONFIG &&
		    ((type == TYPE_BREAKPOINT && fields[i].at == offsetof(struct pp_attr_raw, config1)) ||
		    (type >= TYPE_DYNAMIC && pp_get_u64(p, a->swap) >= pointer))))
			memset(p, 0, fields[i].size);
	}
}

/* The known bits of read_format and branch_sample_type: up to LOST, COUNTERS of Linux 6.18. */
enum { READ_FORMATS = (1 << 5) - 1, BRANCH_TYPES = (1 << 20) - 1 };

int
anon_head_attr(struct anon_out *a, struct pp_rec *r)
{
	uint32_t size = PP_ATTR_GET(r->raw + PP_HEADER_SIZE, size, a->swap);
	struct pp_attr known;

	anon_attr(a, a->buf + PP_HEADER_SIZE, size ? size : PP_ATTR_SIZE_VER0);
	pp_attr_get(&known, r->raw + PP_HEADER_SIZE, size ? size : PP_ATTR_SIZE_VER0, a->swap);
	if (known.sample_type & ~(uint64_t)PP_SAMPLE_KNOWN)
		return pp_fail(a->err, "sample_type 0x%jx: unknown bits cannot be made anonymous",
		    (uintmax_t)known.sample_type);
	/* Both determine the layout of samples: with an unknown bit, a field could be mistaken for another one. */
	if (known.read_format & ~(uint64_t)READ_FORMATS || known.branch_sample_type & ~(uint64_t)BRANCH_TYPES)
		return pp_fail(a->err, "read_format 0x%jx, branch_sample_type 0x%jx: unknown bits cannot be made anonymous",
		    (uintmax_t)known.read_format, (uintmax_t)known.branch_sample_type);
	return 1;
}

/* ---- samples ------------------------------------------------------------------------------------------- */

/* Has the field no pseudonym?  Then columns.h removes it. */
static bool
field_removed(const struct pp_sample_row *row, unsigned what)
{
	switch (anon_how(row->role)) {
	case KEEP: case CONFIG:
		return false;
	case ADDRESS:
		return what & A_ADDR && row->form != PP_FORM_U64 && row->form != PP_FORM_CHAIN && row->form != PP_FORM_BRANCHES;
	case BLANK_BY_ADDR:
		return what & A_ADDR;
	case USER_ADDRESS: case KERNEL_ADDRESS: case CGROUP_ID:
		return row->form != PP_FORM_U64;
	default:
		return true;
	}
}

uint32_t
anon_strip(unsigned what)
{
	uint32_t bits = 0;

	for (unsigned i = 0; i < PP_SAMPLE_BITS; i++)
		if (field_removed(&pp_sample_rows[i], what))
			bits |= UINT32_C(1) << pp_sample_rows[i].bit;
	return bits;
}

/* Zero a field without a pseudonym, except the leading count, which columns.h needs. */
static void
blank(struct anon_out *a, const struct pp_rec *r, const struct pp_sample_row *row, const struct pp_span *s)
{
	size_t head = row->form == PP_FORM_RAW ? 4 : row->form == PP_FORM_U64 || row->form == PP_FORM_WEIGHT ||
	    row->form == PP_FORM_PID_TID || row->form == PP_FORM_CPU ? 0 : 8;

	if (s->n <= head)
		return;
	memset(a->buf + (s->p - r->raw) + head, 0, s->n - head);
	a->fields[row->bit]++;
}

enum { TYPE_TRACEPOINT = 2, RAW_HEAD = 4, RAW_BIT = 10 };
_Static_assert(1 << RAW_BIT == PP_SAMPLE_RAW, "the bit of RAW");

/* Put a new payload in the place of the old one, which has another length perhaps.  The fields behind it are anonymous already. */
static void
put_payload(struct anon_edit *b, const struct pp_event *ev, const struct pp_span *s, struct pp_rec *r)
{
	struct anon_out *a = b->a;
	size_t at = (size_t)(s->p - b->r->raw), n = s->n - RAW_HEAD, end;
	size_t others = pp_sample_end(ev, b->r, a->swap) - s->n, behind = others - at;		/* no padding */
	size_t room = others < PP_RECORD_MAX - 16 ? ((PP_RECORD_MAX - 7 - others) & ~(size_t)7) - RAW_HEAD : 0;

	n = anon_payload(b, ev, s->p + RAW_HEAD, n, a->raw, room);
	end = at + RAW_HEAD + n;
	memmove(a->buf + end, a->buf + at + s->n, behind);
	pp_set_u32(a->buf + at, (uint32_t)n, a->swap);
	memcpy(a->buf + at + RAW_HEAD, a->raw, n);
	for (end += behind; end % 8 && end != r->size; end++)
		a->buf[end] = 0;
	r->size = (uint16_t)end;
	PP_RAW_SET(a->buf, header, size, r->size, a->swap);
}

/* Anonymise the field of that row, which was copied to a->buf. */
static void
field(struct anon_edit *b, const struct pp_event *ev, const struct pp_sample *s, const struct pp_sample_row *row)
{
	uint8_t *p = b->a->buf + (s->at[row->bit].p - b->r->raw);

	if (field_removed(row, b->a->what)) {
		if (row->bit == RAW_BIT && ev->attr.type == TYPE_TRACEPOINT)
			return;			/* put_payload() */
		blank(b->a, b->r, row, &s->at[row->bit]);
		return;
	}
	switch (row->form) {
	case PP_FORM_CHAIN:
		if (b->a->addr && s->at[row->bit].n > 8)
			anon_addr_chain(b->a->addr, b->pid, b->r->misc & PP_MISC_CPUMODE_MASK, p + 8, s->at[row->bit].n / 8 - 1,
			    b->a->swap);
		return;
	case PP_FORM_BRANCHES:
		p = b->a->buf + (s->branches.p - b->r->raw);
		for (uint64_t i = 0; b->a->addr && i < s->branches.n; i++, p += 24)
			anon_field(b, row->role, p, 16);
		return;
	case PP_FORM_U64: case PP_FORM_WEIGHT:
		anon_field(b, row->role, p, 8);
		return;
	}
}

int
anon_sample(struct anon_out *a, struct pp_rec *r)
{
	const struct pp_event *ev = pp_event_find(a->in->events, r, a->err);
	struct anon_edit b = { .a = a, .r = r };
	struct pp_sample s;

	if (!ev || pp_sample_get(&s, ev, r, a->swap, a->err) < 0)
		return -1;
	b.pid = s.pid;
	memcpy(a->buf, r->raw, PP_HEADER_SIZE);
	memset(a->buf + PP_HEADER_SIZE, 0, r->size - (size_t)PP_HEADER_SIZE);
	for (const struct pp_sample_row *row = pp_sample_rows; row < pp_sample_rows + PP_SAMPLE_BITS; row++) {
		if (!s.at[row->bit].p)
			continue;
		memcpy(a->buf + (s.at[row->bit].p - r->raw), s.at[row->bit].p, s.at[row->bit].n);
		if (anon_how(row->role) != KEEP)
			field(&b, ev, &s, row);
	}
	if (s.at[RAW_BIT].p && ev->attr.type == TYPE_TRACEPOINT && s.at[RAW_BIT].n > RAW_HEAD)
		put_payload(&b, ev, &s.at[RAW_BIT], r);
	return 1;
}
