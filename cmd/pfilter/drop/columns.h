/* SPDX-License-Identifier: ISC */
/*
 * columns.h - a change on the way: fields of samples are left out or shortened, and the attrs say so.
 *
 * With a field goes what describes it (sample_regs_user, branch_sample_type ...), in HEADER_ATTR and in EVENT_DESC; with
 * the call chain also its CALLCHAIN_DEFERRED, with `aux' all records of the hardware trace.  It has to be the last
 * change: what comes behind it would need the new layout of samples.
 */
#ifndef PFILTER_COLUMNS_H
#define PFILTER_COLUMNS_H

#include "sink/out.h"
#include "tool/tool.h"

struct columns {			/* zeroed: change nothing */
	uint64_t strip;			/* PP_SAMPLE_* bits to leave out */
	bool	 strip_aux;		/* hardware trace records too */
	uint32_t stack_size;		/* most bytes of a user stack, a multiple of 8; if has_stack_size */
	bool	 has_stack_size;
	uint32_t max_stack;		/* most entries of a call chain, markers not counted; if has_max_stack */
	bool	 has_max_stack;
};
/* --strip callchain,user-stack,...: an unknown word exits 2. */
void	columns_strip(const struct tool *, struct columns *, const char *text);
/* --stack-size, --max-stack: a number that will not do exits 2. */
void	columns_stack_size(const struct tool *, struct columns *, const char *text);
void	columns_max_stack(const struct tool *, struct columns *, const char *text);
bool	columns_any(const struct columns *);
/* `err' is that of the source.  NULL: no memory. */
struct out *columns_new(const struct tool *, const struct columns *, struct pp_source *in, struct out *next, struct pp_err *);

#endif
