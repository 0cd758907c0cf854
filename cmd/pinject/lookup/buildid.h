/* SPDX-License-Identifier: ISC */
/*
 * buildid.h - build-ids of files on this machine.  All functions return 1, or 0 and the reason why there is none.
 * The names are from a recording: only regular files are opened, and their contents are not trusted.
 */
#ifndef BUILDID_H
#define BUILDID_H

#include "state/state.h"

enum { BUILD_ID_MAX = 20 };		/* bytes in a record; longer ids are cut, as perf does */

struct build_id {
	uint8_t		 b[BUILD_ID_MAX];
	size_t		 len;
};

/*
 * Of the file that process `pid' mapped as `dso', in the mount namespace of the process if it still runs.  A file on the same
 * device with another inode is not the mapped file.
 */
int	buildid_file(struct build_id *, const struct pp_dso *dso, uint32_t pid, const char **why);
/* Of the running kernel. */
int	buildid_kernel(struct build_id *, const char **why);
/* Of a loaded module, by its name as a kernel map has it: "[xfs]" or "/lib/modules/.../xfs.ko.xz". */
int	buildid_module(struct build_id *, const struct pp_dso *dso, const char **why);
/* Of the vdso, which is the same in all processes. */
int	buildid_vdso(struct build_id *, const char **why);

#endif
