/* SPDX-License-Identifier: ISC */
/* out_stream.h - the container for a pipe-mode stream */
#ifndef PP_OUT_STREAM_H
#define PP_OUT_STREAM_H

#include "out.h"

struct out_pack {			/* compression (-z), and features that a file must not have */
	int	 level;			/* of zstd, 1 to 22; 0: no compression */
	bool	 two;			/* write COMPRESSED2 instead of COMPRESSED */
	unsigned threads;		/* in addition to the calling one */
	uint64_t frame;			/* bytes of records in a zstd frame; 0: PP_FRAME_SIZE, UINT64_MAX: one frame without end */
	const bool *without;		/* 256 elements by number: the feature is not for the file; NULL: all are */
};

/*
 * A container that writes a stream into `sink'.  It writes the pipe header in the byte order of `in', and is flushed when `in'
 * refills its buffer, unless the caller sets pp_before_refill() itself.  It owns `sink' (NULL is allowed: opening it has failed
 * and err has the reason); err is the sink's.  NULL on failure; the sink is freed then.
 */
struct out *out_stream_new(struct pp_sink *, const struct out_pack *, struct pp_source *in, struct pp_err *err);

#endif
