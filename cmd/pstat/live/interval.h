/* SPDX-License-Identifier: ISC */
/*
 * interval.h - what each interval of time has, while the input is read.
 *
 * Intervals begin at multiples of their length, on the clock of the recording.  A record counts in the interval of its time; one
 * without a time in that of the newest record.  Intervals stay open until no record of them can come, which is by perf's rounds;
 * if the first 16 MiB have no FINISHED_ROUND, from then on until the next interval has passed, too.  A record that comes later
 * than that counts in the newest interval, and is `late' there: so the sums over all intervals are those of the report.
 * With keys of --sort that depend on history, an interval also stays open until its samples have had their turn; what is counted
 * later, counts in the newest one.
 */
#ifndef PSTAT_LIVE_INTERVAL_H
#define PSTAT_LIVE_INTERVAL_H

#include "count/count.h"
#include "tally/rows.h"

enum { INTERVAL_TOPS = 8, INTERVAL_NAME = 64 };

struct interval_top {
	char	 name[INTERVAL_NAME];	/* as recorded: not safe to print */
	uint32_t pid;			/* of a process */
	uint64_t samples;
};
struct interval {
	bool	 timed;			/* false: no record of the input has a time so far */
	uint64_t start;			/* ns */
	uint64_t empty;			/* intervals without a record between the one before and this */
	uint64_t records, bytes, samples;
	uint64_t lost, lost_samples;	/* of LOST and LOST_SAMPLES records, which may say the same twice */
	uint64_t throttled, late;
	uint64_t disorder;		/* ns by which a record was older than the newest before it, at most */
	bool	 exact;			/* false: there were too many threads or keys to count each */
	/* by descending samples; a comm is the one that a thread had at its last sample in the interval */
	struct interval_top comm[INTERVAL_TOPS], process[INTERVAL_TOPS];
	unsigned ncomms, nprocesses;
	/* by the keys of --sort, most samples first: cells of sort_cell(); rest: samples of those that had no row */
	const struct row *row;
	uint32_t nrows;
	uint64_t rest;
	struct hists *hists;		/* with --columns: of `hist' of rows, and of */
	uint32_t rest_hist;		/* ... those that had none */
};
/* The interval is over. */
typedef void	interval_done(void *arg, const struct interval *);

struct intervals;
struct sort;
/* every: ns, at least 1 ms; sort: whose keys intervals have, too; NULL: none. */
struct intervals *intervals_new(struct counts *, uint64_t every, struct sort *, interval_done *, void *arg);
/* after count_init(), and in the lane behind that sort, which then has counted what a FINISHED_ROUND releases */
lane_fn	intervals_record;
/* Nothing comes at present: do not wait for late records of intervals that have passed.  Was one closed? */
bool	intervals_idle(struct intervals *);
/* The end of the input: close all. */
void	intervals_end(struct intervals *);
void	intervals_free(struct intervals *);

#endif
