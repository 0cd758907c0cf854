/* SPDX-License-Identifier: ISC */
/* jit.c - see jit.h: which processes have dumps, and what happens to their maps */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "jit_in.h"
#include "record/raw.h"

enum { FOUND_MAX = 64, NEAR = 64 };

/* ---- names -------------------------------------------------------------------------------------- */

/* Is the last part of the path jit-PID.dump?  0: no; else the PID. */
static uint32_t
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

static bool
jit_is_anonymous(const char *name)
{
	static const char *const starts[] = { "//anon", "[anon:", "/memfd:", "anon_inode:", "/dev/zero", "/anon_hugepage", "[heap]" };

	for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
		if (!strncmp(name, starts[i], strlen(starts[i])))
			return true;
	return false;
}

static bool
jit_is_executable(const struct pp_rec *r, bool swap)
{
	enum { EXEC = 4 };

	return r->type == PP_MMAP2 ? PP_RAW_GET(r->raw, MMAP2, prot, swap) & EXEC : !(r->misc & PP_MISC_MMAP_DATA);
}

static bool
jit_is_own(const struct pp_rec *r, uint32_t pid)
{
	unsigned mode = r->misc & PP_MISC_CPUMODE_MASK;

	return (!mode || mode == PP_MISC_USER) && pid != UINT32_MAX && pid != 0;
}

/* ---- processes ---------------------------------------------------------------------------------- */

static struct jit_process *
jit_process_find(const struct jit *j, uint32_t pid)
{
	return (struct jit_process *)pp_table_first(&j->processes, pid);
}

static struct jit_process *
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
	pp_fail(&j->t->in_err, "out of memory");
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

static void
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

static void
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
	size_t n = strlen(name) + strlen(why) + 8;

	tool_note(j->t, "%s: %s", name, why);
	if (j->refused++)
		return;
	j->why = tool_alloc(n, 1);
	snprintf(j->why, n, "'%s': %s", name, why);
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

/* The dump of a map that arrives: its process, and the name in its mount namespace, may be gone when it is delivered. */
static void
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

/* The map of a dump is delivered.  A process that maps the same file again goes on with it. */
static int
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
	if (c->kind == JITDUMP_MOVE)
		return jit_move(j, pid, time, c);
	if (!c->fn.size)
		return 1;
	if (p->functions >= JIT_FUNCTIONS) {
		j->excess++;
		return 1;
	}
	p->functions++;
	return jit_image_load(j, p, pid, time, &c->fn);
}

/* Read the dump of the process on up to that time. */
static int
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

/* The same for the dump that has the functions of a process: its own, or that of an ancestor. */
static int
jit_advance_of(struct jit *j, struct jit_process *p, uint64_t limit)
{
	if (p && p->heir_of)
		p = jit_process_find(j, p->heir_of);
	return p ? jit_advance(j, p, limit) : 1;
}

/* ---- in time order: members of struct walk_user ------------------------------------------------------- */

/* Write the functions that the last map has hidden. */
static int
jit_show_hidden(struct jit *j)
{
	for (size_t i = 0; i < j->nhidden; i++)
		if (jit_image_map(j, &j->hidden[i]) < 0)
			return -1;
	j->nhidden = 0;
	return j->nputs >= JIT_PUTS ? jit_image_flush(j) : 1;
}

struct jit_hiding {		/* a map that hides functions */
	struct jit	*j;
	uint64_t	 time, start, last;
	uint32_t	 pid, since;
};

/*
 * Functions that stand side by side in memory and in the image become one MMAP2, because some programs change the protection
 * of a large area for each function.
 */
static int
jit_hide(void *arg, const struct pp_map *m)
{
	const struct jit_hiding *h = arg;
	struct jit *j = h->j;
	uint32_t image = jit_image_of(j, m);
	uint64_t start = m->start < h->start ? h->start : m->start, last = m->start + (m->len - 1);
	struct jit_put *before = j->nhidden ? &j->hidden[j->nhidden - 1] : NULL, put;

	if (image == UINT32_MAX || image < h->since || j->made + j->nhidden >= JIT_MADE)
		return 1;
	if (last > h->last)
		last = h->last;
	put = (struct jit_put){ h->time, start, last - start + 1, m->pgoff + (start - m->start), h->pid, image };
	j->again++;
	if (before && before->image == image && put.pgoff - before->pgoff == start - before->start &&
	    start - (before->start + before->len) <= NEAR) {
		before->len = last - before->start + 1;
		return 1;
	}
	if (j->nhidden == j->hidden_cap) {
		j->hidden_cap = j->hidden_cap ? 2 * j->hidden_cap : 64;
		j->hidden = tool_realloc(j->hidden, j->hidden_cap, sizeof *j->hidden);
	}
	j->hidden[j->nhidden++] = put;
	return 1;
}

