/* SPDX-License-Identifier: ISC */
/*
 * feature_rec.c - whole features: from and to records, visiting all values, conversion of the byte order.  Only feature.c and
 * feature_put.c know the layout of payloads.
 */
#include <inttypes.h>
#include <stdio.h>

#include "feature.h"
#include "raw.h"

static const char *
name(const struct pp_feature *f, char *num, size_t size)
{
	const char *s = pp_feature_name(f->number);

	if (s)
		return s;
	snprintf(num, size, "number %" PRIu64, f->number);
	return num;
}

bool
pp_feature_is_end(const struct pp_rec *r)
{
	return r->type == PP_HEADER_FEATURE && r->size == PP_FEATURE_HEAD && !r->payload;
}

int
pp_feature_of(struct pp_feature *f, const struct pp_rec *r, bool swap, uint32_t nr_cpus, struct pp_err *err)
{
	if (r->size < PP_FEATURE_HEAD)
		return pp_fail(err, "HEADER_FEATURE: size %u, at least %u expected", r->size, PP_FEATURE_HEAD);
	*f = (struct pp_feature){ .number = PP_RAW_GET(r->raw, HEADER_FEATURE, feat_id, swap),
	    .p = r->raw + PP_FEATURE_HEAD, .len = r->size - (size_t)PP_FEATURE_HEAD, .nr_cpus = nr_cpus,
	    .swap = swap };
	return 1;
}

int
pp_feature_walk(const struct pp_feature *f, pp_feature_visit *visit, void *arg, struct pp_err *err)
{
	struct pp_feature_io io;
	struct pp_feature_value v;
	int r, result = 1;

	pp_feature_open(&io, f, err);
	while ((r = pp_feature_next(&io, &v)) > 0)
		if ((result = visit(arg, &v)) <= 0)
			return result;
	return r < 0 ? -1 : result;
}

int
pp_feature_num(const struct pp_feature *f, const char *name, uint64_t *num, struct pp_err *err)
{
	struct pp_feature_io io;
	struct pp_feature_value v;
	int r;

	pp_feature_open(&io, f, err);
	while ((r = pp_feature_next(&io, &v)) > 0)
		if (v.kind >= PP_F_UINT && v.kind <= PP_F_BITMAP && strcmp(v.name, name) == 0) {
			*num = v.num;
			return 1;
		}
	return r;
}

bool
pp_feature_string(const struct pp_feature *f, struct pp_feature_value *v)
{
	struct pp_err ignored = { .what = "" };
	struct pp_feature_io io;

	pp_feature_open(&io, f, &ignored);
	return pp_feature_next(&io, v) > 0 && v->kind == PP_F_STR;
}

static int
put_visited(void *arg, const struct pp_feature_value *v)
{
	return pp_feature_put(arg, v);
}

int
pp_feature_convert(const struct pp_feature *f, bool to_swap, uint8_t *buf, size_t cap, size_t *len,
    struct pp_err *err)
{
	struct pp_feature_io io;

	pp_feature_create(&io, f->number, to_swap, f->nr_cpus, buf, cap, err);
	if (pp_feature_walk(f, put_visited, &io, err) < 0)
		return -1;
	return pp_feature_finish(&io, len);
}

int
pp_feature_record(uint8_t *buf, size_t cap, const struct pp_feature *f, struct pp_err *err)
{
	char num[32];

	if (!(pp_feature_where(f->number) & PP_FEATURE_PIPE))
		return pp_fail(err, "HEADER_FEATURE: %s cannot be in a stream", name(f, num, sizeof num));
	if (f->len > PP_RECORD_MAX - PP_FEATURE_HEAD)
		return pp_fail(err, "HEADER_FEATURE: %s: %zu bytes are more than a record holds, %d",
		    name(f, num, sizeof num), f->len, PP_RECORD_MAX - PP_FEATURE_HEAD);
	if (cap < PP_FEATURE_HEAD + f->len)
		return pp_fail(err, "HEADER_FEATURE: %s: record is larger than %zu bytes",
		    name(f, num, sizeof num), cap);
	if (f->len)
		memmove(buf + PP_FEATURE_HEAD, f->p, f->len);
	pp_raw_head(buf, PP_HEADER_FEATURE, 0, (uint16_t)(PP_FEATURE_HEAD + f->len), f->swap);
	PP_RAW_SET(buf, HEADER_FEATURE, feat_id, f->number, f->swap);
	return 1;
}
