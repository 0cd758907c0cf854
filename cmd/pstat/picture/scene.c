/* SPDX-License-Identifier: ISC */
/* scene.c - see scene.h */
#include <stdlib.h>

#include "picture/number.h"
#include "picture/scene.h"
#include "record/order.h"
#include "report/hist.h"
#include "tool/tool.h"

/* ---- a panel of fewer columns --------------------------------------------------------------------- */

static void
scene_add(uint32_t *to, uint32_t n)
{
	*to = n > UINT32_MAX - *to ? UINT32_MAX : *to + n;
}

static void
scene_axis(struct scene *s)
{
	const struct axis *from = s->fine->axis;
	struct axis *to = &s->axis;

	*to = (struct axis){ .width = from->width > UINT64_MAX / s->by ? UINT64_MAX : from->width * s->by, .first = from->first, .last = from->last };
	to->start = tool_alloc(from->n, sizeof *to->start);
	s->from = tool_alloc(from->n + (size_t)1, sizeof *s->from);
	for (unsigned i = 0; i < from->n; i++) {
		uint64_t start = from->start[i] / from->width / s->by * s->by * from->width;

		if (to->n && to->start[to->n - 1] == start)
			continue;
		s->from[to->n] = i;
		to->start[to->n++] = start;
	}
	s->from[to->n] = from->n;
	s->made.axis = to;
}

static uint32_t *
scene_counts(const struct scene *s, const uint32_t *from)
{
	uint32_t *count = from ? tool_alloc(s->axis.n, sizeof *count) : NULL;

	for (unsigned i = 0; from && i < s->axis.n; i++)
		for (unsigned k = s->from[i]; k < s->from[i + 1]; k++)
			scene_add(&count[i], from[k]);
	return count;
}

static void
scene_columns(struct scene *s)
{
	const struct panel *from = s->fine;

	scene_axis(s);
	for (unsigned i = 0; i < from->nbands; i++) {
		s->made.band[i] = from->band[i];
		s->made.band[i].count = scene_counts(s, from->band[i].count);
	}
	for (unsigned i = 0; i < STRIPS; i++)
		s->made.strip[i] = scene_counts(s, from->strip[i]);
}

/* Bands that are parts of the columns: so many become one. */
static void
scene_parts(struct scene *s)
{
	const struct panel *from = s->fine;
	unsigned n = from->axis->n, by = (unsigned)s->by;

	s->made.nbands = (from->nbands + by - 1) / by;
	for (unsigned i = 0; i < from->nbands; i++) {
		struct band *to = &s->made.band[i / by];

		if (i % by == 0) {
			*to = from->band[i];
			to->count = tool_alloc(n, sizeof *to->count);
			to->span = to->total = 0;
		}
		to->total += from->band[i].total;
		to->span += from->band[i].span;
		for (unsigned k = 0; from->band[i].count && k < n; k++)
			scene_add(&to->count[k], from->band[i].count[k]);
	}
}

static void
scene_places(struct scene *s)
{
	unsigned n = s->fine->nplaces, by = (unsigned)s->by;

	s->made.width *= by;
	s->made.nplaces = (n + by - 1) / by;
	s->made.place = tool_alloc(s->made.nplaces, sizeof *s->made.place);
	for (unsigned i = 0; i < n; i++)
		behind_join(&s->made.place[i / by], &s->fine->place[i]);
}

/* ---- bars of PANEL_HIST --------------------------------------------------------------------------- */

enum { BAR_POWER = 16 };		/* buckets of a power of two */

/* Below 16 a bucket is a value, so there bars of whole powers are told by the value. */
unsigned
scene_bar(uint64_t value, uint64_t by)
{
	if (by < BAR_POWER)
		return hist_bucket(value) / (unsigned)by;
	return value ? 64 - (unsigned)__builtin_clzll(value) : 0;
}

