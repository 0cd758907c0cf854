/* SPDX-License-Identifier: ISC */
/*
 * gone.c - see lookup.h: processes of the recording that have ended
 *
 * A process that has ended does not come back: another one with its number is not that of what was read before.  So in one moment of
 * what was read (struct lookup) a process that was not found stays gone, and what is absent in its name is absent in that of all that
 * are gone and were in the same mount namespace.
 */
#include <sys/stat.h>

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "protocol.h"
#include "second.h"

enum {
	PIDS = 4096,
	AGAIN = 16,			/* questions that a list of all processes has to save, if it may soon be out of date */
};

struct gone {
	struct gone_pid {
		uint64_t	 moment;	/* 0: unused */
		uint64_t	 mnt;
		uint32_t	 pid;
	} pid[PIDS];			/* by the lower bits */
	uint64_t	 listed;	/* the moment of the list; 0: there is none */
	uint64_t	 counted;	/* the moment of `again' */
	unsigned	 again;
	uint32_t	 foreign;	/* roots_foreign(); the list says little if some processes were in other mount namespaces */
	struct pids	 alive;
};

void
gone_start(struct lookup *l)
{
	struct stat st;

	l->moment = 1;
	l->mnt = stat("/proc/self/ns/mnt", &st) == 0 ? st.st_ino : 0;
	l->gone = tool_alloc(1, sizeof *l->gone);
}

void
gone_end(struct lookup *l)
{
	free(l->gone);
	l->gone = NULL;
}

void
gone_note(struct lookup *l, uint32_t pid, uint64_t mnt)
{
	l->gone->pid[pid % PIDS] = (struct gone_pid){ .moment = l->moment, .mnt = mnt, .pid = pid };
}

void
gone_new(struct lookup *l, uint32_t pid)
{
	struct gone_pid *g = &l->gone->pid[pid % PIDS];

	if (g->pid == pid)
		g->moment = 0;
}

void
gone_foreign(struct lookup *l, uint32_t foreign)
{
	if (foreign != l->gone->foreign)
		l->moment++;
	l->gone->foreign = foreign;
}

/* The processes that it has forked may be there, too. */
void
gone_moved(struct lookup *l, uint32_t pid, uint64_t mnt)
{
	gone_new(l, pid);
	if (mnt != l->mnt)
		l->moment++;
}

static int
gone_compare(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

/* Ask for the processes that run. */
static void
gone_list(struct lookup *l)
{
	struct gone *g = l->gone;
	int fds[SECOND_FDS];
	long got = -1;

	g->listed = l->moment;
	g->alive.n = 0;
	if (!question_add(l, ASK_PIDS, &(struct lookup_for){ .pid = 0 }, 0, 0) || !question_send(l))
		return;
	if ((got = second_receive(l->fd, &g->alive, sizeof g->alive, fds)) < 0) {
		give_up(l);
	} else if (got < (long)offsetof(struct pids, pid) || g->alive.n > PIDS_MAX ||
	    (size_t)got != offsetof(struct pids, pid) + g->alive.n * sizeof *g->alive.pid || fds[0] >= 0) {
		errno = 0;
		give_up(l);
	}
	if (l->fd < 0)
		g->alive.n = 0;
	else
		gone_foreign(l, g->alive.foreign);
	qsort(g->alive.pid, g->alive.n, sizeof *g->alive.pid, gone_compare);
}

/* Has it ended, by the list?  Who has no mount namespace in the list was in ours, if all were. */
static bool
gone_by_list(struct lookup *l, uint32_t pid)
{
	struct gone *g = l->gone;

	if (g->listed != l->moment) {
		if (g->counted != l->moment)
			g->again = 0;
		g->counted = l->moment;
		if (g->foreign || l->fd < 0 || (l->grows && g->again++ < AGAIN))
			return false;
		gone_list(l);
	}
	return g->alive.n && !g->foreign && g->listed == l->moment && !bsearch(&pid, g->alive.pid, g->alive.n, sizeof pid, gone_compare);
}

void
lookup_note_absent(const struct lookup *l, struct lookup_absent *a, const struct lookup_found *found)
{
	if (a->moment != l->moment || !found->absent)
		a->n = 0;
	a->moment = l->moment;
	if (found->absent && a->n < sizeof a->mnt / sizeof *a->mnt)
		a->mnt[a->n++] = found->mnt;
}

bool
lookup_is_absent(struct lookup *l, const struct lookup_absent *a, uint32_t pid)
{
	const struct gone_pid *g;
	uint64_t mnt = 0;

	if (!a->n || a->moment != l->moment)
		return false;
	g = &l->gone->pid[pid % PIDS];
	if (g->pid == pid && g->moment == l->moment)
		mnt = g->mnt;
	else if (!gone_by_list(l, pid))
		return false;
	for (unsigned i = 0; i < a->n; i++)
		if (a->mnt[i] == mnt)
			return true;
	return false;
}
