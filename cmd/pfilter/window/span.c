/* SPDX-License-Identifier: ISC */
#include <stdlib.h>
#include <string.h>

#include "set.h"
#include "window/span.h"

enum { SLOT_BITS = 10, CPUS_MAX = 1 << 16 };

/* ---- keys ---------------------------------------------------------------------------------------- */

void
span_forget_places(struct span *s)
{
	for (unsigned k = 0; k < s->nkeys; k++)
		for (int i = 0; i < 2; i++) {
			free(s->key[k].place[i]);
			s->key[k].place[i] = NULL;
		}
}

/* No event has a field of payloads. */
static _Noreturn void
span_no_payload(const struct tool *t, const struct field_stream *stream, const struct field *f)
{
	const char *name = field_payload_name(f) ? field_payload_name(f) : f->name;
	char near[200], own[200];

	field_payload_near(stream, name, near, sizeof near);
	field_near(name, strlen(name), own, sizeof own);
	tool_wrong(t, "--span: no event of this recording has a number %s%s%s%s%s", f->name, *near || *own ? "; similar: " : "", near,
	    *near && *own ? ", " : "", own);
}

void
span_bind(struct span *s, const struct tool *t, const struct field_stream *stream)
{
	for (unsigned k = 0; k < 2 * s->nkeys; k++) {
		const struct field *f = s->key[k / 2].field[k % 2];
		struct field_place at = { .at = AT_NONE };

		for (unsigned i = 0; i < stream->events->n && at.at == AT_NONE; i++)
			field_access(stream, f, &(struct field_kind){ stream->events->ev[i], PP_SAMPLE, true, false }, &at);
		if (at.at == AT_NONE && stream->events->n && s->key[k / 2].payload[k % 2])
			span_no_payload(t, stream, f);
		if (at.at == AT_NONE && stream->events->n)
			tool_wrong(t, "--span: no event of this recording has %s%s%s", f->name, f->supply ? "; record it with perf record " :
			    "", f->supply ? f->supply : "");
	}
}

static const struct field_place *
span_place(struct span_key *k, int end, const struct look *l)
{
	unsigned n = l->stream->events->n, index = l->about.ev->index;

	if (!k->place[end])
		k->place[end] = tool_alloc(n, sizeof *k->place[end]);
	if (!k->place[end][index].known) {
		field_access(l->stream, k->field[end], &(struct field_kind){ l->about.ev, PP_SAMPLE, true, true }, &k->place[end][index].at);
		k->place[end][index].known = true;
	}
	return &k->place[end][index].at;
}

/* The number in a field at no fixed place.  1, 0: the sample has none, or -1: it is malformed. */
static int
span_fetch(const struct look *l, const struct field *f, big *n, struct pp_err *err)
{
	struct field_fetch fetch;	/* not the whole struct is set: it is large */
	struct field_value value;

	fetch.stream = l->stream;
	fetch.s = &l->about;
	fetch.err = err;
	fetch.swap = l->swap;
	fetch.taken = fetch.bad = false;
	field_fetch(&fetch, (enum field_part)f->part, f, &value);
	*n = value.num;
	return fetch.bad ? -1 : value.known;
}

/* Does the payload of a sample reach to the end of that field in it? */
static bool
span_reaches(const struct look *l, const struct field_place *at)
{
	const struct pp_rec *r = l->about.r;
	uint32_t begin = at->raw + 4u, n;

	if (r->size < begin)
		return false;
	n = pp_get_u32(r->raw + at->raw, l->swap);
	return n <= r->size - begin && (uint32_t)at->off + at->width <= begin + n;
}

/* The number in a field of a sample.  1, 0: it has none, or -1: the sample is malformed. */
static int
span_number(const struct look *l, const struct field *f, const struct field_place *at, big *n, struct pp_err *err)
{
	const uint8_t *p = l->about.r->raw + (at->end ? (int32_t)l->about.r->size + at->off : at->off);
	uint64_t number;

	switch (at->at) {
	case AT_NUMBER:
		*n = at->num;
		return 1;
	case AT_PLACE:
		if (at->raw) {
			if (!span_reaches(l, at))
				return span_fetch(l, f, n, err);
			number = pp_payload_number(p, at->width, at->sign, l->swap);
			*n = at->sign ? big_signed((int64_t)number) : big_plain(number);
		} else if (at->sign && at->width == 4)
			*n = big_signed((int32_t)pp_get_u32(p, l->swap));
		else
			*n = big_plain((at->width == 8 ? pp_get_u64(p, l->swap) : at->width == 4 ? pp_get_u32(p, l->swap) :
			    pp_get_u16(p, l->swap)) >> at->shift & at->mask);
		return 1;
	case AT_PART:
		return span_fetch(l, f, n, err);
	default:
		return 0;
	}
}

