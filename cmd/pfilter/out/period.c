/* SPDX-License-Identifier: ISC */
#include <string.h>

#include "convert/attrs.h"
#include "out/period.h"
#include "record/attr.h"
#include "record/event.h"
#include "record/raw.h"

/* ---- samples ------------------------------------------------------------------------------------- */

static int
add_to_sample(struct pp_source *in, struct pp_rec *r, uint8_t *buf, struct pp_err *err)
{
	const struct pp_event *ev;
	uint8_t *p;

	if (r->size > PP_RECORD_MAX - 8)
		return pp_fail(err, "record of %u bytes cannot hold a period", r->size);
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
period_add(struct pp_source *in, struct pp_rec *r, uint8_t buf[static PP_RECORD_MAX + 8], struct pp_err *err)
{
	const struct pp_events *e = in->events;

	if (r->type == PP_SAMPLE)
		return e->added_period ? add_to_sample(in, r, buf, err) : 1;
	if (r->type == PP_HEADER_ATTR && e->n && period_by_attr(e->ev[e->n - 1]->attr.sample_type))
		pp_event_add_period(in->events, e->n - 1);
	return 1;
}

/* ---- attrs --------------------------------------------------------------------------------------- */

static void
set_bit(void *stage, uint8_t *attr, size_t size)
{
	const struct attrs_stage *c = stage;
	struct pp_attr a;

	pp_attr_get(&a, attr, size, c->swap);
	if (period_by_attr(a.sample_type))
		PP_ATTR_SET(attr, size, sample_type, a.sample_type | PP_SAMPLE_PERIOD, c->swap);
}

struct out *
period_attr_new(const struct pp_source *in, struct out *next)
{
	return attrs_stage_new(in, set_bit, NULL, next);
}
