/* SPDX-License-Identifier: ISC */
/* attr.c - how --anon changes attrs, and which fields of samples go */
#include <string.h>

#include "field.h"
#include "record/attr.h"
#include "record/event.h"
#include "record/raw.h"
#include "record/sample.h"

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
	if (known.read_format >> PP_FORMAT_BITS || known.branch_sample_type >> PP_BRANCH_BITS)
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
	case KEEP: case TASK: case CONFIG:
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

