/* SPDX-License-Identifier: ISC */
/* count.h - all that pstat counts, in one pass over the records. */
#ifndef PSTAT_COUNT_H
#define PSTAT_COUNT_H

#include "facts.h"
#include "files.h"
#include "losses.h"
#include "record/total.h"
#include "tasks.h"
#include "tool/tool.h"

enum {
	COUNT_TYPES = 128,		/* types counted by number */
	COUNT_ODD = 16,			/* further types, as in a damaged stream */
	COUNT_IDS = 512,		/* cached ids of events */
};

struct tally;				/* sort/tally.h */
struct quick;				/* picture/quick.h */
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
	uint8_t	 first;			/* samples that those who glance have still to see */
	uint64_t default_period;
	const struct tally *tally;	/* of its samples; NULL: the visitors see them */
	struct quick *quick;		/* of its samples; NULL: sampled() sees them */
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

/*
 * Sees each record after it was counted; !sound: it could not be, and the tool's in_err says why.  1: go on; 0: the fault ends
 * the reading.
 */
typedef int	count_visit(void *arg, const struct pp_rec *, bool sound);
enum { COUNT_VISITORS = 32, COUNT_GLANCES = 2, COUNT_FIRST = 64 };
/*
 * Sees each sample without `quick': key is that of tasks_key(), time 0 if it has none; of one with READ, `moved' has the members
 * that count.
 */
typedef void	count_sample_fn(void *arg, unsigned event, const struct pp_rec *, uint64_t time, uint64_t key);

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
	struct { count_visit *fn; void *arg; bool samples; } visitor[COUNT_VISITORS];
	unsigned	 nvisitors, nsamples;	/* nsamples: those that see samples */
	count_sample_fn	*sampled;	/* NULL: none; needs a visitor, too */
	void		*sampled_arg;
	struct behind	*behind;	/* sees the order of all records; NULL: none; needs a visitor, too */
	/* for visitors, of the last sample: its event, and its time (0: none) */
	struct { const struct event_count *event; uint64_t time; } seen;
	struct { count_visit *fn; void *arg; } glance[COUNT_GLANCES];
	unsigned	 nglances;
	uint8_t		 first;		/* COUNT_FIRST, or 0: nobody glances */
	const struct tally *tallied;	/* the sample being visited has been added to a row of it; NULL: to none */
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
/* Before count_all(): call that for each record, or for each that is no sample, or is not sound. */
void	count_visit_by(struct counts *, count_visit *, void *arg);
void	count_visit_others_by(struct counts *, count_visit *, void *arg);
/*
 * Before count_all(), without visitors: call that for the first COUNT_FIRST samples of each event, the first COUNT_FIRST other
 * records of each type of the kernel and FINISHED_ROUNDs, all other records of perf's own, and the record that ends the reading
 * as it could not be counted.  What it returns is ignored.  Later samples are not examined.
 */
void	count_glance_by(struct counts *, count_visit *, void *arg);
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
/*
 * The types that occurred, by number.  Returns the number of rows, at most COUNT_TYPES + COUNT_ODD + 1.  The type UINT32_MAX
 * is the sum of all further types.  COMPRESSED records have no bytes: their expanded records are counted.
 */
size_t	count_types(const struct counts *, struct type_count *rows);

#endif
