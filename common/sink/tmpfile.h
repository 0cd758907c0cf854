/* SPDX-License-Identifier: ISC */
/* tmpfile.h - temporary files without a name: no other process can open them, and they vanish when they are closed */
#ifndef PP_TMPFILE_H
#define PP_TMPFILE_H

#include "perfpipe.h"

/* Create one in `dir' (NULL: $TMPDIR, or /tmp).  Its descriptor, which the caller closes; -1 with errno. */
int	pp_tmpfile(const char *dir);
/* Write all n bytes.  1, or -1 with errno. */
int	pp_tmpfile_write(int fd, const uint8_t *p, size_t n);
/* Write all n bytes to that offset; read them from there.  1; 0: the file ends before; -1 with errno. */
int	pp_tmpfile_write_at(int fd, const void *, size_t n, uint64_t off);
int	pp_tmpfile_read_at(int fd, void *to, size_t n, uint64_t off);
/* Like pp_tmpfile(), in the directory of a descriptor. */
int	pp_tmpfile_at(int dir);
/* Always -1: sets the error, with code PP_ERR_TEMPORARY, to "temporary file: DOING: WHY", or without DOING (NULL). */
int	pp_tmpfile_fail(struct pp_err *, const char *doing, const char *why);
/* The directory that pp_tmpfile(dir) uses. */
const char *pp_tmpdir(const char *dir);

#endif
