/* SPDX-License-Identifier: ISC */
/* payload.c - fields of tracepoints' payloads, which each recording names in its formats; and raw data by offset */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "field.h"
#include "record/raw.h"
#include "record/sample.h"
#include "set.h"
#include "tool/tool.h"

enum { HEAD = 4 };		/* bytes of RAW before the payload: its size */
enum { TYPE_TRACEPOINT = 2 };	/* attr.type */

struct place {			/* in the samples of an event */
	const struct pp_payload_field *f;	/* NULL: raw data by offset */
	uint16_t	 raw;		/* offset of RAW in the record; 0: it varies */
	bool		 swap;
};
struct field_payload {
	struct field	 field;
	char		*name;		/* in the format; NULL: raw data by offset */
	bool		 indexed, length;
	uint32_t	 index;		/* of the number; offset of raw data */
	struct place	*place;		/* by index of the event */
	size_t		 nplaces;
	char		*text;		/* a string that has no NUL in the record, with one */
	uint64_t	 absent;
	char		 shown[];	/* field.name */
};

/* u8, s16 ... u64. */
static bool
raw_number(const char *name, size_t n, struct field *f)
{
	static const struct { const char *name; uint8_t width; } widths[] = { { "8", 1 }, { "16", 2 }, { "32", 4 }, { "64", 8 } };

	for (size_t i = 0; n > 1 && (*name == 'u' || *name == 's') && i < sizeof widths / sizeof *widths; i++)
		if (strlen(widths[i].name) == n - 1 && !memcmp(widths[i].name, name + 1, n - 1)) {
			f->width = widths[i].width;
			f->sign = *name == 's';
			return true;
		}
	return false;
}

static bool
begins(const char **name, size_t *n, const char *with)
{
	size_t len = strlen(with);

	if (*n <= len || memcmp(*name, with, len) != 0)
		return false;
	*name += len;
	*n -= len;
	return true;
}

struct field *
field_payload_new(const char *name, size_t n, const uint32_t *index)
{
	struct field_payload *p = tool_alloc(1, sizeof *p + n + sizeof "len(raw.[4294967295])");
	bool raw = begins(&name, &n, "raw."), field = raw && begins(&name, &n, "field.");

	sprintf(p->shown, index ? "raw.%s%.*s[%u]" : "raw.%s%.*s", field ? "field." : "", (int)n, name, index ? *index : 0);
	p->field = (struct field){ .name = p->shown, .type = FIELD_ANY, .get = GET_PAYLOAD, .part = PART_PAYLOAD,
	    .need = PP_SAMPLE_RAW, .payload = p };
	if (index) {
		p->indexed = true;
		p->index = *index;
		p->field.type = FIELD_INT;
	}
	if (index && raw && !field && raw_number(name, n, &p->field))
		return &p->field;
	p->name = tool_alloc(n + 1, 1);
	memcpy(p->name, name, n);
	return &p->field;
}

void
field_payload_length(struct field *f)
{
	struct field_payload *p = f->payload;
	size_t n = strlen(p->shown);

	p->length = true;
	memmove(p->shown + 4, p->shown, n);
	memcpy(p->shown, "len(", 4);
	memcpy(p->shown + 4 + n, ")", 2);
	f->type = FIELD_INT;
}

void
field_payload_free(struct field *f)
{
	struct field_payload *p = f->payload;

	free(p->name);
	free(p->place);
	free(p->text);
	free(p);
}

const char *
field_payload_name(const struct field *f)
{
	return f->payload->name;
}

uint64_t
field_payload_absent(const struct field *f)
{
	return f->payload->absent;
}

/* ---- where it stands ------------------------------------------------------------------------------ */

/* Can a field of the format have the value that is wanted? */
static bool
serves(const struct field *f, const struct pp_payload_field *x)
{
	const struct field_payload *p = f->payload;

	if (p->indexed)
		return x->kind == PP_PAYLOAD_NUMBERS && !p->length &&
		    (x->at != PP_PAYLOAD_HERE || p->index < x->size / x->width);
	if (p->length)
		return x->kind != PP_PAYLOAD_NUMBER;
	return f->type == FIELD_ANY || x->kind == (f->type == FIELD_STR ? PP_PAYLOAD_STRING : PP_PAYLOAD_NUMBER);
}

/* Is there a payload that a format describes? */
static bool
field_has_format(const struct field_stream *s, const struct pp_event *ev)
{
	return ev->attr.type == TYPE_TRACEPOINT && ev->attr.sample_type & PP_SAMPLE_RAW && s->tracing;
}

