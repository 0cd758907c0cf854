/* SPDX-License-Identifier: ISC */
/* maker.c - see maker.h: the side of the process that reads the recording */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lookup/second.h"
#include "protocol.h"

struct maker {
	int		 fd;		/* -1: the other process has ended */
	const char	*ended;		/* why */
	uint64_t	 number;	/* of tasks */
};

struct maker *
maker_start(struct tool *t)
{
	struct maker *m = tool_alloc(1, sizeof *m);

	m->fd = second_start(t, "a process that reads symbols", READ_SECONDS + 5, read_serve, NULL);
	t->confine.rights |= CONFINE_HAND;
	t->confine.parser = m->fd;
	return m;
}

static bool
send_task(const struct maker *m, const struct maker_for *q)
{
	struct task k = { .number = m->number, .id = *q->id, .debug = q->debug >= 0, .grade = q->grade,
	    .hits = q->hits ? q->hits->n : 0 };
	const int fds[SECOND_FDS] = { q->fd, q->debug };

	if (second_send(m->fd, &k, sizeof k, fds, k.debug ? 2 : 1) < 0)
		return false;
	for (size_t at = 0, step; at < k.hits; at += step) {
		step = k.hits - at < HITS_MESSAGE ? k.hits - at : HITS_MESSAGE;
		if (second_send(m->fd, q->hits->offset + at, step * sizeof *q->hits->offset, NULL, 0) < 0)
			return false;
	}
	return true;
}

/* One message.  Its bytes; 0, -1: there are no more. */
static ssize_t
receive(const struct maker *m, void *p, size_t n)
{
	ssize_t got;

	while ((got = read(m->fd, p, n)) < 0 && errno == EINTR)
		;
	return got;
}

static bool
receive_answer(const struct maker *m, struct answer *a)
{
	ssize_t got;

	while ((got = receive(m, a, sizeof *a)) == sizeof *a && a->number != m->number)
		;
	return got == sizeof *a;
}

/* 1; 0: the process that makes it has failed, which *a says; -1: there are no more answers. */
static int
receive_file(const struct maker *m, struct maker_file *to, struct answer *a)
{
	size_t size = a->size, space = size + sizeof *a;
	ssize_t got;

	to->bytes = tool_alloc(space, 1);
	while (to->n < size) {
		if ((got = receive(m, to->bytes + to->n, space - to->n)) <= 0)
			return -1;
		if ((size_t)got != PIECE && to->n + (size_t)got != size) {
			if (got == sizeof *a)
				memcpy(a, to->bytes + to->n, sizeof *a);
			free(to->bytes);
			to->bytes = NULL;
			return got == sizeof *a && !a->size ? 0 : -1;
		}
		to->n += (size_t)got;
	}
	return 1;
}

static bool
is_sound(const struct answer *a)
{
	return !a->why[sizeof a->why - 1] && !a->debuglink[sizeof a->debuglink - 1] && a->size <= FILE_MAX;
}

/* There are no more answers. */
static int
give_up(struct maker *m, struct maker_file *to)
{
	m->ended = errno == EAGAIN || errno == EWOULDBLOCK ? MAKER_LATE : "the process that reads symbols has ended";
	close(m->fd);
	m->fd = -1;
	free(to->bytes);
	*to = (struct maker_file){ .bytes = NULL };
	snprintf(to->why, sizeof to->why, "%s", m->ended);
	return 0;
}

int
maker_make(struct maker *m, const struct maker_for *q, struct maker_file *to)
{
	struct answer a;

	*to = (struct maker_file){ .bytes = NULL };
	if (m->fd < 0) {
		snprintf(to->why, sizeof to->why, "%s", m->ended);
		return 0;
	}
	errno = 0;
	m->number++;
	if (!send_task(m, q) || !receive_answer(m, &a) || !is_sound(&a) ||
	    (a.size && receive_file(m, to, &a) < 0) || !is_sound(&a))
		return give_up(m, to);
	memcpy(to->why, a.why, sizeof to->why);
	memcpy(to->debuglink, a.debuglink, sizeof to->debuglink);
	return a.size != 0;
}

void
maker_end(struct maker *m)
{
	if (m && m->fd >= 0)
		close(m->fd);
	free(m);
}
