/* SPDX-License-Identifier: ISC */
/*
 * hists.h - the histograms of the rows of --sort, in bounded memory: a histogram has space for the powers of two that it uses.
 */
#ifndef PSTAT_HISTS_H
#define PSTAT_HISTS_H

#include <stdbool.h>

#include "report/hist.h"
#include "report/report.h"

enum { HISTS_POWERS = HIST_BUCKETS / 16, HISTS_PARTS = 48 << 10 };	/* parts of 16 buckets, 6 MiB */

struct hists;
struct hists *hists_new(void);
void	hists_free(struct hists *);
/* Add a value, so many times, to the histogram of that number; *number 0: it gets one. */
void	hists_add(struct hists *, uint32_t *number, uint64_t value, uint64_t times);
/* Add the second histogram to the first, and free it. */
void	hists_merge(struct hists *, uint32_t *to, uint32_t *from);
/* A new histogram, the sum of `first' and of n others, whose numbers are so many bytes apart; 0: all are 0.  hists_drop() frees it. */
uint32_t hists_sum(struct hists *, uint32_t first, const uint32_t *number, uint32_t n, size_t apart);
void	hists_drop(struct hists *, uint32_t number);
/* Was there no space for some value? */
bool	hists_over(const struct hists *);

/* The cells of a histogram: count, sum, min, 4 percentiles, max, buckets. */
enum { HIST_COUNT, HIST_SUM, HIST_MIN, HIST_P50, HIST_P90, HIST_P99, HIST_P999, HIST_MAX, HIST_CELLS_BUCKETS, HIST_CELLS };
extern const struct column hist_columns[HIST_CELLS];
/* `to' has space for HIST_BUCKETS buckets, which the cells point to. */
void	hists_cells(const struct hists *, uint32_t number, struct cell cell[HIST_CELLS], struct bucket *to);
/* The mean, by other cells. */
struct cell hist_mean(const struct cell cell[HIST_CELLS]);
/* Set the percentiles by the other cells. */
void	hist_make(struct cell cell[HIST_CELLS]);

#endif
