/* SPDX-License-Identifier: ISC */
/* judge.c - is the size of a record that of its fields? */
#include "attr.h"
#include "event.h"
#include "feature.h"
#include "judge.h"
#include "raw.h"
#include "sample.h"
#include "shape.h"

enum { ENOUGH = 64 };		/* records: longer chains need not be followed, and would take long */

bool
pp_attr_known(const struct pp_attr *a)
{
	return a->size <= sizeof(struct pp_attr_raw) && !(a->sample_type & ~(uint64_t)PP_SAMPLE_KNOWN) &&
	    !(a->read_format >> PP_FORMAT_BITS) && !(a->branch_sample_type >> PP_BRANCH_BITS) && !(a->flags >> PP_ATTR_FLAGS);
}

static int
fail_spare(const struct pp_rec *r, size_t need, struct pp_err *err)
{
	return pp_fail(err, "its fields need %zu of %u bytes", need, r->size);
}

/* ---- SAMPLEs ----------------------------------------------------------------------------------- */

/* What is fixed in the input: a period that was added is not yet there. */
static size_t
sample_fixed(const struct pp_event *ev)
{
	return ev->plan.fixed - (ev->added_period ? 8u : 0);
}

static int
judge_sample(const struct pp_events *e, const struct pp_rec *r, struct pp_err *err)
{
	const struct pp_event *ev;
	size_t end;

	if (!e->n)
		return 1;
	if (!(ev = pp_event_of(e, r, err))) {
		if (!pp_event_unknown(e, r))
			return -1;
		err->what[0] = 0;		/* perf skips it */
		return 1;
	}
	if (r->size < sample_fixed(ev))
		return pp_fail(err, "record of %u bytes needs %zu", r->size, sample_fixed(ev));
	if (!ev->known || pp_event_unknown(e, r))	/* the attr of its id may follow */
		return 1;
	if (!(end = pp_shape_end(&ev->shape, r, sample_fixed(ev), e->swap)))
		return pp_shape_fail(ev, r, e->swap, err);
	return r->size == end || r->size == ((end + 7) & ~(size_t)7) ? 1 : fail_spare(r, end, err);
}

/* ---- bytes without a meaning ---------------------------------------------------------------------- */

bool
pp_header_plausible(const struct pp_rec *r)
{
	/* The kernel uses the cpumodes 0 to 5; in its own records perf has left misc unset. */
	return pp_type_name(r->type) && r->size >= pp_type_min(r->type) && (r->type >= PP_USER_TYPE_START ||
	    ((r->misc & PP_MISC_CPUMODE_MASK) <= PP_MISC_GUEST_USER && !(r->size & 7)));
}

static int	judge(const struct pp_events *, const struct pp_rec *, bool deep, struct pp_err *);

/* Do sound records stand from p on, up to `end' or over it, or ENOUGH of them?  `weak': one over the end is enough. */
static bool
is_chain(const struct pp_events *e, const uint8_t *p, const uint8_t *end, bool weak)
{
	unsigned n = weak;

	while (end - p >= PP_HEADER_SIZE) {
		struct pp_rec r = pp_rec_at(p, e->swap);
		struct pp_err err = { 0 };

		if (!pp_header_plausible(&r))
			return false;
		if (r.size > end - p)
			return n > 0;
		if (judge(e, &r, false, &err) < 0)
			return false;
		if (++n == ENOUGH)
			return true;
		p += r.size;
	}
	return p == end && n > weak;
}

/* No known field is behind `from': do records begin there, or (step 0: only there) at any multiple of `step' behind it? */
static int
judge_rest(const struct pp_events *e, const struct pp_rec *r, size_t from, unsigned step, bool weak, struct pp_err *err)
{
	const uint8_t *end = r->raw + r->size;

	for (const uint8_t *p = r->raw + from; end - p >= PP_HEADER_SIZE; p = step ? p + step : end)
		if (is_chain(e, p, end, weak))
			return pp_fail(err, "of its %u bytes, those from byte %zu on are other records", r->size, (size_t)(p - r->raw));
	return 1;
}

/* ---- the others --------------------------------------------------------------------------------- */

/* RHEL 7's kernel writes MMAP2 without prot and flags, which are the last fields before the name. */
static bool
is_short_mmap2(const struct pp_rec *r, unsigned trailer)
{
	enum { NAME = PP_RAW_AT(MMAP2, prot) };
	const uint8_t *nul;

	return r->type == PP_MMAP2 && r->size > NAME + trailer && (nul = memchr(r->raw + NAME, 0, r->size - NAME - trailer)) &&
	    (((size_t)(nul + 1 - r->raw) + 7) & ~(size_t)7) + trailer == r->size;
}

