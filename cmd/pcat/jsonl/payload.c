/* SPDX-License-Identifier: ISC */
/* payload.c - what lies inside of RAW and of header features: fields by names of the recording */
#include <string.h>

#include "in.h"
#include "record/feature.h"

enum { TYPE_TRACEPOINT = 2 };		/* attr.type */

/* ---- payloads of tracepoints --------------------------------------------------------------------- */

static void
payload_number(struct json_text *t, const struct pp_payload_field *f, const uint8_t *p, bool swap)
{
	uint64_t n = pp_payload_number(p, f->width, f->sign, swap);

	if (f->pointer)
		json_hex(t, n);
	else if (f->width == 8)
		json_quoted(t, n, f->sign);
	else if (f->sign)
		json_signed(t, (int64_t)n);
	else
		json_number(t, n);
}

static void
payload_field(struct json_text *t, const struct pp_payload_field *f, const uint8_t *p, size_t n, bool swap)
{
	size_t at, len = strlen(f->name);

	json_room(t, 8 * len + JSON_ROOM);
	*t->to++ = ',';
	json_string(t, f->name, len);
	json_room(t, JSON_ROOM);
	*t->to++ = ':';
	switch ((enum pp_payload_kind)f->kind) {
	case PP_PAYLOAD_NUMBER:
		payload_number(t, f, p, swap);
		break;
	case PP_PAYLOAD_STRING:
		json_string(t, (const char *)p, n);
		break;
	case PP_PAYLOAD_NUMBERS:
		at = json_begin(t);
		json_room(t, n / f->width * JSON_ENTRY + 2);
		for (; n >= f->width; n -= f->width, p += f->width) {
			*t->to++ = ',';
			payload_number(t, f, p, swap);
		}
		json_end(t, at, '[', ']');
		break;
	case PP_PAYLOAD_CPUMASK:
	case PP_PAYLOAD_OPAQUE:
		json_bytes(t, p, n);
		break;
	}
}

void
jsonl_raw(struct jsonl *o, const uint8_t *p, size_t n)
{
	struct json_text *t = &o->line;
	const struct pp_format *format = o->tracing && o->ev->attr.type == TYPE_TRACEPOINT ?
	    pp_tracing_format(o->tracing, o->ev->attr.config) : NULL;
	const uint8_t *value;
	size_t at, len, left = n;

	if (format && jsonl_wants(o, "fields")) {
		bool swap = pp_tracing_swap(o->tracing);

		json_room(t, JSON_ROOM);
		json_key(t, "fields");
		at = json_begin(t);
		for (const struct pp_payload_field *f = format->field; f < format->field + format->n; f++)
			/* The kernel's do not share bytes: else a small payload could be a very long line. */
			if ((value = pp_payload_get(f, p, n, swap, &len)) && len <= left) {
				payload_field(t, f, value, len, swap);
				left -= len;
			}
		json_end(t, at, '{', '}');
	}
	if (format ? jsonl_names(o, "raw") && jsonl_wants(o, "raw") : jsonl_wants(o, "raw")) {
		json_room(t, JSON_ROOM);
		json_key(t, "raw");
		json_bytes(t, p, n);
	}
}

/* ---- header features ----------------------------------------------------------------------------- */

static int
feature_value(void *arg, const struct pp_feature_value *v)
{
	struct json_text *t = arg;
	size_t at;

	if (v->kind == PP_F_ATTR)		/* HEADER_ATTR has it */
		return 1;
	json_room(t, 2 * JSON_ROOM);
	*t->to++ = ',';
	at = json_begin(t);
	json_put(t, ",\"name\":\"", 9);
	json_put(t, v->name, strlen(v->name));
	*t->to++ = '"';
	if (v->depth) {
		json_key(t, "index");
		json_number(t, v->index);
	}
	json_key(t, "value");
	switch (v->kind) {
	case PP_F_UINT:
	case PP_F_SINT:
	case PP_F_TIME:
		json_quoted(t, v->num, v->kind == PP_F_SINT);
		break;
	case PP_F_HEX:
	case PP_F_BITMAP:
		json_hex(t, v->num);
		break;
	case PP_F_STR:
		json_string(t, (const char *)v->p, v->len);
		break;
	default:
		json_bytes(t, v->p, v->len);
	}
	json_end(t, at, '{', '}');
	return 1;
}

void
jsonl_feature(struct jsonl *o)
{
	struct json_text *t = &o->line;
	struct pp_err err = { .what = "" };
	struct pp_feature f;
	const char *name;
	uint64_t n;
	size_t at;

	if (pp_feature_is_end(o->r) || pp_feature_of(&f, o->r, o->swap, o->nr_cpus, &err) < 0)
		return;
	if (f.number == PP_FEAT_NRCPUS && pp_feature_num(&f, "available", &n, &err) > 0)
		o->nr_cpus = (uint32_t)n;
	if ((name = pp_feature_name(f.number)) && jsonl_wants(o, "feature")) {
		json_room(t, JSON_ROOM);
		json_key(t, "feature");
		json_string(t, name, strlen(name));
	}
	if (!jsonl_wants(o, "values"))
		return;
	json_room(t, JSON_ROOM);
	json_key(t, "values");
	at = json_begin(t);
	/* The source leaves out features that are not sound. */
	pp_feature_walk(&f, feature_value, t, &err);
	json_end(t, at, '[', ']');
}
