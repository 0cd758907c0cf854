/* SPDX-License-Identifier: ISC */
/* diff.h - two reports beside each other: pstat --diff. */
#ifndef PSTAT_DIFF_H
#define PSTAT_DIFF_H

#include "merge.h"

struct diff;

/* Rows of the table `sort' if both reports have it, else of `comms'.  NULL: they cannot be compared, see the tool's in_err. */
struct diff *diff_new(struct tool *, struct merge *a, struct merge *b, bool sorted);
/* Add the tables to the report. */
void	diff_add(const struct diff *, struct report *);
/* For people; the first so many rows (0: all). */
void	diff_screen(FILE *, const struct diff *, size_t top);
/* Were both inputs read to their ends? */
bool	diff_complete(const struct diff *);
void	diff_free(struct diff *);

#endif
