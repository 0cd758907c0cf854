/* SPDX-License-Identifier: ISC */
/*
 * feature.c - reads the payload of a header feature by its row of feature.def; feature_put.c writes one
 *
 * A state machine, pp_feature_advance(), steps through the row: it enters and leaves lists, handles what is optional, and stops at
 * each stored field.  Reading decodes the bytes of that field; writing encodes the next value of the caller.  Only feature_more()
 * and feature_enter() depend on which of the two it is.
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

#define FEAT(number, nm, where, holds, shown, of, fields) \
	static const struct pp_feature_field fields_##nm[] = { fields { .kind = PP_F_STOP } }; \
	_Static_assert(sizeof fields_##nm / sizeof *fields_##nm <= PP_FEATURE_FIELDS, #nm);
#include "feature.def"
#undef FEAT

enum { BOTH = PP_FEATURE_PIPE | PP_FEATURE_FILE, SECT = PP_FEATURE_FILE, ALONE = PP_FEATURE_FILE | PP_FEATURE_ALONE, FLAG = PP_FEATURE_FLAG };
enum { RUN = false, MACHINE = true };

static const struct row {
	const char	*name;
	const struct pp_feature_field *f;
	unsigned	 where;
	bool		 of_machine;
	enum pp_feature_holds holds;
	enum pp_feature_shown shown;
} rows[PP_FEAT_END] = {
#define FEAT(number, nm, place, holds, shown, of, fields) \
	[number] = { #nm, fields_##nm, place, of, PP_HOLDS_##holds, PP_SHOWN_##shown },
#include "feature.def"
#undef FEAT
};


/* ---- the table ------------------------------------------------------------------------------- */

static const struct row *
feature_row(uint64_t number)
{
	return number < PP_FEAT_END && rows[number].name ? &rows[number] : NULL;
}

const char *
pp_feature_name(uint64_t number)
{
	const struct row *r = feature_row(number);

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
	const struct row *r = feature_row(number);

	if (r)
		return r->where;
	/* perf stores the number in an int and takes these for damage */
	return number == 0 || number >= INT_MAX ? 0 : BOTH;
}

enum pp_feature_holds
pp_feature_holds(uint64_t number)
{
	const struct row *r = feature_row(number);

	return r ? r->holds : PP_HOLDS_UNKNOWN;
}

enum pp_feature_shown
pp_feature_shown(uint64_t number)
{
	const struct row *r = feature_row(number);

	return r ? r->shown : PP_SHOWN_SAME;
}

bool
pp_feature_of_machine(uint64_t number)
{
	const struct row *r = feature_row(number);

	return r && r->of_machine && r->where & PP_FEATURE_PIPE;
}

const struct pp_feature_field *
pp_feature_row(uint64_t number)
{
	static const struct pp_feature_field opaque[] = { { .kind = PP_F_STOP } };
	const struct row *r = feature_row(number);

	return r ? r->f : opaque;
}

/* ---- the state machine ---------------------------------------------------------------------------- */

int
pp_feature_fail(struct pp_feature_io *io, const char *fmt, ...)
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
feature_least(const struct pp_feature_field *f, unsigned i)
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
feature_more(const struct pp_feature_io *io, const struct pp_feature_field *f)
{
	if (!io->writing)
		return pp_left(&io->cur) > 0;
	return io->next && io->next->kind != PP_F_REST && f->name && strcmp(io->next->name, f->name) == 0;
}

int
pp_feature_settle(struct pp_feature_io *io, unsigned i, uint64_t n)
{
	io->open &= ~(1u << i);
	io->val[i] = n;
	if (io->f[i].size == 8)
		pp_set_u64(io->buf + io->pos[i], n, io->swap);
	else if (n > UINT32_MAX)
		return pp_feature_fail(io, "%s does not fit 32 bits", io->f[i].name);
	else
		pp_set_u32(io->buf + io->pos[i], (uint32_t)n, io->swap);
	return 1;
}

