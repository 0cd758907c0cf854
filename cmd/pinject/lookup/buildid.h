/* SPDX-License-Identifier: ISC */
/*
 * buildid.h - build-ids of files on this machine.  All functions return 1, or 0 and the reason why there is none.
 * The contents of files are not trusted.
 */
#ifndef BUILDID_H
#define BUILDID_H

#include "state/state.h"
#include "symbol/notes.h"

#define BUILDID_NOT_ELF "not an ELF file"	/* a reason: it can have none */

/* Of an ELF file. */
int	buildid_fd(struct build_id *, int fd, const char **why);
/* Of the running kernel. */
int	buildid_kernel(struct build_id *, const char **why);
/* Of a loaded module, by its name as a kernel map has it: "[xfs]" or "/lib/modules/.../xfs.ko.xz". */
int	buildid_module(struct build_id *, const struct pp_dso *dso, const char **why);
/*
 * Of the vdso of a process, mapped at start (0: unknown).  Ours is that of all processes of our width.  That of a 32-bit process is read
 * from the process; a 32-bit program cannot read that of a 64-bit one.
 */
int	buildid_vdso(struct build_id *, uint32_t pid, uint64_t start, const char **why);
int	buildid_vdso_own(struct build_id *);

#endif
