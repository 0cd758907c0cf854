/* SPDX-License-Identifier: ISC */
#include <stdlib.h>

#include "record/payload_role.h"
#include "window/span.h"

void
span_forget_places(struct span *s)
{
	for (unsigned k = 0; k < s->nkeys; k++)
		for (int i = 0; i < SPAN_PARTS; i++) {
			free(s->place[k][i]);
			s->place[k][i] = NULL;
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

/* Is that field of the event's samples the number of a thread? */
static bool
span_is_task(const struct field_stream *stream, const struct field *f, const struct pp_event *ev)
{
	const struct pp_payload_field *in = f->part == PART_PAYLOAD ? field_payload_in(stream, f, ev) : NULL;

	return in ? pp_payload_role(field_format(stream, ev), in) == PP_ROLE_TID : f == field_find("tid", 3);
}

/* --span-task: no KEY of samples of any event is a thread. */
static bool
span_lacks_task(const struct span *s, const struct field_stream *stream)
{
	for (unsigned k = 0; k < s->nfields; k++)
		for (unsigned i = 0; i < stream->events->n; i++)
			if (span_is_task(stream, s->field[k].f, stream->events->ev[i]))
				return false;
	return stream->events->n;
}

void
span_bind(struct span *s, const struct tool *t, const struct field_stream *stream)
{
	for (unsigned k = 0; k < s->nfields; k++) {
		const struct field *f = s->field[k].f;
		struct field_place at = { .at = AT_NONE };

		for (unsigned i = 0; i < stream->events->n && at.at == AT_NONE; i++)
			field_access(stream, f, &(struct field_kind){ stream->events->ev[i], PP_SAMPLE, true, false }, &at);
		if (at.at == AT_NONE && stream->events->n && s->field[k].payload)
			span_no_payload(t, stream, f);
		if (at.at == AT_NONE && stream->events->n)
			tool_wrong(t, "--span: no event of this recording has %s%s%s", f->name, f->supply ? "; record it with perf record " :
			    "", f->supply ? f->supply : "");
	}
	if (s->measure->task && span_lacks_task(s, stream))
		tool_wrong(t, "--span-task: KEY of a --span is the number of no thread, such as tid, next_pid, or pid of sched_waking");
}

/* Where the samples of that event have key k of that part. */
static void
span_find_place(const struct span *s, unsigned k, enum span_part part, const struct look *l, struct span_place *to)
{
	to->known = true;
	for (unsigned i = 0; i < s->nfields; i++) {
		const struct span_field *x = &s->field[i];

		if (x->key != k || x->part != part)
			continue;
		to->field = x->f;
		to->is_task = span_is_task(l->stream, x->f, l->about.ev);
		field_access(l->stream, x->f, &(struct field_kind){ l->about.ev, PP_SAMPLE, true, true }, &to->at);
		if (to->at.at != AT_NONE)
			return;
	}
}

static const struct span_place *
span_place(struct span *s, unsigned k, enum span_part part, const struct look *l)
{
	unsigned n = l->stream->events->n, index = l->about.ev->index;

	if (!s->place[k][part])
		s->place[k][part] = tool_alloc(n, sizeof *s->place[k][part]);
	if (!s->place[k][part][index].known)
		span_find_place(s, k, part, l, &s->place[k][part][index]);
	return &s->place[k][part][index];
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

int
span_key(struct span *s, enum span_part part, const struct look *l, struct open_span *o, struct pp_err *err)
{
	for (unsigned k = 0; k < s->nkeys; k++) {
		big n = { 0, 0 };
		const struct span_place *at = span_place(s, k, part, l);
		int rc = span_number(l, at->field, &at->at, &n, err);

		if (rc <= 0)
			return rc;
		if (at->is_task && !o->is_task) {
			o->is_task = true;
			o->tid = (uint32_t)n.lo;
		}
		o->key[k] = n.lo;
		o->minus |= (uint8_t)((n.hi < 0) << k);
	}
	return 1;
}
