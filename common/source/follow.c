/* SPDX-License-Identifier: ISC */
/* follow.c - a file that is being written (PP_OPEN_FOLLOW): it ends when no process can write it any more, or when its writer says so */
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>

#include "bytes.h"
#include "told.h"

enum { POLL_MS = 100 };

struct follow {
	struct bytes	 pub;
	const volatile sig_atomic_t *stop;
	const struct pp_told *told;	/* by the writer; NULL: the system is asked whether there is one */
	bool		 forsaken;	/* by the writer, before the end */
	bool		 last;		/* no writer is left: read once more */
	bool		 over;		/* the waiting has ended */
};

/* Can any process write to the file?  true if the system cannot tell. */
static bool
has_writer(int fd)
{
	/* A read lease is granted only while there is no writer; if one opens the file just then, its signal must not kill us. */
	fcntl(fd, F_SETSIG, SIGURG);
	if (fcntl(fd, F_SETLEASE, F_RDLCK) < 0)
		return true;
	fcntl(fd, F_SETLEASE, F_UNLCK);
	return false;
}

static bool
is_stopped(const struct follow *f)
{
	return f->forsaken || (f->stop && *f->stop);
}

/* Wait.  false: no process writes the file any more. */
static bool
wait_for_writer(struct follow *f)
{
	int rc;

	if (f->told) {
		rc = f->told->wait(f->told->arg);
		f->forsaken = rc < 0;
		return rc != 0;
	}
	if (!has_writer(f->pub.under->layer->poll_fd(f->pub.under)))
		return false;
	poll(NULL, 0, POLL_MS);
	return true;
}

bool
follow_pause(struct bytes *b)
{
	struct follow *f = (struct follow *)b;

	if (f->over || is_stopped(f)) {
		f->over = true;
		return false;
	}
	if (wait_for_writer(f))
		return true;
	f->over = f->last || f->forsaken;
	f->last = true;			/* a writer may have written since the last read */
	return !f->over;
}

static ssize_t
follow_read(struct bytes *b, uint8_t *p, size_t n)
{
	const struct follow *f = (const struct follow *)b;
	ssize_t got;

	while ((got = b->under->layer->read(b->under, p, n)) == 0 && !f->over && follow_pause(b))
		;
	b->taken = b->under->taken;
	return got;
}

static ssize_t
follow_read_at(struct bytes *b, uint64_t off, uint8_t *p, size_t n)
{
	return b->under->layer->read_at(b->under, off, p, n);
}

static int64_t
follow_size(struct bytes *b)
{
	return b->under->layer->size(b->under);
}

static int
follow_poll_fd(const struct bytes *b)
{
	return b->under->layer->poll_fd(b->under);
}

static void
follow_close(struct bytes *b)
{
	free(b);
}

struct bytes *
follow_open(struct bytes *under, const struct pp_told *told, struct bytes_err *err)
{
	static const struct bytes_layer layer = { follow_read, follow_read_at, follow_size, follow_poll_fd, follow_close };
	struct follow *f = calloc(1, sizeof *f);
	uint8_t head[8] = { 0 };

	if (!f) {
		pp_fail_memory(&err->why);
		return NULL;
	}
	f->pub = (struct bytes){ &layer, under, err, under->taken };
	f->told = told;
	/* perf record writes the header last: at first it is zeros. */
	while ((under->layer->read_at(under, 0, head, sizeof head) < (ssize_t)sizeof head || !head[0]) && follow_pause(&f->pub))
		;
	f->last = f->over = false;
	*err = (struct bytes_err){ .fatal = false };	/* if reading fails, it fails again */
	return &f->pub;
}

void
follow_stop_at(struct bytes *b, const volatile sig_atomic_t *stop)
{
	((struct follow *)b)->stop = stop;
}

bool
follow_over(const struct bytes *b)
{
	return ((const struct follow *)b)->over;
}

bool
follow_stopped(const struct bytes *b)
{
	return follow_over(b) && is_stopped((const struct follow *)b);
}
