/* SPDX-License-Identifier: ISC */
/* lookup.c - see lookup.h: the process that reads the recording, and the start of the second one */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "place.h"
#include "protocol.h"
#include "second.h"

static void
begin_serving(struct tool *t, int fd, const void *opt)
{
	place_start(opt);
	serve_start();
	second_lock(t, fd, CONFINE_SERVE);
	serve(fd, opt);
}

void
lookup_start(struct lookup *l, struct tool *t, const struct lookup_opt *opt)
{
	l->t = t;
	l->opt = opt;
	uname(&l->us);
	recording_start(l);
	gone_start(l);
	l->ended = "not looked for (--no-fs)";
	if (opt->no_fs)
		return;
	l->questions = tool_alloc(1, MESSAGE_MAX);
	l->fd = second_start(t, "a process that looks files up", ANSWER_SECONDS, begin_serving, opt);
	t->confine.rights |= CONFINE_ASK;
	t->confine.peer = l->fd;
}

bool
give_up(struct lookup *l)
{
	bool late = errno == EAGAIN || errno == EWOULDBLOCK;

	l->ended = late ? "the process that looks files up waits for one" : "the process that looks files up has ended";
	tool_warn(l->t, "%s: no more build-ids", l->ended);
	close(l->fd);
	l->fd = -1;
	return false;
}

/* Calls by their number, as the filter of system calls knows them: some C libraries take another one. */
bool
question_send(struct lookup *l)
{
	long n = syscall(SYS_sendto, l->fd, l->questions, l->nquestions, MSG_NOSIGNAL, NULL, 0);

	l->nquestions = 0;
	return n >= 0 || give_up(l);
}

bool
question_add(struct lookup *l, uint32_t kind, const struct lookup_for *f, uint32_t flags, uint64_t latest)
{
	struct question q = { .kind = kind, .pid = f->pid, .flags = flags, .start = f->start, .end = f->end, .latest = latest };
	size_t n = f->dso ? f->dso->len : 0;

	if (n >= NAME_MAX_BYTES || l->fd < 0)
		return false;
	q.size = (uint32_t)((sizeof q + n + 8) & ~(size_t)7);
	if (l->nquestions + q.size > MESSAGE_MAX && !question_send(l))
		return false;
	if (f->dso) {
		q.maj = f->dso->maj;
		q.min = f->dso->min;
		q.ino = f->dso->ino;
		q.ino_generation = f->dso->ino_generation;
		q.id_len = f->dso->id_len;
		memcpy(q.id, f->dso->id, sizeof q.id);
	}
	memset(l->questions + l->nquestions, 0, q.size);
	memcpy(l->questions + l->nquestions, &q, sizeof q);
	if (n)
		memcpy(l->questions + l->nquestions + sizeof q, f->dso->name, n);
	l->nquestions += q.size;
	return true;
}

/* The file was found, but cannot be used here. */
static void
answer_fail(struct answer *a, int error)
{
	a->found = 0;
	a->there = 1;
	snprintf(a->why, sizeof a->why, "%s", strerror(error));
}

static bool
ask(struct lookup *l, struct answer *a, int *fd)
{
	int fds[SECOND_FDS];
	long got;

	if (!question_send(l))
		return false;
	if ((got = second_receive(l->fd, a, sizeof *a, fds)) < 0)
		return give_up(l);
	*fd = fds[0];
	if (got == sizeof *a && a->len <= sizeof a->id && !a->why[WHY_MAX - 1] && (*fd < 0 || a->has_fd) && fds[1] < 0) {
		if (*fd < 0 && a->has_fd)	/* the kernel could not hand it over (MSG_CTRUNC) */
			answer_fail(a, EMFILE);
		return true;
	}
	for (int i = 0; i < SECOND_FDS; i++)
		if (fds[i] >= 0)
			close(fds[i]);
	*fd = -1;
	errno = 0;
	return give_up(l);
}

/* 1, or 0 and why */
static int
lookup_ask(struct lookup *l, const struct lookup_for *f, uint32_t kind, uint32_t flags, struct lookup_found *to)
{
	static struct answer a;
	bool any_time = kind == LOOKUP_JITDUMP || kind == LOOKUP_PERF_MAP || kind == LOOKUP_DEBUG;

	if (!question_add(l, kind, f, flags, any_time ? 0 : recording_latest(l, f->time)) || !ask(l, &a, &to->fd)) {
		to->why = l->fd < 0 ? l->ended : "the name is too long";
		return 0;
	}
	to->why = a.why;
	to->changed = a.changed;
	to->there = a.there;
	to->proven = a.proven;
	to->own_pid = a.own_pid;
	to->own_pid_lost = a.own_pid_lost;
	to->absent = a.absent;
	to->mnt = a.mnt;
	gone_foreign(l, a.foreign);
	if (a.absent)
		gone_note(l, f->pid, a.mnt);
	to->id.len = a.len;
	memcpy(to->id.b, a.id, sizeof to->id.b);
	return a.found != 0;
}

