/* SPDX-License-Identifier: ISC */
#include "record/meaning.h"
#include "record/raw.h"
#include "tool/tool.h"
#include "window/in.h"

struct pid_of { struct link link; uint32_t pid; };
enum { PIDS_MAX = 1 << 20 };

uint32_t
window_pid_of(const struct look *l, uint32_t tid)
{
	const struct pp_task *task = pp_state_task(l->about.state, tid);
	struct link *of = task ? NULL : pp_table_first(l->pids, tid);

	return task ? task->pid : of ? ((struct pid_of *)(void *)of)->pid : !tid ? 0 : UINT32_MAX;
}

void
window_learn_pid(const struct look *l)
{
	uint32_t pid, tid;
	struct link *of;

	if (pp_pid_tid(l->about.ev, l->about.r, l->swap, &pid, &tid) <= 0 || pp_state_task(l->about.state, tid))
		return;
	if (!(of = pp_table_first(l->pids, tid))) {
		if (l->pids->n == PIDS_MAX)
			return;
		of = tool_alloc(1, sizeof(struct pid_of));
		if (pp_table_add(l->pids, of, tid) < 0)
			tool_no_memory();
	}
	((struct pid_of *)(void *)of)->pid = pid;
}
