/* SPDX-License-Identifier: ISC */
/* chunks.h - --chunks: what a recording holds, part by part */
#ifndef PCAT_CHUNKS_H
#define PCAT_CHUNKS_H

#include "options.h"

/* Print the table.  The exit status. */
int	chunks_print(struct tool *, const struct options *);

#endif
