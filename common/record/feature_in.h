/* SPDX-License-Identifier: ISC */
/* feature_in.h - the rows of feature.def, for feature.c, which reads and writes payloads, and feature_parse.c */
#ifndef PP_FEATURE_IN_H
#define PP_FEATURE_IN_H

#include "feature.h"

struct pp_feature_field {
	const char	*name, *text;
	const char	*ref;		/* the field with the count or length */
	uint8_t		 kind;		/* enum pp_feature_kind */
	uint8_t		 size;		/* bytes of a number; of SINCE: the least value */
};

/* The fields of a feature, PP_F_STOP behind the last; of an unknown one only that. */
const struct pp_feature_field *pp_feature_row(uint64_t number);
/* The index of the nearest field of that name before the one at `at'. */
unsigned	 pp_feature_ref(const struct pp_feature_field *, unsigned at, const char *name);
/* The index of the END of the list body that starts at i. */
unsigned	 pp_feature_end_of(const struct pp_feature_field *, unsigned i);
bool		 pp_feature_is_number(unsigned kind);

#endif
