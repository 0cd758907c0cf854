/* SPDX-License-Identifier: ISC */
/* attr.c - events whose samples have no PERIOD field: their attr gets a larger period, or their samples get the field */
#include <stdlib.h>
#include <string.h>

#include "record/attr.h"
#include "convert/attrs.h"
#include "record/event.h"
#include "record/raw.h"
#include "thin.h"

struct scale {
	struct out	 pub;
	const struct thin *o;
	bool		 swap, rest;
	uint8_t		 buf[PP_RECORD_MAX + 1];
};

/* Do samples of that sample_type have only the period of their attr? */
static bool
by_attr(uint64_t sample_type)
{
	return !(sample_type & (PP_SAMPLE_PERIOD | PP_SAMPLE_READ));
}

/* ---- samples ------------------------------------------------------------------------------------- */

bool
thin_adds_period(const struct thin *o)
{
	return o->scale && o->max_rate;
}

static int
add_to_sample(struct pp_source *in, struct pp_rec *r, uint8_t *buf, struct pp_err *err)
{
	const struct pp_event *ev;
	uint8_t *p;

	if (r->size > PP_RECORD_MAX - 8)
		return pp_fail(err, "record of %u bytes cannot hold a period (--scale-period)", r->size);
	memcpy(buf, r->raw, r->size);
	memset(buf + r->size, 0, 8);
	r->raw = buf;
	r->size += 8;
	PP_RAW_SET(buf, header, size, r->size, in->swap);
	if (!(ev = pp_event_find(in->events, r, err)))
		return -1;
	if (!ev->added_period) {
		r->size -= 8;
		PP_RAW_SET(buf, header, size, r->size, in->swap);
		return 1;
	}
	p = buf + ev->plan.period;
	memmove(p + 8, p, r->size - 8u - ev->plan.period);
	pp_set_u64(p, ev->attr.sample_period, in->swap);
	return 1;
}

int
thin_add_period(struct pp_source *in, struct pp_rec *r, uint8_t buf[static PP_RECORD_MAX + 8], struct pp_err *err)
{
	const struct pp_events *e = in->events;

	if (r->type == PP_SAMPLE)
		return e->added_period ? add_to_sample(in, r, buf, err) : 1;
	if (r->type == PP_HEADER_ATTR && e->n && by_attr(e->ev[e->n - 1]->attr.sample_type))
		pp_event_add_period(in->events, e->n - 1);
	return 1;
}

/* ---- attrs --------------------------------------------------------------------------------------- */

static void
grow(void *arg, uint8_t *attr, size_t size)
{
	const struct scale *c = arg;
	struct pp_attr a;

	pp_attr_get(&a, attr, size, c->swap);
	if (!by_attr(a.sample_type))
		return;
	if (thin_adds_period(c->o))
		PP_ATTR_SET(attr, size, sample_type, a.sample_type | PP_SAMPLE_PERIOD, c->swap);
	else if (!c->rest)
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
thin_attr_new(const struct thin *o, const struct pp_source *in, bool rest, struct out *next)
{
	struct scale *c = calloc(1, sizeof *c);

	if (!c)
		return NULL;
	c->pub = (struct out){ .put = put, .finish = out_finish, .next = next };
	c->o = o;
	c->swap = in->swap;
	c->rest = rest;
	return &c->pub;
}
