/* SPDX-License-Identifier: ISC */
/*
 * out.h - struct out: a consumer of records, either a container (stream, seekable file, CPU profile) or a stage that changes
 * records and passes them to the next out
 *
 * A command puts records into the first out; the last one is a container.  A new stage or container is a struct whose first
 * member is a struct out, and a function NAME_new() that returns it; the command that has it builds the chain:
 * pcat_make_chain() in cmd/pcat/main.c, side_start() in cmd/pfilter/side.c, inject_chain() in cmd/pinject/main.c.  psort has
 * none, but a sink.
 *
 * Functions return 1, or -1 with the reason in the err that the caller of NAME_new() passed.
 */
#ifndef PP_OUT_H
#define PP_OUT_H

#include "perfpipe_inline.h"

struct out {
	/*
	 * Take a record.  `in': the source from which pp_payload() gets its payload (r->payload bytes).  stable: r->raw lies in
	 * the buffer of the source and is valid until flush(); else it is valid during the call only, as `in' always is.
	 */
	int	(*put)(struct out *, struct pp_source *in, const struct pp_rec *r, bool stable);
	/*
	 * Of a container: write or copy all records that were put `stable', because the source is about to overwrite them.
	 * wait: the next read may have to wait (pp_may_wait() of the source), so write all buffered bytes as well.  NULL in a
	 * stage.
	 */
	int	(*flush)(struct out *, bool wait);
	/*
	 * Of a container that is used without a source (put() with `in' NULL): take the next n bytes of the last record's
	 * payload, valid until flush().  NULL: not supported.
	 */
	int	(*payload)(struct out *, const uint8_t *p, size_t n);
	/* End of the input: write what is held, call finish() of the next out, free this one. */
	int	(*finish)(struct out *);
	struct out *next;	/* of a stage; NULL in a container */
	/*
	 * A stage sets it while it does nothing with SAMPLEs but to pass them on: who has one may put it into out_for_sample()
	 * instead.
	 */
	bool	idle;
};

/* The first of the chain that is not idle. */
static inline struct out *
out_for_sample(struct out *o)
{
	while (o->idle)
		o = o->next;
	return o;
}

/* Write a record and its payload to a sink; stable: as above.  1, or -1. */
int	out_put(struct pp_sink *, struct pp_source *in, const struct pp_rec *r, bool stable);
/* finish() of an out that holds nothing and owns nothing but itself. */
int	out_finish(struct out *);

#endif
