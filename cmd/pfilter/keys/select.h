/* SPDX-License-Identifier: ISC */
/*
 * select.h - selection by keys that need only the record: --pid, --tid, --cpu, --event, --time, their opposites, and --type.
 *
 * A new key of this sort needs: a list in struct selection, an option (options.c), a bit BY_..., a reason (reason.h), and a test
 * in select_by_keys() and, for samples, in select_sample().  keys_of[] in select.c lists the bits that apply to each class of
 * record types.  A key that depends on earlier records belongs in state_keys.h instead.
 */
#ifndef PFILTER_SELECT_H
#define PFILTER_SELECT_H

#include "reason.h"
#include "record/meaning.h"
#include "times.h"

/*
 * Keys apply to samples, and to the types of PP_CLASSES_LIKE_SAMPLES as far as their trailers hold the fields.  Side-band stays
 * unless --sideband=none; LOST records stay unless --type and --sideband=none; unknown types stay.
 */
#define SELECT_SIDEBAND (PP_CLASSES_STATE | PP_CLASSES_TRACE)

struct names {			/* event patterns */
	struct event_pattern {
		char	*text;
		bool	 loose;			/* as in event_match.h; set by select_check_names() */
	}	*v;
	size_t	 n;
};
enum { SEEN_CPUS = 1024 };
struct select_seen {		/* values of rejected samples, for the message that nothing matched */
	uint64_t	 first, last;		/* with --time: first and last time; 0: none */
	uint64_t	 cpus[SEEN_CPUS / 64];	/* with --cpu: one bit per CPU */
};
struct selection {
	struct tool_list pid, tid, cpu, no_pid, no_tid, no_cpu;
	struct names	 event, no_event;
	struct times	 times;
	bool		*type, *no_type;	/* by number, types below 64; NULL: all (type), none (no_type) */
	bool		 invert, no_sideband;
	unsigned	 keys;			/* which keys are given: bits BY_... */
	bool		 decided_elsewhere;	/* verdicts are needed for --filter, state_keys, thinning, --fail-if-empty */
	bool		 tasks_elsewhere;	/* --pid, --tid of samples are decided by --payload-tasks */
	bool		 nothing;		/* no selection at all: every record is kept */

	/* found in the stream */
	struct select_seen *seen;	/* with --cpu, --time */
	bool		 task_seen;	/* a COMM or FORK was about a task of --pid or --tid */
	uint32_t	 is_thread, is_thread_of;	/* a tid given with --pid by mistake, and its pid; 0: none */
	bool		 switch_dropped;	/* a sample of sched_switch was dropped by its task, without --payload-tasks */
	bool		 has_aux;	/* AUXTRACE_INFO was seen: SWITCH records belong to the trace */
	struct event_state {
		bool	 known, selected;	/* known: the rest is set; selected: by --event, --exclude-event */
		uint8_t	 sample;		/* verdict on its samples before other keys: KEPT, NOT_EVENT; NO_VERDICT: not known */
		bool	 is_switch;		/* its samples come to select_match() until switch_dropped is set */
		bool	 cpu_by_id;		/* CPU comes from ID_INDEX */
		const char *lacks;		/* the field that its samples lack for a key; NULL: none */
	}		*event_state;
	unsigned	 nstates;
};
/* Bits of the keys, the last one in front of BY_END. */
enum { BY_PID = 1, BY_TID = 2, BY_CPU = 4, BY_TIME = 8, BY_EVENT = 16, BY_END, BY_TASK = BY_PID | BY_TID };
/* A new key does not compile where a test of it is missing: name it in these lines, too. */
#define SELECT_TESTS(last) _Static_assert(BY_END == BY_##last + 1, "a key of selection is not tested here")

/*
 * Parse the argument of --event or --exclude-event, in the syntax of perf record -e:
 * "cycles:u,sched:*,{cpu/event=1,umask=2/,cpu-clock}:S"
 */
