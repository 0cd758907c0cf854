/* SPDX-License-Identifier: ISC */
/* out_file.h - the container "seekable perf.data", as perf record writes it */
#ifndef PP_OUT_FILE_H
#define PP_OUT_FILE_H

#include "out_stream.h"

/*
 * A perf.data in the byte order of `in', flushed whenever `in' must refill, unless the caller takes that over by
 * pp_before_refill().  The file is the caller's as in out_stream.h; one that is `direct' fails.  Temporary files stand in
 * the same directory, so the caller may not yet have confined itself, and not until finish().  NULL on failure, with the
 * text in file->err.
 */
struct out *out_file_new(struct atomic *file, const struct out_pack *, struct pp_source *in);

#endif
