/* SPDX-License-Identifier: ISC */
/*
 * round_sort.c - sort entries by time: by radix, whatever the disorder; a merge of the runs of many CPUs takes more
 *
 * The times of a round differ in some 20 to 40 bits, but of n entries few have the same log2(n) + 2 upper ones of these.  So the
 * entries are sorted by so many bits, and the few that are out of order then by insertion.  If they are not few, because most times
 * are close together and one is far away, all bits are taken.
 */
#include <string.h>

#include "state/round_in.h"

enum { FEW = 24, BITS = 8, DIGITS = 1 << BITS, DIGIT = DIGITS - 1, PASSES = 64 / BITS };

struct by {			/* sort by so many digits of time - min, from bit `shift' on */
	uint64_t min;
	unsigned shift, passes;
};

/* Sort by insertion.  false: that takes more than `left' moves; they are not sorted yet. */
static bool
sort_insert(entry *e, size_t n, size_t left)
{
	for (size_t i = 1; i < n; i++) {
		entry x = e[i];
		size_t k = i;

		if (e[i - 1].time <= x.time)
			continue;
		for (; k && e[k - 1].time > x.time; k--)
			e[k] = e[k - 1];
		e[k] = x;
		if (i - k > left)
			return false;
		left -= i - k;
	}
	return true;
}

/* Count the entries of each digit. */
static inline __attribute__((always_inline)) void
sort_count(size_t (*count)[DIGITS], unsigned passes, const entry *e, const entry *end, const struct by *by)
{
	for (; e < end; e++) {
		uint64_t x = (e->time - by->min) >> by->shift;

		for (unsigned p = 0; p < passes; p++, x >>= BITS)
			count[p][x & DIGIT]++;
	}
}

/* Move the entries to where the next one with their digit of that pass stands. */
static void
sort_move(entry *out, size_t *to, const entry *e, const entry *end, const struct by *by, unsigned pass)
{
	uint64_t min = by->min;
	unsigned shift = by->shift + pass * BITS;

	for (; e < end; e++)
		out[to[(e->time - min) >> shift & DIGIT]++] = *e;
}

/* From the runs to out[0], then back and forth.  Returns the last one. */
static entry *
sort_radix(const entry *e, const struct pp_run *run, const struct pp_run *end, size_t n, entry *out[2], const struct by *by)
{
	size_t count[PASSES][DIGITS];

	memset(count, 0, by->passes * sizeof *count);
	for (const struct pp_run *r = run; r < end; r++)
		if (by->passes == 2)
			sort_count(count, 2, e + r->at, e + r->end, by);
		else
			sort_count(count, by->passes, e + r->at, e + r->end, by);
	for (unsigned p = 0; p < by->passes; p++) {
		for (size_t d = 0, at = 0; d < DIGITS; d++) {
			size_t k = count[p][d];

			count[p][d] = at;
			at += k;
		}
		if (p)
			sort_move(out[p % 2], count[p], out[!(p % 2)], out[!(p % 2)] + n, by, p);
		for (const struct pp_run *r = run; !p && r < end; r++)
			sort_move(out[0], count[0], e + r->at, e + r->end, by, 0);
	}
	return out[!(by->passes % 2)];
}

static unsigned
sort_passes(unsigned bits)
{
	return (bits + BITS - 1) / BITS;
}

static unsigned
sort_bits(uint64_t v)
{
	return 64 - (unsigned)__builtin_clzll(v | 1);
}

entry *
pp_round_sort(const entry *e, const struct pp_run *run, size_t nruns, size_t n, uint64_t min, uint64_t max, entry *out[2])
{
	unsigned bits = sort_bits(max - min);
	struct by by = { min, 0, sort_passes(bits) };
	struct pp_run all = { 0, n };
	entry *from, *other;

	if (n <= FEW) {
		for (size_t i = 0, at = 0; i < nruns; at += run[i].end - run[i].at, i++)
			memcpy(out[0] + at, e + run[i].at, (run[i].end - run[i].at) * sizeof *e);
		sort_insert(out[0], n, SIZE_MAX);
		return out[0];
	}
	if (by.passes > sort_passes(sort_bits(n) + 2)) {
		by.passes = sort_passes(sort_bits(n) + 2);
		by.shift = bits - by.passes * BITS;
	}
	from = sort_radix(e, run, run + nruns, n, out, &by);
	if (!by.shift || sort_insert(from, n, n))
		return from;
	other = from == out[0] ? out[1] : out[0];
	by = (struct by){ min, 0, sort_passes(bits) };
	return sort_radix(from, &all, &all + 1, n, (entry *[]){ other, from }, &by);
}