/* Set the key of a sample at that end.  1, 0: it lacks a field, or -1. */
static int
span_key(struct span *s, int end, const struct look *l, struct open_span *o, struct pp_err *err)
{
	o->minus = 0;
	for (unsigned k = 0; k < s->nkeys; k++) {
		big n = { 0, 0 };
		int rc = span_number(l, s->key[k].field[end], span_place(&s->key[k], end, l), &n, err);

		if (rc <= 0)
			return rc;
		o->key[k] = n.lo;
		o->minus |= (uint8_t)((n.hi < 0) << k);
	}
	return 1;
}

/* ---- the open spans ------------------------------------------------------------------------------ */

static uint32_t *
span_slot(const struct span *s, const struct open_span *o)
{
	uint64_t h = 0;

	for (unsigned k = 0; k < s->nkeys; k++)
		h = ((h ^ o->key[k]) * s->mul) ^ (h >> 29);
	return &s->slot[(h ^ h >> 32) * s->mul >> (64 - s->bits)];
}

/* Where the number of the open span with the key stands; *result 0: there is none. */
static uint32_t *
span_find(const struct span *s, const struct open_span *key)
{
	uint32_t *at = span_slot(s, key);

	for (; *at; at = &s->open[*at].next) {
		const struct open_span *o = &s->open[*at];
		uint64_t differs = o->minus ^ key->minus;

		for (unsigned k = 0; k < SPAN_KEYS; k++)	/* a key that is not used is 0 */
			differs |= o->key[k] ^ key->key[k];
		if (!differs)
			break;
	}
	return at;
}

/* Twice as many slots. */
static void
span_grow_slots(struct span *s)
{
	s->bits++;
	free(s->slot);
	s->slot = tool_alloc((size_t)1 << s->bits, sizeof *s->slot);
	for (uint32_t i = s->oldest; i; i = s->open[i].newer) {
		uint32_t *at = span_slot(s, &s->open[i]);

		s->open[i].next = *at;
		*at = i;
	}
}

static void
span_remove(struct span *s, uint32_t *at)
{
	uint32_t i = *at;
	struct open_span *o = &s->open[i];

	*at = o->next;
	*(o->older ? &s->open[o->older].newer : &s->oldest) = o->newer;
	*(o->newer ? &s->open[o->newer].older : &s->newest) = o->older;
	if (s->due == i)
		s->due = o->newer;
	o->next = s->free;
	s->free = i;
	s->nopen--;
}

/* Add an open span.  It is the newest, unless its record is late. */
static void
span_add(struct span *s, const struct open_span *new)
{
	uint32_t i = s->free, *at, before = s->newest;
	struct open_span *o;

	if (i)
		s->free = s->open[i].next;
	else {
		s->open = tool_need(array_more(s->open, ++s->used, 1, sizeof *s->open));
		i = s->used;
	}
	o = &s->open[i];
	*o = *new;
	while (before && s->open[before].begin > o->begin)
		before = s->open[before].older;
	o->older = before;
	o->newer = before ? s->open[before].newer : s->oldest;
	*(o->older ? &s->open[o->older].newer : &s->oldest) = i;
	*(o->newer ? &s->open[o->newer].older : &s->newest) = i;
	if (s->due == o->newer)
		s->due = i;
	at = span_slot(s, o);
	o->next = *at;
	*at = i;
	if (++s->nopen > UINT32_C(1) << s->bits)
		span_grow_slots(s);
}

/* ---- losses -------------------------------------------------------------------------------------- */

void
span_lost(struct span *s, bool known, uint32_t cpu, uint64_t time)
{
	if (!known || cpu >= CPUS_MAX) {
		s->lost_any = time;
		return;
	}
	s->lost = tool_need(array_reach(s->lost, &s->nlost, cpu, sizeof *s->lost));
	s->lost[cpu] = time;
}

static bool
span_lost_since(const struct span *s, uint32_t cpu, uint64_t begin)
{
	return (s->lost_any && s->lost_any >= begin) || (cpu < s->nlost && s->lost[cpu] && s->lost[cpu] >= begin);
}

/* ---- ends ---------------------------------------------------------------------------------------- */

static void
span_keep(struct span *s, struct pp_arrival *a, struct open_span *o)
{
	o->kept = true;
	s->n.kept++;
	pp_arrival_mark(a, o->nr, MARK_WINDOW);
	if (s->within)
		cover_open(&s->cover, o->shared, o->begin);
}

static uint32_t
span_cpu(const struct look *l)
{
	uint32_t cpu;

	return window_key(l, CPU, &cpu) ? cpu : UINT32_MAX;
}

