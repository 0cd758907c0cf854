/* SPDX-License-Identifier: ISC */
/* segments.c - a container whose stream is composed of segments; the container of records in memory */
#include <stdlib.h>

#include "container.h"

static struct segments *
segments_of(const struct source *s)
{
	return (struct segments *)s->container;
}

ssize_t
segments_read(struct source *s, uint8_t *p, size_t n)
{
	struct segments *g = segments_of(s);

	while (g->cur < g->n) {
		const struct segment *x = &g->s[g->cur];
		uint64_t left = x->len - g->done, off = x->made ? 0 : x->off;
		ssize_t got;
		int rc;

		if (!left) {
			g->cur++;
			g->done = 0;
			continue;
		}
		if ((got = x->in->layer->read_at(x->in, off + g->done, p, n < left ? n : (size_t)left)) < 0)
			return source_fail_bytes(s);
		if (!got && g->wait && (rc = g->wait(s)) != NEXT_END) {
			if (rc == NEXT_AGAIN)
				continue;
			return -1;
		}
		g->done += (uint64_t)got;
		s->nread += x->made ? 0 : (uint64_t)got;
		return got;
	}
	return 0;
}

uint64_t
segments_place(const struct container *c, uint64_t at, bool *made)
{
	const struct segments *g = (const struct segments *)c;
	unsigned i = 0;

	for (; i + 1 < g->n && at >= g->s[i].len; i++)
		at -= g->s[i].len;
	*made = g->s[i].made;
	return g->s[i].off + (*made ? 0 : at);
}

/* The number of the segment that the next byte is in; *done: bytes of it in front of that. */
static unsigned
segments_next(const struct segments *g, uint64_t *done)
{
	unsigned i = g->cur;

	*done = g->done;
	for (; i + 1 < g->n && *done == g->s[i].len; i++)
		*done = 0;
	return i;
}

/* The last segment has the records that are in the file. */
bool
segments_at(const struct container *c, uint64_t *off)
{
	const struct segments *g = (const struct segments *)c;
	uint64_t done;

	if (segments_next(g, &done) + 1 < g->n)
		return false;
	*off = g->s[g->n - 1].off + (g->cur == g->n ? g->s[g->n - 1].len : done);
	return true;
}

bool
segments_skip(struct source *s, uint64_t n)
{
	struct segments *g = segments_of(s);

	g->cur = segments_next(g, &g->done);
	if (g->cur + 1 != g->n || n > g->s[g->cur].len - g->done)
		return false;
	g->done += n;
	s->nread += n;
	return true;
}

uint64_t
segments_left(const struct source *s)
{
	const struct segments *g = segments_of(s);
	uint64_t n = 0;

	for (unsigned i = g->cur; i < g->n; i++)
		n += g->s[i].len - (i == g->cur ? g->done : 0);
	return n;
}

int
segments_whole(struct source *s)
{
	const struct segments *g = segments_of(s);

	if (g->cur == g->n || g->done == g->s[g->cur].len)
		return 1;
	return source_fail(s, window_offset(s, s->win.end), "data section: cut short, %ju of %ju bytes", (uintmax_t)g->done,
	    (uintmax_t)g->s[g->cur].len);
}

/* ---- memory --------------------------------------------------------------------------------------- */

struct held {
	struct segments	 seg;
	struct memory	 mem;
};

/* Records in memory have no offset in an input. */
static uint64_t
held_place(const struct container *c, uint64_t at, bool *made)
{
	(void)c;
	(void)at;
	(void)made;
	return 0;
}

static void
held_close(struct container *c)
{
	free(c);
}

struct pp_source *
pp_open_memory(const uint8_t *p, size_t n, bool swap, const char *name, struct pp_err *err)
{
	static const struct container_kind kind = { .read = segments_read, .place = held_place, .left = segments_left,
	    .whole = segments_whole, .close = held_close };
	struct source *s = source_new(name, PP_OPEN_ANY_TRACING, err);
	struct held *h = s ? calloc(1, sizeof *h) : NULL;

	if (!h) {
		pp_fail_memory(err);
		pp_close(s ? &s->pub : NULL);
		return NULL;
	}
	h->seg = (struct segments){ .pub.kind = &kind, .s = { { memory_bytes(&h->mem, p, n), 0, n, false } }, .n = 1 };
	container_set(s, &h->seg.pub);
	s->name = "memory";
	s->pub.swap = s->pub.events->swap = swap;
	return &s->pub;
}