size_t
pp_kernel_needs(const struct pp_events *e, const struct pp_rec *r, size_t left)
{
	struct pp_rec all = *r;
	size_t end;

	all.size = left < PP_RECORD_MAX ? (uint16_t)left : PP_RECORD_MAX;
	if (e->trailer < 0 || all.size < pp_type_min(r->type) || !(end = pp_fields_end(&all, e->swap, NULL)) || end == all.size)
		return 0;
	return end + (e->n ? (unsigned)e->trailer : 0);
}

/* A COMM with room for each name of a task, filled up with zeros. */
static bool
is_long_comm(const struct pp_rec *r, size_t end, unsigned trailer)
{
	enum { END = PP_RAW_AT(COMM, comm) + 16 };

	if (r->type != PP_COMM || r->size != END + trailer)
		return false;
	while (end < END && !r->raw[end])
		end++;
	return end == END;
}

static int
judge_kernel(const struct pp_events *e, const struct pp_rec *r, struct pp_err *err)
{
	size_t end = pp_fields_end(r, e->swap, err);
	const struct pp_event *ev = NULL;
	unsigned trailer;

	if (!end)
		return -1;
	if (!e->n)
		return 1;
	if (e->trailer < 0 || r->type == PP_READ)
		if (!(ev = pp_event_find(e, r, NULL)))
			return 1;
	if (r->type == PP_READ) {
		struct pp_cur c = pp_cur(r->raw + 16, r->size - 16u, e->swap);
		struct pp_read rd;

		pp_read_get(&rd, &c, ev->attr.read_format);
		if (c.bad)
			return pp_fail(err, "read values lie past the end");
		end = (size_t)(c.p - r->raw);
	}
	trailer = ev ? ev->plan.trailer : (unsigned)e->trailer;
	if (r->size == end + trailer || is_long_comm(r, end, trailer) || is_short_mmap2(r, trailer))
		return 1;
	return r->size < end + trailer ? pp_fail(err, "record of %u bytes needs %zu", r->size, end + trailer) :
	    fail_spare(r, end + trailer, err);
}

static int
judge_feature_rest(void *arg, const struct pp_feature_value *v)
{
	const uint8_t **rest = arg;

	*rest = v->kind == PP_F_REST ? v->p : NULL;
	return 1;
}

/* Where the layout of a feature ends. */
static size_t
feature_end(const struct pp_events *e, const struct pp_rec *r)
{
	const uint8_t *rest = NULL;
	struct pp_err err = { 0 };
	struct pp_feature f;

	if (pp_feature_of(&f, r, e->swap, 0, &err) < 0 || pp_feature_walk(&f, judge_feature_rest, &rest, &err) < 0 || !rest)
		return r->size;
	return (size_t)(rest - r->raw);
}

static int
judge_user(const struct pp_events *e, const struct pp_rec *r, struct pp_err *err)
{
	size_t end = pp_fields_end(r, e->swap, err);

	if (!end)
		return -1;
	if (pp_meaning(r->type)->payload == 8)	/* else it may be in the record: pp_payload_size() */
		return r->size == end ? 1 : fail_spare(r, end, err);
	switch (r->type) {
	case PP_COMPRESSED:
	case PP_COMPRESSED2:
		return 1;
	case PP_HEADER_ATTR:
		end = PP_HEADER_SIZE + pp_attr_bytes(r->raw + PP_HEADER_SIZE, r->size - (size_t)PP_HEADER_SIZE, e->swap);
		if ((r->size - end) % 8)
			return pp_fail(err, "%zu bytes of ids", r->size - end);
		break;
	case PP_HEADER_FEATURE:
		end = feature_end(e, r);
		break;
	case PP_AUXTRACE_INFO:
		end = 16;
		break;
	case PP_FINISHED_ROUND:
	case PP_FINISHED_INIT:
		end = PP_HEADER_SIZE;
	}
	return judge_rest(e, r, end, r->type == PP_HEADER_FEATURE ? 0 : 8, true, err);
}

static int
judge(const struct pp_events *e, const struct pp_rec *r, bool deep, struct pp_err *err)
{
	if (r->type == PP_SAMPLE)
		return judge_sample(e, r, err);
	if (!pp_type_name(r->type))
		return deep ? judge_rest(e, r, PP_HEADER_SIZE, 1, false, err) : 1;
	if (r->type < PP_USER_TYPE_START)
		return judge_kernel(e, r, err);
	return deep ? judge_user(e, r, err) : pp_check(r, e->swap, err);
}

int
pp_judge(const struct pp_events *e, const struct pp_rec *r, struct pp_err *err)
{
	return pp_fits_exactly(e, r) ? 1 : judge(e, r, true, err);
}

int
pp_judge_quickly(const struct pp_events *e, const struct pp_rec *r, struct pp_err *err)
{
	return judge(e, r, false, err);
}
