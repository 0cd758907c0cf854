/* SPDX-License-Identifier: ISC */
/* stream.c - the container whose stream is the input: a pipe stream, and any input before its container is known */
#include <stdlib.h>

#include "container.h"

struct stream {
	struct container pub;
	uint64_t	 read;		/* bytes of the stream */
	bool		 seeks;		/* some were left out, or are read again */
};

static ssize_t
stream_read(struct source *s, uint8_t *p, size_t n)
{
	struct stream *t = (struct stream *)s->container;
	ssize_t got;

	if ((s->format && source_expanded(s, s->format->name, t->read) < 0) || watch_wait(s) < 0)
		return -1;
	got = t->seeks ? s->in->layer->read_at(s->in, t->read, p, n) : s->in->layer->read(s->in, p, n);
	s->nread = t->seeks ? t->read : s->in->taken;
	if (got < 0)
		return source_fail_bytes(s);
	t->read += (uint64_t)got;
	return watch_took(s, p, (size_t)got) < 0 ? -1 : got;
}

static uint64_t
stream_place(const struct container *c, uint64_t at, bool *made)
{
	(void)c;
	(void)made;
	return at;
}

static uint64_t
stream_left(const struct source *s)
{
	return s->total - s->nread;
}

static bool
stream_at(const struct container *c, uint64_t *off)
{
	*off = ((const struct stream *)c)->read;
	return true;
}

static bool
stream_skip(struct source *s, uint64_t n)
{
	struct stream *t = (struct stream *)s->container;
	int64_t size = s->in->layer->size(s->in);

	if (size < 0 || n > (uint64_t)size - t->read)
		return false;
	t->read += n;
	t->seeks = true;
	return true;
}

static void
stream_back(struct source *s, uint64_t n)
{
	struct stream *t = (struct stream *)s->container;

	t->read -= n;
	t->seeks = true;
	if (s->format)
		s->total = (uint64_t)s->in->layer->size(s->in);	/* as nread is of plain bytes now */
}

static void
stream_close(struct container *c)
{
	free(c);
}

int
stream_open(struct source *s)
{
	static const struct container_kind kind = { .read = stream_read, .place = stream_place, .plain = true, .left = stream_left,
	    .at = stream_at, .skip = stream_skip, .back = stream_back, .close = stream_close };
	struct stream *t = calloc(1, sizeof *t);

	if (!t)
		return source_fail_memory(s, 0);
	t->pub.kind = &kind;
	container_set(s, &t->pub);
	return 1;
}
