/* SPDX-License-Identifier: ISC */
/* compose.c - makes records for other programs, of values by the names of their fields; the commands use make.h */
#include <string.h>

#include "record/attr.h"
#include "record/event.h"
#include "make.h"
#include "put.h"
#include "record/sample.h"

static struct put
out_begin(uint8_t *buf, size_t size, bool swap)
{
	struct put o = put_into(buf, size, swap);

	put_step(&o, PP_HEADER_SIZE);
	return o;
}

static int
out_end(struct put *o, uint8_t *buf, uint32_t type, unsigned misc, struct pp_rec *r, struct pp_err *err)
{
	if (o->full)
		return pp_fail(err, "%s: it does not fit in %zu bytes", pp_type_name(type), (size_t)(o->end - buf));
	pp_raw_head(buf, type, (uint16_t)misc, (uint16_t)(o->at - buf), o->swap);
	*r = pp_rec_at(buf, o->swap);
	return 1;
}

/* ---- by names ---------------------------------------------------------------------------------- */

/* The value of that name before which there are `nth' others of it.  NULL: it is not given. */
static const struct pp_given *
given(const struct pp_given *v, size_t n, const char *name, uint64_t nth)
{
	for (; n; n--, v++)
		if (!strcmp(v->name, name) && !nth--)
			return v;
	return NULL;
}

static uint64_t
given_count(const struct pp_given *v, size_t n, const char *name)
{
	uint64_t count = 0;

	while (given(v, n, name, count))
		count++;
	return count;
}

/* Has the type each of the names? */
static int
names_known(const struct pp_field *fields, const struct pp_given *v, size_t n, uint32_t type, struct pp_err *err)
{
	for (; n; n--, v++) {
		const struct pp_field *f = fields;

		while (f->kind && (!f->name || strcmp(f->name, v->name)))
			f++;
		if (!f->kind)
			return pp_fail(err, "%s has no field %s", pp_type_name(type), v->name);
	}
	return 1;
}

static int
put_field(struct put *o, const struct pp_field *f, const struct pp_given *v, struct pp_err *err)
{
	static const struct pp_given none;

	v = v ? v : &none;
	switch (f->kind) {
	case PP_K_STR:
		if (v->n && memchr(v->p, 0, v->n))
			return pp_fail(err, "%s: there is a NUL in it", f->name);
		put_bytes(o, v->p, v->n, v->n + 1);
		break;
	case PP_K_BYTES:
		if (v->n > f->size)
			return pp_fail(err, "%s has %u bytes, not %zu", f->name, f->size, v->n);
		put_bytes(o, v->p, v->n, f->size);
		break;
	case PP_K_REST:
		put_bytes(o, v->p, v->n, v->n);
		break;
	default:
		put_number(o, v->number, f->size);
	}
	return 1;
}

/* The body.  The number in front of a list is that of the values of its first field, unless it is given. */
static int
put_fields(struct put *o, const struct pp_field *f, const struct pp_given *v, size_t n, struct pp_err *err)
{
	for (; f->kind && f->kind != PP_K_LIST; f++) {
		const struct pp_given *own = f->name ? given(v, n, f->name, 0) : NULL;
		struct pp_given count = { NULL, 0, NULL, 0 };

		if (f[1].kind == PP_K_LIST && !own) {
			count.number = given_count(v, n, f[2].name);
			own = &count;
		}
		if (f->kind == PP_K_WORDS)
			for (uint64_t i = 0; (own = given(v, n, f->name, i)); i++)
				put_number(o, own->number, 8);
		else if (f->kind != PP_K_OPT && put_field(o, f, own, err) < 0)
			return -1;
		if (f[1].kind == PP_K_LIST)
			for (uint64_t i = 0, entries = own->number; i < entries && !o->full; i++)
				for (const struct pp_field *e = f + 2; e->kind; e++)
					if (put_field(o, e, given(v, n, e->name, i), err) < 0)
						return -1;
	}
	return 1;
}

int
pp_compose(const struct pp_source *s, uint32_t type, uint16_t misc, const struct pp_given *v, size_t n, const struct pp_decoded *like,
    uint8_t *buf, size_t size, struct pp_rec *r, struct pp_err *err)
{
	const struct pp_field *fields = pp_type_fields(type);
	struct put o = out_begin(buf, size, s->swap);

	if (!fields)
		return pp_fail(err, "records of type %u cannot be composed", type);
	if (names_known(fields, v, n, type, err) < 0 || put_fields(&o, fields, v, n, err) < 0)
		return -1;
	put_bytes(&o, NULL, 0, -(size_t)(o.at - buf) & 7);
	if (like && like->event && pp_type_has_trailer(type)) {
		uint8_t trailer[PP_TRAILER_MAX];
		struct pp_trailer values = { like->pid, like->tid, like->cpu, like->time, like->id, like->stream_id };
		struct pp_text t = pp_trailer_put(trailer, like->event, &values, s->swap);

		put_bytes(&o, t.p, t.n, t.n);
	}
	return out_end(&o, buf, type, misc, r, err);
}

