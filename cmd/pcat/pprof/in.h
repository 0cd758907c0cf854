/* SPDX-License-Identifier: ISC */
/*
 * in.h - the parts of out_pprof.c and turn.c
 *
 * Records wait in time order (timeline.h), samples as digests in this machine's byte order:
 *
 *	u32 0 | u32 event, or DEFERRED | u32 pid | u32 tid | u32 cpumode | u32 0 | u64 ip | u64 period | u64 callchain[]
 *
 * Side-band waits as it is; its type is not 0.  A sample whose user part is still to come waits once more, in `awaits', until
 * the CALLCHAIN_DEFERRED with its cookie, which is a digest with the cookie as ip.
 *
 * Memory: a quarter of the limit for what waits for its turn, an eighth for what awaits its user part, the rest for the tables
 * and, with -S, for the state of what is alive, which gets half of the limit at most.
 */
#ifndef PPROF_IN_H
#define PPROF_IN_H

#include <limits.h>

#include "profile.h"
#include "record/total.h"
#include "sink/out.h"
#include "write.h"

enum { PPROF_HEAD = 40 };		/* bytes of a digest before its callchain */
enum { PPROF_CACHE_BITS = 14 };
#define PPROF_DEFERRED	UINT32_MAX

struct awaiting {
	struct link	 link;		/* by tid */
	struct awaiting	*prev, *next;	/* in order of turn */
	uint64_t	 cookie, time;
	size_t		 n;
	uint8_t		 bytes[];	/* a digest */
};
struct known_place {		/* where an address was found last */
	uint64_t	 version, ip;
	uint32_t	 place;		/* 0: the slot is free */
};

struct pprof {
	struct out	 pub;
	const struct profile_what *what;
	struct tool	*tool;
	struct atomic	*file;
	struct pp_err	*err;		/* of the file */
	struct pp_sink	*sink;
	char		*stem;		/* the path of the first file */
	unsigned	 number;	/* of the file, from 1 */
	size_t		 memory;	/* limit of the tables */

	struct pp_events *events;
	struct pp_state	*state;
	bool		 full;		/* which is at its limit: no more is taken */
	struct pp_timeline *timeline;
	struct pprof_facts facts;
	struct pprof_tables tables;
	uint64_t	*counts;	/* samples of each event */
	struct profile_events wanted;
	size_t		 ncounts;
	struct pp_totals totals;	/* of PERF_SAMPLE_READ */
	struct { uint64_t period; unsigned event; } moved[PP_RECORD_MAX / 16];
	unsigned	 nmoved;
	uint64_t	 samples;
	uint64_t	 mended;	/* strings, in the files that are written */

	struct table	 awaits;
	struct awaiting	*first, *last;
	size_t		 awaiting;	/* bytes of them */
	uint64_t	 alone;		/* samples without their user part, ... */
	uint64_t	 crowded_out;	/* ... because too many awaited theirs */

	struct known_place cache[1 << PPROF_CACHE_BITS];
	uint32_t	 place[2 * PP_RECORD_MAX / 8];	/* of the sample in work */
	uint32_t	 depth;
	uint8_t		 digest[PPROF_HEAD + PP_RECORD_MAX];
};

/* out_pprof.c: complete the file, and begin the next one beside it.  1, or -1. */
int	pprof_next_file(struct pprof *);
/* turn.c, a pp_deliver: take a record or a digest in its turn.  1, or -1: o->err. */
int	pprof_turn(void *o, uint64_t time, const uint8_t *p, size_t n);
/* Samples that await their user part are taken without.  1, or -1. */
int	pprof_await_no_more(struct pprof *);

#endif
