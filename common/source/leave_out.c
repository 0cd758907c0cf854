/* SPDX-License-Identifier: ISC */
/*
 * leave_out.c - see leave_out.h
 *
 * The container is read only to the end of a step, so at its end the window is empty, and the records are done with.  What comes
 * instead of others goes into the window as if it had been read.
 */
#include <stdlib.h>
#include <string.h>

#include "container.h"
#include "leave_out.h"

struct leave {
	const struct pp_leave_out *how;
	uint64_t	 left;			/* bytes of the step that are not read yet */
	const uint8_t	*copy;			/* what comes next; ncopy 0: the container */
	size_t		 ncopy;
	/*
	 * Places in the stream that the window sees.  From `at' on they are by `shift' less than those of the container, before it by
	 * `before'; those of the last copy are all the place `of' of the file.
	 */
	uint64_t	 at, shift, before;
	uint64_t	 copy_at, copy_end, of;
};

static int
leave_misfit(struct source *s, uint64_t off, const char *why)
{
	s->fatal = true;
	return source_fail(s, off, "the index %s does not fit: %s; --no-index reads without it, pcat --index makes it again", s->leave->how->name, why);
}

static int
leave_failed(struct source *s)
{
	s->failed = s->fatal = true;
	s->pub.lim = s->pub.pos;
	return -1;
}

/* The step begins here, `at' in the stream. */
static int
leave_begin(struct source *s, const struct pp_leave_step *x, uint64_t at, uint64_t off, size_t have)
{
	struct leave *l = s->leave;

	if (x->n != UINT64_MAX && (have || s->inner || s->payload.left || !expand_between(s)))
		return leave_misfit(s, off, "a chunk begins inside a record");
	if (!x->leave) {
		l->left = x->n;
		return 1;
	}
	if (!s->container->kind->skip(s, x->n))
		return leave_misfit(s, off, "the file ends before a chunk does");
	if (at > l->at)
		l->before = l->shift;
	l->at = at + x->ncopy;
	l->shift += x->n - x->ncopy;
	l->copy = x->copy;
	l->ncopy = x->ncopy;
	l->copy_at = at;
	l->copy_end = at + x->ncopy;
	l->of = off;
	return 1;
}

ssize_t
leave_read(struct source *s, uint8_t *p, size_t n, size_t have)
{
	const struct container_kind *kind = s->container->kind;
	uint64_t at = s->win.base + (uint64_t)(p - s->win.buf), off;
	struct leave *l = s->leave;
	ssize_t got;

	while (!l->ncopy && kind->at && kind->at(s->container, &off) && !l->left) {
		struct pp_leave_step x = { .n = UINT64_MAX };

		if (l->how->next(l->how->arg, s->file, off, &x) < 0)
			return leave_failed(s);
		if (leave_begin(s, &x, at, off, have) < 0)
			return -1;
	}
	if (l->ncopy) {
		n = n < l->ncopy ? n : l->ncopy;
		memcpy(p, l->copy, n);
		l->copy += n;
		l->ncopy -= n;
		return (ssize_t)n;
	}
	if (!kind->at || !kind->at(s->container, &off))
		return kind->read(s, p, n);
	got = kind->read(s, p, n < l->left ? n : (size_t)l->left);
	if (got < 0 || l->left == UINT64_MAX)
		return got;
	if (!got)
		return leave_misfit(s, off, "the file ends inside a chunk");
	l->left -= (uint64_t)got;
	return l->how->took(l->how->arg, p, (size_t)got, !l->left) < 0 ? leave_failed(s) : got;
}

uint64_t
leave_place(const struct source *s, uint64_t at, bool *made)
{
	const struct leave *l = s->leave;

	*made = false;
	if (at >= l->copy_at && at < l->copy_end)
		return l->of;
	return s->container->kind->place(s->container, at + (at < l->at ? l->before : l->shift), made);
}

bool
leave_take(struct source *s, const struct pp_rec *r)
{
	const struct leave *l = s->leave;
	uint64_t at = s->win.base + (uint64_t)(r->raw - s->win.buf);
	const uint8_t *p = r->raw + PP_HEADER_SIZE;

	if (at < l->copy_at || at >= l->copy_end)
		return false;
	if (r->size >= PP_LEFT_OUT_SIZE && s->absent)
		s->absent(s->absent_arg, pp_get_u64(p, s->pub.swap), pp_get_u64(p + 8, s->pub.swap));
	return true;
}

void
leave_file(struct source *s)
{
	struct leave *l = s->leave;

	if (l)
		*l = (struct leave){ .how = l->how };
}

void
pp_when_absent(struct pp_source *pub, void (*absent)(void *arg, uint64_t first, uint64_t last), void *arg)
{
	struct source *s = (struct source *)pub;

	s->absent = absent;
	s->absent_arg = arg;
}

int
pp_leave_out(struct pp_source *pub, const struct pp_leave_out *how)
{
	struct source *s = (struct source *)pub;
	const struct container_kind *kind = s->container ? s->container->kind : NULL;

	if (!kind || !kind->at || !s->in || !s->in->layer->read_at || s->spooled || s->repair || s->follow ||
	    s->flags & PP_OPEN_RAW)
		return 0;
	if (!(s->leave = calloc(1, sizeof *s->leave)))
		return source_fail_memory(s, 0);
	s->leave->how = how;
	pub->nplain = 0;
	/* What the window has already is read again. */
	if (kind->back)
		kind->back(s, (uint64_t)(s->win.end - pub->pos));
	s->win.end = pub->lim = pub->pos;
	return 1;
}
