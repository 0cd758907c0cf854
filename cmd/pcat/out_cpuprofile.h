/* SPDX-License-Identifier: ISC */
/* out_cpuprofile.h - the container "gperftools CPU profile" */
#ifndef PCAT_OUT_CPUPROFILE_H
#define PCAT_OUT_CPUPROFILE_H

#include "pprof/profile.h"
#include "sink/out.h"

/*
 * An output that writes a profile of one process: that of `what', or the only one that has samples (it is a failure if there are
 * several); and of one event: that of `what', or the first that has samples.  The file is the caller's as in out_stream.h.
 * finish() writes everything, and warns, with `tool', about what a profile cannot hold.  Without a sample it fails.  NULL:
 * failure.  `what' and `tool' must live as long.
 */
struct out *out_cpuprofile_new(struct atomic *file, const struct profile_what *what, const struct tool *);

#endif
