/* SPDX-License-Identifier: ISC */
/* api.c - external definitions of the inline functions, and accessors, for programs that do not see the members of structs */
#define PP_INLINE extern inline	/* in C11: also emit it here */
#include "sample.h"

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
	struct pp_sample s;

	if (r->type != PP_SAMPLE)
		return 0;
	if (pp_sample_get(&s, ev, r, swap, err) < 0)
		return -1;
	for (unsigned bit = 0; bit < PP_SAMPLE_BITS; bit++)
		if (1u << bit == field && s.at[bit].p) {
			*p = s.at[bit].p;
			*n = s.at[bit].n;
			return 1;
		}
	return 0;
}
