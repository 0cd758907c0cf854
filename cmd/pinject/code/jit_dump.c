/* SPDX-License-Identifier: ISC */
/* jit_dump.c - see jit.h: the dumps of processes, from the map to the end */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "jit_in.h"
#include "record/raw.h"

enum { FOUND_MAX = 64 };

/* ---- names -------------------------------------------------------------------------------------- */

uint32_t
jit_dump_pid(const char *path)
{
	const char *base = strrchr(path, '/');
	unsigned long pid;
	char *end;

	if (!base || strncmp(base, "/jit-", 5) || base[5] < '1' || base[5] > '9')
		return 0;
	pid = strtoul(base + 5, &end, 10);
	return (!strcmp(end, ".dump") || !strcmp(end, ".dump (deleted)")) && pid < UINT32_MAX ? (uint32_t)pid : 0;
}

bool
jit_is_executable(const struct pp_rec *r, bool swap)
{
	enum { EXEC = 4 };

	return r->type == PP_MMAP2 ? PP_RAW_GET(r->raw, MMAP2, prot, swap) & EXEC : !(r->misc & PP_MISC_MMAP_DATA);
}

bool
jit_is_own(const struct pp_rec *r, uint32_t pid)
{
	unsigned mode = r->misc & PP_MISC_CPUMODE_MASK;

	return (!mode || mode == PP_MISC_USER) && pid != UINT32_MAX && pid != 0;
}

/* ---- processes ---------------------------------------------------------------------------------- */

struct jit_process *
jit_process_find(const struct jit *j, uint32_t pid)
{
	return (struct jit_process *)pp_table_first(&j->processes, pid);
}

struct jit_process *
jit_process_get(struct jit *j, uint32_t pid)
{
	struct jit_process *p = jit_process_find(j, pid);

	if (p)
		return p;
	p = tool_alloc(1, sizeof *p);
	p->pid = pid;
	p->image = UINT32_MAX;
	if (pp_table_add(&j->processes, &p->link, pid) > 0)
		return p;
	free(p);
	pp_fail_memory(&j->t->in_err);
	return NULL;
}

static uint64_t
jit_name_hash(const struct jit *j, const char *name)
{
	return pp_table_hash(&j->processes, 1, (const uint8_t *)name, strlen(name));
}

/* Does the process read that dump, or has it been closed? */
static bool
jit_has_had(const struct jit *j, const struct jit_process *p, const char *name)
{
	return (p->name && !strcmp(p->name, name)) || p->done == jit_name_hash(j, name);
}

void
jit_process_close(struct jit *j, struct jit_process *p)
{
	jit_image_end(j, p);
	if (!p->dump)
		return;
	p->done = jit_name_hash(j, p->name);
	LIST_REMOVE(p, dumps);
	j->ndumps--;
	jitdump_free(p->dump);
	free(p->name);
	p->dump = NULL;
	p->name = NULL;
	p->has_head = p->begun = false;
	p->next = 0;
}

void
jit_process_end(struct jit *j, struct jit_process *p)
{
	jit_process_close(j, p);
	pp_table_remove(&j->processes, &p->link);
	free(p);
}

bool
jit_knows(const struct jit *j, uint32_t pid)
{
	const struct jit_process *p = jit_process_find(j, pid);

	return p && (p->dump || p->heir_of || p->told || p->images);
}

/* ---- dumps -------------------------------------------------------------------------------------- */

/* The dump cannot be used, and that is no damage. */
static void
jit_refuse(struct jit *j, const char *name, const char *why)
{
	unused_say(&j->unused, name, strlen(name), why);
}

/* The dump is damaged: its functions up to there stay. */
static void
jit_damaged(struct jit *j, struct jit_process *p)
{
	tool_say(j->t, &p->err);
	j->t->failed = true;
	jit_process_close(j, p);
}

static void
jit_open(struct jit *j, uint32_t pid, const struct pp_rec *r, const char *name, struct lookup_found *to)
{
	bool swap = j->t->in->swap;
	struct lookup_for f = { .kind = LOOKUP_JITDUMP, .pid = pid, .start = PP_RAW_GET(r->raw, MMAP, start, swap) };
	struct pp_dso dso;

	pp_dso_get(&dso, r, 0, swap);
	dso.name = name;
	f.dso = &dso;
	f.end = f.start + PP_RAW_GET(r->raw, MMAP, len, swap);
	if (!lookup_file(j->lookup, &f, true, to))
		jit_refuse(j, name, to->why);
}

