/* SPDX-License-Identifier: ISC */
/* access.c - where the records of one kind have a field */
#include <string.h>

#include "field.h"
#include "record/attr.h"
#include "record/meaning.h"
#include "record/sample.h"

/* The offset of a u64 behind the fixed part of an event's samples; 0: a field of variable size precedes it. */
static unsigned
tail_offset(const struct pp_event *ev, uint32_t want)
{
	const uint64_t read = ev->attr.read_format, type = pp_sample_slots(ev->attr.sample_type);
	unsigned at = ev->plan.fixed;

	for (const struct pp_sample_row *row = pp_sample_rows; row < pp_sample_rows + PP_SAMPLE_BITS; row++) {
		if (row->where != PP_WHERE_TAIL || !(type >> row->bit & 1))
			continue;
		if (want >> row->bit & 1)
			return at;
		if (row->form == PP_FORM_U64 || row->form == PP_FORM_WEIGHT)
			at += 8;
		else if (row->form == PP_FORM_READ && !(read & PP_FORMAT_GROUP))
			at += 8 + 8 * (unsigned)__builtin_popcountll(read & (PP_FORMAT_TIMES | PP_FORMAT_EACH));
		else
			return 0;
	}
	return 0;
}

static void
at_place(struct field_place *to, const struct field *f, int32_t off, bool end)
{
	to->at = AT_PLACE;
	to->end = end;
	to->sure = true;
	to->width = f->width;
	to->sign = f->sign;
	to->off = off;
	to->shift = f->shift;
	to->bits = f->bits ? f->bits : (uint8_t)(8 * f->width);
	to->mask = to->bits == 64 ? UINT64_MAX : (UINT64_C(1) << to->bits) - 1;
}

static void
number(struct field_place *to, uint64_t n)
{
	to->at = AT_NUMBER;
	to->num = big_plain(n);
	to->sure = true;
}

static void
string(struct field_place *to, const char *s)
{
	if (!s)
		return;
	to->at = AT_STRING;
	to->str = s;
	to->sure = true;
}

/* A fixed field: in the sample, in the body of some other types, or in the trailer. */
static void
fixed(struct field_place *to, const struct field *f, const struct field_kind *k)
{
	const uint8_t *plan = (const uint8_t *)&k->ev->plan;
	unsigned at, width;
	uint16_t off;

	if (k->type == PP_SAMPLE) {
		memcpy(&off, plan + f->plan, sizeof off);
		if (off)
			at_place(to, f, off + f->add, false);
		return;
	}
	if (f->role != PP_ROLE_PAD && pp_type_is(k->type, PP_CLASSES_LIKE_SAMPLES) &&
	    (at = pp_role_place(k->type, (enum pp_role)f->role, &width)) && width == f->width) {
		at_place(to, f, (int32_t)at, false);
		return;
	}
	if (!k->trailer || f->trailer == UINT16_MAX)
		return;
	memcpy(&off, plan + f->trailer, sizeof off);
	if (off)
		at_place(to, f, f->add - off, true);
}

/* The id may be in IDENTIFIER. */
static void
id_access(struct field_place *to, const struct field *f, const struct field_kind *k)
{
	struct field identifier = *f;

	identifier.plan = offsetof(struct pp_plan, identifier);
	identifier.trailer = offsetof(struct pp_plan, t_identifier);
	fixed(to, f, k);
	if (to->at == AT_NONE)
		fixed(to, &identifier, k);
	if (to->at == AT_NONE && k->type == PP_SAMPLE && k->ev->nids == 1)
		number(to, k->ev->ids[0]);
}

static bool
has_fixed(const char *name, const struct field_kind *k)
{
	struct field_place a = { .at = AT_NONE };

	fixed(&a, field_find(name, strlen(name)), k);
	return a.at != AT_NONE;
}

/* Was the recording made with NAMESPACES records?  One event is enough: the records are about tasks. */
static bool
has_namespaces(const struct field_stream *s)
{
	enum { NAMESPACES = 1 << 28 };		/* in flags of the attr */
	unsigned i = 0;

	while (i < s->events->n && !(s->events->ev[i]->attr.flags & NAMESPACES))
		i++;
	return i < s->events->n;
}

