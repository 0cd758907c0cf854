/* SPDX-License-Identifier: ISC */
/*
 * sink.c - writes records; unchanged ones directly from the buffer of the source
 *
 *	run: adjacent bytes     iov: earlier runs and new bytes, in order
 *	scratch: new bytes, and short runs, whose copy costs less than an iovec of their own
 *
 * Everything is written, or compressed, when the source is about to overwrite its buffer.
 */
#include <sys/uio.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sink.h"
#include "compress.h"
#include "set.h"
#include "record/mark.h"

enum { IOVS = 1024, SCRATCH = 128 << 10, SHORT = 1024, HELD_MAX = 64 << 20 };

struct sink {
	struct pp_sink	 pub;
	struct pp_err	*err;
	int		 fd;		/* -1: bytes go to `to' */
	struct pp_writer to;
	bool		 failed, swap;
	bool		 bare;		/* no pipe header, so no header features */
	struct pp_compress *z;		/* NULL: no compression */
	struct iovec	 iov[IOVS];
	int		 n;
	size_t		 used;		/* bytes of scratch */
	uint64_t	 written;
	void		(*wrote)(void *, uint64_t);	/* pp_on_write(); NULL: nobody asks */
	void		*wrote_arg;
	bool		 holds;		/* bytes go to `held' */
	uint8_t		*held;
	size_t		 nheld, capheld;
	struct pp_piece_marks *marks;	/* pp_cut(); NULL: all is written */
	bool		 muted, only;	/* nothing is; but what is put next */
	int		(*once)(void *, uint64_t);
	void		*once_arg;
	uint8_t		 scratch[SCRATCH];
};

static int
sink_fail(struct sink *k, const char *doing)
{
	k->failed = true;
	return pp_fail_system(k->err, doing);
}

static struct sink *
sink_new(int fd, struct pp_err *err)
{
	struct sink *k = calloc(1, sizeof *k);

	if (!k) {
		pp_fail_memory(err);
		return NULL;
	}
	k->err = err;
	k->fd = fd;
	return k;
}

static struct pp_sink *
sink_create(int fd, struct pp_err *err)
{
	struct sink *k;

	if (fd < 0) {
		pp_fail_system(err, NULL);
		return NULL;
	}
	if (!(k = sink_new(fd, err))) {
		close(fd);
		return NULL;
	}
	fcntl(fd, F_SETPIPE_SZ, 1 << 20);
	return &k->pub;
}

struct pp_sink *
pp_create(const char *path, struct pp_err *err)
{
	bool std = !path || !strcmp(path, "-");

	*err = (struct pp_err){ .file = std ? "<stdout>" : path };
	/* Only the owner may read a recording: it has stacks and registers. */
	return sink_create(std ? fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0) :
	    open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600), err);
}

struct pp_sink *
pp_create_fd(int fd, const char *name, struct pp_err *err)
{
	*err = (struct pp_err){ .file = name };
	return sink_create(fd, err);
}

struct pp_sink *
pp_create_writer(const struct pp_writer *to, struct pp_err *err)
{
	struct sink *k = sink_new(-1, err);

	if (!k)
		return NULL;
	k->to = *to;
	return &k->pub;
}

static bool
sink_in_scratch(const struct sink *k, const uint8_t *p)
{
	return (uintptr_t)p - (uintptr_t)k->scratch < SCRATCH;
}

/* End the run. */
static void
sink_push(struct sink *k)
{
	const uint8_t *p = k->pub.run;
	size_t n = (size_t)(k->pub.end - p);
	struct iovec *last = k->n ? &k->iov[k->n - 1] : NULL;

	k->pub.run = k->pub.end = NULL;
	if (!n)
		return;
	if (n < SHORT && n <= SCRATCH - k->used && !sink_in_scratch(k, p)) {
		p = memcpy(k->scratch + k->used, p, n);
		k->used += n;
	}
	if (last && (uint8_t *)last->iov_base + last->iov_len == p)
		last->iov_len += n;
	else
		k->iov[k->n++] = (struct iovec){ (void *)(uintptr_t)p, n };
}

/* Hold the bytes in memory instead of writing them.  false: they exceed the limit, or no memory. */
static bool
sink_keep(struct sink *k, const struct iovec *v, const struct iovec *end)
{
	size_t n = k->nheld;
	uint8_t *held;

	for (const struct iovec *i = v; i < end; i++)
		n += i->iov_len;
	if (n > HELD_MAX || !(held = buffer_more(k->held, &k->capheld, 0, n)))
		return false;
	k->held = held;
	for (; v < end; v++) {
		if (v->iov_len)
			memcpy(k->held + k->nheld, v->iov_base, v->iov_len);
		k->nheld += v->iov_len;
	}
	return true;
}

