/* SPDX-License-Identifier: ISC */
/*
 * formats.h - formats of tracepoints for a recording that lost its own (--formats-from): TRACING_DATA of another
 * recording, or what a directory such as /sys/kernel/tracing says.
 */
#ifndef PCAT_FORMATS_H
#define PCAT_FORMATS_H

#include "sink/out.h"
#include "tool/tool.h"

struct formats;
/*
 * Take them in from `path', a recording or a directory; no file is needed after that.  NULL, with the text in err, which
 * is about `path'; it must live as long.  Freed by formats_free().
 */
struct formats *formats_load(const struct tool *, const char *path, struct pp_err *err);
/*
 * In front of the first record behind the head goes TRACING_DATA, if the recording has tracepoints but no such record; then
 * the formats must be there for all of them.  `like' has the byte order of the records.  NULL: no memory; err, which is
 * about the recording, must live as long.
 */
struct out *formats_new(const struct tool *, struct formats *, struct pp_source *like, struct out *next, struct pp_err *err);
void	formats_free(struct formats *);

#endif
