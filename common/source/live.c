/* SPDX-License-Identifier: ISC */
/* live.c - several inputs at a time: is there something to read, without waiting for it */
#include "source.h"

/* Is a record whole that begins at p?  One of a size that can't be is pp_next()'s to refuse. */
static bool
is_whole(const struct source *s, const uint8_t *p, const uint8_t *end)
{
	size_t have = (size_t)(end - p), size;

	if (have < PP_HEADER_SIZE)
		return false;
	size = pp_get_u16(p + 6, s->pub.swap);
	if (pp_get_u32(p, s->pub.swap) == PP_COMPRESSED2 && size < 16)
		size = 16;		/* as pp_next() reads it */
	return have >= size;
}

bool
pp_at_hand(const struct pp_source *pub)
{
	const struct source *s = (const struct source *)pub;

	if (s->failed || s->eof || s->make || s->payload)
		return true;
	if (s->inner)
		return is_whole(s, pub->pos, pub->lim) || expand_pending(s) ||
		    (expand_used_up(s) && is_whole(s, s->opos, s->oend));
	return is_whole(s, pub->pos, s->oend);
}

int
pp_top_up(struct pp_source *pub)
{
	struct source *s = (struct source *)pub;
	const uint8_t *pos = s->inner ? s->opos : pub->pos;

	if (s->failed)
		return -1;
	return source_fill(s, (size_t)(s->oend - pos) + 1);	/* a single read gives that byte */
}

int
pp_poll_fd(const struct pp_source *pub)
{
	const struct source *s = (const struct source *)pub;

	return unwrap_pending(s) ? -1 : s->fd;
}

void
pp_no_wait(struct pp_source *pub)
{
	((struct source *)pub)->no_wait = true;
}
