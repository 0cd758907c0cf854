/* SPDX-License-Identifier: ISC */
/* spare.h - a temporary file that is opened beforehand, for sources of a process that can open none later */
#ifndef PP_SPARE_H
#define PP_SPARE_H

#include "perfpipe_inline.h"

/*
 * Open a temporary file for any number of sources.  If it cannot be opened, a source that needs it fails with that error.  NULL:
 * out of memory.
 */
struct pp_spare *pp_spare_new(void);
void	pp_spare_free(struct pp_spare *);
/* pp_open_fd() of a source that uses that file; NULL: it opens its own.  Close the source before the file. */
struct pp_source *pp_open_spare(int fd, const char *name, unsigned flags, struct pp_spare *, struct pp_err *);

#endif
