/* SPDX-License-Identifier: ISC */
/*
 * formats.h - formats of tracepoints for a recording without TRACING_DATA (--formats-from), from the TRACING_DATA of another
 * recording or from a directory such as /sys/kernel/tracing.
 */
#ifndef PCAT_FORMATS_H
#define PCAT_FORMATS_H

#include "sink/out.h"
#include "tool/tool.h"

struct formats;
/*
 * Read the formats from `path', a recording or a directory.  No file stays open.  NULL: failure, with the text in err, whose
 * file is `path', which must live as long as the result.  The caller frees it with formats_free().
 */
struct formats *formats_load(const struct tool *, const char *path, struct pp_err *err);
/*
 * An output that writes TRACING_DATA after the head, if the recording has tracepoints but no TRACING_DATA.  It fails if the
 * format of a tracepoint is missing.  `like' has the byte order of the records.  err is about the recording, and must live as
 * long as the output.  NULL: no memory.
 */
struct out *formats_new(const struct tool *, struct formats *, struct pp_source *like, struct out *next, struct pp_err *err);
void	formats_free(struct formats *);

#endif
