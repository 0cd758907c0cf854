/* SPDX-License-Identifier: ISC */
/*
 * sort.h - samples counted by keys: --sort, and histograms of them: --hist.
 *
 *	keys.c		the keys: what they are called, and their values in a record
 *	sort.c		counts records by them
 *	tally.h		the same for most samples, quickly
 *	history.c	puts them into time order first, if a key depends on history
 *	children.c	counts samples by the functions of their call chains
 *	forget.c	lets names go when there are too many
 *	values.c	what a record adds to the histogram of its row: --hist
 *	sorted.c	the rows as a table of the report
 *	rows.h, hists.h, bins.h, names.h	rows by keys, their histograms, bins of time, texts as numbers
 */
#ifndef PSTAT_SORT_H
#define PSTAT_SORT_H

#include "count/count.h"
#include "report/report.h"
#include "tally/hists.h"
#include "tally/rows.h"

struct sort;
struct stacks;
/* The words of --columns, and how many there are. */
#define SORT_FIGURE_WORDS "count, sum, mean, min, p50, p90, p99, p999, max"
enum { SORT_FIGURES = 9 };

/* By the arguments of --sort and --hist, of which one may be NULL; a wrong one exits 2. */
struct sort *sort_new(struct tool *, struct counts *, const char *keys, const char *hist);
/* --columns, after it; a wrong one exits 2. */
void	sort_columns(struct sort *, const char *);
/*
 * Call fn() for each sample for which pick() is not 0, when its first key is known: in time order if that depends on history.
 * pick() is called at once, and fn() gets what it returned.  Time 0: the sample has none.
 */
typedef unsigned sort_pick(void *arg, unsigned event, const struct pp_rec *, uint32_t tid);
typedef void	sort_each_fn(void *arg, uint64_t key, uint64_t time, unsigned picked);
void	sort_each(struct sort *, sort_pick *, sort_each_fn *, void *arg);
/* Count only samples for which pick() is not 0, of one with READ only such members.  Before sort_begin(); no key may depend on history. */
void	sort_only(struct sort *, sort_pick *, void *arg);
/* Is the histogram of such samples?  Not if it is of all records, as that of rounds. */
bool	sort_hist_is_chosen(const struct sort *);
/*
 * Call fn() for each sample that is counted, with all keys; of --children for each function of its stack.  Before sort_begin().
 * keep() calls sort_keep() for all keys that are remembered; names of others are let go when there are too many.
 * sort_settled(): all samples up to that time, ns, have been counted, but for late ones.
 */
typedef void	sort_seen_fn(void *arg, const uint64_t key[ROWS_KEYS], uint64_t time, uint64_t period);
typedef void	sort_keep_fn(void *arg, const struct sort *);
void	sort_watch(struct sort *, sort_seen_fn *, sort_keep_fn *, void *arg);
void	sort_keep(const struct sort *, const uint64_t key[ROWS_KEYS]);
uint64_t sort_settled(const struct sort *);
/* The input flows: it does not wait long for names of functions (symbols_hurry()). */
void	sort_hurry(const struct sort *);
/* Most samples first, then by the keys. */
void	sort_rows(const struct sort *, struct row *, uint32_t n);
/* The column of a key, by number; NULL: there are not so many.  After sort_add(). */
const struct column *sort_column(const struct sort *, unsigned key);
/*
 * --columns: that one of a row, after sort_add(), NULL: there are not so many.  Are there some?  Their cells, of a histogram of periods.  Is it a
 * duration, as the periods of all samples so far are?
 */
const struct column *sort_figure(const struct sort *, unsigned column);
bool	sort_has_figures(const struct sort *);
void	sort_figures(const struct sort *, const struct hists *, uint32_t number, struct cell *);
bool	sort_figure_lasts(const struct sort *, unsigned column);
/* How many rows are shown; 0: all. */
unsigned sort_top(const struct sort *);
/* The first key: its name, NULL if there is none, and the cell of a value that sort_each() yielded. */
const char *sort_first(const struct sort *);
struct cell sort_first_cell(const struct sort *, uint64_t value);
/* What of pfilter selects by a key, of which option_of() (picture/option.h) makes the words; NO_OPTION also of a field of a payload. */
enum sort_option { NO_OPTION, BY_TASK, BY_CPU, BY_EVENT, BY_MODE, BY_COMM, BY_DSO, BY_CGROUP };
enum sort_option sort_option(const char *key);
/* The histogram of --hist of all rows: cells of hists.h; `to' has space for HIST_BUCKETS. */
void	sort_hist(struct sort *, struct cell *, struct bucket *to);
/*
 * After sort_end(): the rows summed up by that key alone, most samples first, and what has no row in *other.  The caller frees
 * them.
 */
struct sort_sum { uint64_t value; struct counted n; };
struct sort_sum *sort_sums(const struct sort *, unsigned key, size_t *n, struct counted *other);
/*
 * Before sort_begin(), without --hist: if periods are durations, which is known by the first sample, rows have histograms of them.  Are all
 * of them durations?  Then sums are sorted by the longest; cells of the histogram of all samples that have the key as one of n sums
 * (or, `others': as none of them).  `to' has space for HIST_BUCKETS.
 */
void	sort_measure(struct sort *);
bool	sort_measured(const struct sort *);
void	sort_sum_hist(struct sort *, unsigned key, const struct sort_sum *, size_t n, bool others, struct cell *, struct bucket *to);
struct cell sort_cell(const struct sort *, unsigned key, uint64_t value);
/* Add the tables to the report; NULL: there are none. */
void	sort_add(void *, struct report *);
/* After count_init() and before the input is counted.  Exits 1 without memory. */
void	sort_begin(struct sort *);
/*
 * Before or after that, and before a record of the kernel is counted: the keys comm and dso are those of the state that the stacks have, and
 * what waits for its turn does so there.
 */
void	sort_follow(struct sort *, struct stacks *);
/* After the input was counted; unit: all samples are of one event.  False: a limit was met. */
bool	sort_end(struct sort *, bool unit);
/* Of a merged report: all periods are durations, and (`hist') so are the values of histograms. */
void	sort_durations(struct sort *, bool hist);
/* Is that one of the keys of --sort? */
bool	sort_has_key(const char *keys, const char *key);
/* Is the value of that --hist one between two records, which nobody sees where a recording is cut? */
bool	sort_hist_is_between(const char *hist);
void	sort_free(void *);

#endif