/* At the start of the innermost list: enter its next entry, or leave it. */
static int
feature_turn(struct pp_feature_io *io)
{
	unsigned d = io->depth - 1u, start = io->in[d].start;
	bool until = io->in[d].until;		/* it ends when nothing fits, not by count */
	const struct pp_feature_field *list = &io->f[start - 1];
	unsigned r;

	if (until ? feature_more(io, &io->f[start]) : io->in[d].left > 0) {
		io->at = (uint8_t)start;
		return 1;
	}
	io->depth--;
	io->at = (uint8_t)(start - 1);		/* pp_feature_ref() searches back from here */
	r = list->ref ? pp_feature_ref(io->f, io->at, list->ref) : 0;
	io->at = (uint8_t)(pp_feature_end_of(io->f, start) + 1);
	if (until && list->kind == PP_F_LIST)
		return pp_feature_settle(io, r, io->in[d].index);
	return 1;
}

/* Enter the list at `at', after checking that so many entries can be present. */
static int
feature_enter(struct pp_feature_io *io)
{
	const struct pp_feature_field *list = &io->f[io->at];
	unsigned r = list->ref ? pp_feature_ref(io->f, io->at, list->ref) : 0;
	uint64_t n = io->val[r];
	size_t each = feature_least(io->f, io->at + 1u);
	bool until = false;

	switch (list->kind) {
	case PP_F_LIST:
		until = io->open >> r & 1;
		break;
	case PP_F_BITS:
		if (io->open >> r & 1)
			return pp_feature_fail(io, "%s cannot be counted", list->ref);
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
		return pp_feature_fail(io, "%s: %" PRIu64 " entries cannot be in %zu bytes", list->ref ? list->ref : "NRCPUS", n,
		    pp_left(&io->cur));
	io->in[io->depth].start = (uint8_t)(io->at + 1);
	io->in[io->depth].until = until;
	io->in[io->depth].left = n;
	io->in[io->depth].index = 0;
	io->depth++;
	return feature_turn(io);
}

int
pp_feature_advance(struct pp_feature_io *io)
{
	for (;;) {
		const struct pp_feature_field *f = &io->f[io->at];
		int r = 1;

		switch (f->kind) {
		case PP_F_STOP:
			return 0;
		case PP_F_OPT:
			/* a list without entries may be the rest of the payload: it is absent then */
			if (!feature_more(io, f[1].kind == PP_F_CPUS ? &f[2] : &f[1]))
				return 0;
			io->at++;
			break;
		case PP_F_CPUS:
			/* neither their number nor their end is known */
			if (!io->writing && io->nr_cpus == 0)
				return 0;
			r = feature_enter(io);
			break;
		case PP_F_LIST: case PP_F_BITS: case PP_F_EACH:
			r = feature_enter(io);
			break;
		case PP_F_END:
			io->in[io->depth - 1].index++;
			io->in[io->depth - 1].left--;	/* ignored if `until' */
			r = feature_turn(io);
			break;
		case PP_F_SINCE:
			io->at = (uint8_t)(io->at + (io->val[pp_feature_ref(io->f, io->at, f->ref)] >= f->size ? 1 : 2));
			break;
		default:
			return 1;
		}
		if (r < 0)
			return -1;
	}
}

void
pp_feature_start(struct pp_feature_io *io, uint64_t number, bool swap, uint32_t nr_cpus, struct pp_err *err)
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
	pp_feature_start(io, f->number, f->swap, f->nr_cpus, err);
	io->done = f->len == 0;
	if (!io->done)
		io->cur = pp_cur(f->p, f->len, f->swap);
}

/* Decode the field at `at'. */
static int
feature_take(struct pp_feature_io *io, struct pp_feature_value *v)
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
		want = v->len = io->val[pp_feature_ref(io->f, io->at, f->ref)];
		v->p = pp_take(c, v->len);
	}
	if (c->bad)
		return pp_feature_fail(io, "cut short, %zu of %zu bytes of %s", pp_left(c), want, f->name);
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
	if ((r = pp_feature_advance(io)) < 0)
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
	return feature_take(io, v);
}
