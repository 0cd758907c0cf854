/* SPDX-License-Identifier: ISC */
/*
 * rewrite.h - changes event ids, pids and times of a record, and the position of its id, for records that go into a stream with
 * those of other recordings; and the numbers of tracepoints
 *
 * The fields with ids, pids and times are found by their roles (role.def) and, in samples and trailers, by the plan.  Not
 * changed on purpose: tasks in tracepoint payloads (a prev_pid in RAW), STAT_ROUND's time (a duration), READ values and periods,
 * SCHEDSTAT's timestamp (jiffies), and by pid_shift the pid of a guest machine (HEADER_BUILD_ID, machine_pid).
 */
#ifndef PP_REWRITE_H
#define PP_REWRITE_H

#include "perfpipe_inline.h"
#include "set.h"

struct pp_ids {			/* a map from old to new ids; empty if zeroed */
	struct set by;			/* by `from' */
	struct pp_idpair { uint64_t from, to; } *pair;	/* by.n of them */
};
/* Add a pair, or change the one with this key.  1, or -1: no memory. */
int	pp_ids_put(struct pp_ids *, uint64_t from, uint64_t to);
/* Is the key present?  Then *to (may be NULL) gets its value. */
bool	pp_ids_get(const struct pp_ids *, uint64_t from, uint64_t *to);
void	pp_ids_free(struct pp_ids *);

struct pp_rewrite {		/* the changes to the records of one stream */
	const struct pp_events *events;	/* of that stream, before the changes */
	bool		 swap;
	/* all ids of that stream, also those that keep their number; NULL: ids do not change */
	const struct pp_ids *ids;
	/*
	 * All ids of the stream that the records go into; may be NULL.  An id that belongs to no event of its own stream
	 * becomes 0 if an event has it there.
	 */
	const struct pp_ids *taken;
	uint64_t	 first_id;	/* new id of the stream's first event, for records without an id */
	bool		 zero;		/* a trailer's id 0 becomes first_id: the other stream's first event has another layout */
	bool		 identifier;	/* pp_rewrite_attr() adds PERF_SAMPLE_IDENTIFIER and sample_id_all */
	uint32_t	 pid_shift;	/* added to pids and tids except 0 and -1 */
	/* Used instead of pid_shift, and for the pids of guest machines too; NULL: none */
	uint32_t	(*pid_map)(void *arg, uint32_t pid);
	void		*pid_arg;
	uint64_t	 time_shift;	/* ns, added to times except 0 and ~0; two's complement */
	/*
	 * The numbers of tracepoints that change: attr.config, and common_type, the first two bytes of their payloads; NULL: none.
	 * payload_swap: payloads are not in our byte order.
	 */
	const struct pp_ids *formats;
	bool		 payload_swap;
	const char	*comm_prefix;	/* prefix of each COMM; NULL: none */
	uint8_t		*buf;		/* PP_REWRITE_SIZE bytes for the changed record */
	struct pp_err	*err;
};
enum { PP_REWRITE_SIZE = PP_RECORD_MAX + 1 };

/*
 * Is it an MMAP2 of the kernel of RHEL 7, which has no prot and flags?  The name is in their place, so prot has more bits than the
 * kernel's three.  The other fields are those of an MMAP2.
 */
bool	pp_is_short_mmap2(const struct pp_rec *, bool swap);
/*
 * Change a sound record (not HEADER_ATTR or HEADER_FEATURE).  1: *r views the changed record in buf; 0: there is nothing to
 * change; 2: the changed record would exceed the largest size; -1: a time leaves its range, or the record fits no event (err
 * has the reason).
 */
int	pp_rewrite(const struct pp_rewrite *, struct pp_rec *r);
/* Change the bits of an attr of attr.size bytes (64 at least) in place, in the byte order of the stream. */
void	pp_rewrite_attr(const struct pp_rewrite *, uint8_t *attr);

#endif
