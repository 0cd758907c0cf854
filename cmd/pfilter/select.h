/* SPDX-License-Identifier: ISC */
/* select.h - which records pfilter keeps */
#ifndef PFILTER_SELECT_H
#define PFILTER_SELECT_H

#include "reason.h"
#include "tool.h"

/* How a type takes part in the selection. */
enum role {
	ROLE_OTHER,		/* unknown to us: kept */
	ROLE_SAMPLE,
	ROLE_FOLLOWS,		/* selected like a sample, by what its trailer says */
	ROLE_SIDEBAND,		/* names, maps, hardware trace: kept unless --sideband=none */
	ROLE_LOSS,		/* what was lost: kept as well, unless --type leaves nothing else either */
};
/* Of a type < PP_USER_TYPE_START. */
enum role select_role(uint32_t type);
static inline bool
select_is_switch(uint32_t type)
{
	return type == PP_SWITCH || type == PP_SWITCH_CPU_WIDE;
}

struct names {			/* event patterns */
	char	**v;
	size_t	 n;
};
struct range {			/* of time, both ends inclusive, as perf's --time */
	uint64_t start, stop;
	bool	 start_relative, stop_relative;	/* to the first timed record */
};

struct selection {
	struct tool_list pid, tid, cpu, no_pid, no_tid, no_cpu;
	struct names	 event, no_event;
	struct range	*time;
	size_t		 ntime;
	bool		*type;		/* by number, of the kernel's types; NULL: all */
	bool		 invert, no_sideband;
	unsigned	 keys;			/* which of these there are: select.c */
	bool		 decided_elsewhere;	/* by --filter, or keys that depend on history */
	bool		 nothing;		/* none of all this: everything passes */

	/* found out from the stream */
	uint64_t	 first_time;	/* of the first timed record; 0: none yet */
	bool		 has_aux;	/* AUXTRACE_INFO seen: switches belong to the trace */
	struct event_state {
		bool	 known, selected;	/* by --event, --exclude-event */
		bool	 cpu_by_id;		/* no PERF_SAMPLE_CPU: ID_INDEX tells */
		const char *lacks;		/* what its samples would have to hold; NULL: nothing */
	}		*event_state;
	unsigned	 nstates;
};

/* --event, --exclude-event: "cycles:u,sched:*,cpu/event=1,umask=2/" */
void	select_events(const struct tool *, struct names *, const char *text);
/* Does the pattern name the event: as perf shows it, without its modifiers, or by a glob? */
bool	select_names_event(const char *pattern, const struct pp_event *);
/* All events are known: a pattern of that option that fits none exits 2. */
void	select_check_names(const struct tool *, const struct names *, const char *option);
/* --time: "start,stop", either may be empty, "+1.5s" counts from the first timed record; several by blanks. */
void	select_time(const struct tool *, struct selection *, const char *text);
/* --type: "SAMPLE,SWITCH,4711" */
void	select_types(const struct tool *, struct selection *, const char *text);

/* All options have been seen. */
void	select_ready(struct selection *);
/* Before the first record of the kernel: all events are known, and names that fit none exit 2. */
void	select_bind(struct selection *, const struct tool *);
/* What the selection learns from the stream's times: call it for each record, before the next. */
void	select_time_of(struct selection *, const struct tool *, const struct pp_event *, const struct pp_rec *);
/*
 * Does the record match the keys?  KEPT, NOT_..., CANNOT_SAY if it does not hold what is asked for (of a key that does
 * not apply to its type, or a time of 0); -1: the event was recorded without what is asked for (tool->in_err).
 */
int	select_match(struct selection *, struct tool *, const struct pp_event *, const struct pp_rec *);
void	select_free(struct selection *);

#endif
