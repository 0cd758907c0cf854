/* SPDX-License-Identifier: ISC */
/* feature_in.h - the rows of feature.def, for feature.c, which reads payloads, feature_put.c and feature_parse.c */
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

/* Begin at the first field, for reading; `writing' and its members are the caller's. */
void	pp_feature_start(struct pp_feature_io *, uint64_t number, bool swap, uint32_t nr_cpus, struct pp_err *err);
/* Step to the next stored field.  1; 0 at the end of the row (`at' stays there); -1. */
int	pp_feature_advance(struct pp_feature_io *);
/* Write a count that is known now into the space left for it, of field i.  1 or -1. */
int	pp_feature_settle(struct pp_feature_io *, unsigned i, uint64_t n);
/* Set the error "HEADER_FEATURE: NAME: cause", for good.  Always -1. */
int	pp_feature_fail(struct pp_feature_io *, const char *, ...) __attribute__((format(printf, 2, 3)));

#endif
