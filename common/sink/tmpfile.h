/* SPDX-License-Identifier: ISC */
/* tmpfile.h - temporary files that nobody else can open, and that are gone when they are closed */
#ifndef PP_TMPFILE_H
#define PP_TMPFILE_H

#include <stddef.h>
#include <stdint.h>

/* A descriptor of a new one in `dir' (NULL: $TMPDIR, or /tmp); -1 and errno. */
int	pp_tmpfile(const char *dir);
/* Write all: 1, or -1 and errno. */
int	pp_tmpfile_write(int fd, const uint8_t *p, size_t n);
/* The same in the directory of that descriptor. */
int	pp_tmpfile_at(int dir);
/* The directory of pp_tmpfile(). */
const char *pp_tmpdir(const char *dir);

#endif
