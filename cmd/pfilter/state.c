/* SPDX-License-Identifier: ISC */
#include <stdio.h>
#include <stdlib.h>

#include "state.h"

struct state {
	struct snapshot	*now;
	uint8_t		 told;		/* the last one given out */
};

struct state *
state_new(bool swap, struct pp_err *err)
{
	struct state *s = calloc(1, sizeof *s);

	if (!s) {
		pp_fail(err, "out of memory");
		return NULL;
	}
	if (!(s->now = snapshot_new(swap, err))) {
		free(s);
		return NULL;
	}
	return s;
}

void
state_free(struct state *s)
{
	if (!s)
		return;
	snapshot_free(s->now);
	free(s);
}

bool
state_wants(uint32_t type)
{
	return snapshot_wants(type);
}

int
state_feed(struct state *s, const struct pp_event *ev, const struct pp_rec *r)
{
	return snapshot_feed(s->now, r, pp_has_trailer(ev, r) ? ev->plan.trailer : 0);
}

bool
state_is_task(uint32_t type)
{
	return type == PP_MMAP || type == PP_MMAP2 || type == PP_COMM || type == PP_FORK || type == PP_EXIT ||
	    type == PP_NAMESPACES;
}

const char *
state_nameless(uint32_t tid, char number[static STATE_NAMELESS])
{
	snprintf(number, STATE_NAMELESS, ":%d", (int)tid);
	return tid ? number : "swapper";
}

const char *
state_comm(const struct state *s, uint32_t tid, char number[static STATE_NAMELESS])
{
	const struct snapshot_task *t = snapshot_task(s->now, tid);

	return t && t->comm ? t->comm->text : state_nameless(tid, number);
}

/* The process was forked as its first thread was. */
int64_t
state_ppid(const struct state *s, uint32_t pid)
{
	const struct snapshot_task *t = snapshot_task(s->now, pid);

	return t && t->pid == pid ? t->ppid : -1;
}

const struct pp_map *
state_map(const struct state *s, uint32_t pid, unsigned cpumode, uint64_t ip)
{
	const struct pp_maps *maps = snapshot_maps(s->now, pid, cpumode);

	return maps ? pp_maps_find(maps, ip) : NULL;
}

const struct pp_dso *
state_dso(const struct state *s, const struct pp_map *m)
{
	return snapshot_file(s->now, m);
}

const char *
state_cgroup(const struct state *s, uint64_t id)
{
	return snapshot_cgroup(s->now, id);
}

struct snapshot *
state_snapshot(const struct state *s)
{
	return s->now;
}

uint8_t
state_told(struct state *s)
{
	return s->told = s->told ? MARK_TOLD_REST : MARK_TOLD;
}
