/* SPDX-License-Identifier: ISC */
/* sample.h - decodes all fields of a SAMPLE; the rows of sample.def as a table */
#ifndef PP_SAMPLE_H
#define PP_SAMPLE_H

#include "perfpipe_inline.h"

enum {
#define SAMPLE(bit, NAME, ...) | PP_SAMPLE_##NAME
	PP_SAMPLE_KNOWN = 0		/* all bits of sample_type that have a row */
#include "sample.def"
#undef SAMPLE
#define SAMPLE(bit, NAME, ...) + 1
	, PP_SAMPLE_BITS = 0		/* number of these bits */
#include "sample.def"
#undef SAMPLE
};

struct pp_span { const uint8_t *p; uint64_t n; };	/* n entries (or bytes) at p; p NULL: absent */

struct pp_read {		/* PERF_SAMPLE_READ, or the body of a READ record */
	uint64_t nr, time_enabled, time_running;
	const uint8_t *values;		/* nr entries of `stride' bytes: value, [id], [lost] */
	uint8_t	 stride, id_at, lost_at;	/* offsets inside an entry; 0: absent */
	bool	 group;
};

/* The members of struct pp_sample for a field of each form (sample.def). */
#define PP_MEMBER_U64(name)	uint64_t name;
#define PP_MEMBER_WEIGHT(name)	/* weight: var1_dw in bits 0-31, var2_w 32-47, var3_w 48-63 */
#define PP_MEMBER_PID_TID(name)	uint32_t pid, tid;
#define PP_MEMBER_CPU(name)	uint32_t cpu;
#define PP_MEMBER_READ(name)	struct pp_read name;
#define PP_MEMBER_CHAIN(name)	struct pp_span name;	/* u64s, context markers included */
#define PP_MEMBER_RAW(name)	struct pp_span name;	/* bytes */
#define PP_MEMBER_BRANCHES(name)	struct pp_span branches;	/* 24 bytes each: from, to, flags */ \
				const uint8_t *branch_hw_idx;	/* u64 */ \
				struct pp_span branch_counters;	/* u64s */
#define PP_MEMBER_REGS(name)	uint64_t name##_abi; struct pp_span name;	/* u64s, by ascending bit of the mask */
#define PP_MEMBER_STACK(name)	struct pp_span name; uint64_t stack_dyn_size;	/* bytes */
#define PP_MEMBER_AUX(name)	struct pp_span name;	/* bytes */

struct pp_sample {		/* ev->attr.sample_type says which members are set */
	struct pp_span at[PP_SAMPLE_BITS];	/* by number of the sample_type bit: the bytes of the field */
#define SAMPLE(bit, NAME, name, where, form, role) PP_MEMBER_##form(name)
#include "sample.def"
#undef SAMPLE
};
/* Decode a SAMPLE completely.  1; or -1: its fields exceed its size.  Spans point into the record. */
int	pp_sample_get(struct pp_sample *, const struct pp_event *, const struct pp_rec *, bool swap, struct pp_err *);
/*
 * Any field of a SAMPLE, by its bit: the n bytes at *p as they stand in the record, counts in front of them included
 * (PP_SAMPLE_CALLCHAIN: u64 nr, then nr u64s).  1, 0: not recorded, or -1: the sample is shorter than its fields say.  Valid as
 * long as the record.
 */
int	pp_sample_field(const struct pp_event *, const struct pp_rec *, bool swap, unsigned field, const uint8_t **p, size_t *n,
	    struct pp_err *);
/* Decode READ values by read_format from a cursor. */
void	pp_read_get(struct pp_read *, struct pp_cur *, uint64_t read_format);
/* Show the fields of a SAMPLE to a visitor (part of pp_walk()).  1, or what the visitor returned. */
int	pp_sample_walk(const struct pp_sample *, bool swap, pp_visit *, void *arg);

/* ---- the table ------------------------------------------------------------------------------- */

enum pp_sample_where { PP_WHERE_EDGE, PP_WHERE_BOTH, PP_WHERE_FIXED, PP_WHERE_TAIL };
enum pp_sample_form {
	PP_FORM_U64, PP_FORM_WEIGHT, PP_FORM_PID_TID, PP_FORM_CPU, PP_FORM_READ, PP_FORM_CHAIN, PP_FORM_RAW, PP_FORM_BRANCHES,
	PP_FORM_REGS, PP_FORM_STACK, PP_FORM_AUX, PP_FORMS
};
enum { PP_NOWHERE = UINT16_MAX };

struct pp_sample_row {
	const char	*name;
	uint8_t		 bit, where, form, role;
	uint16_t	 plan, trailer;	/* offsets in struct pp_plan of its offset in samples and in trailers, or PP_NOWHERE */
};
extern const struct pp_sample_row pp_sample_rows[PP_SAMPLE_BITS];	/* in the order of a sample */

/* The bits of a sample_type that have a field: of both kinds of weight, one. */
static inline uint64_t
pp_sample_slots(uint64_t sample_type)
{
	return sample_type & PP_SAMPLE_WEIGHT ? sample_type & ~(uint64_t)PP_SAMPLE_WEIGHT_STRUCT : sample_type;
}

/* The size of a trailer by that sample_type, with sample_id_all set. */
static inline unsigned
pp_trailer_size(uint64_t sample_type)
{
	enum {
#define PP_TRAILER_EDGE 1
#define PP_TRAILER_BOTH 1
#define PP_TRAILER_FIXED 0
#define PP_TRAILER_TAIL 0
		MASK = 0
#define SAMPLE(bit, NAME, name, where, form, role) | PP_TRAILER_##where << (bit)
#include "sample.def"
#undef SAMPLE
	};

	return 8 * (unsigned)__builtin_popcountll(sample_type & MASK);
}

#endif
