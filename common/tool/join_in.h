/* SPDX-License-Identifier: ISC */
/* join_in.h - what the files of join share: the inputs, the joined events, bytes that grow */
#ifndef PCAT_JOIN_IN_H
#define PCAT_JOIN_IN_H

#include "record/feature.h"
#include "join.h"
#include "join_lives.h"
#include "join_maps.h"
#include "record/rewrite.h"

struct blob {			/* bytes that grow */
	uint8_t	*p;
	size_t	 n, cap;
};

struct in_event {		/* of an input; src->events->ev[i] has the rest */
	size_t	 attr;			/* its HEADER_ATTR in `head' */
	unsigned to;			/* its number in the joined stream */
	unsigned members;		/* as the leader of a group; 1: alone; 0: a member */
	bool	 folded;		/* into an event of an earlier input */
};

struct input {
	const char	*name;
	const struct join *join;
	struct pp_source *src;
	struct pp_source *old;		/* rests: `src' is the same file, opened again; NULL: it was not */
	uint64_t	 taken;		/* records read of the head, with the one that ended it */
	bool		 rests;		/* `src' rests until its turn comes */
	bool		 wakes;		/* its head is gone through once more */
	int		 fd;		/* meanwhile; -1: none is kept open */
	struct pp_err	 err;
	struct blob	 head;		/* records up to the first that is timed, back to back */
	struct blob	 tracing;	/* the payload of TRACING_DATA */
	struct pp_rec	 tracing_rec;	/* its record, without raw; size 0: there was none */
	struct pp_rec	 held;		/* the record that ended the head, still in the source; raw NULL: none */
	size_t		 at;		/* how far `head' has been given */
	struct pp_rec	 given;		/* the record that was given, as it stands in the source; raw NULL: it is of `head' */
	bool		 ended, said;
	struct in_event	*ev;
	unsigned	 nev;
	/* what its features and records say of it; 0, NULL: nothing */
	char		*host, *release;
	uint64_t	 kernel_start, wall, clock, first, time_first, time_last, cpus_available, cpus_online,
			 host_number, clockid;
	bool		 has_clock, has_features;
	bool		 has_clockid, names_clock;	/* by a feature: its times are of a clock of perf record -k; of `clockid' */
	/* of a CPU profile */
	struct exec_maps *maps;
	const char	*comm;		/* in `head'; NULL: not told */
	const struct input *piece_of;	/* an earlier one whose events and ids it has; NULL: none */
	/* what becomes of its records */
	bool		 untouched;	/* nothing */
	struct pp_ids	 ids;
	struct pp_rewrite rw;
	char		*prefix;
	uint64_t	 too_large;	/* records that had no room for an id */
	uint64_t	 no_room;	/* samples that will have none, counted beforehand */
	bool		 file;		/* it can be read again by its name */
	const struct input *same_as;	/* the first input of the same recording; NULL: this */
	struct feeder	*feeder;	/* watches what comes live; NULL: not wanted, or merged */
};

struct jevent {			/* an event of the joined stream */
	unsigned in, from;		/* whose: event `from' of input `in' */
	unsigned members;		/* as in struct in_event */
	uint64_t *ids;
	unsigned nids;
	uint32_t attr_size;
};

