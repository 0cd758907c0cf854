/* SPDX-License-Identifier: ISC */
/* serve.c - see protocol.h: the process that looks files up */
#include <sys/prctl.h>
#include <sys/time.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "place.h"
#include "protocol.h"
#include "second.h"
#include "state/table.h"

/* ---- ids of files that may be gone when they are asked for ----------------------------------------------------- */

enum { MEMORY_MAX = 65536 };

struct memory {
	struct link	 link;
	struct pp_dso	 dso;		/* its name is below */
	struct build_id	 id;
	uint64_t	 changed;	/* the file, before it was read */
	bool		 mixed;		/* it was changed since, so which contents a map had is unknown */
	char		 name[];
};
static struct table memories;

static struct memory *
memory_find(const struct pp_dso *d, uint64_t *key)
{
	uint64_t numbers[] = { d->ino, d->ino_generation, (uint64_t)d->maj << 32 | d->min };

	*key = pp_table_hash(&memories, d->len, (const uint8_t *)d->name, d->len);
	*key = pp_table_hash(&memories, *key, (const uint8_t *)numbers, sizeof numbers);
	for (struct link *l = pp_table_first(&memories, *key); l; l = pp_table_next(l)) {
		struct memory *m = (struct memory *)l;

		if (m->dso.ino == d->ino && m->dso.ino_generation == d->ino_generation && m->dso.maj == d->maj &&
		    m->dso.min == d->min && m->dso.len == d->len && !memcmp(m->name, d->name, d->len))
			return m;
	}
	return NULL;
}

static void
memory_add(const struct pp_dso *d, const struct build_id *id, uint64_t changed, uint64_t key)
{
	struct memory *m = memories.n < MEMORY_MAX ? malloc(sizeof *m + d->len) : NULL;

	if (!m)
		return;
	m->dso = *d;
	m->id = *id;
	m->changed = changed;
	m->mixed = false;
	memcpy(m->name, d->name, d->len);
	if (pp_table_add(&memories, &m->link, key) < 0)
		free(m);
}

/* ---- questions -------------------------------------------------------------------------------------------------- */

/* The same file by a descriptor that can only be asked how it is. */
static int
serve_watch(int fd)
{
	char path[32];

	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	return open(path, O_PATH | O_CLOEXEC);
}

/* An id, and the descriptor of the file, which stays open if it is wanted (ASK_FD, ASK_WATCH).  1, 0 */
static int
serve_file(struct place *p, uint32_t flags, struct lookup_found *to)
{
	int fd = place_open(p), rc = 0;
	struct memory *m;
	uint64_t key;

	to->why = place_why(p);
	if (fd >= 0)
		rc = buildid_fd(&to->id, fd, &to->why);
	to->changed = p->changed;
	if (rc > 0 && flags & ASK_WATCH)
		to->fd = serve_watch(fd);
	if (rc > 0 && flags & ASK_FD)
		to->fd = fd;
	else if (fd >= 0)
		close(fd);
	if (rc > 0 || p->copies || !p->dso.ino || !(m = memory_find(&p->dso, &key)))
		return rc;
	if (p->why == WHY_CHANGED || m->mixed || (p->latest && p->latest < m->changed)) {
		to->why = LOOKUP_WHY_CHANGED;
		return 0;
	}
	to->id = m->id;
	to->changed = m->changed;
	return 1;
}

/* The module's file only if it is the loaded module: the id says so.  A compressed one has none. */
static void
serve_module_file(struct place *p, struct lookup_found *to)
{
	struct lookup_found file = { .fd = -1 };

	if (p->dso.name[0] == '/' && serve_file(p, ASK_FD, &file) > 0 && file.id.len == to->id.len &&
	    !memcmp(file.id.b, to->id.b, file.id.len))
		to->fd = file.fd;
	else if (file.fd >= 0)
		close(file.fd);
}

static int
serve_opened(struct place *p, int fd, struct lookup_found *to)
{
	to->fd = fd;
	to->why = place_why(p);
	to->there = p->why > WHY_GONE;
	to->proven = p->proven;
	to->own_pid = p->own_pid;
	to->own_pid_lost = p->own_pid_lost;
	return fd >= 0;
}

static int
serve_debug(struct place *p, struct lookup_found *to)
{
	int fd = place_open_debug(p);

	to->why = place_why(p);
	to->there = p->why > WHY_GONE;
	if (fd < 0 || buildid_fd(&to->id, fd, &to->why) > 0)
		return (to->fd = fd) >= 0;
	close(fd);
	to->there = true;
	return 0;
}

