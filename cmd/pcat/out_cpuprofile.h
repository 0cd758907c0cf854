/* SPDX-License-Identifier: ISC */
/* out_cpuprofile.h - the container "gperftools CPU profile" */
#ifndef PCAT_OUT_CPUPROFILE_H
#define PCAT_OUT_CPUPROFILE_H

#include "sink/out.h"
#include "tool/tool.h"

struct out_cpuprofile {
	int64_t	 pid;			/* -1: the only process with samples; it is a failure if there are several */
	const char *event;		/* name of the event; NULL: the first event with samples */
};

/*
 * An output that writes a profile; the file is the caller's as in out_stream.h.  finish() writes everything, and warns, with
 * `tool', about what a profile cannot hold.  Without a sample it fails.  NULL: failure.  `what' and `tool' must live as long.
 */
struct out *out_cpuprofile_new(struct atomic *file, const struct out_cpuprofile *what, const struct tool *);

#endif