const struct pp_format *
field_format(const struct field_stream *s, const struct pp_event *ev)
{
	return field_has_format(s, ev) ? pp_tracing_format(s->tracing, ev->attr.config) : NULL;
}

bool
field_format_missing(const struct field_stream *s, const struct pp_event *ev)
{
	return ev->attr.type == TYPE_TRACEPOINT && ev->attr.sample_type & PP_SAMPLE_RAW && !field_format(s, ev);
}

const char *
field_format_error(const struct field_stream *s, const struct pp_event *ev)
{
	return field_has_format(s, ev) ? pp_tracing_format_error(s->tracing, ev->attr.config) : NULL;
}

void
field_formats_warn(const struct field_stream *s, const struct tool *t)
{
	for (unsigned i = 0; i < s->events->n; i++) {
		const struct pp_event *ev = s->events->ev[i];
		const char *why = field_format_error(s, ev);

		if (why)
			tool_warn(t, "the format of %s cannot be used: it has %s; its samples have no fields of payloads", ev->name, why);
	}
}

const struct pp_payload_field *
field_payload_in(const struct field_stream *s, const struct field *f, const struct pp_event *ev)
{
	const struct pp_format *format = field_format(s, ev);

	return format && f->payload->name ? pp_format_field(format, f->payload->name, strlen(f->payload->name)) : NULL;
}

static void
remember(struct field_payload *p, const struct pp_event *ev, const struct place *at)
{
	p->place = tool_need(array_reach(p->place, &p->nplaces, ev->index, sizeof *p->place));
	p->place[ev->index] = *at;
}

void
field_payload_access(const struct field_stream *s, const struct field *f, const struct field_kind *k, unsigned raw,
    struct field_place *to)
{
	struct field_payload *p = f->payload;
	struct place at = { .raw = (uint16_t)raw, .swap = s->swap };
	unsigned off = p->index, width = f->width;
	bool sign = f->sign, here = true;

	if (k->type != PP_SAMPLE || !(k->ev->attr.sample_type & PP_SAMPLE_RAW))
		return;
	if (p->name) {
		if (!(at.f = field_payload_in(s, f, k->ev)) || !serves(f, at.f))
			return;
		at.swap = pp_tracing_swap(s->tracing);
		here = at.f->at == PP_PAYLOAD_HERE;
		width = at.f->width;
		sign = at.f->sign;
		off = at.f->off + (p->indexed ? p->index * width : 0);
	}
	remember(p, k->ev, &at);
	*to = (struct field_place){ .at = AT_PART, .bits = f->type == FIELD_INT && !p->length ? (uint8_t)(8 * width) : 64,
	    .sign = sign && !p->length };
	if (!k->quick || !raw || !here || f->type != FIELD_INT || p->length || at.swap != s->swap || off + width > UINT16_MAX)
		return;
	to->at = AT_PLACE;
	to->sure = true;
	to->raw = (uint16_t)raw;
	to->width = (uint8_t)width;
	to->off = (int32_t)(raw + HEAD + off);
	to->mask = width == 8 ? UINT64_MAX : (UINT64_C(1) << 8 * width) - 1;
}

void
field_payload_text(const struct field *f, const struct pp_event *ev, char *to, size_t size)
{
	const struct field_payload *p = f->payload;
	const struct pp_payload_field *x = ev->index < p->nplaces ? p->place[ev->index].f : NULL;
	char type[PP_FORMAT_TYPE];

	if (!p->name)
		snprintf(to, size, "%c%u at RAW+%u", f->sign ? 's' : 'u', 8 * f->width, p->index);
	else if (!x)
		snprintf(to, size, "%s", f->name);
	else if (p->indexed && x->at == PP_PAYLOAD_HERE)
		snprintf(to, size, "%c%u %s[%u] at RAW+%u", x->sign ? 's' : 'u', 8 * x->width, x->name, p->index,
		    x->off + p->index * x->width);
	else {
		pp_payload_type(x, type, sizeof type);
		snprintf(to, size, p->length ? "%s len(%s) at RAW+%u" : "%s %s at RAW+%u", type, x->name, x->off);
	}
}

/* ---- its value ------------------------------------------------------------------------------------ */

