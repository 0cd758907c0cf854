/* SPDX-License-Identifier: ISC */
/* attr.c - events whose samples have no PERIOD field: their attr gets a larger period */
#include <stdlib.h>

#include "convert/attrs.h"
#include "out/period.h"
#include "record/attr.h"
#include "record/event.h"
#include "thin.h"

struct scale {
	struct out	 pub;
	const struct thin *o;
	bool		 swap;
	uint8_t		 buf[PP_RECORD_MAX + 1];
};

bool
thin_adds_period(const struct thin *o)
{
	return o->scale && o->max_rate;
}

static void
grow(void *arg, uint8_t *attr, size_t size)
{
	const struct scale *c = arg;
	struct pp_attr a;

	pp_attr_get(&a, attr, size, c->swap);
	if (period_by_attr(a.sample_type))
		PP_ATTR_SET(attr, size, sample_period, thin_factor(c->o, a.sample_period), c->swap);
}

static int
put(struct out *o, struct pp_source *in, const struct pp_rec *r, bool stable)
{
	struct scale *c = (struct scale *)o;
	struct pp_rec new = *r;

	stable = !attrs_change(&new, c->buf, c->swap, grow, c) && stable;
	return o->next->put(o->next, in, &new, stable);
}

struct out *
thin_attr_new(const struct thin *o, const struct pp_source *in, struct out *next)
{
	struct scale *c = calloc(1, sizeof *c);

	if (!c)
		return NULL;
	c->pub = (struct out){ .put = put, .finish = out_finish, .next = next };
	c->o = o;
	c->swap = in->swap;
	return &c->pub;
}
