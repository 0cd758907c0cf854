/* SPDX-License-Identifier: ISC */
/* window.c - the bytes of the stream in memory, and reading more */
#include <string.h>

#include "container.h"

/* Do the bytes of the window stand in the input one behind the other? */
static void
window_note_plain(struct source *s)
{
	bool plain = s->container && s->container->kind->plain && !s->leave;

	s->pub.plain = s->win.buf;
	s->pub.nplain = plain ? s->win.cap : 0;
	s->pub.origin = s->win.base;
}

void
window_start(struct source *s)
{
	s->pub.pos = s->pub.lim = s->win.end = s->win.buf;
	s->win.base = 0;
	s->win.eof = false;
	/* The hook was called before the end was known: nothing in the source's own buffer is needed any more. */
	if (s->win.give) {
		s->pub.pos = s->pub.lim = s->win.end = s->win.buf + s->win.cap;
		s->win.base -= s->win.cap;
	}
	window_note_plain(s);
}

int
window_before_refill(struct source *s)
{
	if (!s->win.hook || s->win.hook(s->win.hook_arg) >= 0)
		return 1;
	s->failed = s->fatal = true;	/* the sink has set the error */
	return -1;
}

static uint64_t
window_place(const struct source *s, const uint8_t *p, bool *made)
{
	uint64_t at;

	*made = false;
	if (!s->container || hold_has(s, p, &at))
		return s->container ? at : 0;
	at = s->win.base + (uint64_t)(p - s->win.buf);
	return s->leave ? leave_place(s, at, made) : s->container->kind->place(s->container, at, made);
}

uint64_t
window_offset(const struct source *s, const uint8_t *p)
{
	bool made;

	return window_place(s, p, &made);
}

bool
window_made(const struct source *s, const uint8_t *p)
{
	bool made;

	window_place(s, p, &made);
	return made;
}

/*
 * Make space for a record at the position, and for some of what follows.  Yielded bytes are not needed any more, or lie in a
 * buffer that is not overwritten.
 */
static int
window_move(struct source *s, const uint8_t **pos, size_t have)
{
	struct window *w = &s->win;
	uint8_t *to = w->buf;

	if (w->give) {
		if (w->buf + w->cap - *pos > PP_RECORD_MAX)
			return 1;
		if (!(to = w->give(w->give_arg))) {
			s->fatal = true;
			return source_fail_memory(s, window_offset(s, *pos));
		}
		w->cap = PP_BUFFER_SIZE;
	}
	memmove(to, *pos, have);
	w->base += (uint64_t)(*pos - w->buf);
	*pos = w->buf = to;
	window_note_plain(s);
	return 1;
}

/* What has failed when it was read ahead. */
static int
window_fail_now(struct source *s)
{
	*s->err = s->ahead;
	s->ahead.what[0] = 0;
	s->fatal |= s->ahead_fatal;
	s->failed = true;
	s->pub.lim = s->pub.pos;
	return -1;
}

int
window_ahead(struct source *s, size_t n)
{
	struct pp_err before = *s->err;
	bool fatal = s->fatal;
	size_t have = (size_t)(s->win.end - s->pub.pos);

	if (have >= n || s->ahead.what[0])
		return 1;
	if (window_fill(s, n) >= 0)
		return 1;
	if (!s->err->what[0] || before.what[0])
		return -1;
	s->ahead = *s->err;
	s->ahead_fatal = s->fatal;
	s->fatal = fatal;
	*s->err = before;
	s->failed = false;
	return 1;
}

int
window_fill(struct source *s, size_t n)
{
	struct window *w = &s->win;
	const uint8_t **pos = s->inner ? &w->pos : &s->pub.pos;
	size_t have = (size_t)(w->end - *pos);

	if (have >= n)
		return 1;
	if (s->ahead.what[0])
		return window_fail_now(s);
	if (w->eof)
		return 0;
	if (window_before_refill(s) < 0 || window_move(s, pos, have) < 0)
		return -1;
	while (have < n && !w->eof) {
		uint8_t *to = w->buf + (*pos - w->buf) + have;
		size_t space = (size_t)(w->buf + w->cap - to);
		ssize_t got;

		if (space > s->win.step)
			space = s->win.step;
		got = s->leave ? leave_read(s, to, space, have) : s->container->kind->read(s, to, space);
		if (got < 0) {
			w->end = *pos + have;
			return -1;
		}
		w->eof = got == 0;
		have += (size_t)got;
	}
	if (s->growing)
		have = growing_clip(s, have);
	w->end = *pos + have;
	if (!s->inner)
		s->pub.lim = s->payload.left ? s->pub.pos : w->end;
	return have >= n;
}

/* ---- public --------------------------------------------------------------------------------------- */

uint64_t
pp_offset_slow(const struct pp_source *pub, const struct pp_rec *r)
{
	const struct source *s = (const struct source *)pub;

	return expand_has(s, r->raw) ? expand_offset(s) : window_offset(s, r->raw);
}

bool
pp_made(const struct pp_source *pub, const struct pp_rec *r)
{
	const struct source *s = (const struct source *)pub;

	return !expand_has(s, r->raw) && window_made(s, r->raw);
}

void
pp_before_refill(struct pp_source *pub, int (*fn)(void *), void *arg)
{
	struct source *s = (struct source *)pub;

	s->win.hook = fn;
	s->win.hook_arg = arg;
}

void
pp_read_into(struct pp_source *pub, uint8_t *(*give)(void *), void *arg)
{
	struct source *s = (struct source *)pub;

	s->win.give = give;
	s->win.give_arg = arg;
}
