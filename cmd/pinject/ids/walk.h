/* SPDX-License-Identifier: ISC */
/*
 * walk.h - samples and side-band of the stream in time order, for the stages that need them: one queue and one state for all
 *
 * The buffers of the CPUs arrive out of order.  So a digest of each record is queued, while the record itself is passed on at
 * once.  A FINISHED_ROUND releases the queue in time order.  The users are called before the FINISHED_ROUND is passed on, so the
 * records that they put into their next stage precede it: a reader, which queues records in the same way, has them in time.
 */
#ifndef WALK_H
#define WALK_H

#include "sink/out.h"
#include "state/state.h"
#include "tool/tool.h"

struct walk;

struct walk_hit {
	uint64_t	 time;		/* of the sample; 0: it has none, and is about to be passed on */
	uint64_t	 addr;
	uint32_t	 pid;
	unsigned	 mode;		/* PP_MISC_KERNEL or PP_MISC_USER */
	const struct pp_map *map;	/* NULL: the address is in no map */
};

/* Who is called.  Functions return 1, or -1: fail with the reason in the in_err of the tool.  NULL: not wanted. */
struct walk_user {
	void	*arg;
	/* An MMAP, MMAP2, FORK, EXIT, or COMM of an exec, before the state learns it. */
	int	(*record)(void *arg, uint64_t time, const struct pp_rec *);
	/* An address of a sample or its call chain that is in a map; at least once for each map and version of maps. */
	int	(*hit)(void *arg, const struct walk_hit *);
	/* An address in an anonymous map (walk_is_anonymous()) or in none, each time. */
	int	(*miss)(void *arg, const struct walk_hit *);
	/*
	 * A FINISHED_ROUND is about to be passed on, and all up to that time has been delivered.  Also called without one when
	 * memory is full, and at the end of the stream.
	 */
	int	(*round)(void *arg, uint64_t limit);
	bool	 by_process;	/* hit(): once for each life of a process, too, although a FORK shares the version of maps */
	bool	 each;		/* hit(): each time; then for all users */
	/* hit(): also for addresses of data and branches; all maps of a process with a copied stack, as an unwinder may need any */
	bool	 data;
};

/* The input must be open.  Samples that come are laid out as these events have it: those of the input, unless a stage changes them. */
struct walk	*walk_new(struct tool *, const struct pp_events *);
/* The stage of it, which comes in front of all that use it: `next' is the first of these.  Its finish() frees the walk. */
struct out	*walk_stage(struct walk *, struct out *next);
/* Before the first record.  Users are called in the order of these calls. */
void		 walk_add(struct walk *, const struct walk_user *);
/* As of the record that a user is called for. */
struct pp_state	*walk_state(struct walk *);
/* Is the task of that EXIT the last one of its process that is alive? */
bool		 walk_is_last(const struct walk *, const struct pp_rec *exit);
/* The earliest time that a record put now may have without being late: a reader has delivered all up to that time. */
uint64_t	 walk_earliest(const struct walk *);
/* The newest time that came before the last FINISHED_ROUND: the next one delivers all up to it.  0: there was none. */
uint64_t	 walk_limit(const struct walk *);
/* The trailer of a timed record that is put in: by the layout and the first id of the event that has the maps. */
struct pp_text	 walk_trailer(const struct walk *, uint8_t *buf /* PP_TRAILER_MAX */, uint32_t pid, uint32_t tid, uint64_t time);
/* Is it the current record of the input, and not one that a stage has put in? */
bool		 walk_passes(const struct walk *, const struct pp_rec *);
/* Memory without a file, where code made at run time may be: what perf takes for JIT code, and memfd. */
bool		 walk_is_anonymous(const struct pp_dso *);

#endif
