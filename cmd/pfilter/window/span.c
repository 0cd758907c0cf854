/* SPDX-License-Identifier: ISC */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "set.h"
#include "window/span.h"

enum { SLOT_BITS = 10, CPUS_MAX = 1 << 16 };

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
	for (uint32_t i = s->oldest; i; i = span_newer(s, i)) {
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
	span_unorder(s, i);
	o->next = s->free;
	s->free = i;
	s->nopen--;
}

/* Add an open span. */
static void
span_add(struct span *s, const struct open_span *new)
{
	uint32_t i = s->free, *at;
	struct open_span *o;

	if (i)
		s->free = s->open[i].next;
	else {
		s->open = tool_need(array_more(s->open, ++s->used, 1, sizeof *s->open));
		i = s->used;
	}
	o = &s->open[i];
	*o = *new;
	span_order(s, i);
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

/* Were records lost, or late, between the first record of an open span and that one? */
static bool
span_uncertain(const struct span *s, const struct open_span *o, const struct look *l)
{
	return o->late || span_lost_since(s, o->cpu, o->begin) || span_lost_since(s, span_cpu(l), o->begin);
}

/* An open span is over with that record. */
static void
span_over(struct span *s, uint32_t *at, const struct look *l)
{
	const struct open_span *o = &s->open[*at];

	if (o->kept) {
		s->n.uncertain += span_uncertain(s, o, l);
		if (s->within)
			cover_close(&s->cover, o->shared, l->time);
	}
	span_remove(s, at);
}

void
span_pass(struct span *s, struct pp_arrival *a, uint64_t time)
{
	s->last = time;		/* of a late record too: its span may end in the next one */
	if (s->measure->on)
		while (s->due && s->has_shorter && s->last >= s->shorter && s->open[s->due].begin <= s->last - s->shorter)
			s->due = span_newer(s, s->due);	/* too long: its end is not waited for */
	if (s->has_shorter || s->measure->on)	/* only the end shows how long it is */
		return;
	while (s->due && s->last > s->longer && s->open[s->due].begin < s->last - s->longer) {
		span_keep(s, a, &s->open[s->due]);
		s->due = span_newer(s, s->due);
	}
}

/* The first record of a span will not get a length. */
static void
span_forget(struct span *s, struct pp_arrival *a, uint64_t nr)
{
	if (s->measure->forgets)
		s->rejected += pp_arrival_forget(a, nr);
}

/* The length of a span goes to the record with that number. */
static void
span_give(struct span *s, struct pp_arrival *a, const struct look *l, const struct open_span *o, uint64_t nr, uint64_t time)
{
	struct span_length length = { .ns = time - o->begin, .has_task = s->measure->task && o->is_task, .tid = o->tid };

	if (!pp_arrival_mark(a, nr, MARK_WINDOW)) {
		s->n.forgotten++;
		return;
	}
	s->n.kept++;
	if (length.has_task)
		length.pid = window_pid_of(l, o->tid);
	lengths_put(s->lengths, nr, &length);
	if (s->within)
		cover_add(&s->cover, o->shared, o->begin, time);
}

/* Is the state of the key known, of a span with CANCEL in a piece?  ends: it is from now on, if no earlier piece has newer samples. */
static bool
span_known(struct span *s, const struct open_span *key, const struct look *l, bool ends)
{
	return !s->cancels || !s->cut->later || cut_known(&s->known, &(struct cut_key){ { key->key[0], key->key[1] }, key->minus },
	    ends && !cut_has(s->cut, l->time, l->time));
}

/* A span that is measured has no result, and is counted by *n; or it would have had one, but for another piece. */
static void
span_no_result(struct span *s, const struct open_span *o, const struct look *l, uint64_t *n)
{
	++*(s->measure->on && cut_has(s->cut, o->begin, l->time) ? &s->n.cut : n);
}

/* The span of a key that is measured ends with that sample. */
static void
span_measure(struct span *s, struct pp_arrival *a, const struct look *l, uint64_t nr, const struct open_span *key, uint32_t *at)
{
	struct open_span *o = &s->open[*at];
	uint64_t length = l->time - o->begin;
	bool uncertain = (o->late |= l->late) || span_uncertain(s, o, l);

	if (o->cut || cut_has(s->cut, o->begin, l->time)) {
		s->n.cut++;
		span_forget(s, a, o->nr);
	} else if ((!s->has_longer || length > s->longer) && (!s->has_shorter || length < s->shorter)) {
		s->n.uncertain += uncertain;
		if (s->measure->last && key->is_task) {
			o->is_task = true;
			o->tid = key->tid;
		}
		if (!uncertain || !s->measure->sure)
			span_give(s, a, l, o, s->measure->last ? nr : o->nr, l->time);
		else
			span_forget(s, a, o->nr);
	} else
		span_forget(s, a, o->nr);
	span_remove(s, at);
}

/* False: there is none that it ends. */
static bool
span_end(struct span *s, struct pp_arrival *a, const struct look *l, uint64_t nr, const struct open_span *key)
{
	uint32_t *at = span_find(s, key);
	struct open_span *o = &s->open[*at];

	span_known(s, key, l, true);
	if (!*at || l->time < o->begin) {	/* late: what it ends was replaced */
		s->n.unbegun++;
		return false;
	}
	if (s->measure->on) {
		span_measure(s, a, l, nr, key, at);
		return true;
	}
	if (o->kept && l->time - o->begin <= s->longer) {	/* late: the span was taken for long, and is not */
		o->late = true;
		span_over(s, at, l);
		return true;
	}
	if (s->has_shorter && l->time >= o->begin && l->time - o->begin > s->longer && l->time - o->begin < s->shorter)
		span_keep(s, a, o);
	if (o->kept)
		pp_arrival_mark(a, nr, MARK_WINDOW);
	span_over(s, at, l);
	return true;
}

/* False: the span is open already, and stays so. */
static bool
span_begin(struct span *s, struct pp_arrival *a, const struct look *l, uint64_t nr, struct open_span *new)
{
	uint32_t *at = span_find(s, new);

	if (*at && s->cancels) {
		span_no_result(s, &s->open[*at], l, &s->n.repeated);
		return false;
	} else if (*at) {
		span_no_result(s, &s->open[*at], l, &s->n.replaced);
		span_forget(s, a, s->open[*at].nr);
		span_over(s, at, l);
	} else if (s->nopen == SPANS_OPEN) {
		s->n.forgotten++;
		span_forget(s, a, s->open[s->oldest].nr);
		span_over(s, span_find(s, &s->open[s->oldest]), l);
	}
	s->n.begun++;
	new->begin = l->time;
	new->cpu = span_cpu(l);
	new->nr = nr;
	new->kept = false;
	new->late = l->late;
	new->cut = !span_known(s, new, l, false);
	if (!window_key(l, s->with, &new->shared))
		new->shared = 0;
	span_add(s, new);
	return true;
}

static void
span_cancel(struct span *s, struct pp_arrival *a, const struct look *l, const struct open_span *key)
{
	uint32_t *at = span_find(s, key);

	span_known(s, key, l, true);
	if (!*at || l->time < s->open[*at].begin)	/* late: it is of an older span */
		return;
	span_no_result(s, &s->open[*at], l, &s->n.canceled);
	span_forget(s, a, s->open[*at].nr);
	span_over(s, at, l);
}

int
span_look(struct span *s, struct pp_arrival *a, const struct look *l, uint64_t nr, struct pp_err *err)
{
	static const enum span_part order[] = { SPAN_END, SPAN_CANCEL, SPAN_BEGIN };	/* one record may end a span, and begin another */
	int matters = 0;

	for (unsigned i = 0; i < SPAN_PARTS; i++) {
		struct open_span o;
		enum expr_result result;
		int has;

		if (!s->part[order[i]])
			continue;
		if (expr_match(s->part[order[i]], &l->about, &result, err) < 0)
			return -1;
		if (result != EXPR_YES)
			continue;
		o = (struct open_span){ .nr = 0 };
		if ((has = span_key(s, order[i], l, &o, err)) <= 0) {
			if (has < 0)
				return -1;
			continue;
		}
		matters |= SPAN_MATTERS;
		if (order[i] == SPAN_END)
			matters |= span_end(s, a, l, nr, &o) ? SPAN_ENDED : 0;
		else if (order[i] == SPAN_CANCEL)
			span_cancel(s, a, l, &o);
		else
			matters |= span_begin(s, a, l, nr, &o) ? SPAN_BEGUN : 0;
	}
	return matters;
}

void
span_task_over(struct span *s, struct pp_arrival *a, const struct look *l, uint32_t tid)
{
	uint32_t *at;

	if (s->nkeys != 1)	/* a thread has ended what it did with something else, such as a lock */
		return;
	at = span_find(s, &(struct open_span){ .key = { tid } });
	if (!*at || !s->open[*at].is_task)
		return;
	span_no_result(s, &s->open[*at], l, &s->n.exited);
	span_forget(s, a, s->open[*at].nr);
	span_over(s, at, l);
}

/* ---- the turns of samples ------------------------------------------------------------------------ */

uint64_t
span_until(const struct span *s)
{
	return s->due ? s->open[s->due].begin - 1 : UINT64_MAX;
}

/* --span-open: a span is open at the end. */
static void
span_stays(struct span *s, struct pp_arrival *a, const struct look *l, const struct open_span *o)
{
	bool uncertain = o->late || span_lost_since(s, o->cpu, o->begin);

	if (s->has_shorter || (s->has_longer && s->last - o->begin <= s->longer) || s->last < o->begin)
		return;
	s->n.uncertain += uncertain;
	if (!uncertain || !s->measure->sure)
		span_give(s, a, l, o, o->nr, s->last);
}

void
span_passes(struct span *s, struct pp_arrival *a, const struct look *l, uint64_t time)
{
	if (time == UINT64_MAX) {
		for (uint32_t i = s->oldest; s->measure->open && i; i = span_newer(s, i))
			span_stays(s, a, l, &s->open[i]);
		return;
	}
	while (s->due && s->open[s->due].begin <= time) {	/* at the limit of memory */
		s->n.forgotten++;
		span_remove(s, span_find(s, &s->open[s->due]));
	}
}

void
span_finish(struct span *s)
{
	for (uint32_t i = s->oldest; i; i = span_newer(s, i)) {
		const struct open_span *o = &s->open[i];

		s->n.unended++;
		s->n.uncertain += o->kept && (o->late || span_lost_since(s, o->cpu, o->begin));
	}
}

void
span_stats(const struct span *s, bool json, FILE *f)
{
	const struct { const char *name; uint64_t n; } counts[] = {
		{ "begun", s->n.begun }, { "kept", s->n.kept }, { "unended", s->n.unended }, { "replaced", s->n.replaced },
		{ "unbegun", s->n.unbegun }, { "uncertain", s->n.uncertain }, { "forgotten", s->n.forgotten },
		{ "exited", s->n.exited }, { "canceled", s->n.canceled }, { "repeated", s->n.repeated }, { "cut", s->n.cut },
	};

	for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
		if (json)
			fprintf(f, "%s\"%s\":%" PRIu64, i ? "," : "{", counts[i].name, counts[i].n);
		else
			fprintf(f, "%s %" PRIu64 " %s", i ? "," : "", counts[i].n, counts[i].name);
	fputs(json ? "}" : "\n", f);
}

/* ---- the option ---------------------------------------------------------------------------------- */

uint64_t
span_ahead(const struct span *s)
{
	return s->measure->on ? 0 : s->has_shorter ? s->shorter : s->longer + 1;	/* a record later than begin + longer */
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
	for (int part = 0; part < SPAN_PARTS; part++)
		expr_free(s->part[part]);
	span_forget_places(s);
	for (unsigned i = 0; i < s->nfields; i++)
		if (s->field[i].payload)
			field_payload_free(s->field[i].payload);
	cover_free(&s->cover);
	cut_free(&s->known);
	free(s->open);
	free(s->slot);
	free(s->lost);
	free(s);
}