static int
serve_answer(const struct question *q, struct place *p, struct lookup_found *to)
{
	int rc;

	switch ((enum lookup_kind)q->kind) {
	case LOOKUP_FILE:
		return serve_file(p, q->flags, to);
	case LOOKUP_KERNEL:
		return buildid_kernel(&to->id, &to->why);
	case LOOKUP_MODULE:
		if ((rc = buildid_module(&to->id, &p->dso, &to->why)) > 0 && q->flags & ASK_FD)
			serve_module_file(p, to);
		return rc;
	case LOOKUP_VDSO:
		return buildid_vdso(&to->id, q->pid, q->end ? q->start : 0, &to->why);
	case LOOKUP_JITDUMP:
		return serve_opened(p, place_open_jitdump(p), to);
	case LOOKUP_PERF_MAP:
		return serve_opened(p, place_open_perf_map(p), to);
	case LOOKUP_DEBUG:
		return serve_debug(p, to);
	case LOOKUP_TABLES:
		rc = serve_opened(p, place_open_proven(p), to);
		to->changed = p->changed;
		return rc;
	case LOOKUP_KALLSYMS:
		to->fd = open("/proc/kallsyms", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
		to->why = strerror(errno);
		return to->fd >= 0;
	case LOOKUP_MODULES:
		to->fd = open("/proc/modules", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
		to->why = strerror(errno);
		return to->fd >= 0;
	}
	to->why = "unknown question";
	return 0;
}

/* A file that may be gone soon */
static void
serve_early_file(struct place *p)
{
	struct lookup_found found = { .fd = -1 };
	struct memory *m;
	uint64_t key;
	int fd;

	if (!roots_is_other(p->pid))
		return;
	if (!(m = memory_find(&p->dso, &key))) {
		if (serve_file(p, 0, &found) > 0)
			memory_add(&p->dso, &found.id, found.changed, key);
	} else if (!m->mixed) {
		fd = place_open(p);
		m->mixed = fd >= 0 ? p->changed != m->changed : p->why == WHY_CHANGED;
		if (fd >= 0)
			close(fd);
	}
}

static bool
serve_reply(int to, const struct question *q, struct place *p)
{
	struct lookup_found found = { .fd = -1, .why = "" };
	struct answer a = { .found = serve_answer(q, p, &found) > 0 };
	long sent;

	a.has_fd = found.fd >= 0;
	a.changed = found.changed;
	a.proven = found.proven;
	a.own_pid = found.own_pid;
	a.own_pid_lost = found.own_pid_lost;
	a.there = found.there;
	a.absent = p->gone && !p->copies && !a.found && !p->touched && (p->why == WHY_ABSENT || p->why == WHY_GONE);
	a.mnt = p->mnt;
	a.foreign = roots_foreign();
	if (a.found) {
		a.len = (uint32_t)found.id.len;
		memcpy(a.id, found.id.b, sizeof a.id);
	}
	strncpy(a.why, found.why, sizeof a.why - 1);
	sent = second_send(to, &a, sizeof a, &found.fd, found.fd >= 0);
	if (found.fd >= 0)
		close(found.fd);
	return sent >= 0;
}

static bool
serve_pids(int to)
{
	static struct pids p;
	int n = process_list(p.pid, PIDS_MAX);

	p.n = n > 0 ? (uint32_t)n : 0;
	p.foreign = roots_foreign();
	return second_send(to, &p, offsetof(struct pids, pid) + p.n * sizeof *p.pid, NULL, 0) >= 0;
}

static bool
serve_question(int to, const struct lookup_opt *opt, const struct question *q)
{
	struct place p = { .opt = opt, .pid = q->pid, .start = q->start, .end = q->end, .latest = q->latest,
	    .copies = q->flags & ASK_COPIES,
	    .dso = { .name = q->name, .len = (uint32_t)strlen(q->name), .maj = q->maj, .min = q->min, .ino = q->ino,
		.ino_generation = q->ino_generation } };

	p.dso.id_len = q->id_len <= sizeof q->id ? (uint8_t)q->id_len : 0;
	memcpy(p.dso.id, q->id, sizeof p.dso.id);
	switch (q->kind) {
	case EARLY_FILE:	serve_early_file(&p); return true;
	case EARLY_NAMESPACE:	roots_learn(q->pid, q->start, q->latest); return true;
	case EARLY_FORK:	roots_fork(q->pid, (uint32_t)q->start, q->latest); return true;
	case EARLY_EXEC:	roots_forget(q->pid); return true;
	case ASK_PIDS:		return serve_pids(to);
	}
	return serve_reply(to, q, &p);
}

/*
 * A message whose answer takes too long ends this process.  Starting and stopping a timer for each message would be a fifth of all system
 * calls: so one timer goes on while messages come.  At each tick it looks whether the message of the tick before is still being answered; so
 * the limit is one to two of its periods.
 */
static volatile sig_atomic_t serving, served, timer_saw, timer_on;

static void
serve_set_timer(int seconds)
{
	struct itimerval t = { .it_interval.tv_sec = seconds, .it_value.tv_sec = seconds };

	timer_on = seconds != 0;
	setitimer(ITIMER_REAL, &t, NULL);
}

static void
serve_tick(int signal)
{
	int error = errno;

	(void)signal;
	if (served != timer_saw)
		timer_saw = served;
	else if (serving)
		_exit(1);
	else
		serve_set_timer(0);	/* nothing comes */
	errno = error;
}

void
serve_start(void)
{
	struct sigaction a = { .sa_handler = serve_tick, .sa_flags = SA_RESTART };

	sigaction(SIGALRM, &a, NULL);
	/* a handler does not end a wait for a file server that is gone: the end of the command does */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
}

_Noreturn void
serve(int fd, const struct lookup_opt *opt)
{
	static _Alignas(8) uint8_t message[MESSAGE_MAX];
	ssize_t n;

	pp_table_init(&memories);
	while ((n = read(fd, message, sizeof message)) > 0) {
		served = served == INT_MAX ? 0 : served + 1;	/* first: serve_tick() may come between both */
		serving = 1;
		if (!timer_on)
			serve_set_timer(ANSWER_SECONDS + 1);
		for (size_t at = 0; at + sizeof(struct question) < (size_t)n;) {
			const struct question *q = (const void *)(message + at);

			if (q->size <= sizeof *q || q->size % 8 || q->size > (size_t)n - at || message[at + q->size - 1] ||
			    !serve_question(fd, opt, q))
				_exit(1);
			at += q->size;
		}
		serving = 0;
	}
	_exit(0);
}
