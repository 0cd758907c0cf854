/* SPDX-License-Identifier: ISC */
/* shape.c - the rows of sample.def, for one event */
#include "attr.h"
#include "sample.h"
#include "shape.h"

#define STEPS_TAIL	+ 1
#define STEPS_FIXED
#define STEPS_BOTH
#define STEPS_EDGE
#define SAMPLE(bit, NAME, name, where, form, role, ...) STEPS_##where
_Static_assert(0
#include "sample.def"
    <= PP_SHAPE_STEPS, "a field behind the fixed part has no step");
#undef SAMPLE

static struct pp_step
read_step(uint64_t format)
{
	unsigned times = (unsigned)__builtin_popcountll(format & PP_FORMAT_TIMES), more = (unsigned)__builtin_popcountll(format & PP_FORMAT_EACH);

	if (format & PP_FORMAT_GROUP)
		return (struct pp_step){ .head = 8, .always = (uint8_t)(8 * times), .unit = (uint8_t)(8 + 8 * more) };
	return (struct pp_step){ .always = (uint8_t)(8 + 8 * times + 8 * more) };
}

static struct pp_step
branch_step(uint64_t type)
{
	return (struct pp_step){ .head = 8, .always = type & PP_BRANCH_HW_INDEX ? 8 : 0, .unit = type & PP_BRANCH_COUNTERS ? 32 : 24 };
}

#define STEP_U64(name)		(struct pp_step){ .always = 8 }
#define STEP_WEIGHT(name)	(struct pp_step){ .always = 8 }
#define STEP_PID_TID(name)	(struct pp_step){ .always = 8 }
#define STEP_CPU(name)		(struct pp_step){ .always = 8 }
#define STEP_READ(name)		read_step(a->read_format)
#define STEP_CHAIN(name)	(struct pp_step){ .head = 8, .unit = 8 }
#define STEP_RAW(name)		(struct pp_step){ .head = 4, .unit = 1 }
#define STEP_BRANCHES(name)	branch_step(a->branch_sample_type)
#define STEP_REGS(name)		(struct pp_step){ .head = 8, .more = (uint16_t)(8 * __builtin_popcountll(a->sample_##name)) }
#define STEP_STACK(name)	(struct pp_step){ .head = 8, .unit = 1, .more = 8 }
#define STEP_AUX(name)		(struct pp_step){ .head = 8, .unit = 1 }

static void
add(struct pp_shape *s, uint32_t bit, struct pp_step x)
{
	x.bit = bit;
	s->step[s->n++] = x;
}

void
pp_shape_make(struct pp_shape *s, const struct pp_attr *a)
{
	uint64_t type = pp_sample_slots(a->sample_type);

	*s = (struct pp_shape){ .n = 0 };
	for (unsigned i = 0; i < PP_SAMPLE_BITS; i++)
		s->rows |= (uint32_t)(type >> pp_sample_rows[i].bit & 1) << i;
#define SAMPLE(bit, NAME, name, where, form, role, ...)					\
	if (PP_WHERE_##where == PP_WHERE_TAIL && type & PP_SAMPLE_##NAME)		\
		add(s, PP_SAMPLE_##NAME, STEP_##form(name));
#include "sample.def"
#undef SAMPLE
}

int
pp_shape_fail(const struct pp_event *ev, const struct pp_rec *r, bool swap, struct pp_err *err)
{
	const struct pp_sample_row *row = pp_sample_rows;
	const struct pp_step *x = ev->shape.step;
	size_t at = PP_HEADER_SIZE;

	for (; row->where != PP_WHERE_TAIL; row++)
		if (ev->attr.sample_type >> row->bit & 1 && (at += 8) > r->size)
			return pp_fail(err, "%s lies past the end of %u bytes", row->name, r->size);
	for (size_t n; x < ev->shape.step + ev->shape.n; x++, at += n)
		if ((n = pp_step_size(x, r->raw + at, r->size - at, swap)) > r->size - at)
			return pp_fail(err, "%s lies past the end of %u bytes", pp_sample_row(x->bit)->name, r->size);
	return pp_fail(err, "record of %u bytes is cut", r->size);
}

int
pp_sample_parts_slow(struct pp_part parts[static PP_SHAPE_STEPS], uint64_t bits, const struct pp_event *ev, const struct pp_rec *r,
    bool swap, struct pp_err *err)
{
	const uint8_t *p = r->raw + ev->plan.fixed, *end = r->raw + r->size;
	const struct pp_step *last = ev->shape.step + ev->shape.n;
	int found = 0;

	if (r->size < ev->plan.fixed)
		return pp_shape_fail(ev, r, swap, err);
	for (const struct pp_step *x = ev->shape.step; x < last; x++) {
		size_t n = pp_step_size(x, p, (size_t)(end - p), swap);

		if (n > (size_t)(end - p))
			return pp_shape_fail(ev, r, swap, err);
		if (bits & x->bit)
			parts[found++] = (struct pp_part){ p, (uint32_t)n, x->bit };
		p += n;
	}
	return found;
}

int
pp_sample_part_slow(struct pp_part *part, uint32_t bit, const struct pp_event *ev, const struct pp_rec *r, bool swap, struct pp_err *err)
{
	struct pp_part parts[PP_SHAPE_STEPS];
	int found = pp_sample_parts_slow(parts, bit, ev, r, swap, err);

	if (found > 0)
		*part = *parts;
	return found;
}
