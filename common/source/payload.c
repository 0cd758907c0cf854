/* SPDX-License-Identifier: ISC */
/* payload.c - the bytes that follow a record; formats of tracepoints in tracing data, which name events */
#include "formats.h"
#include "source.h"

/* Name tracepoint events by their formats. */
static int
payload_learn(struct source *s, const uint8_t *p, size_t n)
{
	struct payload *y = &s->payload;

	if (pp_tracing_feed(y->tracing, p, n) < 0)
		return source_fail_memory(s, y->of);
	if (y->left || pp_tracing_count(y->tracing) <= y->named)
		return 1;
	y->named = pp_tracing_count(y->tracing);
	return pp_events_tracing(s->pub.events, y->tracing, s->err);
}

int
pp_keep_formats(struct pp_source *pub)
{
	struct payload *y = &((struct source *)pub)->payload;

	return (y->tracing || (y->tracing = pp_tracing_new())) ? pp_tracing_keep_formats(y->tracing) : -1;
}

const struct pp_tracing *
pp_formats(const struct pp_source *pub)
{
	return ((const struct source *)pub)->payload.tracing;
}

int
pp_payload(struct pp_source *pub, const uint8_t **p, size_t *n)
{
	struct source *s = (struct source *)pub;
	struct payload *y = &s->payload;
	char num[24];
	int rc;

	if (s->failed)
		return -1;
	if (!y->left)
		return 0;
	if (y->held) {
		*p = y->held;
		*n = (size_t)y->left;
		y->left = 0;
		pub->lim = s->repair || s->piece ? pub->pos : s->win.end;
		return 1;
	}
	if ((rc = window_fill(s, 1)) < 0)
		return -1;
	if (!rc)
		return source_fail(s, y->of, "%s: cut short, %ju of %ju bytes behind it", source_type_text(y->type, num),
		    (uintmax_t)(y->size - y->left), (uintmax_t)y->size);
	*p = pub->pos;
	*n = (size_t)(s->win.end - pub->pos);
	if (*n > y->left)
		*n = (size_t)y->left;
	pub->pos += *n;
	y->left -= *n;
	pub->lim = y->left || s->repair || s->piece ? pub->pos : s->win.end;
	return y->tracing && y->type == PP_HEADER_TRACING_DATA ? payload_learn(s, *p, *n) : 1;
}

int
payload_begin(struct source *s, const struct pp_rec *r)
{
	struct payload *y = &s->payload;

	y->left = y->size = r->payload;
	y->type = r->type;
	y->of = pp_offset(&s->pub, r);
	y->held = NULL;
	s->pub.lim = y->left ? s->pub.pos : s->win.end;
	if (r->type != PP_HEADER_TRACING_DATA)
		return 1;
	if (!y->tracing && !(y->tracing = pp_tracing_new()))
		return source_fail_memory(s, pp_offset(&s->pub, r));
	pp_tracing_again(y->tracing);
	return 1;
}

void
payload_held(struct source *s, const struct pp_rec *r, const uint8_t *p)
{
	struct payload *y = &s->payload;

	y->left = y->size = r->payload;
	y->held = p;
	s->pub.lim = s->pub.pos;
}
