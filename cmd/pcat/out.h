/* SPDX-License-Identifier: ISC */
/*
 * out.h - where pcat's records go: a container, or a change on the way to one.
 *
 * main.c reads records and puts them into the first `out'; a change (join, compat, ...) hands on to the next;
 * the last one is a container (stream, seekable file, CPU profile).
 */
#ifndef PCAT_OUT_H
#define PCAT_OUT_H

#include "tool.h"

struct out {
	/*
	 * Take a record.  `in' is where its payload (r->payload bytes) still has to be fetched from by pp_payload().
	 * r->raw lies in the source's buffer if `stable', else it is good only during the call.  1, or -1 with the
	 * text in an err that the maker of this out was given.
	 */
	int	(*put)(struct out *, struct pp_source *in, const struct pp_rec *r, bool stable);
	/*
	 * Of a container: the source is about to overwrite what was put `stable', so be done with it; `wait' (say
	 * pp_may_wait() of the source): the next read may have to wait, so write all.  Changes have none.
	 */
	int	(*flush)(struct out *, bool wait);
	/* The end of the input: write what is held back, hand on, free.  1, or -1.  */
	int	(*finish)(struct out *);
	struct out *next;	/* of a change; NULL: a container */
};

struct out_pack {			/* -z */
	int	 level;			/* 1 to 22; 0: no compression */
	bool	 two;			/* COMPRESSED2 */
	unsigned workers;		/* zstd's, beside us */
};

#endif