static struct scene_bar
scene_values(unsigned bar, unsigned by)
{
	uint64_t power;

	if (by < BAR_POWER)
		return (struct scene_bar){ .low = hist_low(bar * by), .high = hist_high(bar * by + by - 1) };
	power = bar ? UINT64_C(1) << (bar - 1) : 0;
	return (struct scene_bar){ .low = power, .high = power ? power - 1 + power : 0 };
}

static void
scene_bars(struct scene *s, bool text)
{
	const struct panel *p = s->p;
	unsigned first = scene_bar(p->bucket[0].low, s->by), last = scene_bar(p->bucket[p->nbuckets - 1].low, s->by);

	s->nbars = last - first + 1;
	s->bar = tool_alloc(s->nbars, sizeof *s->bar);
	for (unsigned i = 0; i < s->nbars; i++)
		s->bar[i] = scene_values(first + i, (unsigned)s->by);
	for (unsigned i = 0; i < p->nbuckets; i++)
		s->bar[scene_bar(p->bucket[i].low, s->by) - first].count += p->bucket[i].count;
	/* powers of two are as wide as each other; and below 32, where a bucket is a value, text shows them so */
	s->even = s->by == BAR_POWER || (text && s->bar[s->nbars - 1].high < 32);
	for (struct scene_bar *b = s->bar; b < s->bar + s->nbars; b++) {
		b->height = s->even ? b->count : scale_density(b->count, b->low, b->high);
		s->top = b->height > s->top ? b->height : s->top;
	}
}

/* ---- what there is -------------------------------------------------------------------------------- */

static const struct scene_none *
scene_none(const struct scene *s, bool text)
{
	static const struct scene_none no_samples = { "no samples", "No samples." }, no_values = { "no values", "No value." },
	    no_times = { "no records with a time", "No record has a time." }, nothing = { "nothing", "" },
	    in_order = { "all records are in the order of time", "No record is behind another: the stream is in order." };
	const struct panel *p = s->p;

	switch ((enum panel_kind)p->kind) {
	case PANEL_HEAT:
	case PANEL_STACK:
		return !p->axis || !p->axis->n || !p->nbands || (text && !p->samples) ? &no_samples : NULL;
	case PANEL_BEHIND:
		return !p->timed || !p->nplaces ? &no_times : !p->back ? &in_order : NULL;
	case PANEL_HIST:
		return !p->nbuckets ? &no_values : NULL;
	case PANEL_FILL:
		return !s->whole ? &nothing : NULL;
	case PANEL_FLAME:
		return !p->top ? &no_samples : NULL;
	}
	return NULL;
}

static uint64_t
scene_whole(const struct panel *p)
{
	uint64_t sum = 0;

	switch ((enum panel_kind)p->kind) {
	case PANEL_FILL:
		for (unsigned i = 0; i < p->nbands; i++)
			sum += p->band[i].total;
		return sum;
	case PANEL_FLAME:
		return p->top;
	case PANEL_HEAT: case PANEL_STACK: case PANEL_BEHIND: case PANEL_HIST:
		return p->samples;
	}
	return 0;
}

/* Columns and bands, or places, become one; buckets do so in scene_heights(). */
static void
scene_fewer(struct scene *s, bool text)
{
	const struct panel *p = s->fine;

	switch ((enum panel_kind)p->kind) {
	case PANEL_HEAT:
	case PANEL_STACK:
		s->made.band = tool_alloc(p->nbands, sizeof *s->made.band);
		(!text && panel_has_parts(p) ? scene_parts : scene_columns)(s);
		panel_top(&s->made);
		break;
	case PANEL_BEHIND:
		scene_places(s);
		break;
	case PANEL_HIST:
	case PANEL_FILL:
	case PANEL_FLAME:
		break;
	}
}

