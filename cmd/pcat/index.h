/* SPDX-License-Identifier: ISC */
/* index.h - --index: an index for each input; --write-index: that of the output */
#ifndef PCAT_INDEX_H
#define PCAT_INDEX_H

#include "options.h"

/* Write the index of each input.  The exit status. */
int	index_inputs(struct tool *, const struct options *);

struct index_output {			/* begins zeroed */
	struct atomic	 file;
	struct pp_err	 err;
	char		*path;
};
/* Open the index of the -o file, before the lock. */
void	index_output_open(struct index_output *, struct tool *);
/* The output is complete, but not named: read it, and write its index.  1, or -1, with a message. */
int	index_output_write(struct index_output *, const struct tool *, const struct options *);
void	index_output_close(struct index_output *);

#endif
