/* SPDX-License-Identifier: ISC */
/*
 * feature.c - reads and writes the payload of a header feature by its row of feature.def
 *
 * A state machine (advance()) steps through the row: it enters and leaves lists, handles what is optional, and stops at each
 * stored field.  Reading decodes the bytes of that field; writing encodes the next value of the caller.  Only more() and
 * enter() depend on which of the two it is.
 */
#include <ctype.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#include "feature_in.h"

#define N_(nm, txt, knd, sz)	{ .name = #nm, .text = txt, .kind = knd, .size = sz },
#define B_(nm, rf, txt, knd)	{ .name = #nm, .text = txt, .kind = knd, .ref = #rf },
#define U4(nm, txt)		N_(nm, txt, PP_F_UINT, 4)
#define U8(nm, txt)		N_(nm, txt, PP_F_UINT, 8)
#define S4(nm, txt)		N_(nm, txt, PP_F_SINT, 4)
#define X4(nm, txt)		N_(nm, txt, PP_F_HEX, 4)
#define X8(nm, txt)		N_(nm, txt, PP_F_HEX, 8)
#define T8(nm, txt)		N_(nm, txt, PP_F_TIME, 8)
#define M8(nm, txt)		N_(nm, txt, PP_F_BITMAP, 8)
#define STR(nm, txt)		N_(nm, txt, PP_F_STR, 0)
#define BYTES(nm, rf, txt)	B_(nm, rf, txt, PP_F_BYTES)
#define ATTR(nm, rf, txt)	B_(nm, rf, txt, PP_F_ATTR)
#define INFO(nm, rf, txt)	B_(nm, rf, txt, PP_F_INFO)
#define LIST(rf)		{ .kind = PP_F_LIST, .ref = #rf },
#define BITS(rf)		{ .kind = PP_F_BITS, .ref = #rf },
#define CPUS			{ .kind = PP_F_CPUS },
#define EACH			{ .kind = PP_F_EACH },
#define END			{ .kind = PP_F_END },
#define OPT			{ .kind = PP_F_OPT },
#define SINCE(rf, n)		{ .kind = PP_F_SINCE, .ref = #rf, .size = n },

