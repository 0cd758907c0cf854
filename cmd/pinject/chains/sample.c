/* SPDX-License-Identifier: ISC */
/* sample.c - see sample.h */
#include <string.h>

#include "record/attr.h"
#include "record/chain.h"
#include "record/raw.h"
#include "record/shape.h"
#include "sample.h"

enum { STACKED = PP_SAMPLE_REGS_USER | PP_SAMPLE_STACK_USER };
enum { EXCLUDE_CALLCHAIN_USER = 22 };	/* a flag bit of an attr */

/* u64 abi, and unless that is 0 a u64 for each bit of the mask */
static void
sample_regs(struct stacked *s, uint64_t mask, const uint8_t *p)
{
	s->abi = pp_get_u64(p, false);
	s->regs.mask = s->abi == SAMPLE_NO_USER ? 0 : mask;
	for (uint64_t left = s->regs.mask; left; left &= left - 1) {
		int bit = __builtin_ctzll(left);

		p += 8;
		if (bit < UNWIND_REGS)
			s->regs.value[bit] = pp_get_u64(p, false);
	}
}

/* u64 size, and unless that is 0 so many bytes, and a u64 dyn_size: how many of them were in use */
static void
sample_stack(struct stacked *s, const uint8_t *p)
{
	uint64_t n = pp_get_u64(p, false), used = n ? pp_get_u64(p + 8 + n, false) : 0;

	s->stack = (struct unwind_stack){ p + 8, used < n ? used : n };
}

int
sample_take(struct stacked *s, const struct pp_event *ev, const struct pp_rec *r, bool keep_regs, struct pp_err *err)
{
	struct pp_part part[PP_SHAPE_STEPS];
	int n = pp_sample_parts(part, PP_SAMPLE_READ | PP_SAMPLE_CALLCHAIN | STACKED, ev, r, false, err);

	if (n < 0)
		return -1;
	*s = (struct stacked){ .rec = *r, .chain = ev->plan.fixed, .behind = ev->plan.fixed };
	for (const struct pp_part *x = part; x < part + n; x++) {
		size_t at = (size_t)(x->p - r->raw);

		switch (x->bit) {
		case PP_SAMPLE_READ:
			s->chain = s->behind = at + x->n;
			break;
		case PP_SAMPLE_CALLCHAIN:
			s->chain = at;
			s->behind = at + x->n;
			break;
		case PP_SAMPLE_REGS_USER:
			s->cut = at;
			sample_regs(s, ev->attr.sample_regs_user, x->p);
			break;
		case PP_SAMPLE_STACK_USER:
			if (keep_regs || !s->cut)
				s->cut = at;
			s->rest = at + x->n;
			sample_stack(s, x->p);
		}
	}
	return 1;
}

/* The entries of the old chain that are not of user space, with their markers, to `to'.  Returns their bytes. */
static size_t
sample_kernel_part(uint8_t *to, const struct stacked *s)
{
	const uint8_t *p = s->rec.raw + s->chain + 8, *end = s->rec.raw + s->behind;
	bool user = true;		/* before the first marker */
	size_t n = 0;

	for (; p < end; p += 8) {
		uint64_t v = pp_get_u64(p, false);

		if (pp_is_context(v))
			user = v == PP_CONTEXT(USER) || v == PP_CONTEXT(USER_DEFERRED);	/* behind the latter is a cookie */
		if (!user)
			memcpy(to + n, p, 8);
		n += user ? 0 : 8;
	}
	return n;
}

size_t
sample_space(const struct stacked *s)
{
	size_t old = s->behind - s->chain, stays = s->rec.size - (s->rest - s->cut) - old;
	size_t used = stays + (old ? old : 8) + 8, max = PP_RECORD_MAX / 8 * 8;		/* with the count and the marker */

	return used < max ? (max - used) / 8 : 0;
}

size_t
sample_put(uint8_t *to, const struct stacked *s, const uint64_t *ip, size_t n)
{
	const uint8_t *raw = s->rec.raw;
	uint8_t *count = mempcpy(to, raw, s->chain), *p = count + 8;

	if (s->behind > s->chain)
		p += sample_kernel_part(p, s);
	if (n) {
		pp_set_u64(p, PP_CONTEXT(USER), false);
		p = mempcpy(p + 8, ip, n * sizeof *ip);
	}
	pp_set_u64(count, (uint64_t)(p - count - 8) / 8, false);
	p = mempcpy(p, raw + s->behind, s->cut - s->behind);
	p = mempcpy(p, raw + s->rest, s->rec.size - s->rest);
	PP_RAW_SET(to, header, size, (uint16_t)(p - to), false);
	return (size_t)(p - to);
}

void
sample_attr(uint8_t *p, size_t size, bool keep_regs, bool swap)
{
	uint64_t type = PP_ATTR_GET(p, sample_type, swap);

	if (!(type & PP_SAMPLE_STACK_USER))
		return;
	type &= ~(uint64_t)(keep_regs ? PP_SAMPLE_STACK_USER : STACKED);
	PP_ATTR_SET(p, size, sample_type, type | PP_SAMPLE_CALLCHAIN, swap);
	PP_ATTR_SET(p, size, sample_stack_user, 0, swap);
	if (!keep_regs)
		PP_ATTR_SET(p, size, sample_regs_user, 0, swap);
	pp_attr_flag(p, EXCLUDE_CALLCHAIN_USER, false, swap);
}
