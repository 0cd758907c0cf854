/* SPDX-License-Identifier: ISC */
/*
 * manifest_out.h - writes a manifest (join/manifest.h): of the parts of --switch-output, or of recordings that are there
 * (--make-manifest)
 */
#ifndef PCAT_MANIFEST_OUT_H
#define PCAT_MANIFEST_OUT_H

#include "options.h"

struct manifest_out;

/* --make-manifest.  The exit status. */
int	manifest_make(struct tool *, const struct options *);

/*
 * Before tool_lock(): create the manifest at path (NULL: standard output), whose parts are in `dir' ("" or with a slash at its end).
 * Exits 2 if that is not below the directory of the manifest.
 */
struct manifest_out *manifest_out_new(struct tool *, const char *path, const char *dir);
/* Add a part that is complete, of a path in `dir'; and forget one that was removed.  1, or -1: err has the reason. */
int	manifest_out_add(struct manifest_out *, const char *path, struct pp_err *err);
void	manifest_out_forget(struct manifest_out *, const char *path);
/* Write it; tool_close() gives it its name, and then it is freed.  NULL is allowed. */
void	manifest_out_finish(struct manifest_out *);
void	manifest_out_free(struct manifest_out *);

#endif
