/* SPDX-License-Identifier: ISC */
/* index.h - --index: an index for each input */
#ifndef PCAT_INDEX_H
#define PCAT_INDEX_H

#include "options.h"

/* Write the index of each input.  The exit status. */
int	index_inputs(struct tool *, const struct options *);

#endif
