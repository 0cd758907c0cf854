/* SPDX-License-Identifier: ISC */
/* out_file.h - the container "seekable perf.data", as perf record writes it */
#ifndef PP_OUT_FILE_H
#define PP_OUT_FILE_H

#include "out_stream.h"

struct out_file_at {		/* the caller's, to be closed behind finish() */
	int	 fd;			/* the file: empty, opened to read and write */
	int	 dir;			/* a directory for temporary files, which are made until finish(); -1: fd is no regular file */
};
/*
 * A perf.data in the byte order of `in', flushed whenever `in' must refill, unless the caller takes that over by
 * pp_before_refill().  The sink writes to the file, and is ended by finish(); `err' is that of the sink, which may be NULL:
 * then err says why.  NULL on failure, also if it is no regular file; the sink is gone then, too.
 */
struct out *out_file_new(struct pp_sink *, const struct out_file_at *, const struct out_pack *, struct pp_source *in,
	    struct pp_err *err);

#endif
