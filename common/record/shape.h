/* SPDX-License-Identifier: ISC */
/*
 * shape.h - finds the fields of variable size of a sample without decoding all fields
 *
 * When the source learns an event's attr, it compiles the sample_type into a list of steps (struct pp_shape), one for each
 * field behind the fixed part.  A step has what is needed to compute the size of its field: pp_step_size().
 *
 *	struct pp_part parts[PP_SHAPE_STEPS];
 *	int n = pp_sample_parts(parts, PP_SAMPLE_CALLCHAIN | PP_SAMPLE_RAW, ev, r, swap, err);
 *
 * A sample whose fields exceed its size is refused, with a text that names the first such field.  pp_sample_walk() shows what is in
 * the fields; the plan has the offsets of the fixed part.
 */
#ifndef PP_SHAPE_H
#define PP_SHAPE_H

#include "perfpipe_inline.h"

struct pp_part { const uint8_t *p; uint32_t n, bit; };	/* a field: its n bytes at p, and its PP_SAMPLE_* bit */

/* Compile the shape of an event's samples; then the sum of its sizes, by that and the plan. */
void	pp_shape_make(struct pp_shape *, const struct pp_attr *);
void	pp_sum_make(struct pp_sum *, const struct pp_event *, bool swap);

/* The size of the field at p, of which `left' bytes are present; a result greater than `left': the sample is cut. */
static inline size_t
pp_step_size(const struct pp_step *x, const uint8_t *p, size_t left, bool swap)
{
	size_t size = (size_t)x->head + x->always;
	uint64_t n;

	if (!x->head || size > left)
		return size;
	n = x->head == 8 ? pp_get_u64(p, swap) : pp_get_u32(p, swap);
	if (n == 0)
		return size;
	if (x->unit && n > left)
		return SIZE_MAX;
	return size + x->more + (size_t)n * x->unit;
}

/* Set the error for a sample that is cut: its first field that is not whole.  Always -1. */
int	pp_shape_fail(const struct pp_event *, const struct pp_rec *, bool swap, struct pp_err *);

/* The one count that a sample has, if it is just as large as the sum of its fields (pp_sum), so that none exceeds it; else UINT64_MAX. */
static inline uint64_t
pp_sample_count(const struct pp_event *ev, const struct pp_rec *r)
{
	const struct pp_sum *sum = &ev->sum;
	uint64_t n = r->size < sum->need ? UINT64_MAX : pp_get_u64(r->raw + sum->at, false) & sum->mask;

	return n <= UINT16_MAX && r->size == sum->base + n * sum->unit ? n : UINT64_MAX;
}

/* The size of a field of such a sample. */
static inline size_t
pp_step_size_of(const struct pp_step *x, uint64_t count)
{
	return (size_t)x->head + x->always + count * x->unit;
}

/*
 * Find the fields with these bits behind the fixed part, in the order of the sample, and check that all other fields fit too.
 * The number of parts, or -1.
 */
int	pp_sample_parts_slow(struct pp_part parts[static PP_SHAPE_STEPS], uint64_t bits, const struct pp_event *, const struct pp_rec *, bool swap,
	    struct pp_err *);
static inline int
pp_sample_parts(struct pp_part parts[static PP_SHAPE_STEPS], uint64_t bits, const struct pp_event *ev, const struct pp_rec *r,
    bool swap, struct pp_err *err)
{
	const struct pp_step *x = ev->shape.step, *last = x + ev->shape.n;
	const uint8_t *p = r->raw + ev->plan.fixed;
	uint64_t count = pp_sample_count(ev, r);
	int found = 0;

	if (count == UINT64_MAX)
		return pp_sample_parts_slow(parts, bits, ev, r, swap, err);
	for (size_t n; x < last; x++, p += n) {
		n = pp_step_size_of(x, count);
		if (bits & x->bit)
			parts[found++] = (struct pp_part){ p, (uint32_t)n, x->bit };
	}
	return found;
}

/* The same of one field: 1; 0: the event has none of that bit; -1. */
int	pp_sample_part_slow(struct pp_part *, uint32_t bit, const struct pp_event *, const struct pp_rec *, bool swap, struct pp_err *);
static inline int
pp_sample_part(struct pp_part *part, uint32_t bit, const struct pp_event *ev, const struct pp_rec *r, bool swap, struct pp_err *err)
{
	const struct pp_step *x = ev->shape.step, *last = x + ev->shape.n;
	const uint8_t *p = r->raw + ev->plan.fixed;
	uint64_t count = pp_sample_count(ev, r);

	if (count == UINT64_MAX)
		return pp_sample_part_slow(part, bit, ev, r, swap, err);
	for (; x < last && x->bit != bit; x++)
		p += pp_step_size_of(x, count);
	if (x == last)
		return 0;
	*part = (struct pp_part){ p, (uint32_t)pp_step_size_of(x, count), bit };
	return 1;
}

/* Where the fields end, of which the fixed ones end at `at'; 0: they exceed the sample. */
static inline size_t
pp_shape_end(const struct pp_shape *s, const struct pp_rec *r, size_t at, bool swap)
{
	for (const struct pp_step *x = s->step; x < s->step + s->n && at <= r->size; x++) {
		size_t n = pp_step_size(x, r->raw + at, r->size - at, swap);

		if (n > r->size - at)
			return 0;
		at += n;
	}
	return at <= r->size ? at : 0;
}

/* Where the fields of a sound sample end; behind them is padding.  Behind those of an event with unknown bits may be more fields: all. */
static inline size_t
pp_sample_end(const struct pp_event *ev, const struct pp_rec *r, bool swap)
{
	return ev->known ? pp_shape_end(&ev->shape, r, ev->plan.fixed, swap) : r->size;
}

#endif