static int
jit_map(struct jit *j, uint64_t time, const struct pp_rec *r)
{
	bool swap = j->t->in->swap;
	uint32_t pid = PP_RAW_GET(r->raw, MMAP, pid, swap);
	uint64_t start = PP_RAW_GET(r->raw, MMAP, start, swap), len = PP_RAW_GET(r->raw, MMAP, len, swap);
	struct jit_process *p = jit_process_find(j, pid);
	const struct pp_maps *maps;
	struct jit_hiding h;
	struct pp_dso d;

	if (!jit_is_own(r, pid) || !len)
		return 1;
	if (time && jit_advance_of(j, p, time - 1) < 0)
		return -1;
	pp_dso_get(&d, r, 0, swap);
	if (jit_is_executable(r, swap) && jit_dump_pid(d.name))
		return jit_begin(j, pid, time, r, &d);
	if (!j->nimages || !jit_is_anonymous(d.name) || !(maps = pp_state_maps(walk_state(j->walk), pid, PP_MISC_USER)))
		return 1;
	h = (struct jit_hiding){ j, time + 1, start, start + (len - 1), pid, p ? p->since : 0 };
	if (h.last < start)
		h.last = UINT64_MAX;
	if (p)
		p->last = time + 1;
	return pp_maps_each_in(maps, start, h.last, jit_hide, &h);
}

/* A child has the maps of its parent (the state sees to that), and may write into the parent's dump. */
static int
jit_fork(struct jit *j, uint64_t time, const struct pp_rec *r)
{
	uint32_t pid = PP_RAW_GET(r->raw, FORK, pid, j->t->in->swap), ppid = PP_RAW_GET(r->raw, FORK, ppid, j->t->in->swap);
	struct jit_process *p = jit_process_find(j, ppid), *old, *child;

	if (pid == ppid)
		return 1;
	if (time && jit_advance_of(j, p, time) < 0)
		return -1;
	if ((old = jit_process_find(j, pid)))
		jit_process_end(j, old);
	if (!p || !(p->dump || p->heir_of || p->since))
		return 1;
	if (!(child = jit_process_get(j, pid)))
		return -1;
	child->heir_of = p->dump ? p->pid : p->heir_of;
	child->since = p->since;
	child->last = p->last;
	return 1;
}

static int
jit_exit(struct jit *j, uint64_t time, const struct pp_rec *r)
{
	struct jit_process *p = jit_process_find(j, PP_RAW_GET(r->raw, EXIT, pid, j->t->in->swap));

	if (!p || !walk_is_last(j->walk, r))
		return 1;
	if (jit_advance_of(j, p, time ? time : UINT64_MAX) < 0)
		return -1;
	jit_process_end(j, p);
	return 1;
}

/* Another program, without the code of the one before. */
static int
jit_exec(struct jit *j, uint64_t time, const struct pp_rec *r)
{
	struct jit_process *p = jit_process_find(j, PP_RAW_GET(r->raw, COMM, pid, j->t->in->swap));

	if (!p)
		return 1;
	if (time && jit_advance_of(j, p, time) < 0)
		return -1;
	jit_process_close(j, p);
	p->heir_of = 0;
	p->done = 0;
	p->since = j->nimages;
	return 1;
}

static int
jit_record(void *arg, uint64_t time, const struct pp_rec *r)
{
	struct jit *j = arg;

	if (jit_show_hidden(j) < 0)
		return -1;
	switch (r->type) {
	case PP_MMAP:
	case PP_MMAP2:
		return jit_map(j, time, r);
	case PP_FORK:
		return jit_fork(j, time, r);
	case PP_EXIT:
		return jit_exit(j, time, r);
	case PP_COMM:
		return r->misc & PP_MISC_COMM_EXEC ? jit_exec(j, time, r) : 1;
	}
	return 1;
}

static int
jit_round(void *arg, uint64_t limit)
{
	struct jit *j = arg;
	struct jit_process *p, *next;

	if (jit_show_hidden(j) < 0)
		return -1;
	for (p = LIST_FIRST(&j->dumps); p; p = next) {
		next = LIST_NEXT(p, dumps);
		if (jit_advance(j, p, limit) < 0)
			return -1;
	}
	return jit_image_flush(j);
}

