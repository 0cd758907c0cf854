/* SPDX-License-Identifier: ISC */
/* select.h - which records pfilter keeps */
#ifndef PFILTER_SELECT_H
#define PFILTER_SELECT_H

#include "reason.h"
#include "record/meaning.h"
#include "times.h"

/*
 * Samples are selected, and types of PP_CLASSES_LIKE_SAMPLES by what their trailers say; side-band stays unless
 * --sideband=none, losses too, unless --type leaves nothing else either; what is unknown stays.
 */
#define SELECT_SIDEBAND (PP_CLASSES_STATE | PP_CLASSES_TRACE)

struct names {			/* event patterns */
	struct event_pattern {
		char	*text;
		bool	 loose;			/* as event_match.h says; known when they were checked */
	}	*v;
	size_t	 n;
};
enum { SEEN_CPUS = 1024 };
struct select_seen {		/* of samples that were dropped for that: to say why nothing matched */
	uint64_t	 first, last;		/* --time; 0: none */
	uint64_t	 cpus[SEEN_CPUS / 64];	/* --cpu, a bit each */
};
struct selection {
	struct tool_list pid, tid, cpu, no_pid, no_tid, no_cpu;
	struct names	 event, no_event;
	struct times	 times;
	bool		*type, *no_type;	/* by number, of the kernel's types; NULL: all, none */
	bool		 invert, no_sideband;
	unsigned	 keys;			/* which of these there are: select.c */
	bool		 decided_elsewhere;	/* by --filter, or keys that depend on history */
	bool		 nothing;		/* none of all this: everything passes */

	/* found out from the stream */
	struct select_seen *seen;	/* with --cpu, --time */
	bool		 told;		/* a record was about a task of --pid or --tid */
	uint32_t	 is_thread, is_thread_of;	/* a number of --pid that is a thread's, and its process; 0: none */
	bool		 has_aux;	/* AUXTRACE_INFO seen: switches belong to the trace */
	struct event_state {
		bool	 known, selected;	/* by --event, --exclude-event */
		bool	 quick;			/* its samples can be judged by select_sample() */
		bool	 cpu_by_id;		/* no PERF_SAMPLE_CPU: ID_INDEX tells */
		const char *lacks;		/* what its samples would have to hold; NULL: nothing */
	}		*event_state;
	unsigned	 nstates;
};
/* What a record is selected by. */
enum { BY_PID = 1, BY_TID = 2, BY_CPU = 4, BY_TIME = 8, BY_EVENT = 16, BY_TASK = BY_PID | BY_TID };

/* --event, --exclude-event, as perf record -e takes them: "cycles:u,sched:*,{cpu/event=1,umask=2/,cpu-clock}:S" */
void	select_events(const struct tool *, struct names *, const char *text);
void	select_events_free(struct names *);
/* Does one of the patterns name the event? */
bool	select_any_names(const struct names *, const struct pp_event *);
/* Before that: have all events their names, and does the pattern (or each of the patterns) name one of them? */
bool	select_has_event(const struct pp_events *, const char *pattern);
bool	select_has_names(const struct pp_events *, const struct names *);
/* All events are known: the index of the first that the pattern of that option names; if it names none, exits 2. */
unsigned select_find_event(const struct tool *, const char *pattern, const char *option);
/* The same of each of the patterns, which from here on may be asked for. */
void	select_check_names(const struct tool *, const struct names *, const char *option);
/* --type, or (out) --exclude-type: "SAMPLE,SWITCH,4711" */
void	select_types(const struct tool *, struct selection *, const char *text, bool out);

/* All options have been seen: what contradicts itself exits 2. */
void	select_ready(const struct tool *, struct selection *);
/*
 * A header feature, of which --time may need the wall clock or the ends.  False: it is about samples that may be dropped,
 * and would be wrong.
 */
bool	select_feature(struct selection *, const struct tool *, const struct pp_rec *);
/* Before the first sample: all events are known, and names that fit none, or leave none beside those of `drop', exit 2. */
void	select_bind(struct selection *, const struct tool *, const struct names *drop);
/* Is the event one of --event, and not of --exclude-event? */
bool	select_names(const struct selection *, const struct pp_event *);
/*
 * Does the record match the keys?  KEPT, NOT_..., CANNOT_SAY if it does not hold what is asked for (of a key that does
 * not apply to its type, or a time of 0); -1: the event was recorded without what is asked for (tool->in_err).
 */
int	select_match(struct selection *, struct tool *, const struct pp_event *, const struct pp_rec *);
void	select_free(struct selection *);

/* COMM, FORK: is it about a task that was asked for? */
void	select_note_task(struct selection *, const struct pp_rec *, bool swap);
/* NOT_CPU, NOT_TIME, remembered in `seen'; out of line, as select_sample() is to stay small. */
int	select_not_cpu(const struct selection *, int64_t cpu);
int	select_not_time(const struct selection *, uint64_t time);
static inline bool
select_lists(const struct tool_list *yes, const struct tool_list *no, int64_t n)
{
	return (!yes->n || tool_list_has(yes, n)) && !tool_list_has(no, n);
}

/* The same of a SAMPLE, quickly, where there are keys; -1: ask select_match(). */
static inline int
select_sample(const struct selection *s, const struct pp_event *ev, const struct pp_rec *r, bool swap)
{
	unsigned keys = s->keys;
	const uint8_t *p = r->raw;
	uint64_t time;

	if (ev->index >= s->nstates || !s->event_state[ev->index].quick)
		return -1;
	if (!s->event_state[ev->index].selected)
		return NOT_EVENT;
	if (keys & BY_PID && !select_lists(&s->pid, &s->no_pid, (int32_t)pp_get_u32(p + ev->plan.tid, swap)))
		return NOT_PID;
	if (keys & BY_TID && !select_lists(&s->tid, &s->no_tid, (int32_t)pp_get_u32(p + ev->plan.tid + 4, swap)))
		return NOT_TID;
	if (keys & BY_CPU && !select_lists(&s->cpu, &s->no_cpu, pp_get_u32(p + ev->plan.cpu, swap)))
		return select_not_cpu(s, pp_get_u32(p + ev->plan.cpu, swap));
	if (keys & BY_TIME) {
		time = pp_get_u64(p + ev->plan.time, swap);
		if (time == 0 || time == UINT64_MAX)
			return CANNOT_SAY;
		if (!times_have(&s->times, time))
			return select_not_time(s, time);
	}
	return KEPT;
}

#endif
