/* SPDX-License-Identifier: ISC */
/*
 * open.c - open the inputs of a join.
 *
 * Those that are read one behind the other are opened so, and closed where they are not needed.
 *
 * Opening a FIFO waits for who writes it, and so does telling what it holds.  Live ones are opened without waiting,
 * all of them, and then waited for until each has its first bytes: so they may be opened and written in any order.
 */
#include <sys/resource.h>
#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "in.h"

enum { OTHERS = 16 };		/* descriptors that are not for inputs: output, temporary files ... */

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

/* Faults in the head were reported when it was first read. */
static void
fault(void *arg, const struct pp_err *err)
{
	const struct input *in = arg;

	if (!in->wakes)
		tool_say(in->join->t, err);
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

/* May so many files be open?  The limit goes up, as far as the system lets it. */
static bool
make_room(uint64_t need)
{
	struct rlimit r;

	if (getrlimit(RLIMIT_NOFILE, &r) < 0 || r.rlim_cur >= need)
		return true;
	r.rlim_cur = r.rlim_max < need ? r.rlim_max : need;
	return setrlimit(RLIMIT_NOFILE, &r) == 0 && r.rlim_cur >= need;
}

void
join_allow(struct tool *t, char **names, int n)
{
	make_room((uint64_t)n + OTHERS);
	for (int i = 0; i < n; i++)
		tool_allow(t, names[i], "r");
}

/* All that can be opened at a time is, and the limit cannot go up: say how many there must be.  Exits 1. */
static _Noreturn void
too_many(const struct join *j, int n, uint64_t need)
{
	struct rlimit r = { 0 };

	getrlimit(RLIMIT_NOFILE, &r);
	if (!need) {			/* as many for each as for those that are open */
		need = (uint64_t)n * ((r.rlim_cur + j->n) / (j->n + 1)) + OTHERS;
		need = need > r.rlim_cur ? need : 2 * r.rlim_cur;
	}
	fprintf(stderr, "%s: %d inputs need %ju open files, the limit is %ju: take fewer at a time, or ulimit -n %ju\n", j->t->name, n,
	    (uintmax_t)need, (uintmax_t)r.rlim_cur, (uintmax_t)need);
	exit(1);
}

/* Inputs that are read all at once share the memory that they may take. */
static unsigned
join_open_flags(const struct join *j, int n)
{
	enum { MANY = 128 };

	return j->o->open_flags | j->t->open_flags | (j->o->live && n > MANY ? (unsigned)PP_OPEN_MANY : 0);
}

static void
open_source(struct join *j, int fd, char **names, int i, int n)
{
	struct input *in = &j->in[j->n];
	const char *name = names[i];
	bool std = !strcmp(name, "-");

	in->name = name;
	in->block = j->o->blocks ? j->o->blocks[i] : NULL;
	in->fd = -1;
	in->file = fd >= 0 && is_file(fd);
	if (fd >= 0 && j->o->live && !std)
		fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
	if ((in->src = pp_open_spare(fd, std ? "<stdin>" : name, join_open_flags(j, n), j->t->spare, &in->err))) {
		begin(j, in);
		j->offset[j->n++] = j->o->time_offset ? j->o->time_offset[i] : 0;
		return;
	}
	/* that of the system, ENFILE, begins with the same words */
	if (strstr(in->err.what, strerror(EMFILE)) && !strstr(in->err.what, strerror(ENFILE)))
		too_many(j, n, 0);
	tool_say(j->t, &in->err);
	j->status = 1;
}

struct pp_source *
join_again(const struct join *j, const struct input *in, struct pp_err *err)
{
	bool std = !strcmp(in->name, "-");
	int fd = in->fd >= 0 ? fcntl(in->fd, F_DUPFD_CLOEXEC, 0) : open(std ? "/dev/stdin" : in->name, O_RDONLY | O_CLOEXEC);
	struct pp_source *src;

	if (in->fd >= 0 && fd >= 0)
		lseek(fd, 0, SEEK_SET);
	src = pp_open_spare(fd, in->err.file, j->o->open_flags | j->t->open_flags, j->t->spare, err);
	if (src && pp_same_file(src, in->src) && src->swap == in->src->swap)
		return src;
	if (src)
		pp_fail(err, "is not the same file as before");
	pp_close(src);
	return NULL;
}

int
join_wake(struct join *j, struct input *in)
{
	struct pp_source *src = join_again(j, in, &in->err);
	int rc = 1;

	in->rests = false;
	if (in->fd >= 0)
		close(in->fd);
	in->fd = -1;
	if (!src)
		return -1;
	in->wakes = true;
	pp_on_fault(src, fault, in);
	for (uint64_t n = in->taken; n && rc > 0; n--)
		rc = pp_next(src, &in->held);
	in->wakes = false;
	in->old = in->src;
	in->src = src;
	in->rw.events = src->events;
	pp_before_refill(src, join_before_refill, in);
	if (rc > 0)
		return 1;
	in->held.raw = NULL;
	return pp_fail(&in->err, "is shorter than before");
}

/* After reading the head: suspend the input if it can be read again.  With --repair, a gap may not have been reported yet. */
static void
rest(struct join *j, struct input *in)
{
	if (in->fd < 0 && !(j->closes && in->file))
		return;
	if (in->held.raw && !(j->o->open_flags & PP_OPEN_REPAIR) && pp_rest(in->src)) {
		in->held.raw = NULL;
		in->rests = true;
		return;
	}
	if (in->fd >= 0)
		close(in->fd);
	in->fd = -1;
}

/*
 * One behind the other.  Of those that rest only a descriptor is open, or, where there are not enough, none.
 */
static void
open_in_turn(struct join *j, char **names, int n)
{
	j->closes = !make_room((uint64_t)n + OTHERS);
	for (int i = 0; i < n; i++) {
		struct input *in = &j->in[j->n];
		int fd = open_input(j, names[i]), keep = -1;
		struct stat st;

		if (!j->closes && fd >= 0 && is_file(fd) && !fstat(fd, &st) && S_ISREG(st.st_mode))
			keep = fcntl(fd, F_DUPFD_CLOEXEC, 0);
		open_source(j, fd, names, i, n);
		if (in == &j->in[j->n]) {
			if (keep >= 0)
				close(keep);
			continue;
		}
		in->fd = keep;
		join_gather(j, in);
		rest(j, in);
	}
}

/* All at once. */
static void
open_live(struct join *j, char **names, int n)
{
	int *fd = tool_alloc((size_t)n, sizeof *fd), *error = tool_alloc((size_t)n, sizeof *error);

	if (!make_room((uint64_t)n + OTHERS))
		too_many(j, n, (uint64_t)n + OTHERS);
	for (int i = 0; i < n; i++) {
		fd[i] = open_input(j, names[i]);
		error[i] = errno;
	}
	wait_for_all(fd, n);
	for (int i = 0; i < n; i++) {
		errno = error[i];
		open_source(j, fd[i], names, i, n);
	}
	free(fd);
	free(error);
	join_gather_all(j);
}

void
join_open_inputs(struct join *j, char **names, int n)
{
	if (j->o->live)
		open_live(j, names, n);
	else
		open_in_turn(j, names, n);
}