/* An open span is over with that sample. */
static void
span_over(struct span *s, uint32_t *at, const struct look *l)
{
	const struct open_span *o = &s->open[*at];

	if (o->kept) {
		s->n.uncertain += o->late || span_lost_since(s, o->cpu, o->begin) || span_lost_since(s, span_cpu(l), o->begin);
		if (s->within)
			cover_close(&s->cover, o->shared, l->time);
	}
	span_remove(s, at);
}

void
span_pass(struct span *s, struct pp_arrival *a, uint64_t time)
{
	s->last = time;		/* of a late record too: its span may end in the next one */
	if (s->has_shorter)	/* only the end shows whether it is short enough */
		return;
	while (s->due && s->last > s->longer && s->open[s->due].begin < s->last - s->longer) {
		span_keep(s, a, &s->open[s->due]);
		s->due = s->open[s->due].newer;
	}
}

static void
span_end(struct span *s, struct pp_arrival *a, const struct look *l, uint64_t nr, const struct open_span *key)
{
	uint32_t *at = span_find(s, key);
	struct open_span *o = &s->open[*at];

	if (!*at || l->time < o->begin) {	/* late: what it ends was replaced */
		s->n.unbegun++;
		return;
	}
	if (o->kept && l->time - o->begin <= s->longer) {	/* late: the span was taken for long, and is not */
		o->late = true;
		span_over(s, at, l);
		return;
	}
	if (s->has_shorter && l->time >= o->begin && l->time - o->begin > s->longer && l->time - o->begin < s->shorter)
		span_keep(s, a, o);
	if (o->kept)
		pp_arrival_mark(a, nr, MARK_WINDOW);
	span_over(s, at, l);
}

static void
span_begin(struct span *s, const struct look *l, uint64_t nr, struct open_span *new)
{
	uint32_t *at = span_find(s, new);

	if (*at) {
		s->n.replaced++;
		span_over(s, at, l);
	} else if (s->nopen == SPANS_OPEN) {
		s->n.forgotten++;
		span_over(s, span_find(s, &s->open[s->oldest]), l);
	}
	s->n.begun++;
	new->begin = l->time;
	new->cpu = span_cpu(l);
	new->nr = nr;
	new->kept = false;
	new->late = l->late;
	if (!window_key(l, s->with, &new->shared))
		new->shared = 0;
	span_add(s, new);
}

int
span_look(struct span *s, struct pp_arrival *a, const struct look *l, uint64_t nr, struct pp_err *err)
{
	int matters = 0;

	for (int end = 1; end >= 0; end--) {	/* one record may end a span, and begin another */
		struct open_span o;
		enum expr_result result;
		int has;

		if (expr_match(s->end[end], &l->about, &result, err) < 0)
			return -1;
		if (result != EXPR_YES)
			continue;
		o = (struct open_span){ .nr = 0 };
		if ((has = span_key(s, end, l, &o, err)) <= 0) {
			if (has < 0)
				return -1;
			continue;
		}
		matters = 1;
		if (end)
			span_end(s, a, l, nr, &o);
		else
			span_begin(s, l, nr, &o);
	}
	return matters;
}

void
span_finish(struct span *s)
{
	for (uint32_t i = s->oldest; i; i = s->open[i].newer) {
		const struct open_span *o = &s->open[i];

		s->n.unended++;
		s->n.uncertain += o->kept && (o->late || span_lost_since(s, o->cpu, o->begin));
	}
}

/* ---- the option ---------------------------------------------------------------------------------- */

uint64_t
span_ahead(const struct span *s)
{
	return s->has_shorter ? s->shorter : s->longer + 1;	/* a record later than begin + longer */
}

int
span_match(const struct span *s, const struct look *l, bool marked)
{
	uint32_t key;

	if (marked && l->about.r->type == PP_SAMPLE)
		return KEPT;
	if (!s->within)
		return NOT_SPAN;
	if (!window_key(l, s->with, &key))
		return l->about.r->type == PP_SAMPLE ? NOT_SPAN : LACKS_FIELD;
	return cover_has(&s->cover, key, l->time) ? KEPT : NOT_SPAN;
}

void
span_start(struct span *s)
{
	s->mul = pp_seed() | 1;
	s->bits = SLOT_BITS;
	s->slot = tool_alloc((size_t)1 << s->bits, sizeof *s->slot);
	cover_start(&s->cover, s->with != ALL);
}

void
span_free(struct span *s)
{
	expr_free(s->end[0]);
	expr_free(s->end[1]);
	span_forget_places(s);
	for (unsigned k = 0; k < 2 * s->nkeys; k++)
		if (s->key[k / 2].payload[k % 2])
			field_payload_free(s->key[k / 2].payload[k % 2]);
	cover_free(&s->cover);
	free(s->open);
	free(s->slot);
	free(s->lost);
	free(s);
}
