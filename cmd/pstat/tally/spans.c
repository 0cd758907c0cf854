/* SPDX-License-Identifier: ISC */
#include <stdlib.h>
#include <string.h>

#include "set.h"
#include "spans.h"
#include "tool/tool.h"

#define MS UINT64_C(1000000)
static const uint64_t widths[] = {
	1 * MS, 5 * MS, 20 * MS, 100 * MS, 500 * MS, 1000 * MS, 5000 * MS,
	20000 * MS, 60000 * MS, 300000 * MS, 1200000 * MS, 3600000 * MS,
};
enum { WIDTHS = sizeof widths / sizeof *widths, MORE = 4 };
/* A time without samples that is longer than that, and than JUMP times all others: the clock has jumped, no columns for it. */
#define JUMP_LEAST (3600 * 1000 * MS)
enum { JUMP = 8 };
enum { THIN = 8, FEWEST = 50 };		/* samples in a bin that are few; bins below which none become wider for that */

bool
spans_may_be(uint64_t width)
{
	for (unsigned i = 0; i < WIDTHS; i++)
		if (widths[i] == width)
			return true;
	return false;
}

void
spans_init(struct spans *s, uint64_t width, bool fixed, unsigned parts, unsigned max)
{
	*s = (struct spans){ .width = width, .fixed = fixed, .parts = parts, .max = max };
	set_init(&s->by);
	s->start = tool_alloc(max + 1, sizeof *s->start);
}

void
spans_free(struct spans *s)
{
	free(s->start);
	set_free(&s->by);
}

void
spans_count_by(struct spans *s, spans_change *fn, void *arg)
{
	s->counter[s->ncounters].fn = fn;
	s->counter[s->ncounters++].arg = arg;
}

/* The number of the bin with that start, made if absent. */
static unsigned
spans_number(struct spans *s, uint64_t start)
{
	uint64_t hash = set_hash(&s->by, start / s->width);
	uint32_t i;

	for (uint64_t at = 0; (i = set_next(&s->by, hash, &at));)
		if (s->start[i - 1] == start)
			return i - 1;
	s->start[s->n++] = start;
	if (set_add(&s->by, hash, s->n) < 0)
		tool_no_memory();
	return s->n - 1;
}

/* Beyond the list they go on; the last has so few bins that it is never the next. */
static uint64_t
spans_wider(const struct spans *s)
{
	for (unsigned i = 0; i < WIDTHS; i++)
		if (widths[i] / s->parts > s->width)
			return widths[i] / s->parts;
	return s->width * MORE;
}

void
spans_widen(struct spans *s)
{
	uint16_t *to = tool_alloc(s->n, sizeof *to);
	unsigned n = s->n;

	s->width = spans_wider(s);
	set_clear(&s->by);
	s->n = 0;
	for (unsigned i = 0; i < n; i++)	/* no more bins than before, so none is overwritten that is still to be read */
		to[i] = (uint16_t)spans_number(s, s->start[i] - s->start[i] % s->width);
	for (unsigned i = 0; i < s->ncounters; i++)
		s->counter[i].fn(s->counter[i].arg, to, n, s->n);
	free(to);
	s->length = 0;
}

void
spans_find(struct spans *s, uint64_t time)
{
	uint64_t start = time - time % s->width;

	s->at = spans_number(s, start);
	while (s->n > s->max) {
		if (s->fixed) {
			s->over = true;
			set_clear(&s->by);
			s->n = 0;
			for (unsigned i = 0; i < s->max; i++)
				spans_number(s, s->start[i]);
			s->at = 0;
			s->length = 0;
			return;
		}
		spans_widen(s);
		start = time - time % s->width;
		s->at = spans_number(s, start);
	}
	s->from = start;
	s->length = s->width;
}

/* ---- columns ------------------------------------------------------------------------------------- */

static int
spans_order(const void *va, const void *vb)
{
	uint64_t a = *(const uint64_t *)va, b = *(const uint64_t *)vb;

	return a < b ? -1 : a > b;
}

/* The least length of a time without bins, between these n starts, that gets no columns. */
static uint64_t
spans_jump(const uint64_t *start, unsigned n, uint64_t width, unsigned most)
{
	uint64_t *gap = tool_alloc(n, sizeof *gap), covered = n * width, least = UINT64_MAX;
	unsigned gaps = 0;

	for (unsigned i = 1; i < n; i++)
		if (start[i] - start[i - 1] > width)
			gap[gaps++] = start[i] - start[i - 1] - width;
	qsort(gap, gaps, sizeof *gap, spans_order);
	for (unsigned i = 0; i < gaps; i++) {
		if (gap[i] > JUMP_LEAST && (gap[i] / JUMP > covered || (covered + gap[i]) / width > most)) {
			least = gap[i];
			break;
		}
		covered += gap[i];
	}
	free(gap);
	return least;
}

/* The columns of these starts: how many, and if `to', which. */
static unsigned
spans_columns(const uint64_t *start, unsigned n, uint64_t width, uint64_t jump, uint64_t *to, unsigned most)
{
	uint64_t columns = 0;

	for (unsigned i = 0; i < n; i++) {
		uint64_t gap = i ? start[i] - start[i - 1] - width : 0;

		if (gap && gap < jump) {
			for (uint64_t at = start[i - 1] + width; to && at < start[i]; at += width)
				to[columns++] = at;
			columns += to ? 0 : gap / width;
		}
		if (columns >= most)
			return most + 1;
		if (to)
			to[columns] = start[i];
		columns++;
	}
	return (unsigned)columns;
}

void
spans_coarsen(struct spans *s, uint64_t samples)
{
	while (!s->fixed && s->n > FEWEST && samples / s->n < THIN && s->n * s->width / spans_wider(s) >= FEWEST)
		spans_widen(s);
}

bool
spans_axis(struct spans *s, unsigned per, unsigned most, struct axis *axis, unsigned **column)
{
	for (;; spans_widen(s)) {
		uint64_t *start = tool_alloc(s->n + 1, sizeof *start), width = s->width * per, jump, *end;
		unsigned n = 0, columns;

		for (unsigned i = 0; i < s->n; i++)
			start[i] = s->start[i] - s->start[i] % width;
		qsort(start, s->n, sizeof *start, spans_order);
		for (unsigned i = 0; i < s->n; i++)
			if (!n || start[n - 1] != start[i])
				start[n++] = start[i];
		jump = spans_jump(start, n, width, most);
		columns = spans_columns(start, n, width, jump, NULL, most);
		if (columns > most && !s->fixed) {
			free(start);
			continue;
		}
		axis->width = width;
		axis->n = columns > most ? 0 : columns;
		axis->start = tool_alloc(axis->n, sizeof *axis->start);
		*column = tool_alloc(s->n, sizeof **column);
		if (columns <= most)
			spans_columns(start, n, width, jump, axis->start, most);
		for (unsigned i = 0; i < s->n && columns <= most; i++) {
			uint64_t at = s->start[i] - s->start[i] % width;

			end = bsearch(&at, axis->start, axis->n, sizeof at, spans_order);
			(*column)[i] = (unsigned)(end - axis->start);
		}
		free(start);
		return columns <= most;
	}
}
