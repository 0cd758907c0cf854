/* SPDX-License-Identifier: ISC */
/* decode.c - what programs get of records: the functions of perfpipe.h that take the byte order from the source */
#include "chain.h"
#include "sample.h"

struct pp_rec
pp_view(const struct pp_source *s, const uint8_t *p)
{
	return pp_rec_at(p, s->swap);
}

uint64_t
pp_number(const struct pp_source *s, const struct pp_value *v)
{
	return pp_value_num(v, s->swap);
}

uint64_t
pp_number_at(const struct pp_source *s, const uint8_t *p, size_t size)
{
	switch (size) {
	case 2:
		return pp_get_u16(p, s->swap);
	case 4:
		return pp_get_u32(p, s->swap);
	case 8:
		return pp_get_u64(p, s->swap);
	default:
		return 0;
	}
}

static const struct pp_event *
event_of(const struct pp_source *s, const struct pp_rec *r, struct pp_err *err)
{
	return r->type < PP_USER_TYPE_START ? pp_event_find(s->events, r, err) : NULL;
}

int
pp_fields(const struct pp_source *s, const struct pp_rec *r, pp_visit *visit, void *arg, struct pp_err *err)
{
	return pp_walk(r, event_of(s, r, NULL), s->swap, visit, arg, err);
}

int
pp_record_time(const struct pp_source *s, const struct pp_rec *r, uint64_t *time)
{
	const struct pp_event *ev = event_of(s, r, NULL);

	return ev ? pp_time(ev, r, s->swap, time) : 0;
}

int
pp_feature_view(const struct pp_source *s, const struct pp_rec *r, struct pp_feature *f, struct pp_err *err)
{
	return r->type == PP_HEADER_FEATURE ? pp_feature_of(f, r, s->swap, 0, err) : 0;
}

/* By its bit, where the field of a row is in struct pp_decoded: a member of that name and of the type that goes with its form. */
#define TYPE_U64	uint64_t
#define TYPE_WEIGHT	uint64_t
#define TYPE_PID_TID	uint32_t
#define TYPE_CPU	uint32_t
#define TYPE_READ	struct pp_bytes
#define TYPE_CHAIN	struct pp_bytes
#define TYPE_RAW	struct pp_bytes
#define TYPE_BRANCHES	struct pp_bytes
#define TYPE_REGS	struct pp_bytes
#define TYPE_STACK	struct pp_bytes
#define TYPE_AUX	struct pp_bytes
#define identifier	id
#define branch_stack	branches
const uint16_t pp_decoded_at[PP_SAMPLE_BITS] = {
#define AT(bit, member, type) [bit] = _Generic(((struct pp_decoded *)0)->member, type: offsetof(struct pp_decoded, member)),
#define SAMPLE(bit, NAME, name, where, form, ...) AT(bit, name, TYPE_##form)
#include "sample.def"
#undef SAMPLE
#undef AT
};
#undef identifier
#undef branch_stack

struct decoding { struct pp_decoded *d; bool swap; };

/* A number of a field that has several values. */
static void
take_number(struct pp_decoded *d, const struct pp_value *v, uint64_t n)
{
	switch (v->role) {
	case PP_ROLE_PID:
		d->pid = (uint32_t)n;
		break;
	case PP_ROLE_TID:
		d->tid = (uint32_t)n;
		break;
	case PP_ROLE_CPU:
		d->cpu = (uint32_t)n;
		break;
	default:
		if (v->field == PP_SAMPLE_REGS_USER)
			d->regs_user_abi = n;
		if (v->field == PP_SAMPLE_REGS_INTR)
			d->regs_intr_abi = n;
		if (v->field == PP_SAMPLE_STACK_USER && d->stack_user.n > n)
			d->stack_user.n = (size_t)n;	/* dyn_size; the size, in front of the bytes, changes nothing */
	}
}

static int
take(void *arg, const struct pp_value *v)
{
	const struct decoding *x = arg;
	struct pp_decoded *d = x->d;
	const struct pp_sample_row *row = pp_sample_row(v->field);
	void *member = (uint8_t *)d + pp_decoded_at[row->bit];
	struct pp_bytes *bytes = member;

	switch ((enum pp_sample_form)row->form) {
	case PP_FORM_U64:
	case PP_FORM_WEIGHT:
		pp_set_u64(member, pp_get_u64(v->p, x->swap), false);
		break;
	case PP_FORM_READ:
		bytes->p = bytes->p ? bytes->p : v->p;
		bytes->n = (size_t)(v->p + v->len - bytes->p);
		break;
	case PP_FORM_BRANCHES:
		if (v->entries && !bytes->p)
			*bytes = (struct pp_bytes){ v->p, (size_t)24 * v->entries };
		break;
	case PP_FORM_PID_TID:
	case PP_FORM_CPU:
	case PP_FORM_CHAIN:
	case PP_FORM_RAW:
	case PP_FORM_REGS:
	case PP_FORM_STACK:
	case PP_FORM_AUX:
		if (v->kind == PP_K_UINT)
			take_number(d, v, pp_value_num(v, x->swap));
		else
			*bytes = (struct pp_bytes){ v->p, v->len };
		break;
	case PP_FORMS:
		break;
	}
	return 1;
}

int
pp_decode(const struct pp_source *s, const struct pp_rec *r, struct pp_decoded *d, struct pp_err *err)
{
	struct pp_decoded new = { .misc = r->misc, .cpumode = r->misc & PP_MISC_CPUMODE_MASK };

	if (r->type != PP_SAMPLE)
		return 0;
	if (!(new.event = event_of(s, r, err)) || pp_walk(r, new.event, s->swap, take, &(struct decoding){ &new, s->swap }, err) < 0)
		return -1;
	new.has = new.event->attr.sample_type & PP_SAMPLE_KNOWN;
	*d = new;
	return 1;
}

void
pp_frames_of(struct pp_frames *f, const struct pp_source *s, const struct pp_decoded *d)
{
	*f = (struct pp_frames){ d->callchain.p, d->callchain.n / 8, PP_MISC_USER, s->swap };
}

int
pp_frame_next(struct pp_frames *f, struct pp_frame *to)
{
	for (bool deferred = false; f->left; f->left--, f->p += 8) {
		uint64_t entry = pp_get_u64(f->p, f->swap);

		if (pp_is_context(entry) && !deferred) {
			f->cpumode = pp_context_mode(entry);
			deferred = entry == PP_CONTEXT(USER_DEFERRED);
			continue;
		}
		*to = (struct pp_frame){ entry, f->cpumode, deferred };
		f->left--;
		f->p += 8;
		return 1;
	}
	return 0;
}
