/* SPDX-License-Identifier: ISC */
/*
 * columns.h - --strip, --stack-size, --max-stack: a struct out that removes or shortens fields of samples, and changes their
 * attrs accordingly.
 *
 * With a field goes what describes it (sample_regs_user, branch_sample_type ...), in HEADER_ATTR and in EVENT_DESC; with the call
 * chain also its CALLCHAIN_DEFERRED records, with `aux' all records of the hardware trace.  It must be the last change of the
 * chain in side.h, since the changes after it would need the new layout of samples.
 *
 * The words of --strip are in record/sample.def.  If other fields of an attr describe a field, fix_attr() clears them; if it is one
 * of the fixed fields in front (like ADDR), write_sample() needs its place.
 */
#ifndef PFILTER_COLUMNS_H
#define PFILTER_COLUMNS_H

#include "sink/out.h"
#include "tool/tool.h"

struct columns {			/* initially zero: no change */
	uint64_t strip;			/* fields to remove, bits PP_SAMPLE_* */
	bool	 strip_other_raw;	/* remove raw data that is no payload of a tracepoint */
	bool	 strip_aux;		/* remove hardware trace records, too */
	uint32_t stack_size;		/* limit of a user stack in bytes, a multiple of 8; if has_stack_size */
	bool	 has_stack_size;
	uint32_t max_stack;		/* limit of the entries of a call chain, without markers; 0: none */
};
/* Parse --strip callchain,user-stack,... and --stack-size, into a struct columns: an unknown word, an invalid number exits 2. */
void	columns_strip(struct tool *, void *columns);
void	columns_stack_size(struct tool *, void *columns);
bool	columns_any(const struct columns *);
/* `err' is that of the source.  NULL: no memory. */
struct out *columns_new(const struct tool *, const struct columns *, struct pp_source *in, struct out *next, struct pp_err *);

#endif
