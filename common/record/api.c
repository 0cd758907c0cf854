/* SPDX-License-Identifier: ISC */
/* api.c - external definitions of the inline functions, and accessors, for programs that do not see the members of structs */
#define PP_INLINE extern inline	/* in C11: also emit it here */
#include "sample.h"
#include "shape.h"

const char *
pp_version(void)
{
	return PP_VERSION;
}

bool
pp_source_swap(const struct pp_source *s)
{
	return s->swap;
}

const struct pp_events *
pp_source_events(const struct pp_source *s)
{
	return s->events;
}

unsigned
pp_events_count(const struct pp_events *e)
{
	return e->n;
}

const struct pp_event *
pp_events_at(const struct pp_events *e, unsigned index)
{
	return index < e->n ? e->ev[index] : NULL;
}

unsigned
pp_event_index(const struct pp_event *ev)
{
	return ev->index;
}

const char *
pp_event_name(const struct pp_event *ev)
{
	return ev->name;
}

const struct pp_attr *
pp_event_attr(const struct pp_event *ev)
{
	return &ev->attr;
}

uint64_t
pp_value_num(const struct pp_value *v, bool swap)
{
	bool negative = v->kind == PP_K_SINT;

	switch (v->len) {
	case 1:
		return negative ? (uint64_t)(int8_t)*v->p : *v->p;
	case 2:
		return negative ? (uint64_t)(int16_t)pp_get_u16(v->p, swap) : pp_get_u16(v->p, swap);
	case 4:
		return negative ? (uint64_t)(int32_t)pp_get_u32(v->p, swap) : pp_get_u32(v->p, swap);
	case 8:
		return pp_get_u64(v->p, swap);
	default:
		return 0;
	}
}

int
pp_sample_field(const struct pp_event *ev, const struct pp_rec *r, bool swap, unsigned field, const uint8_t **p, size_t *n,
    struct pp_err *err)
{
	struct pp_part part[PP_SHAPE_STEPS];
	size_t at = PP_HEADER_SIZE;
	int found;

	if (r->type != PP_SAMPLE)
		return 0;
	if ((found = pp_sample_parts(part, field, ev, r, swap, err)) < 0)
		return -1;
	if (found)
		*p = part->p, *n = part->n;
	for (const struct pp_sample_row *row = pp_sample_rows; row->where != PP_WHERE_TAIL && !found; row++) {
		if (!(ev->attr.sample_type >> row->bit & 1))
			continue;
		if ((found = field == 1u << row->bit))
			*p = r->raw + at, *n = 8;
		at += 8;
	}
	return found;
}
