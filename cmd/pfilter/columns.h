/* SPDX-License-Identifier: ISC */
/*
 * columns.h - a change on the way: fields of samples are left out or shortened, and attr.sample_type says so.
 */
#ifndef PFILTER_COLUMNS_H
#define PFILTER_COLUMNS_H

#include "out.h"

struct columns {			/* zeroed: change nothing */
	uint64_t strip;			/* PP_SAMPLE_* bits to leave out */
	bool	 strip_aux;		/* hardware trace records too */
	uint32_t stack_size;		/* most bytes of a user stack; UINT32_MAX or 0 with !has_stack_size: as they are */
	bool	 has_stack_size;
	uint32_t max_stack;		/* most entries of a call chain */
	bool	 has_max_stack;
};
/* --strip callchain,user-stack,...: an unknown word exits 2. */
void	columns_strip(const struct tool *, struct columns *, const char *text);
bool	columns_any(const struct columns *);
struct out *columns_new(const struct tool *, const struct columns *, struct pp_source *in, struct out *next, struct pp_err *);

#endif
