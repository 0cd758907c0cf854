/* SPDX-License-Identifier: ISC */
/* at_hand.c - several inputs at a time: whether an input has data in memory or can be read without waiting */
#include <poll.h>

#include "container.h"
#include "record/raw.h"

/* Is the record at p complete?  One of an impossible size counts as complete: pp_next() refuses it. */
static bool
is_whole(const struct source *s, const uint8_t *p, const uint8_t *end)
{
	size_t have = (size_t)(end - p), size;

	if (have < PP_HEADER_SIZE)
		return false;
	size = PP_RAW_GET(p, header, size, s->pub.swap);
	if (size < 16 && PP_RAW_GET(p, header, type, s->pub.swap) == PP_COMPRESSED2)
		size = 16;		/* as pp_next() reads it */
	return have >= size;
}

bool
pp_at_hand(const struct pp_source *pub)
{
	const struct source *s = (const struct source *)pub;

	if (hold_open(s))
		return s->failed || s->win.eof || pub->pos < s->win.end;
	if (s->failed || s->win.eof || s->profile || s->payload.left)
		return true;
	if (s->inner)
		return is_whole(s, pub->pos, pub->lim) || expand_pending(s) ||
		    (expand_used_up(s) && is_whole(s, s->win.pos, s->win.end));
	return is_whole(s, pub->pos, s->win.end);
}

int
pp_top_up(struct pp_source *pub)
{
	struct source *s = (struct source *)pub;
	const uint8_t *pos = s->inner ? s->win.pos : pub->pos;

	if (s->failed)
		return -1;
	return window_fill(s, (size_t)(s->win.end - pos) + 1);	/* a single read gives this byte */
}

int
pp_poll_fd(const struct pp_source *pub)
{
	const struct source *s = (const struct source *)pub;

	return s->in ? s->in->layer->poll_fd(s->in) : -1;
}

void
pp_no_wait(struct pp_source *pub)
{
	((struct source *)pub)->no_wait = true;
}

/* Has everything in a file that is being written been read? */
static bool
all_read(const struct source *s)
{
	int64_t size = s->follow->layer->size(s->follow);
	bool made = false;
	uint64_t next = s->container->kind->place(s->container, s->win.base + (uint64_t)(s->win.end - s->win.buf), &made);

	return size >= 0 && !made && (uint64_t)size <= (s->format ? s->nread : next);
}

bool
pp_may_wait(const struct pp_source *pub)
{
	const struct source *s = (const struct source *)pub;
	struct pollfd p = { .fd = pp_poll_fd(pub), .events = POLLIN };

	if (s->win.eof || p.fd < 0)
		return false;
	return s->follow ? all_read(s) : poll(&p, 1, 0) == 0;		/* a regular file never waits */
}
