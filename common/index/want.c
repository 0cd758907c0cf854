/* SPDX-License-Identifier: ISC */
/* want.c - can a chunk hold a SAMPLE that meets all conditions? */
#include "index.h"

/* The first number from `at' on that is in the set of n words; UINT64_MAX: none. */
static uint64_t
want_bit(const uint64_t *set, unsigned n, uint64_t at)
{
	for (uint64_t i = at / 64; i < n; i++) {
		uint64_t word = i == at / 64 ? set[i] & ~UINT64_C(0) << at % 64 : set[i];

		if (word)
			return 64 * i + (uint64_t)__builtin_ctzll(word);
	}
	return UINT64_MAX;
}

/* Numbers that the set has no bit of their own for have its last bit. */
static bool
want_bits(const uint64_t *set, unsigned n, const struct ppi_cond *w)
{
	enum { REST = PP_CHUNK_CPUS - 1 };
	bool rest = n == PP_CHUNK_CPUS / 64 && set[REST / 64] >> REST % 64 & 1;
	uint64_t bit;

	for (size_t i = 0; i < w->n; i++)
		if ((rest && w->r[i].hi >= REST) || ((bit = want_bit(set, n, w->r[i].lo)) != UINT64_MAX && bit <= w->r[i].hi))
			return true;
	return false;
}

static bool
want_tasks(const struct pp_chunk *c, const struct ppi_cond *w)
{
	for (size_t i = 0; i < w->n; i++) {
		size_t lo = 0, hi = c->ntasks;

		while (lo < hi) {
			size_t mid = lo + (hi - lo) / 2;

			if (c->tasks[mid] < w->r[i].lo)
				lo = mid + 1;
			else
				hi = mid;
		}
		if (lo < c->ntasks && c->tasks[lo] <= w->r[i].hi)
			return true;
	}
	return false;
}

static bool
want_times(const struct pp_chunk *c, const struct ppi_cond *w)
{
	for (size_t i = 0; i < w->n; i++)
		if (c->first <= w->r[i].hi && c->last >= w->r[i].lo)
			return true;
	return false;
}

bool
ppi_wants(const struct pp_chunk *c, const struct ppi_cond *conds, size_t n, size_t *fails)
{
	static const uint32_t lacks[] = { [PPI_TIME] = PP_CHUNK_NO_TIME, [PPI_TASK] = PP_CHUNK_NO_TASK, [PPI_CPU] = PP_CHUNK_NO_CPU,
	    [PPI_EVENT] = 0 };

	for (size_t i = 0; i < n; i++)
		if (c->flags & lacks[conds[i].by])
			return true;
	for (size_t i = 0; i < n; i++) {
		const struct ppi_cond *w = &conds[i];

		*fails = i;
		if (!(w->by == PPI_TIME ? want_times(c, w) : w->by == PPI_TASK ? want_tasks(c, w) :
		    w->by == PPI_CPU ? want_bits(c->cpus, c->ncpus, w) : want_bits(c->events, c->nevents, w)))
			return false;
	}
	return true;
}
