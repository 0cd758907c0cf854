/* SPDX-License-Identifier: ISC */
/*
 * state_keys.h - the keys that are right in time order only: --comms, --dsos, --cgroup, --inherit, --switch-on, --switch-off.
 */
#ifndef PFILTER_STATE_KEYS_H
#define PFILTER_STATE_KEYS_H

#include "reason.h"
#include "task.h"
#include "tool/tool.h"

struct state_keys;		/* NULL: none are given */

enum state_key { KEY_COMM, KEY_DSO, KEY_CGROUP, KEY_NO_COMM, KEY_NO_DSO, KEY_NO_CGROUP, KEY_SWITCH_ON, KEY_SWITCH_OFF,
	KEY_INHERIT, KEY_SHOW_ON_OFF };

/* Add what an option says (`text' NULL where it takes none); wrong use exits 2.  Returns *k or a new one. */
struct state_keys *state_keys_add(struct state_keys *k, const struct tool *, enum state_key, const char *text);
/*
 * All options have been seen.  With --inherit the list of --pid is taken over (its owner's becomes empty), since then
 * only the ancestors tell; without --pid and --comms it exits 2.
 */
void	state_keys_ready(struct state_keys *, const struct tool *, struct tool_list *pid);
/* Is there one of --comms, --dsos, --cgroup, --inherit or their opposites? */
bool	state_keys_select(const struct state_keys *);
/* Is there --switch-on or --switch-off? */
bool	state_keys_switches(const struct state_keys *);
/* Before that: do all events have their names, and these two options name one? */
bool	state_keys_found(const struct state_keys *, const struct pp_events *);
/* All events are known: a --switch-on that names none exits 2, and so does a key that no event's samples hold. */
void	state_keys_bind(struct state_keys *, const struct tool *, const struct pp_source *in);
/* In time order, a record that changes the state, just when `state' has taken it in.  1, or -1: no memory. */
int	state_keys_feed(struct state_keys *, const struct pp_state *, const struct pp_rec *);
/*
 * In time order: does a sample, or a record that is selected like one (READ, SWITCH ...), match?  KEPT, NOT_PID, NOT_COMM,
 * NOT_DSO, NOT_CGROUP, or CANNOT_SAY if it does not hold what is asked for (a SWITCH has no DSO); -1: it is not sound.
 */
int	state_keys_match(struct state_keys *, const struct pp_state *, const struct pp_event *, const struct pp_rec *, struct pp_err *);
/* In time order, each sample that is selected otherwise: is it between the switches?  It may be one itself. */
bool	state_keys_switched(struct state_keys *, const struct pp_event *);
/* Why did one of these (NOT_COMM, NOT_DSO, NOT_CGROUP) match nothing: what was asked for, and what there is like it. */
void	state_keys_why(const struct state_keys *, enum reason, char *text, size_t size);
void	state_keys_free(struct state_keys *);

#endif
