/* SPDX-License-Identifier: ISC */
/*
 * out.h - where records go: a container, or a change on the way to one.
 *
 * A command puts records into the first `out'; a change (pcat's compat, pfilter's columns ...) hands on to the next;
 * the last one is a container (stream, seekable file, CPU profile).
 */
#ifndef PP_OUT_H
#define PP_OUT_H

#include "perfpipe_inline.h"

struct out {
	/*
	 * Take a record.  `in' is where its payload (r->payload bytes) still has to be fetched from by pp_payload().
	 * r->raw lies in the source's buffer if `stable', else it and `in' are good only during the call.  1, or -1 with the
	 * text in an err that the maker of this out was given.
	 */
	int	(*put)(struct out *, struct pp_source *in, const struct pp_rec *r, bool stable);
	/*
	 * Of a container: the source is about to overwrite what was put `stable', so be done with it; `wait' (say
	 * pp_may_wait() of the source): the next read may have to wait, so write all.  Changes have none.
	 */
	int	(*flush)(struct out *, bool wait);
	/*
	 * Of a container that can be written without a source: put() was called with `in' NULL, and these are the next n bytes
	 * of the record's payload.  They stay as they are until flush().  1, or -1.
	 */
	int	(*payload)(struct out *, const uint8_t *p, size_t n);
	/* The end of the input: write what is held back, hand on, free.  1, or -1.  */
	int	(*finish)(struct out *);
	struct out *next;	/* of a change; NULL: a container */
};

/* Write a record and its payload to a sink: `stable' as above.  1, or -1. */
int	out_put(struct pp_sink *, struct pp_source *in, const struct pp_rec *r, bool stable);

#endif