/* The payload of a sample: *n bytes.  NULL: the sample is bad. */
static const uint8_t *
payload(struct field_fetch *f, const struct place *at, size_t *n)
{
	const struct pp_rec *r = f->s->r;
	const struct pp_part *x;

	if (at->raw && r->size >= at->raw + HEAD) {
		*n = pp_get_u32(r->raw + at->raw, f->swap);
		if (*n <= (size_t)(r->size - at->raw - HEAD))
			return r->raw + at->raw + HEAD;
	}
	if (!(x = field_part(f, PP_SAMPLE_RAW)))
		return NULL;
	*n = x->n - HEAD;
	return x->p + HEAD;
}

static const char *
give_string(struct field_payload *p, const uint8_t *s, size_t len, const uint8_t *end)
{
	if (s + len < end && !s[len])
		return (const char *)s;
	if (!p->text)
		p->text = tool_alloc(UINT16_MAX + 1, 1);
	memcpy(p->text, s, len);
	p->text[len] = 0;
	return p->text;
}

static void
give_number(struct field_value *v, const uint8_t *p, unsigned width, bool sign, bool swap)
{
	uint64_t n = pp_payload_number(p, width, sign, swap);

	v->num = sign ? big_signed((int64_t)n) : big_plain(n);
}

/* The value of a field that is there: len bytes at s.  false: it has no number of that index. */
static bool
give_field(struct field_payload *p, const struct place *at, const uint8_t *s, size_t len, const uint8_t *end, struct field_value *v)
{
	const struct pp_payload_field *x = at->f;

	if (p->length)
		v->num = big_plain(x->kind == PP_PAYLOAD_NUMBERS ? len / x->width : len);
	else if (p->indexed) {
		if (p->index >= len / x->width)
			return false;
		give_number(v, s + (size_t)p->index * x->width, x->width, x->sign, at->swap);
	} else if (x->kind == PP_PAYLOAD_NUMBER)
		give_number(v, s, x->width, x->sign, at->swap);
	else if (x->kind == PP_PAYLOAD_STRING)
		v->str = give_string(p, s, len, end);
	return true;
}

void
field_payload_fetch(struct field_fetch *f, const struct field *field, struct field_value *v)
{
	struct field_payload *p = field->payload;
	const struct place *at = &p->place[f->s->ev->index];
	size_t n, len;
	const uint8_t *raw = payload(f, at, &n), *s;

	if (!raw)
		return;
	if (!at->f) {
		if ((v->known = (uint64_t)p->index + field->width <= n))
			give_number(v, raw + p->index, field->width, field->sign, at->swap);
		else
			p->absent++;
	} else if ((s = pp_payload_get(at->f, raw, n, at->swap, &len)))
		v->known = give_field(p, at, s, len, raw + n, v);
	else
		p->absent++;
}

const uint8_t *
field_payload_bytes(struct field_fetch *f, const struct field *field, size_t *len)
{
	struct field_payload *p = field->payload;
	const struct place *at = &p->place[f->s->ev->index];
	size_t n;
	const uint8_t *raw = payload(f, at, &n), *s;

	if (!raw)
		return NULL;
	if (!(s = pp_payload_get(at->f, raw, n, at->swap, len)))
		p->absent++;
	else if (at->f->at == PP_PAYLOAD_HERE)
		*len = at->f->size;
	else		/* up to the end that the field declares */
		*len = pp_get_u32(raw + at->f->off, at->swap) >> 16;
	return s;
}

/* ---- names ---------------------------------------------------------------------------------------- */

void
field_payload_near(const struct field_stream *s, const char *name, char *to, size_t size)
{
	enum { SHOWN = 8 };
	const size_t n = strlen(name);
	const char *seen[SHOWN];
	unsigned nseen = 0;
	size_t used = 0;

	*to = 0;
	for (unsigned apart = 0; apart <= (n < 4 ? 1 : 2); apart++)
		for (unsigned i = 0; i < s->events->n; i++) {
			const struct pp_format *f = field_format(s, s->events->ev[i]);

			for (unsigned k = 0; f && k < f->n && nseen < SHOWN && used < size; k++) {
				const char *x = f->field[k].name;
				unsigned d = field_distance(name, n, x, strlen(x)), old = 0;

				if (n >= 3 && d > 2 && (strstr(x, name) || (strlen(x) >= 3 && strstr(name, x))))
					d = 2;
				while (old < nseen && strcmp(seen[old], x) != 0)
					old++;
				if (d != apart || old < nseen)
					continue;
				seen[nseen++] = x;
				used += (size_t)snprintf(to + used, size - used, "%s%s", used ? ", " : "", x);
			}
		}
}
