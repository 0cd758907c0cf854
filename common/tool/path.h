/* SPDX-License-Identifier: ISC */
/* path.h - a name below a root, walked by its components: names of a recording, or below a directory that nobody may lead out of */
#ifndef PP_PATH_H
#define PP_PATH_H

#include <stdbool.h>

/*
 * A descriptor by O_PATH of a name below a root, or -1: errno.  root: an open directory, or AT_FDCWD: ours.  A name that leads out of it
 * ends at the root, or is refused (`beneath').  A link as the last component is followed, or opened itself.
 */
int	path_open(int root, const char *name, bool beneath, bool follow);

#endif
