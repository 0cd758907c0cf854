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
/* A side, 0 is A: the name of its input; are its counts exact? */
const char *diff_file(const struct diff *, int side);
bool	diff_exact(const struct diff *, int side);
/*
 * Half of the interval in which the difference of two shares, of n in all, is with a confidence of 95 %: 2 standard deviations.
 */
double	diff_error(uint64_t n_a, uint64_t all_a, uint64_t n_b, uint64_t all_b);
/* The form for people, of a report with these tables. */
report_form	diff_screen;
/* Were both inputs read to their ends? */
bool	diff_complete(const struct diff *);
void	diff_free(struct diff *);

#endif