void
jit_arrived(struct jit *j, const struct pp_rec *r)
{
	uint32_t pid = PP_RAW_GET(r->raw, MMAP, pid, j->t->in->swap);
	const struct jit_process *p = jit_process_find(j, pid);
	struct jit_found *f;
	struct pp_dso d;

	pp_dso_get(&d, r, 0, j->t->in->swap);
	if (!jit_is_own(r, pid) || !jit_dump_pid(d.name) || !jit_is_executable(r, j->t->in->swap))
		return;
	if ((p && (p->told || jit_has_had(j, p, d.name))) || j->nfound >= FOUND_MAX)
		return;
	STAILQ_FOREACH(f, &j->found, all)
		if (f->pid == pid && !strcmp(f->name, d.name))
			return;
	f = tool_alloc(1, sizeof *f + d.len + 1);
	f->pid = pid;
	memcpy(f->name, d.name, d.len);
	jit_open(j, pid, r, f->name, &f->file);
	STAILQ_INSERT_TAIL(&j->found, f, all);
	j->nfound++;
}

static void
jit_take_found(struct jit *j, uint32_t pid, const struct pp_rec *r, const char *name, struct lookup_found *to)
{
	struct jit_found *f;

	STAILQ_FOREACH(f, &j->found, all)
		if (f->pid == pid && !strcmp(f->name, name)) {
			*to = f->file;
			STAILQ_REMOVE(&j->found, f, jit_found, all);
			j->nfound--;
			free(f);
			return;
		}
	jit_open(j, pid, r, name, to);
}

/* Why the dump cannot be read; NULL: it can. */
static const char *
jit_too_many(const struct jit *j, const struct jit_process *p)
{
	if (p && p->had >= JIT_HAD)
		return "the process has had too many";
	return j->ndumps >= JIT_DUMPS ? "too many processes have dumps" : NULL;
}

int
jit_begin(struct jit *j, uint32_t pid, uint64_t time, const struct pp_rec *r, const struct pp_dso *d)
{
	struct jit_process *p = jit_process_find(j, pid);
	struct lookup_found file;
	const char *why;
	char *name;

	if (j->off || (p && (p->told || jit_has_had(j, p, d->name))))
		return 1;
	name = tool_alloc(1, d->len + 1);
	memcpy(name, d->name, d->len);
	jit_take_found(j, pid, r, name, &file);
	if (file.fd >= 0 && (why = jit_too_many(j, p))) {
		jit_refuse(j, name, why);
		close(file.fd);
		file.fd = -1;
	}
	if (file.fd < 0 || !(p = jit_process_get(j, pid))) {
		free(name);
		if (file.fd >= 0)
			close(file.fd);
		return file.fd < 0 ? 1 : -1;
	}
	jit_process_close(j, p);
	p->heir_of = 0;
	p->had++;
	p->name = name;
	p->file = file;
	p->mapped = time;
	p->dump = jitdump_new(file.fd, name, &p->err);
	LIST_INSERT_HEAD(&j->dumps, p, dumps);
	j->ndumps++;
	return 1;
}

/* Why the times of the dump cannot be compared with those of the recording; NULL: they can. */
static const char *
jit_other_clock(const struct jit *j, const struct jit_process *p)
{
	int64_t clock = clock_of_events(j->t->in->events);

	if (clock == CLOCK_NONE)
		return "recorded without times";
	if (!p->head.cycles)
		return clock == CLOCK_MONOTONIC ? NULL : "recorded without -k mono";
	if (clock != CLOCK_PERF)
		return "its times are CPU cycles: record without -k";
	return j->cycles.known ? NULL : "its times are CPU cycles, and the recording has no TIME_CONV";
}

/*
 * Is it a dump of that process?  The process knows its pid in its own namespace, which may be another than that of the map.
 * Nobody can say what it was if the process has ended and may have been in such a namespace.
 */
static bool
jit_is_of(const struct jit_process *p)
{
	const struct lookup_found *f = &p->file;

	return p->head.pid == jit_dump_pid(p->name) &&
	    (p->head.pid == p->pid || p->head.pid == f->own_pid || (!f->own_pid && f->own_pid_lost));
}

