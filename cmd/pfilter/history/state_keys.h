/* SPDX-License-Identifier: ISC */
/*
 * state_keys.h - selection by keys that depend on history: --comms, --dsos, --cgroup, --container, --pod,
 * --inherit, --switch-on, --switch-off.
 *
 * Verdicts are correct only if records are processed in time order.  A new key of this sort needs: a value of enum state_key, an
 * option (options.c), a reason (reason.h), and a test in state_keys_match().  A key that needs only the record belongs in
 * select.h.
 */
#ifndef PFILTER_STATE_KEYS_H
#define PFILTER_STATE_KEYS_H

#include "keys/reason.h"
#include "state/timeline.h"
#include "task.h"
#include "tool/tool.h"

struct state_keys;		/* NULL: no such key */

enum state_key { KEY_COMM, KEY_DSO, KEY_CGROUP, KEY_NO_COMM, KEY_NO_DSO, KEY_NO_CGROUP, KEY_CONTAINER, KEY_POD,
	KEY_NO_CONTAINER, KEY_NO_POD, KEY_SWITCH_ON,
	KEY_SWITCH_OFF, KEY_INHERIT, KEY_SHOW_ON_OFF, STATE_KEYS };

/* Add the option of this optvalue to a struct state_keys *, which may be NULL; an error exits 2. */
void	state_keys_add(struct tool *, void *keys);
/*
 * After the last option.  With --inherit, this takes over the list of --pid (*pid becomes empty), since a descendant has another
 * pid.
 */
void	state_keys_ready(struct state_keys *, const struct tool *, struct tool_list *pid);
/* Is one of --comms, --dsos, --cgroup, --container, --pod, --inherit or their opposites given? */
bool	state_keys_select(const struct state_keys *);
/*
 * Is --comms or --inherit given?  Then only these tasks can be selected: those with one of *names and their descendants, and, if
 * *pids is not NULL, the descendants of these processes (*pids may be empty).
 */
struct words;
bool	state_keys_kin(struct state_keys *, struct words **names, const struct tool_list **pids);
/* --inherit, and FORKs and COMMs without times: descents that perf synthesised depend on where the first sample is, whoever it is of. */
bool	state_keys_all_samples(const struct state_keys *, const struct pp_events *);
/* Is --switch-on or --switch-off given? */
bool	state_keys_switches(const struct state_keys *);
/* May be called before state_keys_bind(): do all events have names, and do --switch-on and --switch-off match one? */
bool	state_keys_found(const struct state_keys *, const struct pp_events *);
/* After all events are known: --switch-on that matches none exits 2; so does a key whose field no event has, or that no piece can tell. */
void	state_keys_bind(struct state_keys *, const struct tool *, const struct pp_source *in);
/* A record that changes the state, in time order, before pp_state_feed(). */
void	state_keys_comes(struct state_keys *, const struct pp_state *, const struct pp_event *, const struct pp_rec *);
/* The same record, after it.  1, or -1: no memory. */
int	state_keys_feed(struct state_keys *, const struct pp_state *, const struct pp_rec *);
/*
 * Does a sample, or a record that keys apply to (READ, SWITCH ...), match?  In time order.  KEPT; NOT_PID, NOT_COMM, NOT_DSO,
 * NOT_CGROUP, NOT_CONTAINER, NOT_POD; LACKS_FIELD if the record lacks a field that a key needs (a SWITCH has no DSO); -1: the
 * record is invalid.
 */
int	state_keys_match(struct state_keys *, const struct pp_state *, const struct pp_event *, const struct pp_rec *, struct pp_err *);
/*
 * With --payload-tasks, state_keys_match() leaves out the keys of tasks and cgroups.  payload_task.c tests them instead, for each
 * task of a sample: --comms and --inherit by state_keys_match_task(), the keys of cgroups by state_keys_match_cgroup().  Both
 * return KEPT or the reason, as above.
 */
void	state_keys_tasks_elsewhere(struct state_keys *);
int	state_keys_match_task(struct state_keys *, const struct pp_state *, uint32_t pid, uint32_t tid);
int	state_keys_match_cgroup(struct state_keys *, const struct pp_state *, uint64_t id, bool own);
/* Is one of the keys of tasks given?  Of cgroups? */
bool	state_keys_by_task(const struct state_keys *);
bool	state_keys_by_cgroup(const struct state_keys *);
/*
 * The verdict on a sample of that event, if it is known without looking further: as state_keys_match(), and what it depends on.
 * Its `to' is 0.  state_keys_changes(): of what do verdicts change by that record, which is to be fed?  timeline.h.
 */
pp_guess state_keys_guess(struct state_keys *, const struct pp_state *, const struct pp_event *, const struct pp_rec *);
void	state_keys_changes(const struct state_keys *, const struct pp_state *, const struct pp_rec *, struct pp_changed *);
/* The number of samples whose cgroup no CGROUP record names: their path is unknown, so it is in no list. */
uint64_t state_keys_pathless(const struct state_keys *);
/*
 * Called for each sample that is otherwise selected, in time order: is it between --switch-on and --switch-off?  The sample may
 * be of one of these two events itself.
 */
bool	state_keys_switched(struct state_keys *, const struct pp_event *);
/*
 * Why no sample matched the key of that reason (NOT_COMM, NOT_DSO, NOT_CGROUP, NOT_CONTAINER, NOT_POD): the wanted names, and
 * similar names in the recording.
 */
void	state_keys_why(const struct state_keys *, enum reason, char *text, size_t size);
void	state_keys_free(struct state_keys *);

#endif
