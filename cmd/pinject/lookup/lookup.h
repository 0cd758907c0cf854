/* SPDX-License-Identifier: ISC */
/*
 * lookup.h - build-ids of files on this machine, for names that come from a recording.
 *
 * The process that reads the recording can open no file (tool_lock()).  A second one, forked before, opens and reads what the
 * first one names, and sends a build-id back.  It is confined by seccomp: it can write nothing but its answers, make no other
 * process, run no program.  (Landlock would refuse it /proc/PID/root, where files of containers are.)
 */
#ifndef LOOKUP_H
#define LOOKUP_H

#include <sys/utsname.h>

#include "buildid.h"
#include "tool/tool.h"

struct lookup {
	int	 fd;			/* to the second process; -1: it has ended */
	struct utsname us;		/* of this machine */
};

enum lookup_kind { LOOKUP_FILE, LOOKUP_KERNEL, LOOKUP_MODULE };

/* Before tool_open(): fork the second process, which ends with this one.  Failure exits 1. */
void	lookup_start(struct lookup *, struct tool *);
/* As buildid_file() and so on, by the second process.  *why is valid until the next call. */
int	lookup_id(struct lookup *, enum lookup_kind, struct build_id *, const struct pp_dso *, uint32_t pid, const char **why);
void	lookup_end(struct lookup *);

#endif
