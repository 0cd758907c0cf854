/* SPDX-License-Identifier: ISC */
/* side.c - the rules about maps, tasks, losses and hardware trace */
#include <stdio.h>
#include <string.h>

#include "in.h"
#include "record/raw.h"

enum {
	MISC_PROC_MAP_PARSE_TIMEOUT = 1 << 12,
	MISC_LOST_SAMPLES_BPF = 1 << 15,
	AUX_TRUNCATED = 1, AUX_COLLISION = 8,
	COMM_MAX = 16,			/* TASK_COMM_LEN, with its NUL */
	PROT_EXECUTE = 4,
};

/* ---- files --------------------------------------------------------------------------------------- */

void
check_file_name(struct check *c, const struct pp_rec *r, const char *name, size_t len, bool has)
{
	if (!c->glance && files_is_one(name, len) && files_add(&c->files, name, len, has ? FILE_HAS_ID : FILE_MAPPED) && !has)
		check_found(c, RULE_N_NO_IDS_OF_FILES, r, NULL);
}

/* ---- maps ---------------------------------------------------------------------------------------- */

static void
side_map(struct check *c, const struct pp_rec *r)
{
	const uint8_t *p = r->raw;
	bool swap = c->in->swap, two = r->type == PP_MMAP2, has = false;
	/* MMAP begins as MMAP2 does */
	uint32_t pid = PP_RAW_GET(p, MMAP, pid, swap);
	uint64_t start = PP_RAW_GET(p, MMAP, start, swap), len = PP_RAW_GET(p, MMAP, len, swap);
	size_t at = two ? PP_RAW_AT(MMAP2, filename) : PP_RAW_AT(MMAP, filename);
	const char *name = (const char *)p + at;
	size_t n = strnlen(name, r->size - at);
	bool code = two ? PP_RAW_GET(p, MMAP2, prot, swap) & PROT_EXECUTE : !(r->misc & PP_MISC_MMAP_DATA);
	char detail[80];

	if (two && r->misc & PP_MISC_MMAP_BUILD_ID) {
		const uint8_t *id = p + PP_RAW_AT(MMAP2, inode_or_build_id);

		has = pp_file_has_id(r->misc, id);
		if (!has)
			check_found(c, RULE_E_LONG_BUILD_ID, r, "device and inode with the flag of a build-id");
		else if (!id[0])
			check_found(c, RULE_E_NO_BUILD_ID, r, NULL);
	}
	if (r->misc & MISC_PROC_MAP_PARSE_TIMEOUT) {
		snprintf(detail, sizeof detail, "process %d", (int32_t)pid);
		check_found(c, RULE_W_MAPS_CUT, r, detail);
	}
	if (!len || !n || start + len - 1 < start)
		check_found(c, RULE_W_ODD_MAP, r, NULL);
	if (code && n)
		check_file_name(c, r, name, n, has);
}

/* ---- tasks --------------------------------------------------------------------------------------- */

static void
side_comm(struct check *c, const struct pp_rec *r)
{
	const char *comm = (const char *)r->raw + PP_RAW_AT(COMM, comm);
	size_t n = strnlen(comm, r->size - PP_RAW_AT(COMM, comm));
	bool odd = !n || n >= COMM_MAX;

	for (size_t i = 0; i < n && !odd; i++)
		odd = (uint8_t)comm[i] < ' ' || comm[i] == 0x7f;
	if (odd)
		check_found(c, RULE_W_ODD_COMM, r, NULL);
}

static void
side_fork(struct check *c, const struct pp_rec *r, bool timed)
{
	const uint8_t *p = r->raw;
	bool swap = c->in->swap, listed = r->misc & PP_MISC_FORK_EXEC;
	uint32_t pid = PP_RAW_GET(p, FORK, pid, swap), ppid = PP_RAW_GET(p, FORK, ppid, swap);
	uint32_t tid = PP_RAW_GET(p, FORK, tid, swap), ptid = PP_RAW_GET(p, FORK, ptid, swap);

	if (pid == ppid && tid == ptid) {
		check_found(c, RULE_E_FORK_SELF, r, NULL);
		return;
	}
	if (!timed && pid != ppid && turns_has_maps(c->turns, pid))
		check_found(c, RULE_E_FORK_BEHIND, r, NULL);
	else if (!timed && !listed && pid != ppid && c->any_sample && turns_has_maps(c->turns, ppid))
		/* in front of all samples, it is of a snapshot, and means the parent's maps (pp_state_write()) */
		check_found(c, RULE_E_FORK_MAPS, r, NULL);
}

static void
side_exit(struct check *c, const struct pp_rec *r, bool timed)
{
	/* perf has not shown yet all samples in front of it; those behind it turns_sample() finds. */
	if (!timed && c->any_sample && c->in->events->ev[0]->attr.sample_type & PP_SAMPLE_TIME)
		check_found(c, RULE_E_UNTIMED_EXIT, r, NULL);
}

/* ---- all ----------------------------------------------------------------------------------------- */

void
check_side(struct check *c, const struct pp_event *ev, const struct pp_rec *r)
{
	bool swap = c->in->swap, timed;
	uint64_t when = 0, time;

	timed = ev && pp_time(ev, r, swap, &when) > 0;
	switch (r->type) {
	case PP_MMAP:
	case PP_MMAP2:
		side_map(c, r);
		break;
	case PP_COMM:
		side_comm(c, r);
		break;
	case PP_FORK:
		side_fork(c, r, timed);
		break;
	case PP_EXIT:
		side_exit(c, r, timed);
		break;
	case PP_LOST:
		check_found(c, RULE_W_LOST, r, NULL);
		break;
	case PP_LOST_SAMPLES:
		if (PP_RAW_GET(r->raw, LOST_SAMPLES, lost, swap))
			check_found(c, r->misc & MISC_LOST_SAMPLES_BPF ? RULE_E_BPF_FILTERED : RULE_W_LOST, r, NULL);
		break;
	case PP_THROTTLE:
		check_found(c, RULE_W_THROTTLED, r, NULL);
		break;
	case PP_AUX:
		if (PP_RAW_GET(r->raw, AUX, flags, swap) & (AUX_TRUNCATED | AUX_COLLISION))
			check_found(c, RULE_W_TRACE_LOST, r, NULL);
		break;
	case PP_CALLCHAIN_DEFERRED:
		time = PP_RAW_GET(r->raw, CALLCHAIN_DEFERRED, cookie, swap);
		if (c->cookie[time % CHECK_COOKIES] == time)
			c->cookie[time % CHECK_COOKIES] = 0;
		break;
	}
	turns_side(c->turns, r, timed, when);
}
