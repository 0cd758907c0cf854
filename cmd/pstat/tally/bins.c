/* SPDX-License-Identifier: ISC */
#include <stdlib.h>
#include <string.h>

#include "bins.h"
#include "set.h"
#include "tool/tool.h"

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
	*b = (struct bins){ .width = width ? width : widths[0], .fixed = width != 0, .from = UINT64_C(1) << 63 };
	set_init(&b->by);
	b->bin = tool_alloc(BINS_MAX + 1, sizeof *b->bin);
}

void
bins_free(struct bins *b)
{
	set_free(&b->by);
	free(b->bin);
}

static void
bins_insert(struct bins *b, uint64_t bin)
{
	uint64_t hash = set_hash(&b->by, bin);
	uint32_t i;

	for (uint64_t at = 0; (i = set_next(&b->by, hash, &at));)
		if (b->bin[i - 1] == bin)
			return;
	b->bin[b->n++] = bin;
	if (set_add(&b->by, hash, b->n) < 0)
		tool_no_memory();
}

/* The next width: false if there is none. */
static bool
bins_widen(struct bins *b)
{
	uint64_t was = b->width, width = bins_wider(was);
	unsigned n = b->n;

	if (!width)
		return false;
	b->width = width;
	set_clear(&b->by);
	b->n = 0;
	for (unsigned i = 0; i < n; i++)	/* no more than before, so none is overwritten that is still to be read */
		bins_insert(b, b->bin[i] * was / width);
	return true;
}

bool
bins_add_slow(struct bins *b, uint64_t time)
{
	bool wider = false;

	while (!b->fixed && b->n < BINS_MAX + 1) {
		bins_insert(b, time / b->width);
		if (b->n <= BINS_MAX || !bins_widen(b))
			break;
		wider = true;
	}
	b->from = time - time % b->width;
	return wider;
}
