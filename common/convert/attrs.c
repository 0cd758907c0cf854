/* SPDX-License-Identifier: ISC */
#include <stdlib.h>
#include <string.h>

#include "record/attr.h"
#include "record/event.h"
#include "attrs.h"
#include "record/feature.h"
#include "record/raw.h"

struct change {
	uint8_t	*buf;
	bool	 swap;
	void	(*fn)(void *, uint8_t *, size_t);
	void	*arg;
};

static void
change(const struct change *c, uint8_t *attr, size_t len)
{
	c->fn(c->arg, attr, pp_attr_bytes(attr, len, c->swap));
}

static int
desc_attr(void *arg, const struct pp_feature_value *v)
{
	const struct change *c = arg;

	if (v->kind == PP_F_ATTR && v->len >= PP_ATTR_SIZE_VER0)
		change(c, c->buf + (v->p - c->buf), v->len);
	return 1;
}

bool
attrs_change(struct pp_rec *r, uint8_t *buf, bool swap, void (*fn)(void *, uint8_t *, size_t), void *arg)
{
	struct change c = { buf, swap, fn, arg };
	struct pp_err ignored = { .what = "" };
	struct pp_feature f;

	if (r->type == PP_HEADER_ATTR) {
		r->raw = memcpy(buf, r->raw, r->size);
		change(&c, buf + PP_HEADER_SIZE, r->size - PP_HEADER_SIZE);
		return true;
	}
	if (r->type != PP_HEADER_FEATURE || pp_feature_is_end(r) ||
	    PP_RAW_GET(r->raw, HEADER_FEATURE, feat_id, swap) != PP_FEAT_EVENT_DESC)
		return false;
	r->raw = memcpy(buf, r->raw, r->size);
	if (pp_feature_of(&f, r, swap, 0, &ignored) > 0)
		pp_feature_walk(&f, desc_attr, &c, &ignored);
	return true;
}

static int
stage_put(struct out *o, struct pp_source *in, const struct pp_rec *r, bool stable)
{
	struct attrs_stage *c = (struct attrs_stage *)o;
	struct pp_rec new = *r;

	stable = !attrs_change(&new, c->buf, c->swap, c->fn, c) && stable;
	return o->next->put(o->next, in, &new, stable);
}

struct out *
attrs_stage_new(const struct pp_source *like, void (*fn)(void *stage, uint8_t *attr, size_t size), const void *what, struct out *next)
{
	struct attrs_stage *c = calloc(1, sizeof *c);

	if (!c)
		return NULL;
	c->pub = (struct out){ .put = stage_put, .finish = out_finish, .next = next };
	c->swap = like->swap;
	c->fn = fn;
	c->what = what;
	return &c->pub;
}
