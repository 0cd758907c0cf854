/* SPDX-License-Identifier: ISC */
/* thin_attr.c - a change on the way: events whose samples carry no period get a larger one in their attr */
#include <stdlib.h>
#include <string.h>

#include "attr.h"
#include "feature.h"
#include "thin.h"

struct scale {
	struct out	 pub;
	const struct thin *o;
	bool		 swap;
	uint8_t		 buf[PP_RECORD_MAX + 1];
};

static void
grow(const struct scale *c, uint8_t *attr, size_t len)
{
	size_t size = pp_attr_bytes(attr, len, c->swap);
	struct pp_attr a;

	pp_attr_get(&a, attr, size, c->swap);
	if (thin_by_attr(a.sample_type))
		PP_ATTR_SET(attr, size, sample_period, thin_factor(c->o, a.sample_period), c->swap);
}

/* The payload stands in c->buf. */
static int
desc_attr(void *arg, const struct pp_feature_value *v)
{
	struct scale *c = arg;

	if (v->kind == PP_F_ATTR && v->len >= PP_ATTR_SIZE_VER0)
		grow(c, c->buf + (v->p - c->buf), v->len);
	return 1;
}

static int
put(struct out *o, struct pp_source *in, const struct pp_rec *r, bool stable)
{
	struct scale *c = (struct scale *)o;
	struct pp_err ignored = { .what = "" };	/* what does not parse is for the reader to refuse */
	struct pp_rec new = *r;
	struct pp_feature f;

	if (r->type == PP_HEADER_ATTR) {
		new.raw = memcpy(c->buf, r->raw, r->size);
		grow(c, c->buf + PP_HEADER_SIZE, r->size - PP_HEADER_SIZE);
	} else if (r->type == PP_HEADER_FEATURE && !pp_feature_is_end(r) &&
	    pp_get_u64(r->raw + PP_HEADER_SIZE, c->swap) == PP_FEAT_EVENT_DESC) {
		new.raw = memcpy(c->buf, r->raw, r->size);
		if (pp_feature_of(&f, &new, c->swap, 0, &ignored) > 0)
			pp_feature_walk(&f, desc_attr, c, &ignored);
	}
	return o->next->put(o->next, in, &new, stable && new.raw == r->raw);
}

static int
finish(struct out *o)
{
	struct out *next = o->next;

	free(o);
	return next->finish(next);
}

struct out *
thin_attr_new(const struct thin *o, const struct pp_source *in, struct out *next)
{
	struct scale *c = calloc(1, sizeof *c);

	if (!c)
		return NULL;
	c->pub = (struct out){ .put = put, .finish = finish, .next = next };
	c->o = o;
	c->swap = in->swap;
	return &c->pub;
}
