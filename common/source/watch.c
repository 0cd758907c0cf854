/* SPDX-License-Identifier: ISC */
/* watch.c - see watch.h */
#include "container.h"
#include "watch.h"

/* The one who watches has ended it, and knows why. */
static int
watch_end(struct source *s)
{
	s->failed = s->fatal = true;
	s->pub.lim = s->pub.pos;
	return -1;
}

int
watch_wait(struct source *s)
{
	int fd;

	if (!s->watch || !s->watch->wait || (fd = s->in->layer->poll_fd(s->in)) < 0)
		return 1;
	return s->watch->wait(s->watch->arg, fd) < 0 ? watch_end(s) : 1;
}

int
watch_took(struct source *s, const uint8_t *p, size_t n)
{
	if (!s->watched || !n)
		return 1;
	return s->watch->took(s->watch->arg, p, n) < 0 ? watch_end(s) : 1;
}

int
watch_begin(struct source *s, const uint8_t *p, size_t n)
{
	s->watched = s->watch && s->watch->took;
	return watch_took(s, p, n);
}

/* ---- for the tools --------------------------------------------------------------------------------- */

void
pp_watch(struct pp_source *pub, const struct pp_watch *w)
{
	((struct source *)pub)->watch = w;
}

bool
pp_watch_took(const struct pp_source *pub)
{
	return ((const struct source *)pub)->watched;
}

int
pp_watch_rest(struct pp_source *pub)
{
	struct source *s = (struct source *)pub;
	ssize_t got = 1;

	if (!s->watched || s->win.eof)
		return 1;
	while (got > 0) {
		if (watch_wait(s) < 0)
			return -1;
		got = s->in->layer->read(s->in, s->win.own, BYTES_READ_SIZE);
		if (got > 0 && watch_took(s, s->win.own, (size_t)got) < 0)
			return -1;
	}
	return got < 0 ? -1 : 1;
}