static int
sink_hand_over(struct sink *k, const struct iovec *v, const struct iovec *end)
{
	for (; v < end && !k->failed; v++) {
		k->failed = k->to.write(k->to.arg, v->iov_base, v->iov_len) < 0;
		k->written += v->iov_len;
	}
	return k->failed ? -1 : 1;
}

static int
sink_write_all(struct sink *k, struct iovec *v, const struct iovec *end)
{
	if (k->muted)
		return 1;
	if (k->holds && sink_keep(k, v, end))
		return 1;
	if (k->holds && pp_let_go(&k->pub) < 0)
		return -1;
	if (k->to.write)
		return sink_hand_over(k, v, end);
	while (v < end && !k->failed) {
		ssize_t put = writev(k->fd, v, (int)(end - v));

		if (put < 0 && errno == EAGAIN && poll(&(struct pollfd){ .fd = k->fd, .events = POLLOUT }, 1, -1) >= 0)
			continue;
		if (put < 0 && errno != EINTR)
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
	if (k->wrote && !k->failed)
		k->wrote(k->wrote_arg, k->written);
	return k->failed ? -1 : 1;
}

void
pp_on_write(struct pp_sink *pub, void (*wrote)(void *, uint64_t), void *arg)
{
	struct sink *k = (struct sink *)pub;

	k->wrote = wrote;
	k->wrote_arg = arg;
}

void
pp_hold(struct pp_sink *pub)
{
	((struct sink *)pub)->holds = true;
}

int
pp_let_go(struct pp_sink *pub)
{
	struct sink *k = (struct sink *)pub;
	struct iovec v = { k->held, k->nheld };
	int rc;

	if (!k->holds)
		return k->failed ? -1 : 1;
	k->holds = false;
	rc = sink_write_all(k, &v, &v + 1);
	free(k->held);
	k->held = NULL;
	return rc;
}

static int
sink_write_packed(void *arg, const uint8_t *p, size_t n)
{
	struct iovec v = { (void *)(uintptr_t)p, n };

	return sink_write_all(arg, &v, &v + 1);
}

int
pp_release(struct pp_sink *pub)
{
	struct sink *k = (struct sink *)pub;

	sink_push(k);
	if (!k->z)
		sink_write_all(k, k->iov, k->iov + k->n);
	for (int i = 0; k->z && !k->failed && i < k->n; i++)
		k->failed = pp_compress_feed(k->z, k->iov[i].iov_base, k->iov[i].iov_len) < 0;
	k->n = 0;
	k->used = 0;
	return k->failed ? -1 : 1;
}

int
pp_flush(struct pp_sink *pub)
{
	struct sink *k = (struct sink *)pub;

	if (pp_release(pub) > 0 && k->z && pp_compress_flush(k->z) < 0)
		k->failed = true;
	return k->failed ? -1 : 1;
}

int
pp_put_stable(struct pp_sink *pub, const uint8_t *p, size_t n)
{
	struct sink *k = (struct sink *)pub;

	if (k->failed)
		return -1;
	if (p != pub->end) {
		sink_push(k);
		if ((k->n == IOVS || k->used > SCRATCH - SHORT) && !sink_in_scratch(k, p) && pp_release(pub) < 0)
			return -1;
		pub->run = p;
	}
	pub->end = p + n;
	return 1;
}

/* Begin a run of copies at the end of scratch. */
static int
sink_copies(struct sink *k)
{
	sink_push(k);
	if (k->n == IOVS && pp_release(&k->pub) < 0)
		return -1;
	k->pub.run = k->pub.end = k->scratch + k->used;
	return 1;
}

int
pp_put_pieces(struct pp_sink *pub, const struct iovec *v, size_t n)
{
	struct sink *k = (struct sink *)pub;

	for (const struct iovec *end = v + n; v < end; v++) {
		if (k->failed || v->iov_len >= SHORT) {
			if (pp_put_stable(pub, v->iov_base, v->iov_len) < 0)
				return -1;
			continue;
		}
		if (v->iov_len > SCRATCH - k->used && pp_release(pub) < 0)
			return -1;
		if (pub->end != k->scratch + k->used && sink_copies(k) < 0)
			return -1;
		memcpy(k->scratch + k->used, v->iov_base, v->iov_len);
		k->used += v->iov_len;
		pub->end += v->iov_len;
	}
	return 1;
}

/* ---- pp_cut() ------------------------------------------------------------------------------------- */

void
pp_cut(struct pp_sink *pub, struct pp_piece_marks *marks, bool muted, int (*once)(void *, uint64_t), void *arg)
{
	struct sink *k = (struct sink *)pub;

	k->marks = marks;
	k->muted = muted;
	k->once = once;
	k->once_arg = arg;
}

/* What was put is of the state that ends here. */
static int
sink_cut(struct sink *k, enum pp_piece_what what)
{
	if (pp_release(&k->pub) < 0)
		return -1;
	if (what == PP_PIECE_ONCE) {
		/* in front of the share nothing is */
		k->only = !k->muted || k->marks->ended;
		k->failed = k->only && k->once && k->once(k->once_arg, k->written + k->nheld) < 0;
		return k->failed ? -1 : 1;
	}
	k->muted = what != PP_PIECE_BEGIN;
	k->marks->ended |= k->muted;
	return 1;
}

/* Was the record put that is to be written in spite of all? */
static int
sink_only(struct sink *k, int rc)
{
	bool muted = k->muted;

	k->only = k->muted = false;
	if (rc > 0)
		rc = pp_release(&k->pub);
	k->muted = muted;
	return rc;
}

int
pp_put_slow(struct pp_sink *pub, struct pp_source *s, const struct pp_rec *r)
{
	const uint8_t *p;
	struct sink *k = (struct sink *)pub;
	size_t n;
	int rc;

	if (k->marks && (rc = pp_piece_is_mark(k->marks, r->raw, r->size)))
		return sink_cut(k, rc - 1);
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
	int mark;

	if (k->marks && (mark = pp_piece_is_mark(k->marks, p, n)))
		return sink_cut(k, mark - 1);
	/* No pp_release() after the bytes are in scratch: it would drop them. */
	if ((n > SCRATCH - k->used || k->n >= IOVS - 1) && pp_release(pub) < 0)
		return -1;
	if (n > SCRATCH) {
		pp_put_stable(pub, p, n);	/* there is space: what was put before is written */
		return pp_release(pub);
	}
	memcpy(k->scratch + k->used, p, n);
	k->used += n;
	return k->only ? sink_only(k, pp_put_stable(pub, k->scratch + k->used - n, n)) : pp_put_stable(pub, k->scratch + k->used - n, n);
}

static int
sink_flush_hook(void *k)
{
	return pp_flush(k);
}

int
pp_start_bare(struct pp_sink *pub, struct pp_source *s)
{
	struct sink *k = (struct sink *)pub;

	k->swap = s->swap;
	k->bare = true;
	pp_before_refill(s, sink_flush_hook, pub);
	return 1;
}

int
pp_start(struct pp_sink *pub, struct pp_source *s)
{
	uint8_t head[PP_PIPE_HEADER_SIZE];

	pp_start_bare(pub, s);
	((struct sink *)pub)->bare = false;
	/* "PERFILE2" as a u64 in the recorder's byte order, by which readers detect the order */
	pp_set_u64(head, UINT64_C(0x32454c4946524550), s->swap);
	pp_set_u64(head + 8, sizeof head, s->swap);
	return pp_put_copy(pub, head, sizeof head);
}

int
pp_sink_compress(struct pp_sink *pub, int level, bool two, unsigned threads, uint64_t frame)
{
	struct sink *k = (struct sink *)pub;

	if (pp_flush(pub) < 0)			/* the pipe header is not a record */
		return -1;
	k->z = pp_compress_new(&(struct pp_compress_how){ .level = level, .two = two, .swap = k->swap, .feature = !k->bare,
	    .threads = threads, .frame = frame ? frame : PP_FRAME_SIZE }, sink_write_packed, k, k->err);
	k->failed = !k->z;
	return k->z ? 1 : -1;
}

void
pp_sink_compressed(const struct pp_sink *pub, uint64_t *plain, uint64_t *packed)
{
	const struct sink *k = (const struct sink *)pub;

	*plain = *packed = 0;
	if (k->z)
		pp_compress_count(k->z, plain, packed);
}

int
pp_finish(struct pp_sink *pub)
{
	struct sink *k = (struct sink *)pub;
	int rc;

	if (!k)
		return 1;
	pp_let_go(pub);
	pp_flush(pub);
	if (k->to.finish && k->to.finish(k->to.arg) < 0)
		k->failed = true;
	if (k->fd >= 0 && close(k->fd) < 0 && errno != EINTR)
		sink_fail(k, "close");
	rc = k->failed ? -1 : 1;
	pp_compress_free(k->z);
	free(k);
	return rc;
}

uint64_t
pp_written(const struct pp_sink *pub)
{
	return ((const struct sink *)pub)->written;
}