/* Read the header.  1; 0: there is none yet, or the dump is done with. */
static int
jit_read_head(struct jit *j, struct jit_process *p)
{
	const char *why;
	uint32_t pid;
	int rc = jitdump_head(p->dump, &p->head);

	if (rc > 0 && !jit_is_of(p)) {
		pid = jit_dump_pid(p->name);
		if (p->head.pid == pid)
			pid = p->file.own_pid ? p->file.own_pid : p->pid;
		pp_fail(&p->err, "a jitdump of process %" PRIu32 ", not %" PRIu32, p->head.pid, pid);
		rc = -1;
	}
	if (rc < 0)
		jit_damaged(j, p);
	if (rc <= 0)
		return 0;
	p->has_head = true;
	if (!(why = jit_other_clock(j, p)))
		return 1;
	jit_refuse(j, p->name, why);
	jit_process_close(j, p);
	return 0;
}

/*
 * Without an inode, a dump of that name may be of an earlier process of the same pid: its functions are older than the map, as
 * a process maps its dump before it writes.
 */
static bool
jit_is_older(struct jit_process *p, uint64_t time)
{
	bool first = !p->begun;

	p->begun = true;
	return first && !p->file.proven && time < p->mapped;
}

/* The process that a record of the dump is of: its own, or one that descends from it.  0: another one. */
static uint32_t
jit_code_pid(const struct jit *j, const struct jit_process *p, const struct jitdump_code *c)
{
	const struct jit_process *heir;

	if (c->pid == p->head.pid)
		return p->pid;
	heir = jit_process_find(j, c->pid);
	return heir && heir->heir_of == p->pid ? c->pid : 0;
}

static int
jit_move(struct jit *j, uint32_t pid, uint64_t time, const struct jitdump_code *c)
{
	const struct pp_map *m = pp_state_map(walk_state(j->walk), pid, PP_MISC_USER, c->from);
	uint32_t image = m ? jit_image_of(j, m) : UINT32_MAX;
	struct jit_put put;

	if (image == UINT32_MAX || !c->fn.size) {
		j->unmoved++;
		return 1;
	}
	put = (struct jit_put){ time, c->fn.addr, c->fn.size, m->pgoff + (c->from - m->start), pid, image };
	if (put.len > m->len - (c->from - m->start))
		put.len = m->len - (c->from - m->start);
	j->moved++;
	return jit_image_map(j, &put);
}

static int
jit_code(struct jit *j, struct jit_process *p, uint64_t time, const struct jitdump_code *c)
{
	uint32_t pid = jit_code_pid(j, p, c);

	if (!pid) {
		p->err.at = true;
		p->err.off = c->at;
		pp_fail(&p->err, "%s: of process %" PRIu32 ", not %" PRIu32, c->kind == JITDUMP_LOAD ? "CODE_LOAD" : "CODE_MOVE",
		    c->pid, p->head.pid);
		jit_damaged(j, p);
		return 1;
	}
	if (time < p->last)
		time = p->last;
	switch (c->kind) {
	case JITDUMP_MOVE:	return jit_move(j, pid, time, c);
	case JITDUMP_LOAD:	break;
	}
	if (!c->fn.size)
		return 1;
	if (p->functions >= JIT_FUNCTIONS) {
		j->excess++;
		return 1;
	}
	p->functions++;
	return jit_image_load(j, p, pid, time, &c->fn);
}

int
jit_advance(struct jit *j, struct jit_process *p, uint64_t limit)
{
	struct jitdump_code c;
	uint64_t time;
	int rc;

	while (p->dump && !j->off && j->made < JIT_MADE && p->next <= limit) {
		if (!p->has_head && jit_read_head(j, p) <= 0)
			return 1;
		if ((rc = jitdump_next(p->dump, &c)) < 0)
			jit_damaged(j, p);
		if (rc <= 0)
			return 1;
		time = p->head.cycles ? clock_cycles_time(&j->cycles, c.time) : c.time;
		if (jit_is_older(p, time)) {
			jit_refuse(j, p->name, "its functions are older than its map");
			jit_process_close(j, p);
			return 1;
		}
		p->next = time > limit ? time : 0;
		if (time > limit)
			jitdump_again(p->dump);
		else if (jit_code(j, p, time ? time : 1, &c) < 0)
			return -1;
	}
	return 1;
}

int
jit_advance_of(struct jit *j, struct jit_process *p, uint64_t limit)
{
	if (p && p->heir_of)
		p = jit_process_find(j, p->heir_of);
	return p ? jit_advance(j, p, limit) : 1;
}
