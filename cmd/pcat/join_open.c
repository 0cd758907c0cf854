/* SPDX-License-Identifier: ISC */
/*
 * join_open.c - open the inputs of a join.
 *
 * Opening a FIFO waits for who writes it, and so does telling what it holds.  Live ones are opened without waiting,
 * all of them, and then waited for until each has its first bytes: so they may be opened and written in any order.
 */
#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "join_in.h"

static int
open_input(const struct join *j, const char *name)
{
	struct stat st;
	bool fifo;

	if (!strcmp(name, "-"))
		return fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0);
	fifo = j->o->live && !stat(name, &st) && S_ISFIFO(st.st_mode);
	return open(name, O_RDONLY | O_CLOEXEC | (fifo ? O_NONBLOCK : 0));
}

/* Can what it holds be read again by its name? */
static bool
is_file(int fd)
{
	struct stat st;

	return !fstat(fd, &st) && (S_ISDIR(st.st_mode) || (S_ISREG(st.st_mode) && lseek(fd, 0, SEEK_CUR) == 0));
}

/* Wait until each pipe has something; what is no pipe never waits. */
static void
wait_for_all(const int *fd, int n)
{
	struct pollfd *p = tool_alloc((size_t)n, sizeof *p);
	struct stat st;
	int left = 0;

	for (int i = 0; i < n; i++)
		if (fd[i] >= 0 && !fstat(fd[i], &st) && (S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode))) {
			fcntl(fd[i], F_SETPIPE_SZ, 1 << 20);
			p[left++] = (struct pollfd){ .fd = fd[i], .events = POLLIN };
		}
	while (left && (poll(p, (nfds_t)left, -1) >= 0 || errno == EINTR)) {
		int keep = 0;

		for (int i = 0; i < left; i++)
			if (!p[i].revents)
				p[keep++] = p[i];
		left = keep;
	}
	free(p);
}

static void
fault(void *arg, const struct pp_err *err)
{
	tool_say(((struct input *)arg)->join->t, err);
}

/* Set up an input that was opened. */
static void
begin(struct join *j, struct input *in)
{
	in->join = j;
	pp_before_refill(in->src, join_before_refill, in);
	if (j->o->live)
		pp_no_wait(in->src);
	if (j->o->opened)
		j->o->opened(j->o->arg, in->src);
	pp_on_fault(in->src, fault, in);
	tool_note(j->t, "%s: %s", in->err.file, pp_container(in->src));
	if (pp_warning(in->src))
		tool_warn(j->t, "%s: %s", in->err.file, pp_warning(in->src));
}

static void
open_source(struct join *j, int fd, const char *name, int64_t offset)
{
	struct input *in = &j->in[j->n];
	bool std = !strcmp(name, "-");

	in->name = name;
	in->file = fd >= 0 && is_file(fd);
	if (fd >= 0 && j->o->live && !std)
		fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
	if ((in->src = pp_open_fd(fd, std ? "<stdin>" : name, j->o->open_flags | j->t->open_flags, &in->err))) {
		begin(j, in);
		j->offset[j->n++] = offset;
	} else {
		tool_say(j->t, &in->err);
		j->status = 1;
	}
}

void
join_open_inputs(struct join *j, char **names, int n)
{
	int *fd = tool_alloc((size_t)n, sizeof *fd), *error = tool_alloc((size_t)n, sizeof *error);

	for (int i = 0; j->o->live && i < n; i++) {
		fd[i] = open_input(j, names[i]);
		error[i] = errno;
	}
	if (j->o->live)
		wait_for_all(fd, n);
	for (int i = 0; i < n; i++) {
		if (j->o->live)
			errno = error[i];
		else
			fd[i] = open_input(j, names[i]);
		open_source(j, fd[i], names[i], j->o->time_offset ? j->o->time_offset[i] : 0);
	}
	free(fd);
	free(error);
}
