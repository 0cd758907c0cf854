/* SPDX-License-Identifier: ISC */
/* state_keys_in.h - what the files state_keys*.c share */
#ifndef PFILTER_STATE_KEYS_IN_H
#define PFILTER_STATE_KEYS_IN_H

#include "container.h"
#include "descent.h"
#include "record/raw.h"
#include "state_keys.h"
#include "tool/near.h"
#include "tool/words.h"

/* The result of a comparison; OUT_: it is excluded. */
enum { KNOWN = 1, LISTED = 2, EXCLUDED = 4, IN_CONTAINER = 8, IN_POD = 16, OUT_CONTAINER = 32, OUT_POD = 64 };
enum { CGROUP_SLOTS = 256 };

struct state_keys {
	const struct tool *t;
	bool		 swap;
	struct words	 list[STATE_KEYS];	/* by enum state_key */
	bool		 inherit;
	struct container_key container, pod, no_container, no_pod;
	bool		 by_task, by_file, by_cgroup;	/* which of these keys are given; by_cgroup: or --container, --pod */
	bool		 elsewhere;		/* payload_task.c tests the keys of tasks and cgroups */
	struct tool_list pid;			/* with `inherit': the list of --pid */
	struct descent	 descent;
	uint32_t	 now;			/* increases when the verdicts on many tasks may change; from 1 */
	uint32_t	 since;			/* verdicts are valid that were made since then, and */
	uint32_t	 born[TASK_SLOTS];	/* ... with `inherit' since the last record of the task with their pid as tid; by task_slot() */
	struct task_verdict {			/* by task_slot(): the verdict on a task; made 0: none */
		uint32_t made, pid, tid;
		int	 why;
	}		 cache[TASK_SLOTS];
	uint8_t		*file;			/* by index of the file: KNOWN ... */
	size_t		 nfiles;
	unsigned	 freed;			/* pp_state_freed() of them */
	uint8_t		 unknown;		/* the same for addresses without a file; 0: not compared yet */
	uint32_t	 cgroup_era;		/* increases when the path of a cgroup may change; from 1 */
	struct cgroup_verdict {			/* by low bits of the id: KNOWN ..., 0: no path, valid in that era */
		uint64_t id;
		uint32_t era;
		uint8_t	 mark;
	}		 cgroup[CGROUP_SLOTS];
	uint64_t	 pathless;		/* samples of a cgroup without a path */
	struct near	 near[STATE_KEYS];	/* by enum state_key: similar names, until one matches: */
	bool		 found[STATE_KEYS];
	const char	*on, *off;		/* NULL: not given */
	unsigned	 on_event, off_event;
	bool		 discarding, show;
};

/* The verdict on a task, if it is known; NULL: it is not. */
static inline struct task_verdict *
keys_cached(struct state_keys *k, uint32_t pid, uint32_t tid)
{
	struct task_verdict *v = &k->cache[task_slot(tid)];

	return v->made < k->since || v->pid != pid || v->tid != tid || (k->inherit && v->made < k->born[task_slot(pid)]) ? NULL : v;
}

/*
 * The process of a COMM by an exec; NULL: another record, or not known.  Of its threads the exec ends all but the first, and no record
 * tells of these ends.
 */
static inline const struct pp_process *
keys_exec(const struct pp_state *state, const struct pp_rec *r, bool swap)
{
	return r->type == PP_COMM && r->misc & PP_MISC_COMM_EXEC ? pp_state_process(state, PP_RAW_GET(r->raw, COMM, pid, swap)) : NULL;
}

/* The cgroup of a sample that has one.  1, or -1: the sample is cut. */
int	keys_cgroup_of(const struct state_keys *, const struct pp_event *, const struct pp_rec *, uint64_t *id, struct pp_err *);
/* By what is known of the path of a cgroup: KEPT or the reason. */
int	keys_by_cgroup_mark(const struct state_keys *, uint8_t mark);
/* The same of a file. */
static inline int
keys_by_file_mark(const struct state_keys *k, uint8_t mark)
{
	return mark & EXCLUDED || (k->list[KEY_DSO].n && !(mark & LISTED)) ? NOT_DSO : KEPT;
}
/* The result for a text by two lists. */
uint8_t	keys_compared(struct state_keys *, enum state_key yes, enum state_key no, const char *text);
/* A name was compared: if it did not match, it may be similar to a wanted one. */
void	keys_note(struct state_keys *, enum state_key, uint8_t mark, const char *name);
/* By --dsos and --exclude-dsos: KEPT, NOT_DSO or LACKS_FIELD; -1: no memory. */
int	keys_match_file(struct state_keys *, const struct pp_state *, const struct pp_event *, const struct pp_rec *, struct pp_err *);

#endif
