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

/* n entries of so many bytes; none: as if it was not there. */
static struct pp_bytes
bytes_of(const struct pp_span *from, size_t unit)
{
	struct pp_bytes b = { from->n ? from->p : NULL, from->p ? (size_t)from->n * unit : 0 };

	return b;
}

int
pp_decode(const struct pp_source *s, const struct pp_rec *r, struct pp_decoded *d, struct pp_err *err)
{
	const struct pp_event *ev;
	struct pp_sample full;

	if (r->type != PP_SAMPLE)
		return 0;
	if (!(ev = event_of(s, r, err)) || pp_sample_get(&full, ev, r, s->swap, err) < 0)
		return -1;
	*d = (struct pp_decoded){
		.event = ev, .has = ev->attr.sample_type & PP_SAMPLE_KNOWN, .misc = r->misc,
		.cpumode = r->misc & PP_MISC_CPUMODE_MASK,
		.pid = full.pid, .tid = full.tid, .cpu = full.cpu, .time = full.time, .ip = full.ip, .addr = full.addr,
		.id = ev->attr.sample_type & PP_SAMPLE_ID ? full.id : full.identifier, .stream_id = full.stream_id,
		.period = full.period, .weight = full.weight, .data_src = full.data_src, .transaction = full.transaction,
		.phys_addr = full.phys_addr, .cgroup = full.cgroup, .data_page_size = full.data_page_size,
		.code_page_size = full.code_page_size,
		.callchain = bytes_of(&full.callchain, 8), .raw = bytes_of(&full.raw, 1), .branches = bytes_of(&full.branches, 24),
		.stack_user = bytes_of(&full.stack_user, 1), .regs_user = bytes_of(&full.regs_user, 8),
		.regs_intr = bytes_of(&full.regs_intr, 8), .regs_user_abi = full.regs_user_abi, .regs_intr_abi = full.regs_intr_abi,
		.read = bytes_of(&full.at[__builtin_ctz(PP_SAMPLE_READ)], 1), .aux = bytes_of(&full.aux, 1),
	};
	if (d->stack_user.n > full.stack_dyn_size)
		d->stack_user.n = (size_t)full.stack_dyn_size;
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
