/* SPDX-License-Identifier: ISC */
#include <stdlib.h>
#include <string.h>

#include "bins.h"
#include "set.h"
#include "tool/tool.h"

enum { SLOTS = 4 * BINS_MAX };
#define MS UINT64_C(1000000)
static const uint64_t widths[] = {
	1 * MS, 5 * MS, 20 * MS, 100 * MS, 500 * MS, 1000 * MS, 5000 * MS,
	20000 * MS, 60000 * MS, 300000 * MS, 1200000 * MS, 3600000 * MS,
};
enum { WIDTHS = sizeof widths / sizeof *widths };

bool
bins_may_be(uint64_t width)
{
	for (unsigned i = 0; i < WIDTHS; i++)
		if (widths[i] == width)
			return true;
	return false;
}

uint64_t
bins_wider(uint64_t width)
{
	for (unsigned i = 0; i < WIDTHS; i++)
		if (widths[i] > width)
			return widths[i];
	return 0;
}

void
bins_init(struct bins *b, uint64_t width)
{
	*b = (struct bins){ .width = width ? width : widths[0], .fixed = width != 0, .from = UINT64_C(1) << 63, .mul = pp_seed() | 1 };
	b->slot = tool_alloc(SLOTS, sizeof *b->slot);
}

void
bins_free(struct bins *b)
{
	free(b->slot);
}

/* False: it was there. */
static bool
bins_insert(struct bins *b, uint64_t bin)
{
	uint64_t *slot = b->slot, h = bin * b->mul >> 50;	/* 14 bits: of SLOTS */

	for (; slot[h % SLOTS]; h++)
		if (slot[h % SLOTS] == bin + 1)
			return false;
	slot[h % SLOTS] = bin + 1;
	return true;
}

/* The next width: false if there is none. */
static bool
bins_widen(struct bins *b)
{
	uint64_t *old = b->slot, was = b->width, width = bins_wider(was);

	if (!width)
		return false;
	b->width = width;
	b->slot = tool_alloc(SLOTS, sizeof *b->slot);
	b->n = 0;
	for (unsigned i = 0; i < SLOTS; i++)
		if (old[i])
			b->n += bins_insert(b, (old[i] - 1) * was / b->width);
	free(old);
	return true;
}

bool
bins_add_slow(struct bins *b, uint64_t time)
{
	bool wider = false;

	while (!b->fixed && b->n < BINS_MAX + 1) {
		b->n += bins_insert(b, time / b->width);
		if (b->n <= BINS_MAX || !bins_widen(b))
			break;
		wider = true;
	}
	b->from = time - time % b->width;
	return wider;
}