/* ---- samples ----------------------------------------------------------------------------------- */

/* Values that are not given are zeros, of a group none. */
static void
put_read(struct put *o, const struct pp_bytes *read, uint64_t format)
{
	uint64_t numbers = format & PP_FORMAT_GROUP ? PP_FORMAT_TIMES : PP_FORMAT_TIMES | PP_FORMAT_EACH;
	size_t empty = 8 + 8 * (size_t)__builtin_popcountll(format & numbers);

	if (read->p)
		put_bytes(o, read->p, read->n, read->n);
	else
		put_bytes(o, NULL, 0, empty);
}

static int
put_regs(struct put *o, const char *name, uint64_t abi, const struct pp_bytes *regs, uint64_t mask, struct pp_err *err)
{
	size_t n = 8 * (size_t)__builtin_popcountll(mask);

	put_number(o, abi, 8);
	if (abi && regs->n != n)
		return pp_fail(err, "%s: %zu bytes of registers, the event has %zu", name, regs->n, n);
	put_bytes(o, regs->p, abi ? n : 0, abi ? n : 0);
	return 1;
}

#define SAMPLE(bit, NAME, name, where, form, ...) + (PP_FORM_##form == PP_FORM_REGS) + (PP_FORM_##form == PP_FORM_STACK)
_Static_assert(0
#include "record/sample.def"
    == 3, "registers or a stack that put_form() and take_number() of decode.c do not know");
#undef SAMPLE

static int
put_form(struct put *o, const struct pp_sample_row *row, const struct pp_decoded *d, struct pp_err *err)
{
	const struct pp_attr *a = &d->event->attr;
	const void *member = (const uint8_t *)d + pp_decoded_at[row->bit];
	const struct pp_bytes *bytes = member;

	switch ((enum pp_sample_form)row->form) {
	case PP_FORM_U64:
	case PP_FORM_WEIGHT:
		put_number(o, pp_get_u64(member, false), 8);
		return 1;
	case PP_FORM_PID_TID:
		put_number(o, d->pid, 4);
		put_number(o, d->tid, 4);
		return 1;
	case PP_FORM_CPU:
		put_number(o, d->cpu, 4);
		put_number(o, 0, 4);
		return 1;
	case PP_FORM_READ:
		put_read(o, bytes, a->read_format);
		return 1;
	case PP_FORM_CHAIN:
		put_number(o, bytes->n / 8, 8);
		put_bytes(o, bytes->p, bytes->n / 8 * 8, bytes->n / 8 * 8);
		return 1;
	case PP_FORM_RAW: {		/* the kernel fills the last word up */
		size_t n = bytes->n + (-(4 + bytes->n) & 7);

		put_number(o, n, 4);
		put_bytes(o, bytes->p, bytes->n, n);
		return 1;
	}
	case PP_FORM_STACK: {
		size_t n = (d->stack_user.n + 7) & ~(size_t)7;

		put_number(o, n, 8);
		put_bytes(o, d->stack_user.p, d->stack_user.n, n);
		if (n)
			put_number(o, d->stack_user.n, 8);
		return 1;
	}
	case PP_FORM_REGS:
		return row->bit == __builtin_ctz(PP_SAMPLE_REGS_USER) ?
		    put_regs(o, row->name, d->regs_user_abi, &d->regs_user, a->sample_regs_user, err) :
		    put_regs(o, row->name, d->regs_intr_abi, &d->regs_intr, a->sample_regs_intr, err);
	case PP_FORM_BRANCHES:
	case PP_FORM_AUX:
	case PP_FORMS:
		break;
	}
	return pp_fail(err, "%s cannot be written", row->name);
}

/* Of the events of a source, is the one that pp_decode() finds for the record this?  Another source's events say nothing. */
static bool
event_is(const struct pp_events *events, const struct pp_rec *r, const struct pp_event *ev)
{
	return pp_events_at(events, pp_event_index(ev)) != ev || pp_event_find(events, r, NULL) == ev;
}

int
pp_encode(const struct pp_source *s, const struct pp_decoded *d, uint8_t *buf, size_t size, struct pp_rec *r, struct pp_err *err)
{
	struct put o = out_begin(buf, size, s->swap);
	uint64_t type;

	if (!d->event)
		return pp_fail(err, "a sample without an event");
	if (!d->event->known)
		return pp_fail(err, "%s: its attr has bits that are not known", d->event->name);
	type = pp_sample_slots(d->event->attr.sample_type);
	for (const struct pp_sample_row *row = pp_sample_rows; row < pp_sample_rows + PP_SAMPLE_BITS; row++)
		if (type >> row->bit & 1 && put_form(&o, row, d, err) < 0)
			return -1;
	put_bytes(&o, NULL, 0, -(size_t)(o.at - buf) & 7);
	if (out_end(&o, buf, PP_SAMPLE, d->misc, r, err) < 0)
		return -1;
	if (!event_is(s->events, r, d->event))
		return pp_fail(err, "%s: the id of the sample is not of this event", pp_event_name(d->event));
	return 1;
}