/* May there be files of a recording of another machine, that the user names? */
static bool
lookup_has_copies(const struct lookup *l, enum lookup_kind kind)
{
	return kind == LOOKUP_JITDUMP ? l->opt->jit_dump_dir != NULL : kind == LOOKUP_PERF_MAP ? l->opt->perf_map_dir != NULL :
	    kind == LOOKUP_TABLES ? l->opt->nsymfs || l->opt->unwind_files || l->opt->jitted :
	    (kind == LOOKUP_FILE || kind == LOOKUP_MODULE || kind == LOOKUP_DEBUG) && l->opt->nsymfs;
}

bool
lookup_is_memory(const struct pp_dso *d)
{
	static const char *const starts[] = { "//", "/dev/", "/anon_hugepage", "/SYSV", "/memfd:", "/[aio]" };

	for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
		if (!strncmp(d->name, starts[i], strlen(starts[i])))
			return true;
	return d->name[0] != '/' && strcmp(d->name, "[vdso]");
}

static int
lookup_search(struct lookup *l, const struct lookup_for *f, bool want_fd, struct lookup_found *to)
{
	bool kernel = f->kind == LOOKUP_KERNEL || f->kind == LOOKUP_MODULE || f->kind == LOOKUP_VDSO || f->kind == LOOKUP_KALLSYMS ||
	    f->kind == LOOKUP_MODULES;
	uint32_t flags = want_fd ? ASK_FD : f->watch && l->live ? ASK_WATCH : 0;

	to->why = "--kallsyms says that it is of another kernel";
	if (l->other_kernel && *l->other_kernel && (f->kind == LOOKUP_KERNEL || f->kind == LOOKUP_MODULE))
		return 0;
	if (!l->elsewhere && !(kernel && l->other_release)) {
		if (!lookup_ask(l, f, f->kind, flags, to))
			return 0;
		if (kernel)
			l->taken_kernel++;
		else if (!lookup_has_copies(l, f->kind))	/* or it may be of those */
			l->taken++;
		if (f->kind == LOOKUP_FILE || f->kind == LOOKUP_TABLES)
			recording_took(l, to);
		return 1;
	}
	if (lookup_has_copies(l, f->kind) &&
	    lookup_ask(l, f, f->kind == LOOKUP_MODULE ? LOOKUP_FILE : f->kind, flags | ASK_COPIES, to))
		return 1;
	to->why = l->elsewhere ? l->elsewhere : "recorded under another kernel";
	if (l->elsewhere && f->kind != LOOKUP_TABLES && !(f->kind == LOOKUP_FILE && lookup_is_memory(f->dso)))
		l->refused++;
	return 0;
}

/* Both vdsos of a 64-bit machine have one name in a map, but not in perf's list. */
static int
lookup_known(const struct lookup *l, const struct lookup_for *f, struct build_id *id)
{
	static const struct pp_dso vdso32 = { .name = "[vdso32]", .len = 8 };
	bool is_vdso32 = f->kind == LOOKUP_VDSO && f->start <= UINT32_MAX && !l->narrow;

	return known_find(l->opt->known, is_vdso32 ? &vdso32 : f->dso, id);
}

bool
lookup_disagrees(const struct lookup *l, const struct pp_dso *d, const uint8_t *id, size_t len)
{
	struct build_id known, is = { .len = len < BUILD_ID_MAX ? len : BUILD_ID_MAX };

	memcpy(is.b, id, is.len);
	/* an older BUILD_ID has no size: what is missing is 0 */
	return known_find(l->opt->known, d, &known) && memcmp(known.b, is.b, sizeof is.b);
}

int
lookup_file(struct lookup *l, const struct lookup_for *f, bool want_fd, struct lookup_found *to)
{
	struct build_id known;
	uint64_t refused = l->refused;
	int rc;

	*to = (struct lookup_found){ .fd = -1 };
	if (!lookup_known(l, f, &known))
		return lookup_search(l, f, want_fd, to);
	/* the user knows better, but a file of another id is not the file */
	rc = want_fd ? lookup_search(l, f, true, to) : 0;
	l->refused = refused;
	to->listed = rc <= 0 || to->id.len != known.len || memcmp(to->id.b, known.b, known.len);
	if (to->fd >= 0 && to->listed) {
		close(to->fd);
		to->fd = -1;
	}
	to->id = known;
	return 1;
}

void
lookup_end(struct lookup *l)
{
	if (l->fd >= 0)
		close(l->fd);
	l->fd = -1;
	free(l->questions);
	l->questions = NULL;
	recording_end(l);
	gone_end(l);
}