/* What is as dark or as high as it has samples. */
static void
scene_heights(struct scene *s, enum draw_scale how, bool text)
{
	switch ((enum panel_kind)s->p->kind) {
	case PANEL_HEAT:
		s->scale = scale_new(how, s->p);
		break;
	case PANEL_HIST:
		scene_bars(s, text);
		break;
	case PANEL_STACK:
	case PANEL_BEHIND:
	case PANEL_FILL:
	case PANEL_FLAME:
		break;
	}
}

struct scene *
scene_new(const struct panel *p, enum draw_scale how, uint64_t by, bool text)
{
	struct scene *s = tool_alloc(1, sizeof *s);

	*s = (struct scene){ .p = &s->made, .fine = p, .by = by };
	s->made = *p;
	if (by > 1)
		scene_fewer(s, text);
	s->whole = scene_whole(p);
	s->none = scene_none(s, text);
	if (!s->none)
		scene_heights(s, how, text);
	return s;
}

void
scene_free(struct scene *s)
{
	bool bands = s->made.band != s->fine->band;

	for (unsigned i = 0; bands && i < s->made.nbands; i++)
		free(s->made.band[i].count);
	for (unsigned i = 0; s->from && i < STRIPS; i++)
		free(s->made.strip[i]);
	free(bands ? s->made.band : NULL);
	free(s->made.place != s->fine->place ? s->made.place : NULL);
	free(s->bar);
	free(s->axis.start);
	free(s->from);
	scale_free(s->scale);
	free(s);
}

uint64_t
scene_window(const struct panel *p, const struct number_unit **unit)
{
	*unit = number_unit(p->window / 10, UNIT_SECOND);
	return (p->window - 1) / (*unit)->ns + 1;
}

/* ---- time ----------------------------------------------------------------------------------------- */

static uint64_t
axis_plus(uint64_t ns, uint64_t more)
{
	return more > UINT64_MAX - ns ? UINT64_MAX : ns + more;
}

uint64_t
axis_end(const struct axis *a, unsigned column)
{
	return axis_plus(a->start[column], a->width ? a->width - 1 : 0);
}

unsigned
axis_after(const struct axis *a, uint64_t ns)
{
	unsigned lo = 0, hi = a->n;

	ORDER_FIND(lo, hi, i, a->start[i] > ns);
	return lo;
}

bool
axis_breaks(const struct axis *a, unsigned column)
{
	return column + 1 < a->n && a->start[column + 1] - a->start[column] > a->width;
}

bool
axis_is_part(const struct axis *a, unsigned column, unsigned last)
{
	return a->start[column] < a->first || axis_end(a, last) > a->last;
}

bool
axis_tick(const struct axis *a, uint64_t origin, uint64_t step, struct axis_tick *t)
{
	for (; t->column < a->n && t->next >= t->since; t->column++) {
		uint64_t start = a->start[t->column], from = start < origin ? 0 : start - origin, n = from / step + (from % step != 0);

		if (n > UINT64_MAX / step)
			return false;
		from = n * step < t->next ? t->next : n * step;
		if (from > UINT64_MAX - origin || origin + from > axis_end(a, t->column))
			continue;
		t->since = from;
		t->next = from + step;
		return true;
	}
	return false;
}

bool
scene_cell(const struct scene *s, unsigned band, unsigned column, uint64_t *from, uint64_t *to)
{
	const struct band *b = &s->p->band[band];
	const struct axis *a = s->fine->axis;
	uint64_t first = a->start[scene_from(s, column)], last = a->start[scene_from(s, column + 1) - 1];

	if (b->from > UINT64_MAX - first)
		return false;
	*from = first + b->from;
	*to = axis_plus(axis_plus(last, b->from), (b->span ? b->span : a->width) - 1);
	return *from <= a->last && *to >= a->first;
}

int
scene_step(const struct scene *s, unsigned band, unsigned column)
{
	uint32_t n = s->p->band[band].count ? s->p->band[band].count[column] : 0;
	uint64_t from, to;

	return n || scene_cell(s, band, column, &from, &to) ? (int)scale_step(s->scale, n) : -1;
}
