/* SPDX-License-Identifier: ISC */
/*
 * sort.h - samples counted by keys: --sort, and histograms of them: --hist.
 *
 *	keys.c		the keys: what they are called, and their values in a record
 *	sort.c		counts records by them
 *	tally.h		the same for most samples, quickly
 *	history.c	puts them into time order first, if a key depends on history
 *	values.c	what a record adds to the histogram of its row: --hist
 *	sorted.c	the rows as a table of the report
 *	rows.h, hists.h, bins.h, names.h	rows by keys, their histograms, bins of time, texts as numbers
 */
#ifndef PSTAT_SORT_H
#define PSTAT_SORT_H

#include "count.h"
#include "report.h"

struct sort;

/* By the arguments of --sort and --hist, of which one may be NULL; a wrong one exits 2. */
struct sort *sort_new(struct tool *, struct counts *, const char *keys, const char *hist);
/* --time-quantum (NULL: chosen by the times), and the rows of the report (0: all; those beyond are one row). */
void	sort_options(struct sort *, const char *quantum, unsigned top);
/* Add the tables to the report. */
void	sort_add(struct sort *, struct report *);
/* After count_init() and before the input is counted.  Exits 1 without memory. */
void	sort_begin(struct sort *);
/* After the input was counted; unit: all samples are of one event.  False: a limit was met. */
bool	sort_end(struct sort *, bool unit);
/* After sort_end(): which DSOs have samples, and are there with a build-id. */
void	sort_hit(const struct sort *, struct files_hit *);
void	sort_free(struct sort *);

#endif
