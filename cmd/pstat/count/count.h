/* SPDX-License-Identifier: ISC */
/* count.h - all that pstat counts, in one pass over the records. */
#ifndef PSTAT_COUNT_H
#define PSTAT_COUNT_H

#include "facts.h"
#include "files.h"
#include "lane.h"
#include "losses.h"
#include "record/total.h"
#include "tasks.h"
#include "tool/tool.h"

enum {
	COUNT_TYPES = 128,		/* types counted by number */
	COUNT_ODD = 16,			/* further types, as in a damaged stream */
	COUNT_IDS = 512,		/* cached ids of events */
};

struct tally;				/* tally/tally.h */
struct quick;				/* tally/quick.h */
struct behind;				/* count/behind.h */
struct event_count {
	uint64_t samples, period;	/* as perf delivers them: with READ, one for each member that moved on */
	uint64_t records, bytes;	/* SAMPLE records */
	uint64_t lost, lost_samples;	/* sums of LOST, LOST_SAMPLES: the kernel counts a loss in both */
	uint64_t filtered;		/* sum of LOST_SAMPLES of a BPF filter */
	/* offsets in its samples, from the plan */
	uint16_t time, tid, period_at, size;
	bool	 chain, read, whole;	/* has a call chain; has READ; must be parsed completely */
	bool	 slow;			/* is `whole', or `first' is not 0 */
	uint8_t	 first;			/* samples that those who want the first ones have still to see */
	uint64_t default_period;
	uint32_t wanted;		/* bits of those in the lane that see its samples; these two count them without: */
	const struct tally *tally;
	struct quick *quick;
};

struct type_count { uint32_t type; uint64_t records, bytes; };

struct order {
	uint64_t first, last;		/* times */
	uint64_t timed, prev;
	uint64_t timed_again, rounds_again;	/* of these: those that another piece counts (--piece) */
	uint64_t backward, depth;	/* records older than the previous one; maximum difference to the newest, ns */
	uint64_t rounds;
	uint64_t next, flushed, queued;	/* perf's two-round rule: see count_round() */
	uint64_t late, late_depth;	/* late records; maximum difference to the watermark, ns */
	uint64_t round_from, round_bytes;	/* bytes before this round; bytes of the largest round */
	/* before this round, and the one before it: timed records, bytes */
	struct { uint64_t timed, bytes; } from[2];
	uint64_t held, held_bytes, held_ns;	/* the most that waits for its turn in time order, at most */
};

struct content {			/* bytes of fields of SAMPLE records; the rest are fixed fields */
	uint64_t chains, stacks, raw, branches, regs;
};

enum { TOTALS_MAX = 16 << 10 };	/* READ totals that are kept */

struct counts {
	struct tool	*tool;
	uint64_t	 records, bytes;	/* bytes include payloads */
	struct type_count type[COUNT_TYPES], odd[COUNT_ODD], more;	/* SAMPLE: by event */
	struct event_count *ev;
	unsigned	 nev;
	struct order	 order;
	struct content	 content;
	struct losses	 losses;
	struct tasks	 tasks;
	struct pp_totals totals;		/* of PERF_SAMPLE_READ */
	uint64_t	 reads_back, reads_unknown;	/* values less than the one before; with an id of no event */
	struct lane	 lane;
	struct behind	*behind;	/* sees the order of all records; NULL: none; needs somebody in the lane, too */
	/* for those in the lane, of the last sample: its event, its time (0: none), its task as tasks_key() */
	struct { const struct event_count *event; uint64_t time, key; } seen;
	/* members of the last READ that counted as samples */
	struct { uint64_t period; unsigned event; } moved[PP_RECORD_MAX / 16];
	unsigned	 nmoved;
	uint64_t	 reads_over;		/* values for which `totals' had no space: they count as 0 */
	struct facts	 facts;
	struct files	 files;		/* those of executable maps */
	uint16_t	 id_off;	/* as pp_events.id_off */
	struct { uint64_t id; struct event_count *ev; } ids[COUNT_IDS];
};

void	count_init(struct counts *, struct tool *);
/* Are the samples of that LOST_SAMPLES record not lost, but left out by a BPF filter? */
static inline bool
count_is_filtered(const struct pp_rec *r)
{
	return r->misc >> 15 & 1;	/* PERF_RECORD_MISC_LOST_SAMPLES_BPF */
}
/* Count the whole input.  A fault is in the tool's in_err; the counts are those before the fault. */
void	count_all(struct counts *);
void	count_free(struct counts *);
/* The losses of an event: by LOST_SAMPLES if there are any, else by LOST. */
static inline uint64_t
count_losses(const struct event_count *e)
{
	return e->lost_samples ? e->lost_samples : e->lost;
}
/* The sum over all events. */
void	count_sum(const struct counts *, struct event_count *sum);
/* Are the periods of its samples durations, as pfilter --span-period makes them? */
static inline bool
count_is_duration(const struct pp_event *ev)
{
	return ev->unit && !strcmp(ev->unit, "ns");
}
/*
 * The types that occurred, by number.  Returns the number of rows, at most COUNT_TYPES + COUNT_ODD + 1.  The type UINT32_MAX
 * is the sum of all further types.  COMPRESSED records have no bytes: their expanded records are counted.
 */
size_t	count_types(const struct counts *, struct type_count *rows);

#endif