void	select_events(struct tool *, void *names);		/* struct names */
void	select_events_free(struct names *);
/* Does one of the patterns match the event?  After select_check_names(). */
bool	select_any_names(const struct names *, const struct pp_event *);
/* May be called before select_check_names(): do all events have names, and does the pattern (or each pattern) match one? */
bool	select_has_event(const struct pp_events *, const char *pattern);
bool	select_has_names(const struct pp_events *, const struct names *);
/* After all events are known: check each pattern by event_find(), and set `loose'; select_any_names() works from here on. */
void	select_check_names(const struct tool *, const struct names *, const char *option);
/* Parse the argument of --type or (optvalue true) --exclude-type: "SAMPLE,SWITCH,4711". */
void	select_types(struct tool *, void *selection);

/* After the last option: contradictory keys exit 2. */
void	select_ready(const struct tool *, struct selection *);
/*
 * A HEADER_FEATURE record: --time may need its wall clock, or its times of the first and last sample.  False: drop it, since it
 * describes the samples of the input, and the output may lack some of them.
 */
bool	select_feature(struct selection *, const struct tool *, const struct pp_rec *);
/*
 * Before the first sample, when all events are known.  A pattern that matches no event exits 2, as do patterns that with `drop'
 * (--drop-event) leave no event.
 */
void	select_bind(struct selection *, const struct tool *, const struct names *drop);
/* Does --event select the event, and --exclude-event not reject it? */
bool	select_names(const struct selection *, const struct pp_event *);
/*
 * Does the record match the keys?  KEPT; NOT_...; LACKS_FIELD if the record lacks a field that a key needs, has time 0 in it, or
 * a key does not apply to its type.  -1: the event was recorded without a field that a key needs (tool->in_err).
 */
int	select_match(struct selection *, struct tool *, const struct pp_event *, const struct pp_rec *);
/* Do keys of tasks apply to records of that type? */
bool	select_asks_task(uint32_t type);
void	select_free(struct selection *);

/* A COMM or FORK record: sets task_seen, is_thread. */
void	select_note_task(struct selection *, const struct pp_rec *, bool swap);
/* Note the value in `seen' and return NOT_CPU or NOT_TIME.  Not inline, so that select_sample() stays small. */
int	select_not_cpu(const struct selection *, int64_t cpu);
int	select_not_time(const struct selection *, uint64_t time);
static inline bool
select_lists(const struct tool_list *yes, const struct tool_list *no, int64_t n)
{
	return (!yes->n || tool_list_has(yes, n)) && !tool_list_has(no, n);
}

/* Fast path of select_match() for a SAMPLE if keys are given.  NO_VERDICT: call select_match(). */
static inline int
select_sample(const struct selection *s, const struct pp_event *ev, const struct pp_rec *r, bool swap)
{
	unsigned keys = s->keys;
	const uint8_t *p = r->raw;
	uint64_t time;

	SELECT_TESTS(EVENT);		/* in event_state[].sample */
	if (ev->index >= s->nstates)
		return NO_VERDICT;
	if (s->event_state[ev->index].sample != KEPT)
		return s->event_state[ev->index].sample;
	if (keys & BY_PID && !select_lists(&s->pid, &s->no_pid, (int32_t)pp_get_u32(p + ev->plan.tid, swap)))
		return NOT_PID;
	if (keys & BY_TID && !select_lists(&s->tid, &s->no_tid, (int32_t)pp_get_u32(p + ev->plan.tid + 4, swap)))
		return NOT_TID;
	if (keys & BY_CPU && !select_lists(&s->cpu, &s->no_cpu, pp_get_u32(p + ev->plan.cpu, swap)))
		return select_not_cpu(s, pp_get_u32(p + ev->plan.cpu, swap));
	if (keys & BY_TIME) {
		time = pp_get_u64(p + ev->plan.time, swap);
		if (time == 0 || time == UINT64_MAX)
			return LACKS_FIELD;
		if (!times_have(&s->times, time))
			return select_not_time(s, time);
	}
	return KEPT;
}

#endif
