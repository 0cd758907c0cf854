/* SPDX-License-Identifier: ISC */
/*
 * buildid.h - build-ids of what is on this machine.  All return 1, or 0 and why there is none.
 * The names come from a recording: they lead to regular files or to nothing, and no file is trusted.
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
 * Of the file that process `pid' mapped as `dso': in that process's mount namespace if it is alive and in
 * another than ours.  A file on the same device under another inode is not the one that was mapped.
 */
int	buildid_file(struct build_id *, const struct pp_dso *dso, uint32_t pid, const char **why);
/* Of the running kernel. */
int	buildid_kernel(struct build_id *, const char **why);
/* Of a loaded module, by its name as a kernel map has it: "[xfs]" or "/lib/modules/.../xfs.ko.xz". */
int	buildid_module(struct build_id *, const struct pp_dso *dso, const char **why);
/* Of this process's vdso, which is every process's. */
int	buildid_vdso(struct build_id *, const char **why);

#endif
