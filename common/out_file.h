/* SPDX-License-Identifier: ISC */
/* out_file.h - the container "seekable perf.data", as perf record writes it */
#ifndef PP_OUT_FILE_H
#define PP_OUT_FILE_H

#include "out_stream.h"

/*
 * A perf.data that gets its name when it is whole; one that exists is replaced only by `force'.  In the byte order
 * of `in', flushed whenever `in' must refill, unless the caller takes that over by pp_before_refill().  Temporary
 * files stand in the same directory, so the caller may not yet have confined itself, and not until finish().
 * NULL on failure; err and path must live as long.
 */
struct out *out_file_new(const char *path, bool force, const struct out_pack *, struct pp_source *in,
	    struct pp_err *err);

#endif
