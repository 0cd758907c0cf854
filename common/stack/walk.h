/* SPDX-License-Identifier: ISC */
/*
 * walk.h - samples in the order of time, each with its frames
 *
 *  - A stack begins with the ip.  Then come the frames of the callchain: where a mode was left, and the return addresses, each
 *    less one, so that it lies in the call.  An address belongs to the map that the process had at the time of the sample.
 *    Of a chain that perf drops (record/chain.h), there is only the ip.
 *  - A sample whose user part is still to come (PERF_RECORD_CALLCHAIN_DEFERRED) waits for it.
 *  - With PERF_SAMPLE_READ each counter that has moved on is a sample of its event, as in perf.
 *
 * What a frame is, the user says: it gives a number to each address that it has not seen under the present maps.
 *
 * Functions that return int return 1, or -1: err has the reason, unless a function of the user's has returned -1.
 */
#ifndef PP_WALK_H
#define PP_WALK_H

#include "state/state.h"

struct walk_sample {
	uint64_t	 time, period;	/* time 0: it has none */
	uint32_t	 event, pid, tid;
	uint32_t	 depth;
	const uint32_t	*place;		/* numbers of place(); the innermost first */
};

struct walk_user {
	void	*arg;
	/* For each sample when it arrives: 1; 0: it is not wanted; -1.  NULL: all are. */
	int	(*wants)(void *arg, const struct pp_event *, uint32_t pid);
	/* A sample has its turn, before its frames are asked for.  1, or -1.  NULL: nothing is to be done. */
	int	(*begin)(void *arg);
	/* The number of an address in that map; NULL: it is in none.  Not 0. */
	uint32_t (*place)(void *arg, const struct pp_map *, unsigned mode, uint64_t ip);
	/* 1, or -1 */
	int	(*sample)(void *arg, const struct walk_sample *);
	/* The record is malformed.  -1 */
	int	(*reject)(void *arg, const struct pp_rec *, const char *cause);
};

struct walk;
/*
 * memory: a limit in bytes, approximately, for what waits for its turn; a third of it for samples that wait for their user part.  A
 * fourth of that, and at most 12 MiB, is used beside for where addresses were found.
 */
struct walk *walk_new(const struct walk_user *, size_t memory, struct pp_err *err);
void	walk_free(struct walk *);
/* Before the first record.  Side-band is fed to the state. */
void	walk_use(struct walk *, const struct pp_events *, struct pp_state *);
/*
 * Before the first record: somebody else wants turns in the same order of time, by the same state.  own(): what walk_put_own() was given has its
 * turn.  1, or -1.  Records are fed to the state, too, on which no stack depends.
 */
typedef int	walk_own(void *arg, uint64_t time, const void *);
void	walk_share(struct walk *, walk_own *, void *arg);
/* A record of the kernel's. */
int	walk_put(struct walk *, const struct pp_rec *);
/* n bytes for own(), at most WALK_OWN, which are copied; the time is not 0. */
enum { WALK_OWN = 128 };
int	walk_put_own(struct walk *, uint64_t time, const void *, size_t n);
/* A FINISHED_ROUND. */
int	walk_round(struct walk *);
/* All that waits has its turn. */
int	walk_end(struct walk *);
/* The numbers of places are no longer valid. */
void	walk_forget(struct walk *);
/* How many records were fed to the state. */
uint64_t walk_fed(const struct walk *);
/* Is the state at its limit (pp_state_limit())?  No more is taken. */
bool	walk_full(const struct walk *);

struct walk_losses {
	uint64_t	 early;		/* records that had their turn too early, as the memory was used up */
	uint64_t	 alone;		/* samples without their user part, ... */
	uint64_t	 crowded_out;	/* ... because too many waited for theirs */
	uint64_t	 dropped;	/* call chains with an unknown context marker, which perf drops, too */
};
struct walk_losses walk_losses(const struct walk *);

#endif
