/* SPDX-License-Identifier: ISC */
/* scale.c - from counts to steps of colour; integers only, so that each machine draws the same. */
#include <stdlib.h>
#include <string.h>

#include "picture/scene.h"
#include "record/order.h"
#include "record/wide.h"
#include "tool/tool.h"

struct scale {
	uint64_t	 from[DRAW_STEPS + 1];	/* the smallest count of each step or of a later one; ascending */
	uint64_t	 top;
	enum draw_scale	 how;
};

uint64_t
scale_part(uint64_t n, uint64_t part, uint64_t whole)
{
	struct wide x = wide_mul(n, part);
	uint64_t rest;

	return x.hi < whole ? wide_div(x, whole, &rest) : UINT64_MAX;
}

uint32_t
scale_log2(uint64_t n)
{
	uint32_t power, log;
	uint64_t m;

	if (n < 2)
		return 0;
	power = 63 - (uint32_t)__builtin_clzll(n);
	m = (power > 31 ? n >> (power - 31) : n << (31 - power));	/* 1 to 2, in 31 bits */
	log = power << 16;
	for (uint32_t bit = 1 << 15; bit; bit >>= 1) {
		m = m * m >> 31;
		if (m >> 32) {
			m >>= 1;
			log |= bit;
		}
	}
	return log;
}

uint32_t
scale_place(uint64_t value)
{
	return scale_log2(value < UINT64_MAX ? value + 1 : value);
}

uint64_t
scale_density(uint64_t count, uint64_t low, uint64_t high)
{
	uint32_t from = scale_place(low), to = scale_place(high < UINT64_MAX ? high + 1 : high);

	return scale_part(count, 1 << 16, to > from ? to - from : 1);
}

/* By the share of the cells that have less, and half of those that have as much. */
static void
scale_rank(struct scale *s, const struct panel *p)
{
	size_t cells = (size_t)p->nbands * (p->axis ? p->axis->n : 0), n = 0;
	unsigned step = 0;
	uint32_t *count = tool_alloc(cells ? cells : 1, sizeof *count);

	for (unsigned i = 0; i < p->nbands; i++)
		for (unsigned j = 0; p->band[i].count && j < p->axis->n; j++)
			if (p->band[i].count[j])
				count[n++] = p->band[i].count[j];
	qsort(count, n, sizeof *count, order_u32);
	for (size_t at = 0, end; at < n; at = end) {
		size_t middle;

		for (end = at + 1; end < n && count[end] == count[at]; end++)
			;
		middle = (at + end) * (DRAW_STEPS - 1) / (2 * n) + 1;
		while (step < middle && step + 1 < DRAW_STEPS)
			s->from[++step] = count[at];
	}
	free(count);
}

/* The step by count and top alone. */
static unsigned
scale_by(enum draw_scale how, uint64_t count, uint64_t top)
{
	uint64_t steps = DRAW_STEPS - 1, step = how == SCALE_LOG ? scale_part(scale_log2(count + 1), steps, scale_log2(top + 1)) :
	    scale_part(count, steps, top);

	return step < steps ? (unsigned)step + 1 : DRAW_STEPS - 1;
}

/*
 * A machine that is always busy has about as much in all cells: on a linear scale most are of the highest two steps, though their
 * counts differ.
 */
static bool
scale_is_flat(const struct scale *s, const struct panel *p)
{
	uint64_t cells = 0, high = 0;
	uint32_t least = UINT32_MAX;

	for (unsigned i = 0; i < p->nbands; i++)
		for (unsigned j = 0; p->axis && p->band[i].count && j < p->axis->n; j++) {
			uint32_t n = p->band[i].count[j];

			cells += n > 0;
			if (n && scale_step(s, n) >= DRAW_STEPS - 2) {
				high++;
				least = n < least ? n : least;
			}
		}
	return 10 * high > 9 * cells && least < s->top;
}

struct scale *
scale_new(enum draw_scale how, const struct panel *p)
{
	struct scale *s = tool_alloc(1, sizeof *s);

	s->how = how == SCALE_AUTO ? SCALE_LINEAR : how;
	s->top = p->top < UINT64_MAX ? p->top : UINT64_MAX - 1;
	s->from[0] = 0;
	for (unsigned step = 1; step <= DRAW_STEPS; step++)
		s->from[step] = UINT64_MAX;
	if (how == SCALE_RANK) {
		scale_rank(s, p);
		return s;
	}
	for (unsigned step = 1; step < DRAW_STEPS && s->top; step++) {
		uint64_t lo = 1, hi = s->top;

		ORDER_FIND(lo, hi, i, scale_by(how, i, s->top) >= step);
		s->from[step] = lo;
	}
	if (how == SCALE_AUTO && scale_is_flat(s, p)) {
		scale_free(s);
		return scale_new(SCALE_RANK, p);
	}
	return s;
}

enum draw_scale
scale_how(const struct scale *s)
{
	return s->how;
}

unsigned
scale_step(const struct scale *s, uint32_t count)
{
	unsigned step = count ? 1 : 0;

	while (step && step < DRAW_STEPS - 1 && count >= s->from[step + 1])
		step++;
	return step;
}

uint64_t
scale_low(const struct scale *s, unsigned step)
{
	return step && step < DRAW_STEPS && s->from[step] < s->from[step + 1] ? s->from[step] : 0;
}

void
scale_free(struct scale *s)
{
	free(s);
}

uint64_t
scale_round(uint64_t span, unsigned n)
{
	static const unsigned rounds[] = { 1, 2, 5 };
	uint64_t ten = 1;

	if (!n)
		n = 1;
	for (;;) {
		for (size_t i = 0; i < sizeof rounds / sizeof *rounds; i++)
			if (span / (ten * rounds[i]) < n)	/* with the one at 0 */
				return ten * rounds[i];
		if (ten > UINT64_MAX / 50)
			return ten * 10;
		ten *= 10;
	}
}
