/* SPDX-License-Identifier: ISC */
/*
 * sink.c - writes records.  What is only passed on is written from where it lies in the source's buffer:
 *
 *	run: bytes that lie side by side     iov: earlier runs and new bytes, in order     scratch: new bytes
 *
 * All of it goes out when the source is about to overwrite its buffer, or to wait for input.
 */
#include <sys/uio.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "perfpipe.h"

enum { IOVS = 1024, SCRATCH = 128 << 10 };

struct sink {
	struct pp_sink	 pub;
	struct pp_err	*err;
	int		 fd;
	bool		 failed;
	struct iovec	 iov[IOVS];
	int		 n;
	size_t		 used;		/* of scratch */
	uint64_t	 written;
	uint8_t		 scratch[SCRATCH];
};

static int
sink_fail(struct sink *k, const char *doing)
{
	k->failed = true;
	return pp_fail(k->err, "%s: %s", doing, strerror(errno));
}

struct pp_sink *
pp_create(const char *path, struct pp_err *err)
{
	bool std = !path || !strcmp(path, "-");
	struct sink *k = calloc(1, sizeof *k);

	*err = (struct pp_err){ .file = std ? "<stdout>" : path };
	if (!k) {
		pp_fail(err, "out of memory");
		return NULL;
	}
	k->err = err;
	/* A recording holds stacks and registers: nobody else's business. */
	k->fd = std ? fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0) :
	    open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (k->fd < 0) {
		pp_fail(err, "%s", strerror(errno));
		free(k);
		return NULL;
	}
	fcntl(k->fd, F_SETPIPE_SZ, 1 << 20);
	return &k->pub;
}

/* Close the run. */
static void
push(struct sink *k)
{
	if (k->pub.end > k->pub.run)
		k->iov[k->n++] = (struct iovec){ (void *)(uintptr_t)k->pub.run, (size_t)(k->pub.end - k->pub.run) };
	k->pub.run = k->pub.end = NULL;
}

int
pp_flush(struct pp_sink *pub)
{
	struct sink *k = (struct sink *)pub;
	struct iovec *v = k->iov, *end;

	push(k);
	end = k->iov + k->n;
	while (v < end && !k->failed) {
		ssize_t put = writev(k->fd, v, (int)(end - v));

		if (put < 0 && errno == EAGAIN)
			poll(&(struct pollfd){ .fd = k->fd, .events = POLLOUT }, 1, -1);
		else if (put < 0 && errno != EINTR)
			sink_fail(k, "write");
		if (put < 0)
			continue;
		k->written += (uint64_t)put;
		for (; v < end && (size_t)put >= v->iov_len; v++)
			put -= (ssize_t)v->iov_len;
		if (put) {
			v->iov_base = (uint8_t *)v->iov_base + put;
			v->iov_len -= (size_t)put;
		}
	}
	k->n = 0;
	k->used = 0;
	return k->failed ? -1 : 1;
}

int
pp_put_stable(struct pp_sink *pub, const uint8_t *p, size_t n)
{
	struct sink *k = (struct sink *)pub;

	if (k->failed)
		return -1;
	if (p != pub->end) {
		push(k);
		if (k->n == IOVS && pp_flush(pub) < 0)
			return -1;
		pub->run = p;
	}
	pub->end = p + n;
	return 1;
}

int
pp_put_slow(struct pp_sink *pub, struct pp_source *s, const struct pp_rec *r)
{
	const uint8_t *p;
	size_t n;
	int rc;

	if (pp_put_stable(pub, r->raw, r->size) < 0)
		return -1;
	if (!r->payload)
		return 1;
	while ((rc = pp_payload(s, &p, &n)) > 0)
		if (pp_put_stable(pub, p, n) < 0)
			return -1;
	return rc < 0 ? -1 : 1;
}

int
pp_put_copy(struct pp_sink *pub, const void *p, size_t n)
{
	struct sink *k = (struct sink *)pub;

	/* Not flushed any more once the bytes are in scratch: that would forget them there. */
	if ((n > SCRATCH - k->used || k->n >= IOVS - 1) && pp_flush(pub) < 0)
		return -1;
	if (n > SCRATCH)
		return pp_put_stable(pub, p, n) < 0 ? -1 : pp_flush(pub);
	memcpy(k->scratch + k->used, p, n);
	k->used += n;
	return pp_put_stable(pub, k->scratch + k->used - n, n);
}

static int
flush_hook(void *k)
{
	return pp_flush(k);
}

int
pp_start(struct pp_sink *pub, struct pp_source *s)
{
	uint8_t head[PP_PIPE_HEADER_SIZE];

	/* "PERFILE2" as a u64 of the recorder's order: readers see the order by it */
	pp_set_u64(head, UINT64_C(0x32454c4946524550), s->swap);
	pp_set_u64(head + 8, sizeof head, s->swap);
	pp_before_refill(s, flush_hook, pub);
	return pp_put_copy(pub, head, sizeof head);
}

int
pp_finish(struct pp_sink *pub)
{
	struct sink *k = (struct sink *)pub;
	int rc;

	if (!k)
		return 1;
	pp_flush(pub);
	if (close(k->fd) < 0 && errno != EINTR)
		sink_fail(k, "close");
	rc = k->failed ? -1 : 1;
	free(k);
	return rc;
}

uint64_t
pp_written(const struct pp_sink *pub)
{
	return ((const struct sink *)pub)->written;
}
