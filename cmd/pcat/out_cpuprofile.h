/* SPDX-License-Identifier: ISC */
/* out_cpuprofile.h - the container "gperftools CPU profile" */
#ifndef PCAT_OUT_CPUPROFILE_H
#define PCAT_OUT_CPUPROFILE_H

#include "sink/out.h"
#include "tool/tool.h"

struct out_cpuprofile {
	int64_t	 pid;			/* -1: the only one that has samples; more are a failure */
	const char *event;		/* by its name; NULL: the first that has samples */
};

/*
 * A profile; the file is the caller's as in out_stream.h.  All is written by finish(), which also tells the user, in the
 * name of `tool', what a profile can't say; without a sample it fails.  NULL on failure; what and tool must live as long.
 */
struct out *out_cpuprofile_new(struct atomic *file, const struct out_cpuprofile *what, const struct tool *);

#endif
