/* SPDX-License-Identifier: ISC */
/* attr.c - events whose samples have no PERIOD field: their attr gets a larger period */
#include "convert/attrs.h"
#include "out/period.h"
#include "record/attr.h"
#include "record/event.h"
#include "thin.h"

bool
thin_adds_period(const struct thin *o)
{
	return o->scale && o->max_rate;
}

static void
grow(void *stage, uint8_t *attr, size_t size)
{
	const struct attrs_stage *c = stage;
	struct pp_attr a;

	pp_attr_get(&a, attr, size, c->swap);
	if (period_by_attr(a.sample_type))
		PP_ATTR_SET(attr, size, sample_period, thin_factor(c->what, a.sample_period), c->swap);
}

struct out *
thin_attr_new(const struct thin *o, const struct pp_source *in, struct out *next)
{
	return attrs_stage_new(in, grow, o, next);
}