#define FEAT(number, nm, where, holds, fields) \
	static const struct pp_feature_field fields_##nm[] = { fields { .kind = PP_F_STOP } }; \
	_Static_assert(sizeof fields_##nm / sizeof *fields_##nm <= PP_FEATURE_FIELDS, #nm);
#include "feature.def"
#undef FEAT

enum { BOTH = PP_FEATURE_PIPE | PP_FEATURE_FILE, SECT = PP_FEATURE_FILE, FLAG = PP_FEATURE_FLAG };

static const struct row {
	const char	*name;
	const struct pp_feature_field *f;
	unsigned	 where;
	enum pp_feature_holds holds;
} rows[PP_FEAT_END] = {
#define FEAT(number, nm, place, holds, fields) [number] = { #nm, fields_##nm, place, PP_HOLDS_##holds },
#include "feature.def"
#undef FEAT
};


/* ---- the table ------------------------------------------------------------------------------- */

static const struct row *
row_of(uint64_t number)
{
	return number < PP_FEAT_END && rows[number].name ? &rows[number] : NULL;
}

const char *
pp_feature_name(uint64_t number)
{
	const struct row *r = row_of(number);

	return r ? r->name : NULL;
}

int64_t
pp_feature_number(const char *name)
{
	unsigned long long n;
	char *end;

	if (isdigit((unsigned char)*name)) {
		n = strtoull(name, &end, 10);
		return *end == '\0' && pp_feature_where(n) ? (int64_t)n : -1;
	}
	if (strncasecmp(name, "HEADER_", 7) == 0)
		name += 7;
	for (n = 0; n < PP_FEAT_END; n++)
		if (rows[n].name && strcasecmp(rows[n].name, name) == 0)
			return (int64_t)n;
	return -1;
}

unsigned
pp_feature_where(uint64_t number)
{
	const struct row *r = row_of(number);

	if (r)
		return r->where;
	/* perf stores the number in an int and takes these for damage */
	return number == 0 || number >= INT_MAX ? 0 : BOTH;
}

enum pp_feature_holds
pp_feature_holds(uint64_t number)
{
	const struct row *r = row_of(number);

	return r ? r->holds : PP_HOLDS_UNKNOWN;
}

const struct pp_feature_field *
pp_feature_row(uint64_t number)
{
	static const struct pp_feature_field opaque[] = { { .kind = PP_F_STOP } };
	const struct row *r = row_of(number);

	return r ? r->f : opaque;
}

/* ---- the state machine ---------------------------------------------------------------------------- */

static int fail(struct pp_feature_io *, const char *, ...) __attribute__((format(printf, 2, 3)));

/* Set the error "HEADER_FEATURE: NAME: cause", for good.  Always -1. */
static int
fail(struct pp_feature_io *io, const char *fmt, ...)
{
	const char *name = pp_feature_name(io->number);
	char cause[160];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(cause, sizeof cause, fmt, ap);
	va_end(ap);
	io->failed = true;
	if (name)
		pp_fail(io->err, "HEADER_FEATURE: %s: %s", name, cause);
	else
		pp_fail(io->err, "HEADER_FEATURE: number %" PRIu64 ": %s", io->number, cause);
	return -1;
}

/* A unit test resolves all references of the constant rows. */
unsigned
pp_feature_ref(const struct pp_feature_field *f, unsigned at, const char *name)
{
	while (at > 0)
		if (f[--at].name && strcmp(f[at].name, name) == 0)
			break;
	return at;
}

/* The nearest field of that name before the current one. */
static unsigned
ref(const struct pp_feature_io *io, const char *name)
{
	return pp_feature_ref(io->f, io->at, name);
}

unsigned
pp_feature_end_of(const struct pp_feature_field *f, unsigned i)
{
	int deep = 1;

	for (;; i++)
		switch (f[i].kind) {
		case PP_F_LIST: case PP_F_BITS: case PP_F_CPUS: case PP_F_EACH:
			deep++;
			break;
		case PP_F_END:
			if (--deep == 0)
				return i;
			break;
		}
}

/* The least size of an entry of the list body at i: never 0 for a row of feature.def. */
static size_t
least(const struct pp_feature_field *f, unsigned i)
{
	size_t n = 0;

	for (; f[i].kind != PP_F_END && f[i].kind != PP_F_STOP; i++)
		switch (f[i].kind) {
		case PP_F_UINT: case PP_F_SINT: case PP_F_HEX: case PP_F_TIME: case PP_F_BITMAP:
			n += f[i].size;
			break;
		case PP_F_STR:
			n += 4;
			break;
		case PP_F_SINCE:
			i++;
			break;
		case PP_F_LIST: case PP_F_BITS: case PP_F_CPUS: case PP_F_EACH:
			i = pp_feature_end_of(f, i + 1);
			break;
		}
	return n;
}

/* Is there more data, which may start with this field?  Used where the row alone does not decide it. */
static bool
more(const struct pp_feature_io *io, const struct pp_feature_field *f)
{
	if (!io->writing)
		return pp_left(&io->cur) > 0;
	return io->next && io->next->kind != PP_F_REST && f->name && strcmp(io->next->name, f->name) == 0;
}

/* Write a count that is known now into the space left for it. */
static int
settle(struct pp_feature_io *io, unsigned i, uint64_t n)
{
	io->open &= ~(1u << i);
	io->val[i] = n;
	if (io->f[i].size == 8)
		pp_set_u64(io->buf + io->pos[i], n, io->swap);
	else if (n > UINT32_MAX)
		return fail(io, "%s does not fit 32 bits", io->f[i].name);
	else
		pp_set_u32(io->buf + io->pos[i], (uint32_t)n, io->swap);
	return 1;
}

/* At the start of the innermost list: enter its next entry, or leave it. */
static int
turn(struct pp_feature_io *io)
{
	unsigned d = io->depth - 1u, start = io->in[d].start;
	bool until = io->in[d].until;		/* it ends when nothing fits, not by count */
	const struct pp_feature_field *list = &io->f[start - 1];
	unsigned r;

	if (until ? more(io, &io->f[start]) : io->in[d].left > 0) {
		io->at = (uint8_t)start;
		return 1;
	}
	io->depth--;
	io->at = (uint8_t)(start - 1);		/* ref() searches back from here */
	r = list->ref ? ref(io, list->ref) : 0;
	io->at = (uint8_t)(pp_feature_end_of(io->f, start) + 1);
	if (until && list->kind == PP_F_LIST)
		return settle(io, r, io->in[d].index);
	return 1;
}

/* Enter the list at `at', after checking that so many entries can be present. */
static int
enter(struct pp_feature_io *io)
{
	const struct pp_feature_field *list = &io->f[io->at];
	unsigned r = list->ref ? ref(io, list->ref) : 0;
	uint64_t n = io->val[r];
	size_t each = least(io->f, io->at + 1u);
	bool until = false;

	switch (list->kind) {
	case PP_F_LIST:
		until = io->open >> r & 1;
		break;
	case PP_F_BITS:
		if (io->open >> r & 1)
			return fail(io, "%s cannot be counted", list->ref);
		n = n / 64 + (n % 64 != 0);
		break;
	case PP_F_CPUS:
		n = io->nr_cpus;
		until = n == 0;
		break;
	default:
		until = true;
	}
	if (!io->writing && !until && n > pp_left(&io->cur) / each)
		return fail(io, "%s: %" PRIu64 " entries cannot be in %zu bytes", list->ref ? list->ref : "NRCPUS", n,
		    pp_left(&io->cur));
	io->in[io->depth].start = (uint8_t)(io->at + 1);
	io->in[io->depth].until = until;
	io->in[io->depth].left = n;
	io->in[io->depth].index = 0;
	io->depth++;
	return turn(io);
}

/* Step to the next stored field.  1; 0 at the end of the row (`at' stays there); -1. */
static int
advance(struct pp_feature_io *io)
{
	for (;;) {
		const struct pp_feature_field *f = &io->f[io->at];
		int r = 1;

		switch (f->kind) {
		case PP_F_STOP:
			return 0;
		case PP_F_OPT:
			/* a list without entries may be the rest of the payload: it is absent then */
			if (!more(io, f[1].kind == PP_F_CPUS ? &f[2] : &f[1]))
				return 0;
			io->at++;
			break;
		case PP_F_CPUS:
			/* neither their number nor their end is known */
			if (!io->writing && io->nr_cpus == 0)
				return 0;
			r = enter(io);
			break;
		case PP_F_LIST: case PP_F_BITS: case PP_F_EACH:
			r = enter(io);
			break;
		case PP_F_END:
			io->in[io->depth - 1].index++;
			io->in[io->depth - 1].left--;	/* ignored if `until' */
			r = turn(io);
			break;
		case PP_F_SINCE:
			io->at = (uint8_t)(io->at + (io->val[ref(io, f->ref)] >= f->size ? 1 : 2));
			break;
		default:
			return 1;
		}
		if (r < 0)
			return -1;
	}
}

static void
start(struct pp_feature_io *io, uint64_t number, bool swap, uint32_t nr_cpus, struct pp_err *err)
{
	*io = (struct pp_feature_io){ .f = pp_feature_row(number), .number = number, .swap = swap,
	    .nr_cpus = nr_cpus, .err = err };
}

bool
pp_feature_is_number(unsigned kind)
{
	return kind == PP_F_UINT || kind == PP_F_SINT || kind == PP_F_HEX || kind == PP_F_TIME ||
	    kind == PP_F_BITMAP;
}

/* ---- reading --------------------------------------------------------------------------------- */

void
pp_feature_open(struct pp_feature_io *io, const struct pp_feature *f, struct pp_err *err)
{
	start(io, f->number, f->swap, f->nr_cpus, err);
	io->done = f->len == 0;
	if (!io->done)
		io->cur = pp_cur(f->p, f->len, f->swap);
}

/* Decode the field at `at'. */
static int
take(struct pp_feature_io *io, struct pp_feature_value *v)
{
	const struct pp_feature_field *f = &io->f[io->at];
	struct pp_cur *c = &io->cur;
	size_t want = 4;

	if (f->kind == PP_F_STR) {
		v->len = pp_take_u32(c);
		if (!c->bad)
			want = v->len;
		v->p = pp_take(c, v->len);
		if (v->p)
			v->len = strnlen((const char *)v->p, v->len);
	} else if (pp_feature_is_number(f->kind)) {
		want = v->len = f->size;
		v->p = c->p;
		v->num = f->size == 8 ? pp_take_u64(c) : pp_take_u32(c);
		if (f->kind == PP_F_SINT)
			v->num = (uint64_t)(int64_t)(int32_t)v->num;
		io->val[io->at] = v->num;
	} else {
		want = v->len = io->val[ref(io, f->ref)];
		v->p = pp_take(c, v->len);
	}
	if (c->bad)
		return fail(io, "cut short, %zu of %zu bytes of %s", pp_left(c), want, f->name);
	io->at++;
	return 1;
}

int
pp_feature_next(struct pp_feature_io *io, struct pp_feature_value *v)
{
	const struct pp_feature_field *f;
	int r;

	if (io->failed)
		return -1;
	if (io->done)
		return 0;
	if ((r = advance(io)) < 0)
		return -1;
	if (r == 0) {
		io->done = true;
		if (pp_left(&io->cur) == 0)
			return 0;
		*v = (struct pp_feature_value){ .name = "rest", .kind = PP_F_REST, .swap = io->swap,
		    .p = io->cur.p, .len = pp_left(&io->cur) };
		return 1;
	}
	f = &io->f[io->at];
	*v = (struct pp_feature_value){ .name = f->name, .text = f->text, .kind = f->kind, .swap = io->swap,
	    .depth = io->depth, .index = io->depth ? io->in[io->depth - 1].index : 0 };
	return take(io, v);
}

/* ---- writing --------------------------------------------------------------------------------- */

void
pp_feature_create(struct pp_feature_io *io, uint64_t number, bool swap, uint32_t nr_cpus, uint8_t *buf,
    size_t cap, struct pp_err *err)
{
	start(io, number, swap, nr_cpus, err);
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
		fail(io, "larger than %zu bytes", io->cap);
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
		return fail(io, "%s is too long", v->name);
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
		return fail(io, "%s does not fit 32 bits", f->name);
	if (!(p = reserve(io, f->size)))
		return -1;
	if (f->size == 8)
		pp_set_u64(p, num, io->swap);
	else
		pp_set_u32(p, (uint32_t)num, io->swap);
	io->val[io->at] = num;
	io->pos[io->at] = io->len - f->size;
	io->open = (io->open & ~(1u << io->at)) | (uint32_t)v->count << io->at;
	return 1;
}

static int
put_bytes(struct pp_feature_io *io, const struct pp_feature_field *f, const struct pp_feature_value *v)
{
	unsigned r = ref(io, f->ref);
	uint8_t *p;

	if (io->open >> r & 1) {
		if (settle(io, r, v->len) < 0)
			return -1;
	} else if (io->val[r] != v->len) {
		return fail(io, "%s has %zu bytes, %s says %" PRIu64, f->name, v->len, f->ref, io->val[r]);
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
		return fail(io, "%zu bytes of unknown layout cannot be put into the other byte order", v->len);
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
		return fail(io, "no field can follow the rest");
	io->next = v;
	if ((r = advance(io)) < 0)
		return -1;
	f = &io->f[io->at];
	if (v->kind == PP_F_REST && r == 0)
		return put_rest(io, v);
	if (r == 0)
		return fail(io, "%s has no place here", v->name);
	if (v->kind == PP_F_REST || strcmp(v->name, f->name) != 0)
		return fail(io, "%s expected, not %s", f->name, v->kind == PP_F_REST ? "the rest" : v->name);
	if (pp_feature_is_number(f->kind) != pp_feature_is_number(v->kind) || (f->kind == PP_F_STR) != (v->kind == PP_F_STR))
		return fail(io, "%s is of another kind", v->name);
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
		if ((r = advance(io)) < 0)
			return -1;
		if (r > 0)
			return fail(io, "%s is missing", io->f[io->at].name);
		if (io->open)
			return fail(io, "a length is missing");
	}
	io->done = true;
	*len = io->len;
	return 1;
}