static bool
has_part(const struct field_stream *s, const struct field *f, const struct field_kind *k)
{
	bool sample = k->type == PP_SAMPLE, has = sample && (!f->need || k->ev->attr.sample_type & f->need);
	uint64_t read = k->ev->attr.read_format;

	switch ((enum field_part)f->part) {
	case PART_NR:
	case PART_OFFSET:	return true;
	case PART_NAMESPACE:	return has_fixed("tid", k) && has_namespaces(s);
	case PART_COMM:
	case PART_PPID:		return has_fixed("tid", k);
	case PART_RELTIME:	return has_fixed("time", k);
	case PART_WALLTIME:	return s->has_clock && has_fixed("time", k);
	case PART_MACHINE:
	case PART_VCPU:		return sample && s->nguest;
	case PART_VALUE:	return has || k->type == PP_READ;
	case PART_ENABLED:	return (has || k->type == PP_READ) && read & PP_FORMAT_TOTAL_TIME_ENABLED;
	case PART_RUNNING:	return (has || k->type == PP_READ) && read & PP_FORMAT_TOTAL_TIME_RUNNING;
	default:		return has;
	}
}

static void
part_access(const struct field_stream *s, struct field_place *to, const struct field *f, const struct field_kind *k)
{
	if (!has_part(s, f, k))
		return;
	to->at = AT_PART;
	to->bits = f->bits ? f->bits : 64;
	to->sign = f->sign;
	to->sure = f->get != GET_STATE && f->part != PART_RELTIME && f->part != PART_WALLTIME && f->part != PART_MACHINE &&
	    f->part != PART_VCPU;
}

static void
tail_access(const struct field_stream *s, struct field_place *to, const struct field *f, const struct field_kind *k)
{
	unsigned off;

	if (k->type != PP_SAMPLE || !(k->ev->attr.sample_type & f->need) ||
	    (f->need == PP_SAMPLE_WEIGHT_STRUCT && k->ev->attr.sample_type & PP_SAMPLE_WEIGHT))
		return;
	if ((off = tail_offset(k->ev, f->need)))
		at_place(to, f, (int32_t)off, false);
	else
		part_access(s, to, f, k);
}

void
field_access(const struct field_stream *s, const struct field *f, const struct field_kind *k, struct field_place *to)
{
	const struct pp_attr *attr = &k->ev->attr;
	bool freq = attr->flags >> 10 & 1;

	*to = (struct field_place){ .at = AT_NONE };
	switch ((enum field_get)f->get) {
	case GET_PLAN:		fixed(to, f, k); break;
	case GET_ID:		id_access(to, f, k); break;
	case GET_TAIL:		tail_access(s, to, f, k); break;
	case GET_PART:
	case GET_STATE:		part_access(s, to, f, k); break;
	case GET_PAYLOAD:	field_payload_access(s, f, k, tail_offset(k->ev, PP_SAMPLE_RAW), to); break;
	case GET_HEADER:	at_place(to, f, f->add, false); break;
	case GET_EXACT:
		if (k->type == PP_SAMPLE)
			at_place(to, f, f->add, false);
		break;
	case GET_PERIOD:	/* a fixed period is not in the samples */
		fixed(to, f, k);
		if (to->at == AT_NONE && k->type == PP_SAMPLE && !freq && !(attr->sample_type & PP_SAMPLE_PERIOD))
			number(to, attr->sample_period);
		break;
	case GET_CPU:		/* else ID_INDEX may have the CPU of the id */
		fixed(to, f, k);
		if (to->at == AT_NONE && k->type == PP_SAMPLE && k->ev->nids &&
		    pp_cpu_of_id(s->events, k->ev->ids[0]) >= 0) {
			to->at = AT_PART;
			to->bits = 32;
		}
		break;
	case GET_TYPE:		number(to, k->type); break;
	case GET_NAME:		string(to, k->ev->name); break;
	case GET_INDEX:		number(to, k->ev->index); break;
	case GET_ATTR_TYPE:	number(to, attr->type); break;
	case GET_ATTR_CONFIG:	number(to, attr->config); break;
	case GET_HOST:		string(to, s->host); break;
	case GET_NEVER:		break;
	}
}
