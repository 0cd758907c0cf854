/* SPDX-License-Identifier: ISC */
/* out_stream.h - the container "pipe-mode stream" */
#ifndef PP_OUT_STREAM_H
#define PP_OUT_STREAM_H

#include "out.h"

struct out_pack {			/* -z, and what a file is not to have */
	int	 level;			/* 1 to 22; 0: no compression */
	bool	 two;			/* COMPRESSED2 */
	unsigned threads;		/* beside us */
	uint64_t frame;			/* bytes of records in a zstd frame; 0: PP_FRAME_SIZE, UINT64_MAX: it never ends */
	const bool *without;		/* by number, 256: features that are not to be made for a file; NULL: make all */
};

/*
 * A stream into the sink, which finish() ends.  Writes the pipe header in the byte order of `in', and flushes whenever `in'
 * must refill, unless the caller takes that over by pp_before_refill().  `err' is that of the sink, which may be NULL: then
 * err says why.  NULL on failure; the sink is gone then, too.
 */
struct out *out_stream_new(struct pp_sink *, const struct out_pack *, struct pp_source *in, struct pp_err *err);

#endif
