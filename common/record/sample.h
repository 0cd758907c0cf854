/* SPDX-License-Identifier: ISC */
/* sample.h - shows all fields of a SAMPLE, down to the entries of its lists; the rows of sample.def as a table */
#ifndef PP_SAMPLE_H
#define PP_SAMPLE_H

#include "meaning.h"

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

struct pp_read {		/* PERF_SAMPLE_READ, or the body of a READ record */
	uint64_t nr, time_enabled, time_running;
	const uint8_t *values;		/* nr entries of `stride' bytes: value, [id], [lost] */
	uint8_t	 stride, id_at, lost_at;	/* offsets inside an entry; 0: absent */
	bool	 group;
};

/*
 * Any field of a SAMPLE, by its bit: the n bytes at *p as they stand in the record, counts in front of them included
 * (PP_SAMPLE_CALLCHAIN: u64 nr, then nr u64s).  1, 0: not recorded, or -1: the sample is shorter than its fields say.  Valid as
 * long as the record.
 */
int	pp_sample_field(const struct pp_event *, const struct pp_rec *, bool swap, unsigned field, const uint8_t **p, size_t *n,
	    struct pp_err *);
/* By number of the sample_type bit: where the field is in struct pp_decoded. */
extern const uint16_t pp_decoded_at[PP_SAMPLE_BITS];
/* Decode READ values by read_format from a cursor. */
void	pp_read_get(struct pp_read *, struct pp_cur *, uint64_t read_format);
/*
 * The part of pp_walk_chosen() that is about samples.  A field is shown part by part:
 *
 *	PID_TID		pid, tid
 *	CPU		cpu, reserved
 *	READ		nr or value, time_enabled, time_running, and for each member of a group: value, id, lost
 *	CHAIN		nr, the entries as WORDS (chain.h)
 *	RAW, STACK, AUX	size, the bytes, of a stack dyn_size
 *	BRANCHES	nr, hw_idx, for each branch: from, to, flags; counters as WORDS
 *	REGS		abi, the registers as WORDS, by ascending bit of the mask
 *
 * visit NULL: only check that all fields are within the sample.  1, what the visitor returned, or -1.
 */
int	pp_sample_walk(const struct pp_event *, const struct pp_rec *, bool swap, const struct pp_choice *, pp_visit *, void *arg,
	    struct pp_err *);
/* The same of READ values at p that were checked, by pp_read_get(), and of the trailer of another record, if it has one. */
int	pp_read_walk(const uint8_t *p, uint64_t read_format, bool swap, const struct pp_choice *, pp_visit *, void *arg);
int	pp_trailer_walk(const struct pp_event *, const struct pp_rec *, bool swap, const struct pp_choice *, pp_visit *, void *arg);

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
	uint8_t		 kind;		/* enum pp_kind of one u64: HEX of addresses, or UINT */
	uint16_t	 plan, trailer;	/* offsets in struct pp_plan of its offset in samples and in trailers, or PP_NOWHERE */
};
enum pp_sample_number {		/* of its row */
#define SAMPLE(bit, NAME, name, where, form, role, ...) PP_ROW_##NAME,
#include "sample.def"
#undef SAMPLE
};
enum {				/* sets of fields by these numbers */
#define SAMPLE(bit, NAME, name, where, form, role, ...) | (PP_WHERE_##where == PP_WHERE_EDGE) << PP_ROW_##NAME
	PP_ROWS_EDGE = 0
#include "sample.def"
#undef SAMPLE
#define SAMPLE(bit, NAME, name, where, form, role, ...) | (PP_WHERE_##where == PP_WHERE_BOTH) << PP_ROW_##NAME
	, PP_ROWS_BOTH = 0
#include "sample.def"
#undef SAMPLE
#define SAMPLE(bit, NAME, name, where, form, role, ...) | (PP_WHERE_##where == PP_WHERE_TAIL) << PP_ROW_##NAME
	, PP_ROWS_TAIL = 0
#include "sample.def"
#undef SAMPLE
};
extern const struct pp_sample_row pp_sample_rows[PP_SAMPLE_BITS];	/* in the order of a sample */
/* The row of a bit, which must have one. */
const struct pp_sample_row *pp_sample_row(uint32_t field);

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
#define SAMPLE(bit, NAME, name, where, form, role, ...) | PP_TRAILER_##where << (bit)
#include "sample.def"
#undef SAMPLE
	};

	return 8 * (unsigned)__builtin_popcountll(sample_type & MASK);
}

#endif
