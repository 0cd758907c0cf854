/* SPDX-License-Identifier: ISC */
/* feature_put.c - writes the payload of a header feature, value by value */
#include <inttypes.h>
#include <string.h>

#include "attr.h"
#include "feature_in.h"

void
pp_feature_create(struct pp_feature_io *io, uint64_t number, bool swap, uint32_t nr_cpus, uint8_t *buf,
    size_t cap, struct pp_err *err)
{
	pp_feature_start(io, number, swap, nr_cpus, err);
	io->writing = true;
	io->buf = buf;
	io->cap = cap;
}

/* Space for n more bytes, or NULL. */
static uint8_t *
reserve(struct pp_feature_io *io, size_t n)
{
	uint8_t *p = io->buf + io->len;

	if (n > io->cap - io->len) {
		pp_feature_fail(io, "larger than %zu bytes", io->cap);
		return NULL;
	}
	io->len += n;
	return p;
}

static int
put_str(struct pp_feature_io *io, const struct pp_feature_value *v)
{
	size_t n = v->len ? strnlen((const char *)v->p, v->len) : 0, all;
	uint8_t *p;

	if (n > UINT32_MAX - PP_FEATURE_STR_ALIGN)
		return pp_feature_fail(io, "%s is too long", v->name);
	all = (n / PP_FEATURE_STR_ALIGN + 1) * PP_FEATURE_STR_ALIGN;
	if (!(p = reserve(io, 4 + all)))
		return -1;
	pp_set_u32(p, (uint32_t)all, io->swap);
	if (n)
		memcpy(p + 4, v->p, n);
	memset(p + 4 + n, 0, all - n);
	return 1;
}

static int
put_number(struct pp_feature_io *io, const struct pp_feature_field *f, const struct pp_feature_value *v)
{
	uint64_t num = v->count ? 0 : v->num;
	uint8_t *p;

	if (f->size == 4 && (f->kind == PP_F_SINT ? num != (uint64_t)(int64_t)(int32_t)num : num > UINT32_MAX))
		return pp_feature_fail(io, "%s does not fit 32 bits", f->name);
	if (!(p = reserve(io, f->size)))
		return -1;
	if (f->size == 8)
		pp_set_u64(p, num, io->swap);
	else
		pp_set_u32(p, (uint32_t)num, io->swap);
	io->val[io->at] = num;
	io->pos[io->at] = io->len - f->size;
	io->open |= (uint32_t)v->count << io->at;
	return 1;
}

static int
put_bytes(struct pp_feature_io *io, const struct pp_feature_field *f, const struct pp_feature_value *v)
{
	unsigned r = pp_feature_ref(io->f, io->at, f->ref);
	uint8_t *p;

	if (io->open >> r & 1) {
		if (pp_feature_settle(io, r, v->len) < 0)
			return -1;
	} else if (io->val[r] != v->len) {
		return pp_feature_fail(io, "%s has %zu bytes, %s says %" PRIu64, f->name, v->len, f->ref, io->val[r]);
	}
	if (!(p = reserve(io, v->len)))
		return -1;
	if (v->len == 0)
		return 1;
	if (f->kind == PP_F_ATTR && v->swap != io->swap)
		pp_attr_flip(p, v->p, v->len);
	else
		memcpy(p, v->p, v->len);
	return 1;
}

/* Is it padding, which is the same in both byte orders? */
static bool
is_zero(const uint8_t *p, size_t n)
{
	while (n && !*p)
		p++, n--;
	return !n;
}

static int
put_rest(struct pp_feature_io *io, const struct pp_feature_value *v)
{
	uint8_t *p;

	if (v->swap != io->swap && !is_zero(v->p, v->len))
		return pp_feature_fail(io, "%zu bytes of unknown layout cannot be put into the other byte order", v->len);
	if (!(p = reserve(io, v->len)))
		return -1;
	if (v->len)
		memcpy(p, v->p, v->len);
	io->done = true;
	return 1;
}

int
pp_feature_put(struct pp_feature_io *io, const struct pp_feature_value *v)
{
	const struct pp_feature_field *f;
	int r;

	if (io->failed)
		return -1;
	if (io->done)
		return pp_feature_fail(io, "no field can follow the rest");
	io->next = v;
	if ((r = pp_feature_advance(io)) < 0)
		return -1;
	f = &io->f[io->at];
	if (v->kind == PP_F_REST && r == 0)
		return put_rest(io, v);
	if (r == 0)
		return pp_feature_fail(io, "%s has no place here", v->name);
	if (v->kind == PP_F_REST || strcmp(v->name, f->name) != 0)
		return pp_feature_fail(io, "%s expected, not %s", f->name, v->kind == PP_F_REST ? "the rest" : v->name);
	if (pp_feature_is_number(f->kind) != pp_feature_is_number(v->kind) || (f->kind == PP_F_STR) != (v->kind == PP_F_STR))
		return pp_feature_fail(io, "%s is of another kind", v->name);
	if (f->kind == PP_F_STR)
		r = put_str(io, v);
	else if (pp_feature_is_number(f->kind))
		r = put_number(io, f, v);
	else
		r = put_bytes(io, f, v);
	io->at++;
	return r;
}

int
pp_feature_put_num(struct pp_feature_io *io, const char *name, uint64_t num)
{
	return pp_feature_put(io, &(struct pp_feature_value){ .name = name, .kind = PP_F_UINT, .num = num });
}

int
pp_feature_put_count(struct pp_feature_io *io, const char *name)
{
	return pp_feature_put(io, &(struct pp_feature_value){ .name = name, .kind = PP_F_UINT, .count = true });
}

int
pp_feature_put_str(struct pp_feature_io *io, const char *name, const char *p, size_t len)
{
	return pp_feature_put(io, &(struct pp_feature_value){ .name = name, .kind = PP_F_STR,
	    .p = (const uint8_t *)p, .len = len });
}

int
pp_feature_finish(struct pp_feature_io *io, size_t *len)
{
	int r;

	if (io->failed)
		return -1;
	io->next = NULL;
	/* every feature may have an empty payload */
	if (io->len > 0 && !io->done) {
		if ((r = pp_feature_advance(io)) < 0)
			return -1;
		if (r > 0)
			return pp_feature_fail(io, "%s is missing", io->f[io->at].name);
		if (io->open)
			return pp_feature_fail(io, "a length is missing");
	}
	io->done = true;
	*len = io->len;
	return 1;
}
