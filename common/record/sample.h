/* SPDX-License-Identifier: ISC */
/* sample.h - the rows of sample.def as a table, for who goes through the fields of samples in their order */
#ifndef PP_SAMPLE_H
#define PP_SAMPLE_H

#include "perfpipe.h"

enum pp_sample_where { PP_WHERE_EDGE, PP_WHERE_BOTH, PP_WHERE_FIXED, PP_WHERE_TAIL };
enum pp_sample_form {
	PP_FORM_U64, PP_FORM_WEIGHT, PP_FORM_PID_TID, PP_FORM_CPU, PP_FORM_READ, PP_FORM_CHAIN, PP_FORM_RAW, PP_FORM_BRANCHES,
	PP_FORM_REGS, PP_FORM_STACK, PP_FORM_AUX, PP_FORMS
};
enum { PP_NOWHERE = UINT16_MAX };

struct pp_sample_row {
	const char	*name;
	uint8_t		 bit, where, form, role;
	uint16_t	 plan, trailer;	/* offsets in struct pp_plan of its place in samples and in trailers, or PP_NOWHERE */
};
extern const struct pp_sample_row pp_sample_rows[PP_SAMPLE_BITS];	/* in the order of a sample */

/* The bits of a sample_type that have a place of their own: of both kinds of weight, one. */
static inline uint64_t
pp_sample_slots(uint64_t sample_type)
{
	return sample_type & PP_SAMPLE_WEIGHT ? sample_type & ~(uint64_t)PP_SAMPLE_WEIGHT_STRUCT : sample_type;
}

/* Bytes of a trailer by that sample_type, with sample_id_all set. */
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
