/* SPDX-License-Identifier: ISC */
/*
 * rewrite.h - changes what makes a record belong to its recording: event ids, pids, times, and where the id
 * stands.  For records that go into a stream together with those of other recordings.
 *
 * Where ids, pids and times occur is said by the roles of the rows (role.def) and, for samples and trailers, by the plan.
 * Untouched on purpose: tracepoint payloads (a prev_pid in RAW), STAT_ROUND's time (a duration), READ values and
 * periods, SCHEDSTAT's timestamp (jiffies), and by pid_shift the pid of a guest machine (HEADER_BUILD_ID, machine_pid).
 */
#ifndef PP_REWRITE_H
#define PP_REWRITE_H

#include "perfpipe_inline.h"

struct pp_ids {			/* old id -> new id; all zeros is an empty one */
	uint64_t mul;			/* random and odd (struct pp_idmap) */
	unsigned shift;			/* slots: 1 << (64 - shift); 0: none yet */
	size_t	 used;
	struct pp_idpair { uint64_t from, to; bool full; } *slot;
};
/* Add a pair, or change the one that is there.  1, or -1: no memory. */
int	pp_ids_put(struct pp_ids *, uint64_t from, uint64_t to);
/* Is it there?  If so, *to (may be NULL). */
bool	pp_ids_get(const struct pp_ids *, uint64_t from, uint64_t *to);
void	pp_ids_free(struct pp_ids *);

struct pp_rewrite {		/* what to change in the records of one stream */
	const struct pp_events *events;	/* of that stream, as it was */
	bool		 swap;
	/* ids; NULL: they stay.  Otherwise all of that stream, those that keep their number too */
	const struct pp_ids *ids;
	/*
	 * All ids of the stream that it goes into.  An id that belongs to no event of its own stream must not
	 * mean one there: it becomes 0.  May be NULL.
	 */
	const struct pp_ids *taken;
	uint64_t	 first_id;	/* new id of the stream's first event, for records that carry none */
	bool		 zero;		/* a trailer's id 0 becomes first_id: the first event there has another layout */
	bool		 identifier;	/* events get PERF_SAMPLE_IDENTIFIER and sample_id_all (by pp_rewrite_attr) */
	uint32_t	 pid_shift;	/* added to pids and tids but 0 and -1 */
	/* Instead of adding: another number for each of them, and for the pids of guest machines.  NULL: none */
	uint32_t	(*pid_map)(void *arg, uint32_t pid);
	void		*pid_arg;
	uint64_t	 time_shift;	/* added to times but 0 and ~0; two's complement */
	const char	*comm_prefix;	/* put in front of each COMM; NULL: nothing */
	uint8_t		*buf;		/* PP_REWRITE_SIZE bytes for the new record */
	struct pp_err	*err;
};
enum { PP_REWRITE_SIZE = PP_RECORD_MAX + 1 };

/*
 * Rewrite a sound record (not HEADER_ATTR or HEADER_FEATURE).  1: *r now lies in buf; 0: nothing had to change;
 * 2: the record would become larger than a record can be; -1: a time left its range, or the record fits no event.
 */
int	pp_rewrite(const struct pp_rewrite *, struct pp_rec *r);
/* The same for an attr of attr.size bytes (64 at least) in the stream's byte order: new bits, in place. */
void	pp_rewrite_attr(const struct pp_rewrite *, uint8_t *attr);

#endif
