/* SPDX-License-Identifier: ISC */
/* out_cpuprofile.h - the container "gperftools CPU profile" */
#ifndef PCAT_OUT_CPUPROFILE_H
#define PCAT_OUT_CPUPROFILE_H

#include "out.h"

struct out_cpuprofile {
	int64_t	 pid;			/* -1: the only one that has samples; more are a failure */
	const char *event;		/* by its name; NULL: the first that has samples */
};

/*
 * A profile to stdout (NULL or "-"), or to a file that gets its name when it is whole; one that exists is replaced
 * only by `force'.  All is written by finish(), which also tells the user, in the name of `tool', what a profile
 * can't say; without a sample it fails.  NULL on failure; what, tool, err and path must live as long.
 */
struct out *out_cpuprofile_new(const char *path, bool force, const struct out_cpuprofile *what,
	    const struct tool *, struct pp_err *err);

#endif