struct join {
	const struct tool *t;
	const struct join_options *o;
	struct input	*in;
	unsigned	 n;
	struct jevent	*ev;
	unsigned	 nev;
	struct pp_ids	 taken;		/* all ids of the joined stream */
	uint64_t	 fresh;		/* the last new id given */
	bool		 identifier;	/* events get PERF_SAMPLE_IDENTIFIER */
	bool		 swap;
	uint64_t	 spaces;	/* pid spaces so far: hosts, CPU profiles, and who collided */
	struct blob	 head;
	struct pp_source *src;		/* reads `head' */
	struct out	*flush;		/* the container; NULL: not known yet, or it has no flush */
	struct pp_err	 err;
	int64_t		*offset;	/* --time-offset of each input that could be opened */
	const struct input *seen[PP_TYPE_END - PP_USER_TYPE_START];	/* who gave the first of that type */
	const struct input *kernel;	/* who said last where the kernel lies, and what */
	uint8_t		 kernel_map[24];
	char		 kernel_name[64];
	struct lives	*lives;		/* what comes live is watched; NULL: not wanted */
	bool		 closes;	/* there are not enough descriptors for all inputs */
	bool		 stopped;	/* by a collision of pids */
	int		 status;
	const struct input *last;	/* whose record was given last; NULL: nobody's */
	uint64_t	 place;		/* records of the kernel given before that one */
	bool		 given_kernel;	/* that one is of the kernel */
	uint8_t		*buf;		/* PP_REWRITE_SIZE bytes */
};

/* Append n bytes (p NULL: zeros); where they stand, good until the next one. */
uint8_t	*blob_add(struct blob *, const void *p, size_t n);
/* The record at byte *at of a blob of sound records, without payload; steps over it.  false at the end. */
bool	 blob_next(const struct blob *, size_t *at, bool swap, struct pp_rec *);
/* Say the input's error, once; the status becomes 1. */
void	 join_say(struct join *, struct input *);

/* "out of memory", exit 1. */
_Noreturn void join_no_memory(const struct join *);

/*
 * join_open.c: open the inputs, and read their heads (join_gather.c).  Not live, files then rest: join_wake() opens one
 * again and goes to where its head ended.  1, or -1 with the text in its err.
 */
void	 join_open_inputs(struct join *, char **names, int n);
int	 join_wake(struct join *, struct input *);
/* The input's file once more, from its start.  NULL: it can't be read, or is another one by now. */
struct pp_source *join_again(const struct join *, const struct input *, struct pp_err *);
/* Read the head of an input as far as it is at hand: is it complete?  Those of all, waiting for whatever comes. */
bool	 join_gather(struct join *, struct input *);
void	 join_gather_all(struct join *);
/* Called before a source overwrites what was put. */
int	 join_before_refill(void *input);
/* Does an MMAP or MMAP2 tell where the kernel's text lies?  Its name, or NULL. */
const char *join_kernel_map(const struct input *, const struct pp_rec *);
/* join_check.c: refuse what does not go together (exit 2), and find the shifts of pids and times. */
void	 join_check(struct join *);
/* join_pids.c: find the shifts of pids; give an input a pid space of its own, `largest' being the largest pid of all. */
void	 join_pids(struct join *);
void	 join_move_pids(struct join *, struct input *, uint32_t largest);
/* join_walk.c: look through files for pids that collide, which moves pids, and for samples that are too large. */
void	 join_walk(struct join *);
/* Say that so many records are left out since ids make them too large, and the way out. */
void	 join_say_no_room(const struct join *, const struct input *, uint64_t n, const char *what);
/* A record of a live input, as it stands there; NULL: it has ended. */
void	 join_feed(struct join *, struct input *, const struct pp_rec *);
void	 join_walk_close(struct join *);
/* join_event.c: number the events and ids of the joined stream, which says how records change; write the HEADER_ATTRs. */
void	 join_events(struct join *);
bool	 join_same_recording(const struct input *, const struct input *);
void	 join_attrs(struct join *);
/* join_feature.c: write the feature block. */
void	 join_features(struct join *);
/* The groups of an input by its GROUP_DESC: fn for each. */
void	 join_groups(struct join *, struct input *, void (*fn)(struct join *, struct input *, const char *name,
	    size_t len, uint64_t leader, uint64_t members, void *arg), void *arg);
/* join_tracing.c: write the TRACING_DATA; tracepoints that differ are refused (exit 2) unless allowed. */
void	 join_tracing(struct join *);

/* Exit 2 if one recording is named twice, which would have each of its records twice, or one pipe is. */
void	join_refuse_twice(const struct tool *, char **names, int n);

#endif
