/* SPDX-License-Identifier: ISC */
/* diff.h - two reports beside each other: pstat --diff. */
#ifndef PSTAT_DIFF_H
#define PSTAT_DIFF_H

#include "merge.h"

struct diff;

/*
 * Rows of the table `sort' if both reports have it, else of `comms'; the first `top' (0: all) are on the screen.  NULL: they
 * cannot be compared, see the tool's in_err.
 */
struct diff *diff_new(struct tool *, struct merge *a, struct merge *b, bool sorted, unsigned top);
/* Add the tables to the report. */
void	diff_add(const struct diff *, struct report *);
/* The form for people, of a report with these tables. */
report_form	diff_screen;
/* Were both inputs read to their ends? */
bool	diff_complete(const struct diff *);
void	diff_free(struct diff *);

#endif