/* ---- as they arrive ----------------------------------------------------------------------------------- */

static int
jit_tell(struct jit *j, uint32_t pid)
{
	struct jit_process *p = jit_process_get(j, pid);

	if (!p)
		return -1;
	jit_process_close(j, p);
	p->told = true;
	return 1;
}

/* Is it an MMAP2 that an earlier run has added?  Then its process gets no more, nor does the one with the dump. */
static int
jit_learn_told(struct jit *j, const struct pp_rec *r)
{
	unsigned pid, number;
	struct pp_dso d;
	int n = 0;

	pp_dso_get(&d, r, 0, j->t->in->swap);
	if (!d.id_len || sscanf(d.name, "jitted-%9u-%9u.so%n", &pid, &number, &n) != 2 || !n || d.name[n])
		return 1;
	return jit_tell(j, pid) < 0 || jit_tell(j, PP_RAW_GET(r->raw, MMAP2, pid, j->t->in->swap)) < 0 ? -1 : 1;
}

static int
jit_put(struct out *o, struct pp_source *in, const struct pp_rec *r, bool stable)
{
	struct jit *j = (struct jit *)o;

	if (walk_passes(j->walk, r)) {
		if (r->type == PP_TIME_CONV)
			clock_cycles_learn(&j->cycles, r, in->swap);
		if (r->type == PP_MMAP2 && r->misc & PP_MISC_MMAP_BUILD_ID && jit_learn_told(j, r) < 0)
			return -1;
		if (r->type == PP_MMAP || r->type == PP_MMAP2)
			jit_arrived(j, r);
	}
	return o->next->put(o->next, in, r, stable);
}

static void
jit_report(const struct jit *j)
{
	tool_note(j->t, "jitted code: %ju functions and %ju moves in %ju files; %ju times written late, %ju again",
	    (uintmax_t)j->functions, (uintmax_t)j->moved, (uintmax_t)j->nimages_written, (uintmax_t)j->late, (uintmax_t)j->again);
	if (j->unmoved)
		tool_note(j->t, "jitted code: %ju moves of functions that are not known", (uintmax_t)j->unmoved);
	if (j->excess)
		tool_warn(j->t, "%ju functions of processes that have more than %d", (uintmax_t)j->excess, JIT_FUNCTIONS);
	if (j->made >= JIT_MADE)
		tool_warn(j->t, "more than %d MMAP2s of jitted code are needed: the rest is left out", JIT_MADE);
	if (!j->refused)
		return;
	tool_warn(j->t, "%ju jitdumps not used: %s", (uintmax_t)j->refused, j->why);
	if (j->strict)
		j->t->failed = true;
}

static void
jit_free(struct jit *j)
{
	struct jit_process *p;
	struct jit_found *f;

	while ((p = LIST_FIRST(&j->dumps)))
		jit_process_close(j, p);
	while ((f = STAILQ_FIRST(&j->found))) {
		STAILQ_REMOVE_HEAD(&j->found, all);
		if (f->file.fd >= 0)
			close(f->file.fd);
		free(f);
	}
	pp_table_free(&j->processes, true);
	free(j->images);
	free(j->by_dso);
	free(j->puts);
	free(j->hidden);
	free(j->why);
	free(j);
}

static int
jit_finish(struct out *o)
{
	struct jit *j = (struct jit *)o;
	struct out *next = o->next;

	jit_report(j);
	jit_free(j);
	return next->finish(next);
}

struct jit *
jit_new(struct tool *t, struct lookup *lookup, struct store *store, struct walk *walk, bool strict)
{
	struct jit *j = tool_alloc(1, sizeof *j);

	*j = (struct jit){ .pub = { .put = jit_put, .finish = jit_finish }, .t = t, .lookup = lookup, .store = store, .walk = walk,
	    .strict = strict };
	LIST_INIT(&j->dumps);
	STAILQ_INIT(&j->found);
	if (pp_table_init(&j->processes, &t->in_err) < 0) {
		tool_say(t, &t->in_err);
		exit(1);
	}
	walk_add(walk, &(struct walk_user){ .arg = j, .record = jit_record, .round = jit_round });
	return j;
}

struct out *
jit_stage(struct jit *j, struct out *next)
{
	j->pub.next = next;
	return &j->pub;
}
